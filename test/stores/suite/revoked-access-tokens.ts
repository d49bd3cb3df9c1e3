import assert from 'node:assert/strict'
import type { StoreWith } from '../../../src/store.js'
import { NOW } from './records.js'
import { assertEqual, type TestCollector } from './suite.js'

/** Storing, listing and deleting revoked access tokens. */
export function revokedAccessTokensContract({ describe, it }: TestCollector): void {
  describe('revoked access tokens', () => {
    async function listTokens(store: StoreWith, now: number, limit = 100): Promise<readonly string[]> {
      const tokens = await store.listRevokedAccessTokens(now, limit)
      return tokens.map(({ id }) => id).toSorted()
    }

    it('are stored unchanged', async ({ store, other }) => {
      await store.revokeAccessToken({ id: 'jti', expiresAt: NOW + 1 }, NOW)
      assertEqual(await store.listRevokedAccessTokens(NOW, 10), [{ id: 'jti', expiresAt: NOW + 1 }])
      assert.equal(await other.isAccessTokenRevoked('jti'), true)
      assert.equal(await store.isAccessTokenRevoked('JTI'), false)
    })

    it('are listed until they expire, up to the limit', async ({ store }) => {
      await Promise.all([3, 1, 2].map((i) => store.revokeAccessToken({ id: `t${i}`, expiresAt: NOW + i }, NOW)))
      assertEqual(await listTokens(store, NOW), ['t1', 't2', 't3'])
      assertEqual(await listTokens(store, NOW + 1), ['t2', 't3'])
      assertEqual(await listTokens(store, NOW + 3), [])
      assert.equal((await listTokens(store, NOW, 2)).length, 2)
    })

    it('are deleted after they expire, and not before', async ({ store }) => {
      for (const i of [1, 2, 3]) await store.revokeAccessToken({ id: `t${i}`, expiresAt: NOW + i }, NOW)
      await store.revokeAccessToken({ id: 'late', expiresAt: NOW + 100 }, NOW + 2)
      assertEqual(await listTokens(store, 0), ['late', 't3'])
      assert.equal(await store.isAccessTokenRevoked('t3'), true)
    })

    it('are added to the feed once, however often they are revoked', async ({
      store,
      other,
      recordTraces,
      withoutTraces,
    }) => {
      const token = { id: 'jti', expiresAt: NOW + 1 }
      const first = await recordTraces(() => store.revokeAccessToken(token, NOW))
      assertEqual(first.changes, [{ kind: 'accessTokenRevoked', ...token }])
      await withoutTraces(() => Promise.all([store, other].map((one) => one.revokeAccessToken(token, NOW))))
      assertEqual(await listTokens(store, NOW), ['jti'])
    })
  })
}
