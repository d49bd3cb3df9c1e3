import { isDelivery } from '../applications/queued-emails.js'
import type { EmailContent } from '../contracts/email-content.js'
import type { ApplicationRecord, NoticePurpose, QueuedEmail } from '../contracts/store.js'
import { describeDecision } from './decision-content.js'

/** An e-mail that delivers no credentials, and is no reminder. */
export type Notice = QueuedEmail & { readonly purpose: Exclude<NoticePurpose, 'expiring'> }

export function isNotice(email: QueuedEmail): email is Notice {
  return !isDelivery(email.purpose) && email.purpose !== 'expiring'
}

/** What a notice is about; undefined if it is to be sent no more. */
export function describeNotice(
  notice: Notice,
  application: ApplicationRecord,
  options: Parameters<typeof describeDecision>[2],
): EmailContent | undefined {
  const { purpose } = notice
  return purpose === 'invitation' ? undefined : describeDecision({ ...notice, purpose }, application, options)
}
