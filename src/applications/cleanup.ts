import { ApplicationError } from '../contracts/errors.js'
import type { Logger } from '../contracts/logger.js'
import type { ApplicationRecord, Store } from '../contracts/store.js'
import type { ApplicationWriter } from './application-writer.js'
import { eraseApplication } from './status.js'

/** Deletes applications that have been pending for 14 days, every hour: nobody approved them, or no e-mail arrived. */
export interface Cleanup {
  start(): void
  close(): void
}

interface CleanupOptions {
  readonly store: Store
  readonly writer: ApplicationWriter
  readonly logger: Pick<Logger, 'warn'>
  readonly now: () => number
}

const CLEANUP_INTERVAL_MS = 3600 * 1000
const MAX_PENDING_AGE_MS = 14 * 24 * 3600 * 1000
const PAGE_SIZE = 100

export function createCleanup({ store, writer, logger, now }: CleanupOptions): Cleanup {
  let timer: NodeJS.Timeout | undefined

  function run(): void {
    deletePending().catch((error: unknown) =>
      logger.warn(
        'Deleting applications that were pending for too long failed; the platform will retry in an hour.',
        error,
      ),
    )
  }

  async function deletePending(): Promise<void> {
    let after: string | undefined
    for (;;) {
      const page = await store.listApplications({ after, limit: PAGE_SIZE, api: undefined, status: 'pending' })
      for (const application of page) {
        // Oldest first: all others are younger.
        if (application.createdAt + MAX_PENDING_AGE_MS > now()) return
        await deleteIfPending(application)
      }
      if (page.length < PAGE_SIZE) return
      after = page.at(-1)?.id
    }
  }

  async function deleteIfPending({ id }: ApplicationRecord): Promise<void> {
    try {
      await writer.change(id, { type: 'application.deleted' }, (current) =>
        current.status === 'pending'
          ? { changed: eraseApplication(current), details: { pendingTooLong: true }, emails: ['removeAll'] }
          : undefined,
      )
    } catch (error) {
      // Another process has deleted the same application meanwhile.
      if (!(error instanceof ApplicationError)) throw error
    }
  }

  return {
    start() {
      run()
      timer = setInterval(run, CLEANUP_INTERVAL_MS).unref()
    },
    close: () => clearInterval(timer),
  }
}
