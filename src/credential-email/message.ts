import { DEFAULT_NAME, type CredentialTerms, type MintedCredentials } from '../applications/credentials.js'
import type { Api } from '../contracts/api.js'
import type { EmailMessage } from '../contracts/mailer.js'
import type { ApplicationRecord, DeliveryPurpose } from '../contracts/store.js'
import { formatBlocks, type Block } from './blocks.js'

/** Writes an e-mail, as text and as HTML. */
export type ComposeEmail = (content: EmailContent) => EmailMessage

/** What an e-mail is about. It has either the credentials, or a link that shows them. */
interface EmailContent {
  /** As it is without the credentials of this e-mail and of its earlier attempts. */
  readonly application: ApplicationRecord
  readonly purpose: DeliveryPurpose
  readonly to: string
  /** Seconds for which the previous credential still works. */
  readonly overlap: number
  /** Of the credential that it is about. */
  readonly terms: CredentialTerms
  /** Whether that replaces another one. */
  readonly hasPrevious: boolean
  readonly minted?: MintedCredentials
  readonly claimToken?: string
}

interface EmailOptions {
  readonly apis: ReadonlyMap<string, Api>
  readonly developersUrl: string | undefined
  readonly baseUrl: string
}

export function createEmailComposer({ apis, developersUrl, baseUrl }: EmailOptions): ComposeEmail {
  const { host } = new URL(baseUrl)

  return function composeEmail({ application, purpose, to, overlap, terms, hasPrevious, minted = {}, claimToken }) {
    // Without the application's name: a stranger could choose the first words that somebody reads from this address.
    const subject = `${SUBJECTS[purpose]} for ${host}`
    const key = minted.key?.plain
    const secret = minted.secret?.plain
    const byLink = claimToken !== undefined
    const blocks: Block[] = [
      INTRODUCTIONS[purpose](application.name, host),
      ...(purpose === 'registration' || terms.name === DEFAULT_NAME ? [] : [`Its name is “${terms.name}”.`]),
      REPLACES[purpose],
      ...(hasPrevious ? describePrevious(purpose, overlap, byLink) : []),
      ...(byLink ? describeClaimLink(`${developersUrl}/register/claim#${claimToken}`) : []),
      ...(key === undefined ? [] : [{ label: `Key (${listKeyUses(application, apis)})`, code: key }]),
      ...(secret === undefined ? [] : [{ label: 'Secret (client_secret)', code: secret }]),
      ...describeId(application, purpose, apis),
      ...Object.keys(terms.apis ?? application.apis).flatMap((api) => describeApi(apis.get(api), purpose, key, secret)),
      ...(developersUrl === undefined ? [] : [{ label: 'Documentation of these APIs', link: developersUrl }]),
      ...(byLink ? [] : [KEEP_SAFE]),
      'If you did not request this, you can ignore this e-mail.',
    ]
    return { to, subject, ...formatBlocks(subject, blocks) }
  }
}

const SUBJECTS: Record<DeliveryPurpose, string> = {
  registration: 'Your credentials',
  key: 'Your new key',
  secret: 'Your new secret',
}

const INTRODUCTIONS: Record<DeliveryPurpose, (name: string, host: string) => string> = {
  registration: (name, host) => `Your application “${name}” is registered at ${host}.`,
  key: (name, host) => `There is a new key for your application “${name}” at ${host}.`,
  secret: (name, host) => `There is a new secret for your application “${name}” at ${host}.`,
}

const REPLACES: Record<DeliveryPurpose, string> = {
  registration: 'This e-mail replaces all earlier e-mails with credentials for this application.',
  key: 'This e-mail replaces all earlier e-mails with a new key for this application.',
  secret: 'This e-mail replaces all earlier e-mails with a new secret for this application.',
}

const KEEP_SAFE =
  'Keep the credentials where only your application can read them. They are not stored here and cannot be shown again.'

/** What happens to the previous key or secret. */
function describePrevious(purpose: DeliveryPurpose, overlap: number, byLink: boolean): string[] {
  if (purpose === 'registration') return []
  const previous = `The previous ${purpose}`
  if (overlap === 0) {
    return [byLink ? `${previous} stops working when the new one is shown.` : `${previous} no longer works.`]
  }
  const stillWorks = `${previous} still works for ${formatDuration(overlap)}`
  return [byLink ? `${stillWorks} after the new one is shown.` : `${stillWorks}.`]
}

/** Where the key is sent: as `client_id`, and in the header of each key API. */
function listKeyUses(application: ApplicationRecord, apis: ReadonlyMap<string, Api>): string {
  const headers = Object.keys(application.apis).flatMap((api) => apis.get(api)?.keyHeaders[0] ?? [])
  return ['client_id', ...new Set(headers)].join(', ')
}

/** At the token endpoint the public id may stand for the key, which is a credential: web servers log the user name of HTTP Basic. */
function describeId(application: ApplicationRecord, purpose: DeliveryPurpose, apis: ReadonlyMap<string, Api>): Block[] {
  const usesTokens = Object.keys(application.apis).some((api) => apis.get(api)?.scheme === 'oauth2')
  if (purpose === 'key' || !usesTokens) return []
  return [{ label: 'Application id (may be the client_id instead of the key; it is no secret)', code: application.id }]
}

const UNITS = [
  ['days', 86_400],
  ['hours', 3600],
  ['minutes', 60],
] as const

/** In the largest unit of which there are at least two. */
function formatDuration(seconds: number): string {
  const [unit = 'seconds', length = 1] = UNITS.find(([, length]) => seconds >= 2 * length) ?? []
  return `${Math.floor(seconds / length)} ${unit}`
}

function describeClaimLink(link: string): Block[] {
  return ['This link shows your credentials once. It works for 72 hours.', { label: 'Show my credentials', link }]
}

/** How to call an API, with a command that can be pasted. Only the credentials of this e-mail are filled in. */
function describeApi(
  api: Api | undefined,
  purpose: DeliveryPurpose,
  key = 'YOUR_KEY',
  secret = 'YOUR_SECRET',
): Block[] {
  if (!api) return []
  const { title, tokenEndpoint, keyHeaders, resource } = api
  if (tokenEndpoint !== undefined) {
    return [
      { label: `Get access tokens for ${title} at`, code: tokenEndpoint },
      { label: 'Try it', code: `curl -u "${key}:${secret}" -d grant_type=client_credentials "${tokenEndpoint}"` },
    ]
  }
  // A new secret changes nothing at a key API.
  if (purpose === 'secret') return []
  return [
    { label: `For ${title}, send your key in the header`, code: keyHeaders[0]! },
    { label: 'Try it (append the path of a resource)', code: `curl -H "${keyHeaders[0]}: ${key}" "${resource}"` },
  ]
}
