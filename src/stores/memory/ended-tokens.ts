import { copyFrozen } from './deep-freeze.js'
import type { AssertionStore, RevokedAccessToken, Store } from '../../shared/contracts/store.js'
import type { createMemoryFeed } from './feed.js'
import { deleteExpired } from './sign-ins.js'

export function createMemoryRevokedAccessTokens(
  feed: ReturnType<typeof createMemoryFeed>,
): Pick<Store, 'revokeAccessToken' | 'listRevokedAccessTokens' | 'isAccessTokenRevoked'> {
  const tokens = new Map<string, RevokedAccessToken>()

  return {
    async revokeAccessToken({ id, expiresAt }, now) {
      if (!tokens.has(id)) {
        tokens.set(id, copyFrozen({ id, expiresAt }))
        feed.publish({ kind: 'accessTokenRevoked', id, expiresAt })
      }
      deleteExpired(tokens, now)
    },
    listRevokedAccessTokens: async (now, limit) =>
      [...tokens.values()].filter(({ expiresAt }) => expiresAt > now).slice(0, limit),
    isAccessTokenRevoked: async (id) => tokens.has(id),
  }
}

export function createMemoryAssertions(): AssertionStore {
  /** Application -> hash -> the time from which it is refused for its age. */
  const used = new Map<string, Map<string, number>>()
  let additions = 0

  function deleteUsed(now: number): void {
    for (const [id, hashes] of used) {
      for (const [hash, expiresAt] of hashes) if (expiresAt < now) hashes.delete(hash)
      if (hashes.size === 0) used.delete(id)
    }
  }

  return {
    async add({ applicationId, hash, expiresAt }, { now, most }) {
      additions += 1
      if (additions % 1000 === 0 || (used.get(applicationId)?.size ?? 0) >= most) deleteUsed(now)
      const hashes = used.get(applicationId) ?? new Map<string, number>()
      if (hashes.has(hash)) return 'known'
      if (hashes.size >= most) return 'full'
      used.set(applicationId, hashes.set(hash, expiresAt))
      return 'added'
    },
  }
}
