import { readChangesEmail } from '../../core/applications/queue/change-emails.js'
import { findContact, normalizeContact } from '../../core/applications/contacts/contact-lists.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { ChangesEmail } from '../../shared/contracts/email-content.js'
import type { QueuedEmail } from '../../shared/contracts/queued-email.js'

/** What an e-mail about changes tells, as its recipient's position is when it is sent; undefined if it is to be sent no more. */
export function describeChanges(email: QueuedEmail, record: ApplicationRecord): ChangesEmail | undefined {
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
