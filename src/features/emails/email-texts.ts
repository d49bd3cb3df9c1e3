import { DEFAULT_NAME } from '../../core/applications/credentials/credentials.js'
import { formatMailedKeySet } from '../../core/applications/credentials/key-sets.js'
import type { Api } from '../../shared/contracts/api.js'
import type { EmailCode, EmailLink, EmailTexts } from '../../shared/contracts/composed-email.js'
import type {
  ApprovalRequestEmail,
  ApprovedEmail,
  CredentialsEmail,
  EmailContent,
  ExpiringEmail,
  KeySetOutageEmail,
  QuotaEmail,
} from '../../shared/contracts/email-content.js'
import type { Language } from '../../shared/contracts/application-record.js'
import { fillCount, fillText } from '../../shared/lib/fill-in.js'
import { getFormats } from '../../shared/web/formats.js'
import { describeApis, describeId, usesTokens } from './api-commands.js'
import { writeChanges } from './change-texts.js'
import { formatTime } from './layout.js'
import { TEXTS, type EmailCatalogue } from './texts/languages.js'
import { ownMembers } from '../../shared/lib/own-members.js'

interface TextsOptions {
  readonly apis: ReadonlyMap<string, Api>
  /** The provider and its host, such as `Example Shop (api.example.com)`; without a brand the host. */
  readonly platform: string
  readonly operator: string
  readonly developersUrl: string | undefined
  readonly portalUrl: string | undefined
  readonly supportUrl: string | undefined
}

/** An e-mail with names in place of values in its words. Parts that are false are left out. */
interface Draft extends Partial<Pick<EmailTexts, 'box' | 'facts' | 'sections' | 'actions'>> {
  readonly words: Pick<EmailTexts, 'subject' | 'heading'>
  readonly paragraphs: readonly (string | false)[]
  readonly notes?: readonly (string | false)[]
  readonly values?: Readonly<Record<string, string | number>>
  readonly manage?: boolean
  /** Whether the e-mail, which is kept, also leads to the portal, where its credentials are rotated. */
  readonly portal?: boolean
  readonly documentation?: boolean
}

export function writeTexts(content: EmailContent, options: TextsOptions): EmailTexts {
  const { platform, operator, portalUrl, developersUrl, supportUrl } = options
  const { labels, note: noteText } = TEXTS[content.language]
  const draft = writeDraft(content, options)
  const { words, paragraphs, notes = [], actions = [], manage, portal, documentation } = draft
  const name = 'application' in content ? content.application.name : ''
  const note = 'note' in content ? content.note : undefined
  const values = { name, platform, operator, note: note ?? '', ...draft.values }
  const fillAll = (texts: Draft['paragraphs']): string[] =>
    texts.flatMap((text) => (text === false ? [] : [fillText(text, values)]))
  const steps = [...actions, ...listLinks(labels.manage, manage && portalUrl)]
  const reading = listLinks(labels.documentation, documentation && developersUrl)
  const further = [...listLinks(labels.manage, portal && portalUrl), ...listLinks(labels.support, supportUrl)]
  return {
    subject: fillText(words.subject, values),
    heading: fillText(words.heading, values),
    paragraphs: fillAll([...paragraphs, note !== undefined && noteText]),
    box: draft.box ?? [],
    // One next step: to read about the APIs, where there is nothing else to do.
    actions: steps.length > 0 ? steps : reading,
    facts: draft.facts ?? [],
    sections: draft.sections ?? [],
    links: steps.length > 0 ? [...reading, ...further] : further,
    notes: fillAll(notes),
  }
}

function listCodes(label: string, code: string | undefined): EmailCode[] {
  return code === undefined ? [] : [{ label, code }]
}

function listLinks(label: string, link: string | false | undefined): EmailLink[] {
  return link === undefined || link === false ? [] : [{ label, link }]
}

function writeDraft(content: EmailContent, options: TextsOptions): Draft {
  const texts = TEXTS[content.language]
  const { invitation, signIn, denied, suspended, labels } = texts
  switch (content.purpose) {
    case 'expiring':
      return writeReminder(content, texts, options)
    case 'invitation': {
      const inviter = content.invitedBy === undefined ? invitation.byOperator : invitation.byContact
      const actions = [{ label: invitation.accept, link: content.link }]
      return { words: invitation, paragraphs: [inviter, invitation.text], actions, notes: [invitation.unknown] }
    }
    case 'signIn':
      return {
        words: signIn,
        paragraphs: [signIn.text, signIn.lifetime],
        values: { minutes: content.minutes },
        box: [{ label: labels.code, code: content.code }],
        actions: [{ label: signIn.signIn, link: content.link }],
        notes: [signIn.notRequested],
      }
    case 'approvalRequest':
      return writeApprovalRequest(content, texts, options)
    case 'approved':
      return writeApproval(content, texts, options)
    case 'rejected': {
      const { api = '', reason = '' } = content
      const words = denied[api === '' ? 'registration' : 'access']
      const values = { api: findTitle(api, options), reason }
      const paragraphs = [words.text, reason !== '' && denied.reason]
      return { words, paragraphs, values, manage: api !== '', documentation: true }
    }
    case 'suspended': {
      const { application, reason = '' } = content
      const paragraphs = [suspended.text, reason !== '' && denied.reason]
      return { words: suspended, paragraphs, values: { reason }, ...identify(application, texts) }
    }
    case 'quota':
      return writeQuota(content, texts)
    case 'keySetOutage':
      return writeOutage(content, texts)
    case 'changes':
      return writeChanges(content, texts)
    case 'registration':
    case 'key':
    case 'secret':
    default:
      return writeCredentials(content, texts, options)
  }
}

function writeCredentials(content: CredentialsEmail, texts: EmailCatalogue, options: TextsOptions): Draft {
  const { purpose, application, credentials, link, usableAt, expiresAt, name, publicKeys, replacesEarlier } = content
  const { registration, replaced, labels } = texts
  const { show, shownOnce, keepSafe, notRequested } = texts.credentials
  const { clientId: key, clientSecret: secret } = ownMembers<Partial<NonNullable<typeof credentials>>>(
    credentials ?? {},
  )
  // A new secret changes nothing at a key API.
  const shown = usableAt.filter((api) => purpose !== 'secret' || options.apis.get(api)?.scheme === 'oauth2')
  const byLink = link !== undefined
  const isFirst = purpose === 'registration'
  const words = isFirst ? registration : replaced
  const headers = Object.keys(application.apis).flatMap((api) => options.apis.get(api)?.keyHeaders[0] ?? [])
  const uses = ['client_id', ...new Set(headers)].join(', ')
  return {
    words,
    paragraphs: [
      words.text,
      !isFirst && name !== DEFAULT_NAME && replaced.named,
      replacesEarlier && words.replacesEarlier,
      isFirst ? publicKeys !== undefined && registration.noSecret : describePrevious(content, replaced.previous),
      byLink && shownOnce,
    ],
    values: {
      credential: name,
      duration: formatDuration(content.overlap, content.language),
      ...(purpose !== 'registration' && texts.forms[purpose]),
    },
    actions: byLink ? [{ label: show, link }] : [],
    notes: [!byLink && keepSafe, notRequested],
    box: [...listCodes(fillText(labels.key, { uses }), key), ...listCodes(labels.secret, secret)],
    facts: [
      ...(publicKeys ?? []).map((code) => ({ label: labels.publicKeys, code })),
      ...Object.entries(expiresAt).map(([of, end]) => {
        return {
          label: of === 'clientId' ? labels.keyExpiresAt : labels.secretExpiresAt,
          code: formatTime(end, content.language),
        }
      }),
    ],
    sections: [...describeApis(shown, content, options), ...describeId(content, options.apis)],
    portal: true,
    documentation: true,
  }
}

function describePrevious(
  { hasPrevious, overlap, link }: CredentialsEmail,
  previous: EmailCatalogue['replaced']['previous'],
): string | false {
  if (!hasPrevious) return false
  if (overlap === 0) return link === undefined ? previous.ended : previous.endsWhenShown
  return link === undefined ? previous.works : previous.worksWhenShown
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

function formatDuration(seconds: number, language: Language): string {
  const [unit = 'second', length = 1] = UNITS.find(([, length]) => seconds >= 2 * length) ?? []
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long', useGrouping: false })
  return format.format(Math.floor(seconds / length)).replaceAll('\u00A0', ' ')
}

function writeReminder(content: ExpiringEmail, texts: EmailCatalogue, { portalUrl }: TextsOptions): Draft {
  const { language, application, credential, daysLeft, replacementPrefix: prefix } = content
  const { kind, provesKey, name, expiresAt } = credential
  const { expiring, labels } = texts
  const { text, makeNew, askForNew, useNew, useNewSet, unused, days } = expiring
  const forms = texts.forms[provesKey ? 'set' : kind]
  const next = portalUrl === undefined ? askForNew : makeNew
  return {
    words: expiring,
    paragraphs: [text, prefix === undefined ? next : provesKey ? useNewSet : useNew],
    values: {
      ...forms,
      credential: name,
      date: getFormats(language).date.format(expiresAt),
      days: daysLeft === 0 ? days.none : fillCount(days, daysLeft),
      prefix: prefix ?? '',
    },
    notes: [unused],
    facts: [
      { label: labels.expiresAt, code: formatTime(expiresAt, language) },
      ...(provesKey ? [] : [{ label: fillText(labels.firstCharacters, forms), code: `${credential.prefix}...` }]),
      { label: labels.applicationId, code: application.id },
    ],
    manage: true,
    documentation: true,
  }
}

function writeApprovalRequest(
  { request, application, contact, requested, address, links }: ApprovalRequestEmail,
  { decision, labels }: EmailCatalogue,
  options: TextsOptions,
): Draft {
  const wanted = Object.entries(requested).map(([api, { scopes }]) =>
    scopes.length === 0 ? findTitle(api, options) : `${findTitle(api, options)} (${scopes.join(', ')})`,
  )
  return {
    words: decision[request],
    paragraphs: [decision[request].text, decision.links],
    actions: [
      { label: decision.approve, link: links.approve },
      { label: decision.deny, link: links.deny },
    ],
    notes: [decision.forYou],
    facts: [
      { label: labels.requested, code: wanted.join('; ') },
      { label: labels.contact, code: contact },
      ...listCodes(labels.address, address),
      { label: labels.applicationId, code: application.id },
    ],
  }
}

function writeApproval(content: ApprovedEmail, texts: EmailCatalogue, options: TextsOptions): Draft {
  const { granted } = content
  const { text, credentials, tokens } = texts.approved
  const apis = Object.keys(granted)
  return {
    words: texts.approved,
    paragraphs: [text, credentials, usesTokens(granted, options.apis) && tokens],
    values: { apis: apis.map((api) => findTitle(api, options)).join(', ') },
    sections: describeApis(apis, content, options),
    portal: true,
    documentation: true,
  }
}

function findTitle(api: string, { apis }: TextsOptions): string {
  return apis.get(api)?.title ?? api
}

function identify({ id }: { readonly id: string }, { labels }: EmailCatalogue): Pick<Draft, 'facts' | 'manage'> {
  return { facts: [{ label: labels.applicationId, code: id }], manage: true }
}

function writeQuota(content: QuotaEmail, texts: EmailCatalogue): Draft {
  const { language, application, percent, limit, per, soft, endsAt } = content
  const { reached, near, text, refused, refusedSoon, ...quota } = texts.quota
  const isReached = percent === 100
  return {
    words: isReached ? reached : near,
    paragraphs: [text, soft ? quota.soft : isReached ? refused : refusedSoon],
    values: { percent, limit, per: quota.per[per], date: getFormats(language).date.format(endsAt) },
    ...identify(application, texts),
  }
}

function writeOutage(content: KeySetOutageEmail, texts: EmailCatalogue): Draft {
  const { language, application, keySet, since, refusedFrom, isRefused } = content
  const { refused, goesOn, text, toDo } = texts.keySetOutage
  const words = isRefused ? refused : goesOn
  const { facts = [], ...identified } = identify(application, texts)
  return {
    words,
    paragraphs: [text, words.text, toDo],
    values: {
      credential: keySet.name,
      since: formatTime(since, language),
      refusedFrom: formatTime(refusedFrom, language),
    },
    ...identified,
    facts: [
      ...formatMailedKeySet({ address: keySet.jwksUri }).map((code) => ({ label: texts.labels.publicKeys, code })),
      ...facts,
    ],
  }
}
