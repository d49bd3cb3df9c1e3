import type { Logger } from '../../shared/contracts/logger.js'
import type { UsageStore } from '../../shared/contracts/usage.js'
import { DAY_MS, formatDay } from '../../shared/lib/day.js'
import { createHourlyCleanup, type HourlyCleanup } from '../../shared/lib/hourly-cleanup.js'
import { BATCH_ID_RETENTION_MS } from '../../shared/lib/batch-age.js'
import { MAX_REFUSAL_AGE_MS } from './refusals.js'

interface UsageCleanupOptions {
  readonly store: Pick<UsageStore, 'deleteExpired'>
  /** Days for which counts are kept, those of report-only guards since the last request. */
  readonly retention: number
  readonly logger: Pick<Logger, 'warn'>
  readonly now: () => number
}

/** The rows of one statement, which must not lock them for long. */
const MAX_DELETED_PER_CALL = 1000

/** Deletes counts, refusals and ids of batches that are too old. */
export function createUsageCleanup({ store, retention, logger, now }: UsageCleanupOptions): HourlyCleanup {
  async function cleanUp(): Promise<void> {
    const at = now()
    const expired = {
      countsBefore: formatDay(at - retention * DAY_MS),
      reportedBefore: at - retention * DAY_MS,
      refusalsBefore: at - MAX_REFUSAL_AGE_MS,
      batchesBefore: at - BATCH_ID_RETENTION_MS,
      limit: MAX_DELETED_PER_CALL,
    }
    for (;;) if (cleanup.isClosed || (await store.deleteExpired(expired)) === 0) return
  }

  const cleanup = createHourlyCleanup({ cleanUp, subject: 'old usage and refusals', logger })
  return cleanup
}
