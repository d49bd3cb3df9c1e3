import { DEFAULT_NAME } from '../../core/applications/credentials/credentials.js'
import type { Api } from '../../shared/contracts/api.js'
import type { EmailCode, EmailLink, EmailTexts } from '../../shared/contracts/composed-email.js'
import type {
  ApprovalRequestEmail,
  CredentialsEmail,
  EmailContent,
  EmailGrants,
  ExpiringEmail,
  ChangesEmail,
} from '../../shared/contracts/email-content.js'
import type { Language } from '../../shared/contracts/application-record.js'
import { describeApi } from './api-commands.js'
import { formatTime } from './text-layout.js'
import { de } from './texts/de.js'
import { en } from './texts/en.js'
import { es } from './texts/es.js'
import { fr } from './texts/fr.js'
import type { Mentioned, Phrases, Words } from './texts/phrases.js'

interface TextsOptions extends Omit<Mentioned, 'name'> {
  readonly apis: ReadonlyMap<string, Api>
  readonly developersUrl: string | undefined
  /** The address of the page where contacts manage their applications; undefined if there is none. */
  readonly portalUrl: string | undefined
  readonly supportUrl: string | undefined
}

const PHRASES: Readonly<Record<Language, Phrases>> = { en, de, fr, es }

/** The parts of an e-mail besides its words. */
type Parts = Partial<Pick<EmailTexts, 'box' | 'facts' | 'sections'>> & {
  /** The links of the buttons: the labels are among the words. */
  readonly actions?: readonly string[]
  readonly manage?: boolean
  /** Whether the e-mail, which is kept, also leads to the portal, where its credentials are rotated. */
  readonly portal?: boolean
  readonly documentation?: boolean
}

/** The words of an e-mail in its language, and its credentials, links and commands. */
export function writeTexts(content: EmailContent, options: TextsOptions): EmailTexts {
  const phrases = PHRASES[content.language]
  const [words, parts] = selectContent(content, phrases, options)
  const { box = [], facts = [], sections = [], actions = [], manage, portal, documentation } = parts
  const { labels } = phrases
  const { portalUrl, developersUrl, supportUrl } = options
  const steps = [
    ...actions.map((link, index): EmailLink => ({ label: words.actions?.[index] ?? '', link })),
    ...listLinks(labels.manage, manage && portalUrl),
  ]
  const reading = listLinks(labels.documentation, documentation && developersUrl)
  const further = [...listLinks(labels.manage, portal && portalUrl), ...listLinks(labels.support, supportUrl)]
  return {
    subject: words.subject,
    heading: words.heading,
    paragraphs: words.paragraphs.filter((each) => each !== false),
    box,
    // One next step: to read about the APIs, where there is nothing else to do.
    actions: steps.length > 0 ? steps : reading,
    facts,
    sections,
    links: steps.length > 0 ? [...reading, ...further] : further,
    notes: (words.notes ?? []).filter((each) => each !== false),
  }
}

function listLinks(label: string, link: string | false | undefined): EmailLink[] {
  return link === undefined || link === false ? [] : [{ label, link }]
}

/** The words of an e-mail, and its other parts. */
function selectContent(content: EmailContent, phrases: Phrases, options: TextsOptions): readonly [Words, Parts] {
  const { labels } = phrases
  const { platform, operator, portalUrl } = options
  if (content.purpose === 'signIn') {
    const parts = { box: [{ label: labels.code, code: content.code }], actions: [content.link] }
    return [phrases.signIn({ platform, operator, minutes: content.minutes }), parts]
  }
  const about = { name: content.application.name, platform, operator }
  const identified = { facts: [{ label: labels.applicationId, code: content.application.id }], manage: true }
  switch (content.purpose) {
    case 'expiring': {
      const mentioned = { ...about, ...mentionExpiring(content, phrases), selfService: portalUrl !== undefined }
      const facts = describeExpiring(content, labels)
      return [phrases.expiring(mentioned), { facts, manage: true, documentation: true }]
    }
    case 'invitation': {
      const byContact = content.invitedBy !== undefined
      return [phrases.invitation({ ...about, byContact }), { actions: [content.link] }]
    }
    case 'approvalRequest': {
      const { approve, deny } = content.links
      const parts = { facts: describeRequest(content, labels, options), actions: [approve, deny] }
      return [phrases.approvalRequest({ ...about, access: content.request === 'access' }), parts]
    }
    case 'approved': {
      const { granted } = content
      const mentioned = { ...about, apis: listTitles(granted, options), tokens: usesTokens(granted, options) }
      const sections = describeApis(Object.keys(granted), content, phrases, options)
      return [phrases.approved(mentioned), { sections, portal: true, documentation: true }]
    }
    case 'rejected': {
      const api = content.api && findTitle(content.api, options)
      return [phrases.denied({ ...about, api, reason: content.reason }), {}]
    }
    case 'suspended':
      return [phrases.suspended({ ...about, reason: content.reason }), identified]
    case 'quota':
      return [phrases.quota({ ...about, ...content, date: phrases.date(content.endsAt) }), identified]
    case 'changes': {
      const parts = { facts: describeChanges(content, phrases), manage: content.recipientIs === 'contact' }
      return [selectChangesWords(content, phrases, about), parts]
    }
    case 'registration':
    case 'key':
    case 'secret':
    default:
      return [selectCredentialWords(content, phrases, about), selectCredentialParts(content, phrases, options)]
  }
}

function mentionExpiring({ credential, daysLeft, replacementPrefix }: ExpiringEmail, phrases: Phrases) {
  const { kind, name, expiresAt } = credential
  return { kind, credential: name, date: phrases.date(expiresAt), daysLeft, replacement: replacementPrefix }
}

function selectCredentialWords(
  { purpose, name, link, hasPrevious, overlap, replacesEarlier, publicKeys }: CredentialsEmail,
  phrases: Phrases,
  about: Mentioned,
): Words {
  const mentioned = {
    ...about,
    credential: name === DEFAULT_NAME ? undefined : name,
    byLink: link !== undefined,
    replacesEarlier,
    provesKey: publicKeys !== undefined,
    previous: hasPrevious ? { worksFor: overlap === 0 ? undefined : formatDuration(overlap, phrases) } : undefined,
  }
  return purpose === 'registration' ? phrases.registration(mentioned) : phrases.replaced(purpose, mentioned)
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** A duration in the largest unit of which there are at least two. */
function formatDuration(seconds: number, phrases: Phrases): string {
  const [unit = 'second', length = 1] = UNITS.find(([, length]) => seconds >= 2 * length) ?? []
  return phrases.duration(Math.floor(seconds / length), unit)
}

function selectCredentialParts(content: CredentialsEmail, phrases: Phrases, options: TextsOptions): Parts {
  const { labels } = phrases
  const { purpose, application, credentials, link, usableAt, expiresAt } = content
  const { clientId: key, clientSecret: secret } = credentials ?? {}
  // A new secret changes nothing at a key API.
  const shown = usableAt.filter((api) => purpose !== 'secret' || options.apis.get(api)?.scheme === 'oauth2')
  return {
    box: [
      ...(key === undefined ? [] : [{ label: labels.key(listKeyUses(application.apis, options)), code: key }]),
      ...(secret === undefined ? [] : [{ label: labels.secret, code: secret }]),
    ],
    facts: [
      ...(content.publicKeys ?? []).map((code) => ({ label: labels.publicKeys, code })),
      ...Object.entries(expiresAt).map(([of, end]) => {
        return { label: of === 'clientId' ? labels.keyExpiresAt : labels.secretExpiresAt, code: formatTime(end) }
      }),
    ],
    actions: link === undefined ? [] : [link],
    sections: [...describeApis(shown, content, phrases, options), ...describeId(content, labels, options)],
    portal: true,
    documentation: true,
  }
}

function describeApis(
  names: readonly string[],
  content: EmailContent,
  { labels }: Phrases,
  { apis, developersUrl }: TextsOptions,
): EmailTexts['sections'] {
  return names.flatMap((name) => {
    const api = apis.get(name)
    return api ? [describeApi(api, { content, labels, developersUrl })] : []
  })
}

/** The places where the key is sent: as `client_id`, and in the header of each key API. */
function listKeyUses(granted: EmailGrants, { apis }: TextsOptions): string {
  const headers = Object.keys(granted).flatMap((api) => apis.get(api)?.keyHeaders[0] ?? [])
  return ['client_id', ...new Set(headers)].join(', ')
}

/** At the token endpoint the public id may stand for the key, which is a credential: web servers log the user name of HTTP Basic. */
function describeId(
  { application, purpose }: CredentialsEmail,
  labels: Phrases['labels'],
  options: TextsOptions,
): EmailTexts['sections'] {
  return purpose === 'key' || !usesTokens(application.apis, options)
    ? []
    : [{ title: labels.applicationId, codes: [{ label: labels.publicId, code: application.id }], links: [] }]
}

function usesTokens(granted: EmailGrants, { apis }: TextsOptions): boolean {
  return Object.keys(granted).some((api) => apis.get(api)?.scheme === 'oauth2')
}

function describeExpiring({ application, credential }: ExpiringEmail, labels: Phrases['labels']): EmailCode[] {
  const { kind, prefix, expiresAt } = credential
  return [
    { label: labels.expiresAt, code: formatTime(expiresAt) },
    { label: labels.firstCharacters(kind), code: `${prefix}...` },
    { label: labels.applicationId, code: application.id },
  ]
}

function describeRequest(
  { application, contact, requested, address }: ApprovalRequestEmail,
  labels: Phrases['labels'],
  options: TextsOptions,
): EmailCode[] {
  const wanted = Object.entries(requested).map(([api, { scopes }]) =>
    scopes.length === 0 ? findTitle(api, options) : `${findTitle(api, options)} (${scopes.join(', ')})`,
  )
  return [
    { label: labels.requested, code: wanted.join('; ') },
    { label: labels.contact, code: contact },
    ...(address === undefined ? [] : [{ label: labels.address, code: address }]),
    { label: labels.applicationId, code: application.id },
  ]
}

function listTitles(granted: EmailGrants, options: TextsOptions): string {
  return Object.keys(granted)
    .map((api) => findTitle(api, options))
    .join(', ')
}

function findTitle(api: string, { apis }: TextsOptions): string {
  return apis.get(api)?.title ?? api
}

function selectChangesWords(content: ChangesEmail, phrases: Phrases, about: Mentioned): Words {
  const { recipientIs, changes, more } = content
  const wasRemoved = changes.some(({ type, isRecipient }) => type === 'contactRemoved' && isRecipient)
  const isAgain = wasRemoved && recipientIs === 'contact'
  return phrases.changes({ ...about, recipientIs, isAgain, listed: changes.length, more })
}

/** One line for each change. Without addresses: contacts choose theirs, and mail programs would turn them into links. */
function describeChanges({ application, changes }: ChangesEmail, phrases: Phrases): readonly EmailCode[] {
  return [
    ...changes.map((change) => ({ label: formatTime(change.at), code: phrases.describeChange(change) })),
    { label: phrases.labels.applicationId, code: application.id },
  ]
}
