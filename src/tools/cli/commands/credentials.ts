import type { Application, IssuedCredentials } from '../../../index.js'
import { command, option, type Command, type OptionTable } from '../command.js'
import { CommandError, UsageError } from '../errors.js'
import { alignColumns, formatTime, replaceControlCharacters } from '../format.js'
import { EXAMPLE_ID, PROGRAM } from '../program.js'
import { parseApiGrants } from './api-grants.js'
import { formatName } from './application-format.js'
import { getApplication } from './applications.js'
import { describeEmail, waitForEmails } from './emails.js'

const ROTATION_OPTIONS = {
  credential: option.text(
    'CREDENTIAL',
    'The id of the one to replace (apps show lists them); needed if there are several names.',
  ),
  overlap: option.number('SECONDS', 'How long the old one still works; the default is 86400, and 0 ends it at once.'),
  mail: option.flag(
    "Sends it to the application's contact by e-mail instead of showing it; the overlap starts when the mail server accepts the e-mail.",
  ),
  'revoke-tokens': option.flag('Also refuses every access token that it was issued up to now.'),
} as const satisfies OptionTable

/** `apps ...`: the keys and secrets of an application. */
export const credentialCommands = [
  createAddCommand('secret'),
  createAddCommand('key'),
  createRotateCommand('secret'),
  createRotateCommand('key'),
  command({
    name: 'apps recover',
    summary: 'Takes an application back after somebody else has read the mailbox of a contact.',
    notes: [
      'All of its keys, secrets, access tokens, other contacts, invitations, requests for access and sessions end. The contact gets one new key, and one secret where it needs one.',
      'The contact may be a former one, whose mailbox was won back. Call it again if it fails.',
    ],
    parameters: ['ID'],
    requires: 'options',
    queuesEmails: ({ mail }) => mail === true,
    options: {
      contact: option.requiredText('ADDRESS', 'Its only contact from now on.'),
      mail: option.flag('Sends the new credentials to the contact instead of showing them.'),
    },
    example: `apps recover ${EXAMPLE_ID} --contact a@b.example --config platform.js`,
    async run(context) {
      const { platform, by, parameters, values } = context
      const [id] = parameters
      const deliver = values.mail ? ('email' as const) : undefined
      const recovered = await platform.applications.recover(id, { contact: values.contact, deliver, by })
      const { application, credentials, selfService } = recovered
      const got = selfService.map(
        ({ api, scopes, by: actor }) =>
          `\n${[api, ...scopes].join(' ')} was granted to ${actor ?? 'a contact'} without a decision.`,
      )
      const text = `${formatName(application)} has the contact ${values.contact} alone.${got.join('')}`
      if (credentials) return { json: recovered, text: `${text}\n\n${formatCredentials(application, credentials)}` }
      const emails = await waitForEmails(context, id)
      return { json: { ...recovered, emails }, text: `${text}\n${describeEmail(id, emails, context)}` }
    },
  }),
  command({
    name: 'apps update-credential',
    summary: 'Renames a key or secret, or changes when it expires.',
    parameters: ['ID', 'CREDENTIAL'],
    options: {
      name: option.text('NAME', 'Its new name.'),
      expires: option.text(
        'TIME',
        'When it expires: a date such as 2027-01-31 (its start in UTC), a time in ISO 8601, or never.',
      ),
    },
    example: `apps update-credential ${EXAMPLE_ID} cred_... --name main --db my.sqlite`,
    async run({ platform, by, parameters: [id, credential], values: { name, expires } }) {
      if (name === undefined && expires === undefined) {
        throw new UsageError('Nothing to change: give --name, --expires, or both.', 'apps update-credential')
      }
      const changes = { ...(name !== undefined && { name }), ...parseExpiry(expires), by }
      const application = await platform.applications.updateCredential(id, credential, changes)
      return { json: { application }, text: `Updated ${describeCredential(application, credential)}.` }
    },
  }),
  command({
    name: 'apps end-credential',
    summary: 'Ends a key or secret at once.',
    parameters: ['ID', 'CREDENTIAL'],
    options: { 'revoke-tokens': ROTATION_OPTIONS['revoke-tokens'] },
    example: `apps end-credential ${EXAMPLE_ID} cred_... --db platform.sqlite`,
    async run({ platform, by, parameters: [id, credential], values: { 'revoke-tokens': revokeTokens } }) {
      const ended = describeCredential(await getApplication(platform, id), credential)
      const application = await platform.applications.endCredential(id, credential, { revokeTokens, by })
      return { json: { application }, text: `Ended ${ended}. Servers refuse it within a second.` }
    },
  }),
]

/** New credentials in plain text, each on a line of its own, so that they can be copied, and when they expire. */
export function formatCredentials(
  { keys, secrets }: Application,
  { clientId, clientSecret }: Partial<IssuedCredentials>,
): string {
  const rows = [
    ...(clientId ? [['client_id', clientId]] : []),
    ...(clientSecret ? [['client_secret', clientSecret]] : []),
  ]
  const end = clientId ? findEnd(keys, clientId) : undefined
  const secretEnd = clientSecret ? findEnd(secrets, clientSecret) : undefined
  const ends =
    clientId && clientSecret
      ? describeBothEnds(end, secretEnd)
      : [end ?? secretEnd].flatMap((only) => (only ? [`It expires at ${formatTime(only)}.`] : []))
  return [`${alignColumns(rows, '  ')}\n\nShown this once: only their hashes are kept.`, ...ends].join(' ')
}

function describeBothEnds(key: Date | undefined, secret: Date | undefined): string[] {
  if (key && key.getTime() === secret?.getTime()) return [`Both expire at ${formatTime(key)}.`]
  return [
    ...(key ? [`The key expires at ${formatTime(key)}.`] : []),
    ...(secret ? [`The secret expires at ${formatTime(secret)}.`] : []),
  ]
}

/** The newest one is first: it is the new one, if another has the same first characters. */
function findEnd(list: Application['keys'], plain: string): Date | undefined {
  return list.find(({ prefix }) => plain.startsWith(prefix))?.expiresAt
}

function createAddCommand(kind: 'key' | 'secret'): Command {
  return command({
    name: `apps add-${kind}`,
    summary: `Gives an application a further ${kind}, with a name, and shows it once.`,
    notes: [
      'With --api it may be used for these APIs and scopes only; they must be among those of the application. At most 20 are live.',
    ],
    parameters: ['ID'],
    requires: 'options',
    options: {
      name: option.requiredText('NAME', 'What it is for, such as warehouse.'),
      expires: option.text(
        'TIME',
        'When it expires: a date such as 2027-01-31 (its start in UTC), or a time in ISO 8601; never if left out.',
      ),
      api: option.list(
        'API[=SCOPES]',
        "An API that it is restricted to: orders, with the scopes that the application has now; 'orders=orders:read', with these. Repeat it for the next API.",
      ),
    },
    example: `apps add-${kind} ${EXAMPLE_ID} --name warehouse --config platform.js`,
    async run({ platform, by, parameters: [id], values: { name, expires, api } }) {
      const { addKey, addSecret } = platform.applications
      const options = { name, by, ...parseExpiry(expires), ...(api.length > 0 && { apis: parseApiGrants(api) }) }
      const added = await (kind === 'key' ? addKey(id, options) : addSecret(id, options))
      const what = `a new ${kind} "${replaceControlCharacters(added.credential.name)}" (${added.credential.id})`
      return {
        json: added,
        text: `${formatName(added.application)} has ${what}.\n\n${formatCredentials(added.application, added.credentials)}`,
      }
    },
  })
}

/** `--expires`: a date or a time with its offset, because a time without one would be that of this machine. */
function parseExpiry(text: string | undefined): { expiresAt?: Date | null } {
  if (text === undefined) return {}
  if (text === 'never') return { expiresAt: null }
  return { expiresAt: parseTime('--expires', text) }
}

/** A date, whose start in UTC is meant, or a time with its offset. */
export function parseTime(option: string, text: string): Date {
  const time = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text)
    ? new Date(text)
    : undefined
  if (time && !Number.isNaN(time.getTime())) return time
  throw new CommandError(`${option} ${text} is no date, such as 2027-01-31, and no time, such as 2027-01-31T12:00:00Z.`)
}

/** A credential of an application in words; its id alone if the application does not have it. */
function describeCredential({ keys, secrets }: Application, credentialId: string): string {
  const key = keys.find(({ id }) => id === credentialId)
  const credential = key ?? secrets.find(({ id }) => id === credentialId)
  if (!credential) return credentialId
  return `the ${key ? 'key' : 'secret'} "${replaceControlCharacters(credential.name)}" (${credentialId})`
}

function createRotateCommand(kind: 'key' | 'secret'): Command {
  return command({
    name: `apps rotate-${kind}`,
    summary:
      kind === 'key'
        ? 'Creates a new key (client_id, API key) and shows it once.'
        : 'Creates a new secret and shows it once; the first one if there was none.',
    notes: [
      'It has the name, the restriction and the end of the one that it replaces. Of each name at most two are live: a third ends the oldest.',
      'Any live key works with any live secret.',
    ],
    parameters: ['ID'],
    requires: 'options',
    queuesEmails: ({ mail }) => mail === true,
    options: ROTATION_OPTIONS,
    example: `apps rotate-${kind} ${EXAMPLE_ID} --overlap 3600 --config platform.js`,
    async run(context) {
      const { platform, by, parameters, values } = context
      const [id] = parameters
      const { rotateKey, rotateSecret } = platform.applications
      const options = {
        ...(values.overlap !== undefined && { overlap: values.overlap }),
        ...(values.credential !== undefined && { credential: values.credential }),
        revokeTokens: values['revoke-tokens'],
        by,
      }
      if (!values.mail) {
        const rotated = await (kind === 'key' ? rotateKey(id, options) : rotateSecret(id, options))
        const text = `${formatName(rotated.application)} has a new ${kind}.\n\n${formatCredentials(rotated.application, rotated.credentials)}`
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

/** Until when the former one works. */
function describeFormer({ keys, secrets }: Application, kind: 'key' | 'secret'): string {
  const [newest, ...others] = kind === 'key' ? keys : secrets
  const former = others.find(({ name }) => name === newest?.name)
  return former ? ` The former one works until ${formatTime(former.expiresAt)}.` : ''
}
