import type { Logger } from '../../contracts/logger.js'
import type { QuotaStore } from '../../contracts/quotas.js'
import { DAY_MS, formatDay } from '../../lib/day.js'
import { BATCH_ID_RETENTION_MS } from './quota-writer.js'

/** Deletes counts of earlier months and ids of batches, every hour. */
export interface Cleanup {
  start(): void
  close(): Promise<void>
}

interface CleanupOptions {
  readonly store: Pick<QuotaStore, 'deleteExpired'>
  readonly logger: Pick<Logger, 'warn'>
  readonly now: () => number
}

const CLEANUP_INTERVAL_MS = 3600 * 1000
/** A quota needs the days of one month. */
const RETENTION_MS = 100 * DAY_MS
/** The rows of one statement, which must not lock them for long. */
const MAX_DELETED_PER_CALL = 1000

export function createCleanup({ store, logger, now }: CleanupOptions): Cleanup {
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let running = Promise.resolve()

  function run(): void {
    running = deleteAll().catch((error: unknown) => {
      // The store has been closed meanwhile.
      if (!closed) logger.warn('Deleting old counts of quotas failed; the platform will retry in an hour.', error)
    })
  }

  async function deleteAll(): Promise<void> {
    const expired = {
      countsBefore: formatDay(now() - RETENTION_MS),
      batchesBefore: now() - BATCH_ID_RETENTION_MS,
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
