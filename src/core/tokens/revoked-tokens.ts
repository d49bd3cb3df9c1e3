import type { CredentialSource } from '../../shared/contracts/credential-source.js'
import type { RevokedAccessToken, Store } from '../../shared/contracts/store.js'
import type { ConcurrencyLimit } from '../../shared/lib/concurrency-limit.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'

/** Guards accept a token for `clockTolerance` after `exp`, and clocks differ. An hour exceeds both. */
const KEPT_AFTER_EXPIRY_MS = 3600 * 1000
/** The store forgets a token so long after it expired: a process whose clock is ahead must not delete what others still refuse. */
const STORED_AFTER_EXPIRY_MS = 24 * KEPT_AFTER_EXPIRY_MS
/** While there are too many for memory, every guarded request asks the store. They are counted again at this interval. */
const RELOAD_INTERVAL_MS = 5000

/** The single access tokens that were revoked (RFC 7009), in memory as long as there are not too many. */
export type RevokedTokens = ReturnType<typeof createRevokedTokens>

export function createRevokedTokens(options: {
  readonly store: Pick<CredentialSource, 'listRevokedAccessTokens' | 'isAccessTokenRevoked'>
  readonly revokeAccessToken: Store['revokeAccessToken']
  /** The name that the source has for a token in lists and changes; its id if left out. */
  readonly nameOf?: ((id: string) => string) | undefined
  readonly now: () => number
  /** The number of tokens kept in memory; above it the store is asked for each token. */
  readonly limit: number
  /** Give each application a fair share of what clients ask of the store. */
  readonly clientLimits: { readonly limitLookups: ConcurrencyLimit; readonly limitChanges: ConcurrencyLimit }
}) {
  const { store, revokeAccessToken, nameOf, now, limit, clientLimits } = options
  const { limitLookups, limitChanges } = clientLimits
  /** Name of a token -> `expiresAt`. */
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

  /** Reads the revoked tokens from the store: at start-up, and when the change feed reports `everything`. */
  async function load(): Promise<void> {
    loadedAt = performance.now()
    removeExpired()
    const tokens = await store.listRevokedAccessTokens(now() - KEPT_AFTER_EXPIRY_MS, limit)
    isComplete = true
    for (const token of tokens) add(token)
    // The store answers at most `limit` of them, so there may be more.
    if (tokens.length >= limit) isComplete = false
  }

  /** The answer of `isRevoked` from memory; null if the store has to be asked. */
  function recall(id: string): boolean | null {
    // The size is compared first: hashing the id costs time on every guarded request, and usually nothing is revoked.
    if (revoked.size > 0 && revoked.has(nameOf ? nameOf(id) : id)) return true
    return isComplete ? false : null
  }

  return {
    load,
    recall,
    isRevoked({ id, applicationId }: Omit<IssuedToken, 'claimedExp'>): MaybePromise<boolean> {
      const known = recall(id)
      if (known !== null) return known
      if (performance.now() - loadedAt > RELOAD_INTERVAL_MS) load().catch(() => undefined)
      return limitLookups(applicationId, () => store.isAccessTokenRevoked(id))
    },
    /** Resolves false if it was revoked already. */
    revoke({ id, applicationId, claimedExp }: IssuedToken): Promise<boolean> {
      return limitChanges(applicationId, async () => {
        // Another request may have revoked it while this one waited.
        if (revoked.has(id)) return false
        const token = { id, expiresAt: claimedExp * 1000 }
        await revokeAccessToken(token, now() - STORED_AFTER_EXPIRY_MS)
        add(token)
        return true
      })
    },
    add,
  }
}

export interface IssuedToken {
  readonly id: string
  readonly applicationId: string
  /** Seconds since 1970, as the token says. */
  readonly claimedExp: number
}
