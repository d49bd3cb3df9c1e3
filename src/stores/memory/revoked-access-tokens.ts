import type { RevokedAccessToken } from '../../shared/contracts/store-records.js'
import { copyFrozen } from './deep-freeze.js'

export function createMemoryRevokedAccessTokens() {
  const tokens = new Map<string, RevokedAccessToken>()

  function deleteExpired(now: number): void {
    // Oldest revocation first: a token with a longer lifetime only delays the deletion of those after it.
    for (const { id, expiresAt } of tokens.values()) {
      if (expiresAt > now) break
      tokens.delete(id)
    }
  }

  return {
    has: (id: string) => tokens.has(id),
    add: (token: RevokedAccessToken) => void tokens.set(token.id, copyFrozen(token)),
    deleteExpired,
    list: (now: number, limit: number): readonly RevokedAccessToken[] =>
      [...tokens.values()].filter(({ expiresAt }) => expiresAt > now).slice(0, limit),
  }
}
