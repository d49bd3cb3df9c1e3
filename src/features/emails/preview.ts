import type { Api } from '../../shared/contracts/api.js'
import type { Language } from '../../shared/contracts/application-record.js'
import type { EmailMessage } from '../../shared/contracts/composed-email.js'
import type { EmailContent } from '../../shared/contracts/email-content.js'
import { DAY_MS } from '../../shared/lib/day.js'
import type { WriteEmail } from './message.js'

/** Writes an e-mail of each kind as it would be sent, about an application that there is not: no credential and no link in it works. */
export function createPreview(
  apis: ReadonlyMap<string, Api>,
  writeEmail: WriteEmail,
  developersUrl: string,
  now: () => number,
): (purpose: EmailContent['purpose'], language: Language) => Promise<EmailMessage> {
  const link = `${developersUrl}#example`
  const granted = Object.fromEntries(
    [...apis.values()].map(({ name, scopes }) => [name, { scopes: Object.keys(scopes) }]),
  )
  const id = `app_${'0'.repeat(32)}`
  const application = { id, name: 'Example', externalId: undefined, metadata: undefined, apis: granted }
  const [clientId, clientSecret] = [`example_key_${'x'.repeat(34)}`, `example_sec_${'x'.repeat(49)}`]

  function describe(purpose: EmailContent['purpose'], language: Language): EmailContent {
    const to = 'dev@example.com'
    const common = { to, language, application }
    const soon = new Date(now() + 14 * DAY_MS)
    if (purpose === 'registration' || purpose === 'key' || purpose === 'secret') {
      const sent = { registration: { clientId, clientSecret }, key: { clientId }, secret: { clientSecret } }[purpose]
      return {
        ...common,
        purpose,
        credentials: sent,
        link: undefined,
        name: 'default',
        usableAt: Object.keys(granted),
        hasPrevious: purpose !== 'registration',
        overlap: DAY_MS / 1000,
        replacesEarlier: false,
        expiresAt: {},
      }
    }
    const change = { at: new Date(now()), by: to, credential: undefined, address: to, isRecipient: false }
    const contents = {
      expiring: {
        credential: { kind: 'key', provesKey: false, name: 'default', prefix: `example_key_xxxx`, expiresAt: soon },
        daysLeft: 14,
        replacementPrefix: undefined,
      },
      invitation: { invitedBy: undefined, link },
      signIn: { link, code: '000000', minutes: 15 },
      approvalRequest: {
        request: 'registration',
        contact: to,
        requested: granted,
        address: '203.0.113.7',
        links: { approve: link, deny: link },
      },
      approved: { granted },
      rejected: { api: undefined, reason: '...' },
      suspended: { reason: '...' },
      quota: { percent: 80, limit: 1000, per: 'month', soft: false, endsAt: soon },
      keySetOutage: {
        keySet: { name: 'default', jwksUri: 'https://partner.example/keys' },
        since: new Date(now()),
        refusedFrom: soon,
        isRefused: false,
      },
      changes: { recipientIs: 'contact', changes: [{ ...change, type: 'contactInvited' }], more: 0 },
    } as const
    return { ...common, purpose, ...contents[purpose] } as EmailContent
  }

  return (purpose, language) => writeEmail(describe(purpose, language))
}
