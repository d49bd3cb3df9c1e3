import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { QuotaEmail } from '../../shared/contracts/email-content.js'
import type { QueuedEmail } from '../../shared/contracts/queued-email.js'
import type { QuotaNotice } from '../../shared/contracts/plan-usage.js'
import { describeApplication } from './content.js'

/** The content of the e-mail; undefined if the day or month has ended. */
export function describeQuota(
  { details }: QueuedEmail,
  record: ApplicationRecord,
  now: number,
): QuotaEmail | undefined {
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
