import { describe, expect, it } from 'vitest'
import { NOW } from '../records.js'
import { createReaders, NO_TRACES } from './suite.js'
import type { OpenedStores } from './suite.js'

/** Storing, listing and deleting revoked access tokens. */
export function revokedAccessTokensContract(opened: () => OpenedStores): void {
  const { recordTraces } = createReaders(opened)

  describe('revoked access tokens', () => {
    async function listIds(now: number, limit = 100): Promise<readonly string[]> {
      const tokens = await opened().store.listRevokedAccessTokens(now, limit)
      return tokens.map(({ id }) => id).toSorted()
    }

    it('are stored unchanged', async () => {
      const { store, other } = opened()
      await store.revokeAccessToken({ id: 'jti', expiresAt: NOW + 1 }, NOW)
      expect(await store.listRevokedAccessTokens(NOW, 10)).toStrictEqual([{ id: 'jti', expiresAt: NOW + 1 }])
      expect(await other.isAccessTokenRevoked('jti')).toBe(true)
      expect(await store.isAccessTokenRevoked('JTI')).toBe(false)
    })

    it('are listed until they expire, up to the limit', async () => {
      const { store } = opened()
      await Promise.all([3, 1, 2].map((i) => store.revokeAccessToken({ id: `t${i}`, expiresAt: NOW + i }, NOW)))
      expect(await listIds(NOW)).toEqual(['t1', 't2', 't3'])
      expect(await listIds(NOW + 1)).toEqual(['t2', 't3'])
      expect(await listIds(NOW + 3)).toEqual([])
      expect(await listIds(NOW, 2)).toHaveLength(2)
    })

    it('are deleted after they expire, and not before', async () => {
      const { store } = opened()
      for (const i of [1, 2, 3]) await store.revokeAccessToken({ id: `t${i}`, expiresAt: NOW + i }, NOW)
      await store.revokeAccessToken({ id: 'late', expiresAt: NOW + 100 }, NOW + 2)
      expect(await listIds(0)).toEqual(['late', 't3'])
      expect(await store.isAccessTokenRevoked('t3')).toBe(true)
    })

    it('are added to the feed once, however often they are revoked', async () => {
      const { store, other } = opened()
      const token = { id: 'jti', expiresAt: NOW + 1 }
      const first = await recordTraces(() => store.revokeAccessToken(token, NOW))
      expect(first.changes).toEqual([{ kind: 'accessTokenRevoked', ...token }])
      const more = await recordTraces(() => Promise.all([store, other].map((one) => one.revokeAccessToken(token, NOW))))
      expect(more).toEqual(NO_TRACES)
      expect(await listIds(NOW)).toEqual(['jti'])
    })
  })
}
