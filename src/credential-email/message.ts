import type { Api } from '../contracts/api.js'
import { escapeHtml } from '../lib/html.js'
import type { EmailMessage } from '../contracts/mailer.js'
import type { ApplicationRecord, EmailPurpose } from '../contracts/store.js'
import type { Issue } from '../applications/issue.js'

/** What a email is about. Either the credentials are in it, or a link that shows them. */
interface EmailContent {
  /** As it is before the email's credentials are added. */
  readonly application: ApplicationRecord
  readonly purpose: EmailPurpose
  readonly to: string
  /** Seconds that what is replaced goes on working. */
  readonly overlap: number
  readonly issue?: Issue
  readonly claim?: string
}

/** Writes a email. */
export type ComposeEmail = (content: EmailContent) => EmailMessage

interface EmailOptions {
  readonly apis: ReadonlyMap<string, Api>
  readonly developersUrl: string | undefined
  readonly baseUrl: string
}

/** A line of a email: a paragraph, or something to copy or to follow, under what it is. */
type Line =
  | string
  | { readonly label: string; readonly copy: string }
  | { readonly label: string; readonly link: string }

export function createEmailComposer({ apis, developersUrl, baseUrl }: EmailOptions): ComposeEmail {
  const { host } = new URL(baseUrl)

  return function composeEmail({ application, purpose, to, overlap, issue = {}, claim }) {
    // RFC 2047: a mail program would decode that, and show what no name may hold.
    const name = application.name.replaceAll('=?', '= ?')
    const subject = `${SUBJECTS[purpose]} for ${name} (${host})`
    const key = issue.key?.plain
    const secret = issue.secret?.plain
    const lines: Line[] = [
      INTRODUCTIONS[purpose](application.name, host),
      'This email replaces every earlier one about this.',
      ...formerLines(application, purpose, overlap, claim !== undefined),
      ...(claim === undefined ? [] : claimLines(`${developersUrl}/register/claim#${claim}`)),
      ...(key === undefined ? [] : [{ label: 'Key (client_id, X-Api-Key)', copy: key }]),
      ...(secret === undefined ? [] : [{ label: 'Secret (client_secret)', copy: secret }]),
      ...Object.keys(application.apis).flatMap((name) => callLines(apis.get(name), purpose, key, secret)),
      ...(developersUrl === undefined ? [] : [{ label: 'Everything about these APIs', link: developersUrl }]),
      ...(claim === undefined ? [KEEP] : []),
      'If you did not ask for this, you need do nothing.',
    ]
    return { to, subject, text: asText(lines), html: asHtml(subject, lines) }
  }
}

const SUBJECTS: Record<EmailPurpose, string> = {
  registration: 'Your credentials',
  key: 'Your new key',
  secret: 'Your new secret',
}

const INTRODUCTIONS: Record<EmailPurpose, (name: string, host: string) => string> = {
  registration: (name, host) => `Your application “${name}” is registered at ${host}.`,
  key: (name, host) => `There is a new key for your application “${name}” at ${host}.`,
  secret: (name, host) => `There is a new secret for your application “${name}” at ${host}.`,
}

const KEEP =
  'Keep the credentials where only your application can read them. They are not stored here and cannot be shown again.'

/** What becomes of the key or the secret of before, where there is one. */
function formerLines(
  { keys, secrets }: ApplicationRecord,
  purpose: EmailPurpose,
  overlap: number,
  byLink: boolean,
): Line[] {
  if (purpose === 'registration' || (purpose === 'key' ? keys : secrets).length === 0) return []
  if (overlap === 0) return [byLink ? 'The former one ends when this one is shown.' : 'The former one has ended.']
  const still = `The former one works for ${inWords(overlap)}`
  return [byLink ? `${still} after this one is shown.` : `${still} from now on.`]
}

function inWords(seconds: number): string {
  const [unit = 'seconds', length = 1] = UNITS.find(([, length]) => seconds >= 2 * length) ?? []
  return `${Math.floor(seconds / length)} ${unit}`
}

const UNITS = [
  ['days', 86_400],
  ['hours', 3600],
  ['minutes', 60],
] as const

function claimLines(link: string): Line[] {
  return ['Your credentials are shown once, at this address, within 72 hours:', { label: 'Show my credentials', link }]
}

/** How an API is called, with a line that can be pasted. Only what this email brings is filled in. */
function callLines(api: Api | undefined, purpose: EmailPurpose, key = 'YOUR_KEY', secret = 'YOUR_SECRET'): Line[] {
  if (!api) return []
  if (api.tokenEndpoint !== undefined) {
    return [
      { label: `${api.title}: get access tokens at`, copy: api.tokenEndpoint },
      { label: 'Try it', copy: `curl -u "${key}:${secret}" -d grant_type=client_credentials "${api.tokenEndpoint}"` },
    ]
  }
  // No secret goes there.
  if (purpose === 'secret') return []
  return [
    { label: `${api.title}: send your key in the header`, copy: 'X-Api-Key' },
    {
      label: 'Try it, with the path of a resource behind the address',
      copy: `curl -H "X-Api-Key: ${key}" "${api.resource}"`,
    },
  ]
}

function asText(lines: readonly Line[]): string {
  const paragraphs = lines.map((line) => {
    if (typeof line === 'string') return line
    return `${line.label}:\n\n    ${'link' in line ? line.link : line.copy}`
  })
  return `${paragraphs.join('\n\n')}\n`
}

function asHtml(subject: string, lines: readonly Line[]): string {
  const body = lines.map((line) => {
    if (typeof line === 'string') return `<p>${escapeHtml(line)}</p>`
    const shown =
      'link' in line
        ? `<a href="${escapeHtml(line.link)}">${escapeHtml(line.link)}</a>`
        : `<code>${escapeHtml(line.copy)}</code>`
    return `<p>${escapeHtml(line.label)}:<br>${shown}</p>`
  })
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head><body>${body.join('\n')}</body></html>\n`
}
