import type { AssertionStore } from '../../shared/contracts/store.js'

export function createMemoryAssertions(): AssertionStore {
  /** Application -> hash -> the time from which it is refused for its age. */
  const used = new Map<string, Map<string, number>>()
  let additions = 0

  function deleteExpired(now: number): void {
    for (const [id, hashes] of used) {
      for (const [hash, expiresAt] of hashes) if (expiresAt < now) hashes.delete(hash)
      if (hashes.size === 0) used.delete(id)
    }
  }

  return {
    async add({ applicationId, hash, expiresAt }, { now, most }) {
      additions += 1
      if (additions % 1000 === 0 || (used.get(applicationId)?.size ?? 0) >= most) deleteExpired(now)
      const hashes = used.get(applicationId) ?? new Map<string, number>()
      if (hashes.has(hash)) return 'known'
      if (hashes.size >= most) return 'full'
      used.set(applicationId, hashes.set(hash, expiresAt))
      return 'added'
    },
  }
}
