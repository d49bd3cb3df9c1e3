import { isDelivery } from '../../core/applications/queue/queued-emails.js'
import type { EmailContent } from '../../shared/contracts/email-content.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { NoticePurpose, QueuedEmail } from '../../shared/contracts/queued-email.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { describeApplication } from './content.js'
import { describeChanges } from './change-content.js'
import { describeQuota } from './quota-content.js'
import { describeDecision } from './decision-content.js'

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
  /** The token of an invitation's link. */
  readonly invitationToken: string | undefined
}
