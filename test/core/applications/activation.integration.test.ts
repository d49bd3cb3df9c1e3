import { describe, it } from 'vitest'
import type { Mailer } from '../../../src/features/emails/index.js'
import {
  openProvider,
  readCredentials,
  waitForAttempts,
  type Provider,
  type ReceivedCredentials,
  type Test,
} from './applicant.js'

/** A platform whose e-mails arrive with an unknown outcome: `sent` is what the recipients got. */
function openUncertain(test: Test): Provider & { sent: ReceivedCredentials[] } {
  const sent: ReceivedCredentials[] = []
  const mailer: Mailer = {
    async send(email) {
      sent.push(readCredentials(email))
      throw Object.assign(new Error('lost'), { code: 'ECONNECTION' })
    },
  }
  return { ...openProvider(test, { mailer }), sent }
}

const USES: readonly [
  name: string,
  use: (provider: Provider, received: ReceivedCredentials) => Promise<number>,
  status: number,
][] = [
  ['at a token endpoint', (provider, received) => provider.tokenStatus(received), 200],
  ['at a key API', (provider, received) => provider.keyStatus(received), 200],
  [
    'at a key API that the application may not use',
    (provider, received) => provider.keyStatus(received, '/weather/now'),
    403,
  ],
  ['by verifyApiKey()', ({ auth }, { clientId }) => auth.verifyApiKey('catalog', clientId).then(() => 200), 200],
]

describe.concurrent('the first use of credentials whose e-mail may have arrived', () => {
  it.for(USES)('%s activates the application', async ([, use, status], { expect, onTestFinished }) => {
    const provider = openUncertain({ onTestFinished })
    const { id } = await provider.register()
    await waitForAttempts(provider, id, 1)
    expect(await provider.getStatus(id)).toBe('pending')
    provider.clock.advance(1)

    expect(await use(provider, provider.sent[0]!)).toBe(status)
    expect(await provider.getStatus(id)).toBe('active')
    expect(provider.listEvents(id)).toEqual(['registered', 'activated'])
    const { items: records } = await provider.auth.audit.list({ applicationId: id })
    expect(records.at(-1)).toMatchObject({ type: 'application.activated', at: new Date(provider.clock.now()) })
    expect(await provider.listEmails(id)).toEqual([])
    provider.clock.advance(3600)
    expect(await provider.nextDueEmail()).toBeUndefined()
    expect(provider.sent).toHaveLength(1)
  })

  it('activates once if many requests come at the same time', async ({ expect, onTestFinished }) => {
    const provider = openUncertain({ onTestFinished })
    const { id } = await provider.register()
    await waitForAttempts(provider, id, 1)
    const [received] = provider.sent
    const statuses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? provider.tokenStatus(received!) : provider.keyStatus(received!))),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(provider.listEvents(id)).toEqual(['registered', 'activated'])
    const { items: records } = await provider.auth.audit.list({ applicationId: id })
    expect(records.filter(({ type }) => type === 'application.activated')).toHaveLength(1)
  })

  it('does not activate with a wrong secret', async ({ expect, onTestFinished }) => {
    const provider = openUncertain({ onTestFinished })
    const { id } = await provider.register()
    await waitForAttempts(provider, id, 1)
    const [received] = provider.sent
    expect(await provider.tokenStatus({ ...received!, clientSecret: received!.clientId })).toBe(401)
    expect(await provider.getStatus(id)).toBe('pending')
  })
})
