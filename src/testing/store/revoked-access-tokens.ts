import assert from 'node:assert/strict'
import { NOW } from './records.js'
import { assertEqual, createReaders, NO_TRACES, type OpenedStores, type TestCollector } from './suite.js'

/** Storing, listing and deleting revoked access tokens. */
export function revokedAccessTokensContract({ describe, it }: TestCollector, opened: () => OpenedStores): void {
  const { recordTraces } = createReaders(opened)

  describe('revoked access tokens', () => {
    async function listIds(now: number, limit = 100): Promise<readonly string[]> {
      const tokens = await opened().store.listRevokedAccessTokens(now, limit)
      return tokens.map(({ id }) => id).toSorted()
    }

    it('are stored unchanged', async () => {
      const { store, other } = opened()
      await store.revokeAccessToken({ id: 'jti', expiresAt: NOW + 1 }, NOW)
      assertEqual(await store.listRevokedAccessTokens(NOW, 10), [{ id: 'jti', expiresAt: NOW + 1 }])
      assert.equal(await other.isAccessTokenRevoked('jti'), true)
      assert.equal(await store.isAccessTokenRevoked('JTI'), false)
    })

    it('are listed until they expire, up to the limit', async () => {
      const { store } = opened()
      await Promise.all([3, 1, 2].map((i) => store.revokeAccessToken({ id: `t${i}`, expiresAt: NOW + i }, NOW)))
      assertEqual(await listIds(NOW), ['t1', 't2', 't3'])
      assertEqual(await listIds(NOW + 1), ['t2', 't3'])
      assertEqual(await listIds(NOW + 3), [])
      assert.equal((await listIds(NOW, 2)).length, 2)
    })

    it('are deleted after they expire, and not before', async () => {
      const { store } = opened()
      for (const i of [1, 2, 3]) await store.revokeAccessToken({ id: `t${i}`, expiresAt: NOW + i }, NOW)
      await store.revokeAccessToken({ id: 'late', expiresAt: NOW + 100 }, NOW + 2)
      assertEqual(await listIds(0), ['late', 't3'])
      assert.equal(await store.isAccessTokenRevoked('t3'), true)
    })

    it('are added to the feed once, however often they are revoked', async () => {
      const { store, other } = opened()
      const token = { id: 'jti', expiresAt: NOW + 1 }
      const first = await recordTraces(() => store.revokeAccessToken(token, NOW))
      assertEqual(first.changes, [{ kind: 'accessTokenRevoked', ...token }])
      const more = await recordTraces(() => Promise.all([store, other].map((one) => one.revokeAccessToken(token, NOW))))
      assertEqual(more, NO_TRACES)
      assertEqual(await listIds(NOW), ['jti'])
    })
  })
}
