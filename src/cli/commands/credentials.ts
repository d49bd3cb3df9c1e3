import type { Application, IssuedCredentials } from '../../index.js'
import { didYouMean } from '../../lib/suggest.js'
import { command, type Command, type OptionTable } from '../command.js'
import { CommandError } from '../errors.js'
import { alignColumns, formatTime } from '../format.js'
import { EXAMPLE_ID, PROGRAM } from '../program.js'
import { formatName, getApplication } from './applications.js'
import { describeEmail, waitForEmails } from './emails.js'

const ROTATION_OPTIONS = {
  overlap: {
    kind: 'number',
    placeholder: 'SECONDS',
    description: 'How long the old one still works; the default is 86400, and 0 ends it at once.',
  },
  mail: {
    kind: 'flag',
    description:
      "Sends it to the application's contact by e-mail instead of showing it; the overlap starts when the mail server accepts the e-mail.",
  },
  'revoke-tokens': {
    kind: 'flag',
    description: 'Also refuses every access token that it was issued up to now.',
  },
} as const satisfies OptionTable

/** `apps ...`: what an application may use, and its credentials. */
export const credentialCommands = [
  command({
    name: 'apps allow',
    summary: 'Allows an application to use an API, or replaces the scopes that it has there.',
    parameters: ['ID', 'API'],
    requires: 'options',
    audited: true,
    options: {
      scope: {
        kind: 'list',
        placeholder: 'SCOPE',
        description: 'A scope to grant; repeat it for the next. The default is all scopes that the API has now.',
      },
    },
    example: `apps allow ${EXAMPLE_ID} orders --scope orders:read --config platform.js`,
    async run({ platform, by, parameters: [id, api], values: { scope } }) {
      const application = await platform.applications.allow(id, api, { ...(scope.length > 0 && { scopes: scope }), by })
      const scopes = application.apis[api]?.scopes ?? []
      const text = `${formatName(application)} may use ${api}${scopes.length > 0 ? ` with ${scopes.join(' ')}` : ''}.`
      const needsSecret = platform.apis.some(({ name, scheme }) => name === api && scheme === 'oauth2')
      const hint = `\nIt has no secret yet, and ${api} needs one: ${PROGRAM} apps rotate-secret ${id}`
      return {
        json: { application },
        text: needsSecret && application.secrets.length === 0 ? text + hint : text,
      }
    },
  }),
  command({
    name: 'apps disallow',
    summary: 'Removes an API from an application.',
    parameters: ['ID', 'API'],
    requires: 'store',
    audited: true,
    example: `apps disallow ${EXAMPLE_ID} orders --db platform.sqlite`,
    async run({ platform, by, parameters: [id, api] }) {
      const { apis } = await getApplication(platform, id)
      if (!Object.hasOwn(apis, api)) {
        const allowed = Object.keys(apis)
        const list = allowed.length > 0 ? `It may use ${allowed.join(', ')}.` : 'It may use none.'
        throw new CommandError(`Application ${id} may not use "${api}" anyway. ${list}${didYouMean(api, allowed)}`)
      }
      const application = await platform.applications.disallow(id, api, { by })
      return { json: { application }, text: `${formatName(application)} may no longer use ${api}.` }
    },
  }),
  createRotateCommand('secret'),
  createRotateCommand('key'),
  command({
    name: 'apps revoke-tokens',
    summary: 'Refuses every access token that an application was issued up to now.',
    notes: ['It can get new ones with its credentials. "apps suspend" prevents that too.'],
    parameters: ['ID'],
    requires: 'store',
    audited: true,
    example: `apps revoke-tokens ${EXAMPLE_ID} --db platform.sqlite`,
    async run({ platform, by, parameters: [id] }) {
      const application = await platform.applications.revokeTokens(id, { by })
      return {
        json: { application },
        text: `Every access token issued to ${formatName(application)} up to now is refused.`,
      }
    },
  }),
]

/** Credentials in plain text, each on a line of its own, so that they can be copied. */
export function formatCredentials({ clientId, clientSecret }: Partial<IssuedCredentials>): string {
  const rows = [
    ...(clientId ? [['client_id', clientId]] : []),
    ...(clientSecret ? [['client_secret', clientSecret]] : []),
  ]
  return `${alignColumns(rows, '  ')}\n\nShown this once: only their hashes are kept.`
}

function createRotateCommand(kind: 'key' | 'secret'): Command {
  return command({
    name: `apps rotate-${kind}`,
    summary:
      kind === 'key'
        ? 'Creates a new key (client_id, API key) and shows it once.'
        : 'Creates a new secret and shows it once; the first one if there was none.',
    notes: ['At most two are live: a third ends the oldest. Any live key works with any live secret.'],
    parameters: ['ID'],
    requires: 'options',
    audited: true,
    queuesEmails: ({ mail }) => mail === true,
    options: ROTATION_OPTIONS,
    example: `apps rotate-${kind} ${EXAMPLE_ID} --overlap 3600 --config platform.js`,
    async run(context) {
      const { platform, by, parameters, values } = context
      const [id] = parameters
      const { rotateKey, rotateSecret } = platform.applications
      const options = {
        ...(values.overlap !== undefined && { overlap: values.overlap }),
        revokeTokens: values['revoke-tokens'],
        by,
      }
      if (!values.mail) {
        const rotated = await (kind === 'key' ? rotateKey(id, options) : rotateSecret(id, options))
        const text = `${formatName(rotated.application)} has a new ${kind}.\n\n${formatCredentials(rotated.credentials)}`
        return { json: rotated, text: text + describeFormer(rotated.application, kind) }
      }
      if ((await getApplication(platform, id)).contact === undefined) {
        throw new CommandError(
          `Application ${id} has no contact. Set one: ${PROGRAM} apps update ${id} --contact ADDRESS`,
        )
      }
      const byEmail = { ...options, deliver: 'email' } as const
      const { application } = await (kind === 'key' ? rotateKey(id, byEmail) : rotateSecret(id, byEmail))
      const emails = await waitForEmails(context, id, ({ purpose }) => purpose === kind)
      const text = `${formatName(application)} gets a new ${kind} by e-mail.\n${describeEmail(id, emails, context)}`
      return { json: { application: await getApplication(platform, id), emails }, text }
    },
  })
}

function describeFormer({ keys, secrets }: Application, kind: 'key' | 'secret'): string {
  const former = (kind === 'key' ? keys : secrets)[1]
  return former ? ` The former one works until ${formatTime(former.expiresAt)}.` : ''
}
