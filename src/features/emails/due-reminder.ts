import { countDays } from '../../core/applications/credentials/credential-expiry.js'
import type { CredentialRecord } from '../../shared/contracts/application-record.js'
import { DAY_MS } from '../../shared/lib/day.js'

/**
 * The days of the reminder that is due for a credential, if one is: of several that are due at once only the last one.
 *
 * @param remindBefore Days before the expiry.
 */
export function findDueReminder(
  { createdAt, expiresAt, remindedDays }: CredentialRecord,
  remindBefore: readonly number[],
  now: number,
): number | undefined {
  if (expiresAt === undefined || expiresAt <= now) return undefined
  const reminded = remindedDays ?? countDays(expiresAt, createdAt)
  const due = remindBefore.filter((days) => days < reminded && now >= expiresAt - days * DAY_MS)
  return due.length === 0 ? undefined : Math.min(...due)
}

/** The credential with the `remindedDays` after the reminder that is due; the same object if they need not change. */
export function markReminded(
  credential: CredentialRecord,
  remindBefore: readonly number[],
  now: number,
): CredentialRecord {
  const { createdAt, expiresAt, remindedDays } = credential
  if (expiresAt === undefined) return credential
  // Without `remindedDays` an earlier version of the package has set the expiry, at the creation or later.
  const reminded = findDueReminder(credential, remindBefore, now) ?? remindedDays ?? countDays(expiresAt, createdAt)
  return reminded === remindedDays ? credential : { ...credential, remindedDays: reminded }
}
