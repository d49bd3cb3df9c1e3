import type { Change, RevokedAccessToken } from '../contracts/store.js'

/** What this process keeps in memory of the store. */
interface Copies {
  readonly applicationCache: { evict(id: string): void; evictAll(): void }
  readonly revokedTokens: { add(token: RevokedAccessToken): void; load(): Promise<void> }
  readonly signingKeys: { load(): Promise<void> }
}

/** Applies a change of the feed to what this process keeps in memory. `everything` reads all of it again. */
export function createChangeApplier({
  applicationCache,
  revokedTokens,
  signingKeys,
}: Copies): (change: Change) => Promise<void> {
  return async function applyChange(change) {
    if (change.kind === 'application') return applicationCache.evict(change.id)
    if (change.kind === 'accessTokenRevoked') return revokedTokens.add(change)
    if (change.kind === 'signingKeys') return signingKeys.load()
    applicationCache.evictAll()
    await revokedTokens.load()
    await signingKeys.load()
  }
}
