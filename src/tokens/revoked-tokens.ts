import type { RevokedAccessToken, Store } from '../contracts/store.js'

/** Which single access tokens have been revoked (RFC 7009), from memory as long as there are not too many. */
export interface RevokedTokens {
  /** Reads what was revoked before this process began, or since it lost track. */
  load(): Promise<void>
  isRevoked(id: string): boolean | Promise<boolean>
  revoke(token: RevokedAccessToken): Promise<void>
  /** Told by the feed. */
  note(token: RevokedAccessToken): void
}

interface RevocationOptions {
  readonly store: Store
  readonly now: () => number
  /** How many revoked tokens stay in memory; past that the store is asked for each token. */
  readonly limit: number
}

/** Milliseconds for which a revocation is kept past its token's end: a guard allows for clocks that differ, and so must this. */
const CLOCKS_APART = 3600 * 1000
/** Milliseconds between two tries to make room, or to have them all in memory again. */
const PAUSE = 5000

export function createRevokedTokens({ store, now, limit }: RevocationOptions): RevokedTokens {
  /** `jti` -> until when it matters, oldest entry first. */
  const revoked = new Map<string, number>()
  /** Whether `revoked` holds every revoked token that may still be presented. */
  let complete = false
  let triedAt = -Infinity

  function note({ id, expiresAt }: RevokedAccessToken): void {
    if (revoked.size < limit) revoked.set(id, expiresAt)
    else complete = false
  }

  function dropEnded(): void {
    const end = now() - CLOCKS_APART
    for (const [id, expiresAt] of revoked) if (expiresAt <= end) revoked.delete(id)
  }

  async function load(): Promise<void> {
    triedAt = performance.now()
    dropEnded()
    const tokens = await store.listRevokedAccessTokens(now() - CLOCKS_APART, limit)
    complete = true
    for (const token of tokens) note(token)
    // As many as were asked for: there may be more.
    if (tokens.length >= limit) complete = false
  }

  return {
    load,
    isRevoked(id) {
      // Where nothing is revoked, the name is not even looked at: in memory it lies apart from its token.
      if (revoked.size > 0 && revoked.has(id)) return true
      if (complete) return false
      // Too many for memory a while ago; perhaps no longer.
      if (performance.now() - triedAt > PAUSE) load().catch(() => undefined)
      return store.isAccessTokenRevoked(id)
    },
    async revoke(token) {
      await store.revokeAccessToken(token, now() - CLOCKS_APART)
      note(token)
    },
    note,
  }
}
