import type { RevokedAccessToken, Store } from '../store.js'

/** Which single access tokens have been revoked (RFC 7009), from memory as long as there are not too many. */
export interface Revocation {
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

export function createRevocation({ store, now, limit }: RevocationOptions): Revocation {
  /** `jti` -> until when it matters, oldest entry first. */
  const revoked = new Map<string, number>()
  /** Whether `revoked` holds every revoked token that has not expired. */
  let complete = false

  function note({ id, expiresAt }: RevokedAccessToken): void {
    if (revoked.size >= limit) dropExpired()
    if (revoked.size >= limit) complete = false
    else revoked.set(id, expiresAt)
  }

  function dropExpired(): void {
    const at = now()
    for (const [id, expiresAt] of revoked) if (expiresAt <= at) revoked.delete(id)
  }

  return {
    async load() {
      const tokens = await store.listRevokedAccessTokens(now(), limit)
      complete = tokens.length < limit
      for (const token of tokens) note(token)
    },
    isRevoked(id) {
      if (revoked.has(id)) return true
      return complete ? false : store.isAccessTokenRevoked(id)
    },
    async revoke(token) {
      await store.revokeAccessToken(token, now())
      note(token)
    },
    note,
  }
}
