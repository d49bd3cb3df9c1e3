import assert from 'node:assert/strict'
import { audit, signingKey } from './records.js'
import { assertEqual, type TestCollector } from './suite.js'

/** Adding, resealing and removing signing keys. */
export function signingKeysContract({ describe, it }: TestCollector): void {
  describe('signing keys', () => {
    it('are listed unchanged, in the order in which they were added', async ({ store }) => {
      assertEqual(await store.listSigningKeys(), [])
      assert.equal(await store.addSigningKey(signingKey('z'), undefined, audit()), true)
      assert.equal(await store.addSigningKey(signingKey('a'), 'z', audit()), true)
      assert.equal(await store.addSigningKey(signingKey('m'), 'a', audit()), true)
      assertEqual(await store.listSigningKeys(), [signingKey('z'), signingKey('a'), signingKey('m')])
    })

    it('are added only after the newest key', async ({ store, withoutTraces }) => {
      await withoutTraces(() => store.addSigningKey(signingKey('a'), 'unknown', audit()))
      await store.addSigningKey(signingKey('a'), undefined, audit())
      await store.addSigningKey(signingKey('b'), 'a', audit())
      assert.equal(await store.addSigningKey(signingKey('c'), undefined, audit()), false)
      assert.equal(await withoutTraces(() => store.addSigningKey(signingKey('c'), 'a', audit())), false)
      assertEqual(
        (await store.listSigningKeys()).map(({ kid }) => kid),
        ['a', 'b'],
      )
    })

    it('are added by exactly one of 20 concurrent callers', async ({ store, listAudit, findWinner }) => {
      for (let round = 1; round <= 3; round++) {
        const newest = (await store.listSigningKeys()).at(-1)?.kid
        const add = (one: typeof store, i: number) => one.addSigningKey(signingKey(`${round}-${i}`), newest, audit())
        const winner = await findWinner(20, add)
        assert.equal((await store.listSigningKeys()).at(-1)?.kid, `${round}-${winner}`)
      }
      assert.equal((await store.listSigningKeys()).length, 3)
      assert.equal((await listAudit()).length, 3)
    })

    it('are removed once', async ({ store, other, recordTraces, withoutTraces }) => {
      await store.addSigningKey(signingKey('a'), undefined, audit())
      await store.addSigningKey(signingKey('b'), 'a', audit())
      const traces = await recordTraces(async () => assert.equal(await other.removeSigningKey('b', audit()), true))
      assertEqual(traces, { audit: 1, changes: [{ kind: 'signingKeys' }] })
      assert.equal(await withoutTraces(() => store.removeSigningKey('b', audit())), false)
      assertEqual(await store.listSigningKeys(), [signingKey('a')])
    })

    it('are resealed in their position, only if the given former sealing is the stored one', async (context) => {
      const { store, other, withoutTraces } = context
      await store.addSigningKey(signingKey('a'), undefined, audit())
      await store.addSigningKey(signingKey('b'), 'a', audit())
      assert.equal(await withoutTraces(() => other.resealSigningKey('a', 'sealed a', 'resealed')), true)
      assert.equal(await store.resealSigningKey('a', 'sealed a', 'sealed too late'), false)
      assert.equal(await store.resealSigningKey('b', 'sealed a', 'sealed wrongly'), false)
      assert.equal(await store.resealSigningKey('c', 'sealed c', 'sealed for no key'), false)
      const resealed = { ...signingKey('a'), sealedPrivateJwk: 'resealed' }
      assertEqual(await store.listSigningKeys(), [resealed, signingKey('b')])
    })

    it('are added after the newest key that was not removed', async ({ store }) => {
      await store.addSigningKey(signingKey('a'), undefined, audit())
      await store.addSigningKey(signingKey('b'), 'a', audit())
      await store.removeSigningKey('b', audit())
      assert.equal(await store.addSigningKey(signingKey('c'), 'b', audit()), false)
      assert.equal(await store.addSigningKey(signingKey('c'), 'a', audit()), true)
    })

    it('with a kid that is stored already are an error that changes nothing', async ({ store, withoutTraces }) => {
      await store.addSigningKey(signingKey('a'), undefined, audit())
      await withoutTraces(() => assert.rejects(store.addSigningKey(signingKey('a'), 'a', audit())))
    })
  })
}
