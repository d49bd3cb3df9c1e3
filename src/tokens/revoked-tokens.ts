import type { RevokedAccessToken, Store } from '../contracts/store.js'
import type { MaybePromise } from '../lib/maybe-promise.js'

/** The single access tokens that were revoked (RFC 7009), in memory as long as there are not too many. */
export interface RevokedTokens {
  /** Reads them from the store: at start-up, and when the change feed reports `everything`. */
  load(): Promise<void>
  isRevoked(tokenId: string): MaybePromise<boolean>
  revoke(token: RevokedAccessToken): Promise<void>
  /** Adds one that another process revoked, as the change feed reports it. */
  add(token: RevokedAccessToken): void
}

interface RevokedTokensOptions {
  readonly store: Pick<Store, 'listRevokedAccessTokens' | 'isAccessTokenRevoked' | 'revokeAccessToken'>
  readonly now: () => number
  /** How many are kept in memory; above that the store is asked for each token. */
  readonly limit: number
}

/** Guards accept a token for `clockTolerance` after `exp`, and clocks differ. An hour exceeds both. */
const KEPT_AFTER_EXPIRY_MS = 3600 * 1000
/** While there are too many for memory, every guarded request asks the store. They are counted again at this interval. */
const RELOAD_INTERVAL_MS = 5000

export function createRevokedTokens({ store, now, limit }: RevokedTokensOptions): RevokedTokens {
  /** Token id -> `expiresAt`. */
  const revoked = new Map<string, number>()
  /** Whether `revoked` has every revoked token that may still be presented. */
  let isComplete = false
  let loadedAt = -Infinity

  function add({ id, expiresAt }: RevokedAccessToken): void {
    if (revoked.size < limit) revoked.set(id, expiresAt)
    else isComplete = false
  }

  function removeExpired(): void {
    const end = now() - KEPT_AFTER_EXPIRY_MS
    for (const [id, expiresAt] of revoked) if (expiresAt <= end) revoked.delete(id)
  }

  async function load(): Promise<void> {
    loadedAt = performance.now()
    removeExpired()
    const tokens = await store.listRevokedAccessTokens(now() - KEPT_AFTER_EXPIRY_MS, limit)
    isComplete = true
    for (const token of tokens) add(token)
    // The store answers at most `limit` of them, so there may be more.
    if (tokens.length >= limit) isComplete = false
  }

  return {
    load,
    isRevoked(tokenId) {
      // The size first: hashing the id costs time on every guarded request, and usually nothing is revoked.
      if (revoked.size > 0 && revoked.has(tokenId)) return true
      if (isComplete) return false
      if (performance.now() - loadedAt > RELOAD_INTERVAL_MS) load().catch(() => undefined)
      return store.isAccessTokenRevoked(tokenId)
    },
    async revoke(token) {
      await store.revokeAccessToken(token, now() - KEPT_AFTER_EXPIRY_MS)
      add(token)
    },
    add,
  }
}
