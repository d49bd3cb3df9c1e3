import { ApplicationError } from '../contracts/errors.js'
import type { Store } from '../contracts/store.js'
import type { ApplicationWriter } from './application-writer.js'
import { move } from './status.js'
import { ERASED } from './registry.js'

interface HousekeepingOptions {
  readonly store: Store
  readonly writer: ApplicationWriter
  readonly now: () => number
}

/** Milliseconds for which an application may be pending. */
const LONGEST = 14 * 24 * 3600 * 1000

/** Deletes the applications that nobody has approved, or that no email has reached, in 14 days. */
export async function deleteForgotten({ store, writer, now }: HousekeepingOptions): Promise<void> {
  let after: string | undefined
  for (;;) {
    const pending = await store.listApplications({
      after,
      limit: 100,
      api: undefined,
      status: 'pending',
    })
    for (const { id, createdAt } of pending) {
      // Oldest first: those behind it are younger still.
      if (createdAt + LONGEST > now()) return
      await writer
        .change(id, { type: 'application.deleted' }, (current) =>
          current.status === 'pending'
            ? {
                changed: { status: move(current, 'delete'), ...ERASED },
                details: { pendingTooLong: true },
                email: 'removeAll',
              }
            : undefined,
        )
        .catch(ignoreConflict)
    }
    if (pending.length < 100) return
    after = pending.at(-1)?.id
  }
}

/** Another process does the same. */
function ignoreConflict(error: unknown): undefined {
  if (error instanceof ApplicationError) return undefined
  throw error
}
