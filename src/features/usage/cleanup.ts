import type { Logger } from '../../contracts/logger.js'
import type { UsageStore } from '../../contracts/usage.js'
import { DAY_MS, formatDay } from '../../lib/day.js'
import { BATCH_ID_RETENTION_MS } from './batch-writer.js'
import { MAX_REFUSAL_AGE_MS } from './refusals.js'

/** Deletes counts, refusals and ids of batches that are too old, every hour. */
export interface UsageCleanup {
  start(): void
  close(): Promise<void>
}

interface UsageCleanupOptions {
  readonly store: Pick<UsageStore, 'deleteExpired'>
  /** Days for which counts are kept, those of report-only guards since the last request. */
  readonly retention: number
  readonly logger: Pick<Logger, 'warn'>
  readonly now: () => number
}

const CLEANUP_INTERVAL_MS = 3600 * 1000
/** The rows of one statement, which must not lock them for long. */
const MAX_DELETED_PER_CALL = 1000

export function createUsageCleanup({ store, retention, logger, now }: UsageCleanupOptions): UsageCleanup {
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let running = Promise.resolve()

  function run(): void {
    running = deleteAll().catch((error: unknown) => {
      // The store has been closed meanwhile.
      if (closed) return
      logger.warn('Deleting old usage and refusals failed; the platform will retry in an hour.', error)
    })
  }

  async function deleteAll(): Promise<void> {
    const at = now()
    const expired = {
      countsBefore: formatDay(at - retention * DAY_MS),
      reportedBefore: at - retention * DAY_MS,
      refusalsBefore: at - MAX_REFUSAL_AGE_MS,
      batchesBefore: at - BATCH_ID_RETENTION_MS,
      limit: MAX_DELETED_PER_CALL,
    }
    for (;;) if (closed || (await store.deleteExpired(expired)) === 0) return
  }

  return {
    start() {
      run()
      timer = setInterval(run, CLEANUP_INTERVAL_MS).unref()
    },
    async close() {
      closed = true
      clearInterval(timer)
      await running
    },
  }
}
