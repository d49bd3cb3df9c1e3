import assert from 'node:assert/strict'
import { audit } from './records.js'
import { assertEqual, type TestCollector } from './suite.js'

/** The encrypted secrets, of which a store keeps one of each name. */
export function secretsContract({ describe, it }: TestCollector): void {
  describe('secret', () => {
    it('keeps the first one of each name that was stored', async ({ store, other }) => {
      assert.equal(await store.establishSecret('pepper', 'first'), 'first')
      assert.equal(await store.establishSecret('pepper', 'second'), 'first')
      assert.equal(await other.establishSecret('pepper', 'third'), 'first')
      assert.equal(await store.establishSecret('session', 'another'), 'another')
      assert.equal(await other.establishSecret('pepper', 'fourth'), 'first')
    })

    it('resolves the same one to 20 concurrent callers', async ({ other, callAtOnce }) => {
      const kept = new Set(await callAtOnce(20, (one, i) => one.establishSecret('pepper', `pepper ${i}`)))
      assert.equal(kept.size, 1)
      assert.ok(kept.has(await other.establishSecret('pepper', 'late')))
    })

    it('is encrypted again only if the given former one is the stored one, without a trace', async (context) => {
      const { store, other, withoutTraces } = context
      assert.equal(await store.replaceSecret('pepper', 'first', 'second'), false)
      assert.equal(await store.establishSecret('pepper', 'first'), 'first')
      assert.equal(await withoutTraces(() => other.replaceSecret('pepper', 'first', 'second')), true)
      assert.equal(await store.establishSecret('pepper', 'third'), 'second')
      assert.equal(await store.replaceSecret('pepper', 'first', 'third'), false)
      assert.equal(await other.establishSecret('pepper', 'third'), 'second')
    })

    it('is replaced with an audit record and a change of the feed', async ({
      store,
      other,
      recordTraces,
      withoutTraces,
    }) => {
      await store.establishSecret('session', 'first')
      const record = audit(undefined, { type: 'sessionSecret.replaced' })
      const replace = async (former: string, done: boolean): Promise<void> =>
        assert.equal(await store.replaceSecret('session', former, 'second', record), done)
      await withoutTraces(() => replace('unknown', false))
      assertEqual(await recordTraces(() => replace('first', true)), { audit: 1, changes: [{ kind: 'sessionSecret' }] })
      assert.equal(await other.establishSecret('session', 'third'), 'second')
    })

    it('is replaced by exactly one of 20 concurrent callers', async ({ store, findWinner }) => {
      await store.establishSecret('pepper', 'first')
      const winner = await findWinner(20, (one, i) => one.replaceSecret('pepper', 'first', `again ${i}`))
      assert.equal(await store.establishSecret('pepper', 'late'), `again ${winner}`)
    })
  })
}
