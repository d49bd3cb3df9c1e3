import { AsyncResource } from 'node:async_hooks'
import type { CredentialReplacement } from '../../shared/contracts/imports.js'
import type { StoreWith } from '../../shared/contracts/store.js'
import { createBoundedCache } from '../../shared/lib/bounded-cache.js'
import type { Core } from '../../feature.js'

/** Stores the platform's hash in place of an imported one, in the background. */
export type ReplaceHash = (applicationId: string, replacement: Omit<CredentialReplacement, 'usedAt'>) => void

/**
 * The wait between two attempts: a credential may be used a thousand times a second while its replacement is under way, or
 * cannot be stored.
 */
const RETRY_INTERVAL_MS = 60_000
const MAX_REMEMBERED_ATTEMPTS = 10_000

export function createHashReplacement(
  options: Pick<Core, 'limitChanges' | 'now'> & {
    readonly store: Pick<StoreWith<'imports'>, 'imports'>
  },
): ReplaceHash {
  const { store, limitChanges, now } = options
  /** Imported hash -> when its replacement was last attempted, on the monotonic clock. */
  const attempts = createBoundedCache<number>({ entries: MAX_REMEMBERED_ATTEMPTS })

  // The function is bound here, because a request makes the change: the write must not be part of that request's trace.
  const replace = AsyncResource.bind((applicationId: string, replacement: CredentialReplacement) => {
    // The store client has logged an outage. A later use tries again.
    limitChanges(applicationId, () => store.imports.replaceHash(replacement)).catch(() => undefined)
  })

  return function replaceHash(applicationId, replacement) {
    const startedAt = performance.now()
    const last = attempts.get(replacement.former)
    if (last !== undefined && startedAt - last < RETRY_INTERVAL_MS) return
    attempts.set(replacement.former, startedAt)
    replace(applicationId, { ...replacement, usedAt: now() })
  }
}
