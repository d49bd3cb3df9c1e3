import { describeOutage } from '../../core/applications/credentials/key-set-outages.js'
import type { ExpiringCredential } from '../../core/applications/credentials/credential-expiry.js'
import type {
  CredentialTerms,
  MintedCredential,
  MintedCredentials,
} from '../../core/applications/credentials/credentials.js'
import type {
  CredentialsEmail,
  EmailApplication,
  ExpiringEmail,
  ChangesEmail,
  QuotaEmail,
  ApprovalRequestEmail,
  ApprovedEmail,
  RejectionEmail,
  SuspendedEmail,
} from '../../shared/contracts/email-content.js'
import type { Api } from '../../shared/contracts/api.js'
import type { ApplicationRecord, CredentialRecord, GrantedApis } from '../../shared/contracts/application-record.js'
import type { DeliveryPurpose, NoticePurpose, QueuedEmail } from '../../shared/contracts/queued-email.js'
import { DAY_MS } from '../../shared/lib/day.js'
import { isDelivery } from '../../core/applications/queue/queued-emails.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { readChangesEmail } from '../../core/applications/queue/change-emails.js'
import { findContact } from '../../core/applications/contacts/contact-lists.js'
import type { QuotaNotice } from '../../shared/contracts/usage-entries.js'
import {
  REJECTION_SUFFIX,
  type ApprovalLinks,
  findRequested,
  readApprovalRequest,
} from '../../core/applications/decisions/approval-requests.js'

export type Recipient = ApplicationRecord & { readonly contact: string }

type MadeOfRecord = ReturnType<typeof describeRecipient> &
  Pick<CredentialsEmail, 'credentials' | 'name' | 'usableAt' | 'restriction' | 'expiresAt'>

/** The content of an e-mail with credentials, or with a link to them. `record` has the credentials as they were saved. */
export function describeDelivery(
  record: Recipient,
  delivery: Omit<CredentialsEmail, keyof MadeOfRecord>,
  terms: CredentialTerms,
  minted?: MintedCredentials,
): CredentialsEmail {
  return {
    ...describeRecipient(record),
    ...delivery,
    credentials: minted && {
      ...(minted.key && { clientId: minted.key.plain }),
      ...(minted.secret && { clientSecret: minted.secret.plain }),
    },
    name: terms.name,
    usableAt: Object.keys(terms.apis ?? record.apis),
    restriction: structuredClone(terms.apis),
    expiresAt: minted ? listSavedEnds(record, minted) : {},
  }
}

export function listUsableAt(purpose: DeliveryPurpose, granted: GrantedApis, apis: ReadonlyMap<string, Api>) {
  return Object.keys(granted).flatMap((name) => {
    const api = apis.get(name)
    return api && (purpose !== 'secret' || api.scheme === 'oauth2') ? [api] : []
  })
}

/** When new credentials expire, as they were saved: ends of operators and maximum ages bound what they were made with. */
export function listSavedEnds(
  { keys, secrets }: Pick<ApplicationRecord, 'keys' | 'secrets'>,
  { key, secret }: MintedCredentials,
): CredentialsEmail['expiresAt'] {
  const clientId = findSavedEnd(keys, key)
  const clientSecret = findSavedEnd(secrets, secret)
  return { ...(clientId && { clientId }), ...(clientSecret && { clientSecret }) }
}

function findSavedEnd(saved: readonly CredentialRecord[], minted: MintedCredential | undefined): Date | undefined {
  const end = minted && saved.find(({ id }) => id === minted.record.id)?.expiresAt
  return end === undefined ? undefined : new Date(end)
}

export function describeReminder(
  record: Recipient,
  { kind, credential, replacement }: ExpiringCredential,
  now: number,
): ExpiringEmail {
  const { name, prefix, expiresAt, keySet } = credential
  return {
    ...describeRecipient(record),
    purpose: 'expiring',
    credential: { kind, provesKey: keySet !== undefined, name, prefix, expiresAt: new Date(expiresAt) },
    daysLeft: Math.round((expiresAt - now) / DAY_MS),
    replacementPrefix: replacement?.prefix,
  }
}

function describeRecipient(record: Recipient) {
  return { to: record.contact, language: record.language ?? 'en', application: describeApplication(record) } as const
}

/** Copies the content, because `emails.compose` may change its argument. */
function describeApplication({ id, name, externalId, metadata, apis }: ApplicationRecord): EmailApplication {
  return { id, name, externalId, metadata: structuredClone(metadata), apis: structuredClone(apis) }
}

export type Notice = QueuedEmail & { readonly purpose: Exclude<NoticePurpose, 'expiring'> }

export function isNotice(email: QueuedEmail): email is Notice {
  return !isDelivery(email.purpose) && email.purpose !== 'expiring'
}

export function describeNotice(notice: Notice, application: ApplicationRecord, context: NoticeContext) {
  const { purpose } = notice
  if (purpose === 'quota') return describeQuota(notice, application, context.now)
  if (purpose === 'keySetOutage') {
    const outage = describeOutage(notice, application)
    const { language = 'en' } = application
    return outage && { ...outage, purpose, language, application: describeApplication(application) }
  }
  if (purpose === 'changes') return describeChanges(notice, application)
  if (purpose !== 'invitation') return describeDecision({ ...notice, purpose }, application, context)
  const { recipient: to, details } = notice
  const { invitationToken, developersUrl } = context
  const { invitedBy } = ownMembers(details ?? {})
  if (to === undefined || invitationToken === undefined) return undefined
  return {
    to,
    language: application.language ?? 'en',
    purpose,
    application: describeApplication(application),
    invitedBy: typeof invitedBy === 'string' ? invitedBy : undefined,
    link: `${developersUrl}/applications/invitation#${invitationToken}`,
  }
}

interface NoticeContext {
  readonly approvalLinks: ApprovalLinks
  readonly developersUrl: string | undefined
  readonly invitationToken: string | undefined
  readonly now: number
}

/** What an e-mail about changes tells, as its recipient's position is when it is sent; undefined if it is to be sent no more. */
function describeChanges(email: QueuedEmail, record: ApplicationRecord): ChangesEmail | undefined {
  const { recipient: to } = email
  const { name, changes, more } = readChangesEmail(email)
  const recipientIs = to && findPosition(to, changes, record)
  if (!recipientIs) return undefined
  const application = { id: record.id, name: record.status === 'deleted' ? name : record.name }
  return { to, language: record.language ?? 'en', purpose: 'changes', application, recipientIs, changes, more }
}

function findPosition(to: string, changes: ChangesEmail['changes'], record: ApplicationRecord) {
  if (findContact(record, to) !== undefined) return 'contact'
  if (changes.some(({ type }) => type === 'deleted')) return 'deleted'
  return changes.some(({ type, isRecipient }) => type === 'contactRemoved' && isRecipient) ? 'removed' : undefined
}

function describeQuota({ details }: QueuedEmail, record: ApplicationRecord, now: number): QuotaEmail | undefined {
  const { contact: to, language = 'en' } = record
  // `plans()` has written it.
  const { endsAt, ...notice } = details as unknown as QuotaNotice
  if (to === undefined || record.status === 'deleted' || endsAt <= now) return undefined
  return {
    to,
    language,
    purpose: 'quota',
    application: describeApplication(record),
    ...notice,
    endsAt: new Date(endsAt),
  }
}

export type DecisionEmail = ApprovalRequestEmail | ApprovedEmail | RejectionEmail | SuspendedEmail

function describeDecision(
  email: QueuedEmail & { readonly purpose: DecisionEmail['purpose'] },
  record: ApplicationRecord,
  context: NoticeContext,
): DecisionEmail | undefined {
  const { purpose } = email
  if (purpose === 'approvalRequest') return describeApprovalRequest(email, record, context)
  const { name, reason, api, scopes, note } = ownMembers(email.details ?? {})
  const to = email.recipient ?? record.contact
  if (to === undefined) return undefined
  const common = { to, language: record.language ?? 'en' } as const
  if (purpose === 'rejected') {
    const application = { id: record.id, name: readText(name) ?? '' }
    return { ...common, purpose, application, api: readText(api), reason: readText(reason) }
  }
  const application = describeApplication(record)
  if (purpose === 'suspended')
    return record.status === 'suspended' ? { ...common, purpose, application, reason: readText(reason) } : undefined
  const approved = readText(api)
  if (record.status === 'deleted' || approved === undefined || !Array.isArray(scopes)) return undefined
  const granted = { [approved]: { scopes: scopes.map(String) } }
  return { ...common, purpose, application, granted, ...(typeof note === 'string' && { note }) }
}

/** E-mails to operators are in English. */
function describeApprovalRequest(
  email: QueuedEmail,
  record: ApplicationRecord,
  { approvalLinks, developersUrl }: NoticeContext,
): ApprovalRequestEmail | undefined {
  const { contact } = record
  const { recipient: operator } = email
  const { address, ...subject } = readApprovalRequest(email)
  const requested = findRequested(subject, record)
  const token = operator === undefined ? undefined : approvalLinks.sign({ ...subject, operator })
  if (!requested || operator === undefined || token === undefined || contact === undefined) return undefined
  const link = `${developersUrl}/register/decide#${token}`
  return {
    to: operator,
    language: 'en',
    purpose: 'approvalRequest',
    request: subject.api === undefined ? 'registration' : 'access',
    application: describeApplication(record),
    contact,
    requested: structuredClone(requested),
    address,
    links: { approve: link, deny: link + REJECTION_SUFFIX },
  }
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
