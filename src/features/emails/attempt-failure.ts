import { nextVersion } from '../../core/applications/queue/queued-emails.js'
import type { QueuedEmail } from '../../shared/contracts/queued-email.js'
import type { ServiceFailure } from '../../shared/lib/service-failure.js'

const RETRY_PERIOD_MS = 72 * 3600 * 1000
const MAX_RETRY_DELAY_SECONDS = 3600

/** The e-mail after an attempt that was not accepted: due again later, or failed. */
export function toFailed(
  email: QueuedEmail,
  { refused, permanent, problem }: ServiceFailure,
  now: number,
): QueuedEmail {
  const dueAt = now + computeRetryDelayMs(email.attemptCount)
  const final = permanent || dueAt > email.createdAt + RETRY_PERIOD_MS
  return nextVersion(email, {
    // The credentials of a refused e-mail end. Those of an e-mail that may have been accepted stay valid beside the next ones.
    ...(refused && { attemptedHashes: email.attemptedHashes.slice(1), claimLinks: email.claimLinks.slice(1) }),
    state: final ? 'failed' : 'due',
    dueAt,
    leasedUntil: 0,
    problem,
  })
}

/** 2 seconds after the first attempt, then twice as long each time, an hour at most. */
function computeRetryDelayMs(attemptCount: number): number {
  return Math.min(MAX_RETRY_DELAY_SECONDS, 2 ** Math.min(attemptCount, 12)) * 1000
}
