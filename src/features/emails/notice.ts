import { isDelivery } from '../../core/applications/queue/queued-emails.js'
import type { EmailContent, ChangesEmail, QuotaEmail } from '../../shared/contracts/email-content.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { NoticePurpose, QueuedEmail } from '../../shared/contracts/queued-email.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { describeApplication } from './content.js'
import { describeDecision } from './decision-content.js'
import { readChangesEmail } from '../../core/applications/queue/change-emails.js'
import { findContact, normalizeContact } from '../../core/applications/contacts/contact-lists.js'
import type { QuotaNotice } from '../../shared/contracts/plan-usage.js'

/** An e-mail that delivers no credentials, and is no reminder. */
export type Notice = QueuedEmail & { readonly purpose: Exclude<NoticePurpose, 'expiring'> }

export function isNotice(email: QueuedEmail): email is Notice {
  return !isDelivery(email.purpose) && email.purpose !== 'expiring'
}

/** The content of a notice; undefined if it is to be sent no more. */
export function describeNotice(
  notice: Notice,
  application: ApplicationRecord,
  options: NoticeOptions,
): EmailContent | undefined {
  const { purpose } = notice
  if (purpose === 'quota') return describeQuota(notice, application, options.now())
  if (purpose === 'changes') return describeChanges(notice, application)
  if (purpose !== 'invitation') return describeDecision({ ...notice, purpose }, application, options)
  const { recipient: to, details } = notice
  const { invitationToken, developersUrl } = options
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

type NoticeOptions = Parameters<typeof describeDecision>[2] & {
  readonly now: () => number
  readonly invitationToken: string | undefined
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

function findPosition(
  to: string,
  changes: ChangesEmail['changes'],
  record: ApplicationRecord,
): ChangesEmail['recipientIs'] | undefined {
  if (findContact(record, normalizeContact(to)) !== undefined) return 'contact'
  if (changes.some(({ type }) => type === 'deleted')) return 'deleted'
  return changes.some(({ type, isRecipient }) => type === 'contactRemoved' && isRecipient) ? 'removed' : undefined
}

/** The content of the e-mail; undefined if the day or month has ended. */
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
