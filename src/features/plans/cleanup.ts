import type { Logger } from '../../shared/contracts/logger.js'
import type { QuotaStore } from '../../shared/contracts/quotas.js'
import { DAY_MS, formatDay } from '../../shared/lib/day.js'
import { createHourlyCleanup, type HourlyCleanup } from '../../shared/lib/hourly-cleanup.js'
import { BATCH_ID_RETENTION_MS } from '../../shared/lib/batch-age.js'

interface CleanupOptions {
  readonly store: Pick<QuotaStore, 'deleteExpired'>
  readonly logger: Pick<Logger, 'warn'>
  readonly now: () => number
}

/** A quota needs the days of one month. */
const RETENTION_MS = 100 * DAY_MS
/** The rows of one statement, which must not lock them for long. */
const MAX_DELETED_PER_CALL = 1000

/** Deletes counts of earlier months and ids of batches. */
export function createCleanup({ store, logger, now }: CleanupOptions): HourlyCleanup {
  async function cleanUp(): Promise<void> {
    const expired = {
      countsBefore: formatDay(now() - RETENTION_MS),
      batchesBefore: now() - BATCH_ID_RETENTION_MS,
      limit: MAX_DELETED_PER_CALL,
    }
    for (;;) if (cleanup.isClosed || (await store.deleteExpired(expired)) === 0) return
  }

  const cleanup = createHourlyCleanup({ cleanUp, subject: 'old counts of quotas', logger })
  return cleanup
}
