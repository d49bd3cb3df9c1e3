import { isDelivery } from '../applications/queued-emails.js'
import type { EmailContent } from '../contracts/email-content.js'
import type { ApplicationRecord, NoticePurpose, QueuedEmail } from '../contracts/store.js'
import { ownMembers } from '../lib/own-members.js'
import { describeApplication } from './content.js'

/** An e-mail that delivers no credentials, and is no reminder. */
export type Notice = QueuedEmail & { readonly purpose: Exclude<NoticePurpose, 'expiring'> }

export function isNotice(email: QueuedEmail): email is Notice {
  return !isDelivery(email.purpose) && email.purpose !== 'expiring'
}

/** What a notice is about; undefined if it is to be sent no more. */
export function describeNotice(notice: Notice, record: ApplicationRecord): EmailContent | undefined {
  const { purpose } = notice
  const { name, reason, api, scopes } = ownMembers(notice.details ?? {})
  const to = notice.recipient ?? record.contact
  if (to === undefined) return undefined
  const common = { to, language: record.language ?? 'en' } as const
  if (purpose === 'denied') {
    const application = { id: record.id, name: readText(name) ?? record.name }
    return { ...common, purpose, application, api: readText(api), reason: readText(reason) }
  }
  if (record.status === 'deleted') return undefined
  const application = describeApplication(record)
  if (purpose === 'suspended') {
    return record.status === 'suspended' ? { ...common, purpose, application, reason: readText(reason) } : undefined
  }
  if (purpose !== 'approved' || typeof api !== 'string') return undefined
  return { ...common, purpose, application, granted: { [api]: { scopes: scopes as readonly string[] } } }
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
