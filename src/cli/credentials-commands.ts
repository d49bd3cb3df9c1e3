import type { Application } from '../index.js'
import { changed, existing, nameOf } from './application.js'
import { command, type Command, type OptionTable } from './command.js'
import { defined } from './defined.js'
import { RefusedError } from './failure.js'
import { followEmails, emailsOf, tellOf } from './emails.js'
import { credentialsView } from './format.js'
import { EXAMPLE_ID, PROGRAM } from './program.js'
import { instant } from './table.js'

const ROTATION = {
  overlap: {
    kind: 'number',
    value: 'SECONDS',
    about: 'How long the old one goes on working; 86400 if left out, 0 ends it now.',
  },
  mail: {
    kind: 'flag',
    about:
      "Mails it to the application's contact rather than showing it here; the overlap begins once the email is accepted.",
  },
} as const satisfies OptionTable

/** `apps ...`: what an application proves itself with. */
export const credentialsCommands = [
  rotation('secret'),
  rotation('key'),
  command({
    name: 'apps revoke-tokens',
    summary: 'Refuses every access token that an application has been issued up to now.',
    notes: ['It can get new ones with its credentials: "apps suspend" stops that too.'],
    parameters: ['ID'],
    needs: 'store',
    changes: true,
    example: `apps revoke-tokens ${EXAMPLE_ID} --db platform.sqlite`,
    async run({ platform, by, parameters: [id] }) {
      const application = await platform.applications.revokeTokens(id, { by })
      return changed(application, `Every access token issued to ${nameOf(application)} up to now is refused.`)
    },
  }),
]

function rotation(kind: 'key' | 'secret'): Command {
  return command({
    name: `apps rotate-${kind}`,
    summary:
      kind === 'key'
        ? 'Makes a new key (client_id, X-Api-Key) and shows it, this once.'
        : 'Makes a new secret and shows it, this once; the first one where there was none.',
    notes: ['At most two are live: a third ends the oldest. Any live key goes with any live secret.'],
    parameters: ['ID'],
    needs: 'options',
    changes: true,
    mails: ({ mail }) => mail === true,
    options: ROTATION,
    example: `apps rotate-${kind} ${EXAMPLE_ID} --overlap 3600 --config platform.js`,
    async run(invocation) {
      const { platform, store, by, sends, parameters, values } = invocation
      const [id] = parameters
      const { rotateKey, rotateSecret } = platform.applications
      const options = { ...defined({ overlap: values.overlap }), by }
      if (!values.mail) {
        const rotated = await (kind === 'key' ? rotateKey(id, options) : rotateSecret(id, options))
        const text = `${nameOf(rotated.application)} has a new ${kind}.\n\n${credentialsView(rotated.credentials)}`
        return { json: rotated, text: text + tellOfFormer(rotated.application, kind) }
      }
      if ((await existing(platform, id)).contact === undefined) {
        throw new RefusedError(
          `Application ${id} has no contact to mail to. Set one: ${PROGRAM} apps update ${id} --contact ADDRESS`,
        )
      }
      const before = new Set((await emailsOf(store, id)).map((email) => email.id))
      const mailed = { ...options, deliver: 'email' } as const
      const { application } = await (kind === 'key' ? rotateKey(id, mailed) : rotateSecret(id, mailed))
      const emails = await followEmails(invocation, id, (email) => !before.has(email.id))
      const text = `${nameOf(application)} gets a new ${kind} by e-mail.\n${tellOf(id, emails, sends)}`
      return { json: { application: await existing(platform, application.id), emails }, text }
    },
  })
}

function tellOfFormer({ keys, secrets }: Application, kind: 'key' | 'secret'): string {
  const former = (kind === 'key' ? keys : secrets)[1]
  return former ? ` The former one works until ${instant(former.expiresAt)}.` : ''
}
