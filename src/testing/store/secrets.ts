import assert from 'node:assert/strict'
import { audit } from './records.js'
import { assertEqual, createReaders, NO_TRACES, type OpenedStores, type TestCollector } from './suite.js'

/** The encrypted secrets, of which a store keeps one of each name. */
export function secretsContract({ describe, it }: TestCollector, opened: () => OpenedStores): void {
  const { recordTraces } = createReaders(opened)

  describe('secret', () => {
    it('keeps the first one of each name that was stored', async () => {
      const { store, other } = opened()
      assert.equal(await store.establishSecret('pepper', 'first'), 'first')
      assert.equal(await store.establishSecret('pepper', 'second'), 'first')
      assert.equal(await other.establishSecret('pepper', 'third'), 'first')
      assert.equal(await store.establishSecret('session', 'another'), 'another')
      assert.equal(await other.establishSecret('pepper', 'fourth'), 'first')
    })

    it('resolves the same one to 20 concurrent callers', async () => {
      const { store, other } = opened()
      const establish = (i: number): Promise<string> => (i % 2 ? store : other).establishSecret('pepper', `pepper ${i}`)
      const kept = new Set(await Promise.all(Array.from({ length: 20 }, (_, i) => establish(i))))
      assert.equal(kept.size, 1)
      assert.ok(kept.has(await other.establishSecret('pepper', 'late')))
    })

    it('is encrypted again only if the given former one is the stored one, without a trace', async () => {
      const { store, other } = opened()
      assert.equal(await store.replaceSecret('pepper', 'first', 'second'), false)
      assert.equal(await store.establishSecret('pepper', 'first'), 'first')
      const reseal = async (): Promise<void> =>
        assert.equal(await other.replaceSecret('pepper', 'first', 'second'), true)
      assertEqual(await recordTraces(reseal), NO_TRACES)
      assert.equal(await store.establishSecret('pepper', 'third'), 'second')
      assert.equal(await store.replaceSecret('pepper', 'first', 'third'), false)
      assert.equal(await other.establishSecret('pepper', 'third'), 'second')
    })

    it('is replaced with an audit record and a change of the feed', async () => {
      const { store, other } = opened()
      await store.establishSecret('session', 'first')
      const record = audit(undefined, { type: 'sessionSecret.replaced' })
      const replace = async (former: string, done: boolean): Promise<void> =>
        assert.equal(await store.replaceSecret('session', former, 'second', record), done)
      assertEqual(await recordTraces(() => replace('unknown', false)), NO_TRACES)
      assertEqual(await recordTraces(() => replace('first', true)), { audit: 1, changes: [{ kind: 'sessionSecret' }] })
      assert.equal(await other.establishSecret('session', 'third'), 'second')
    })

    it('is replaced by exactly one of 20 concurrent callers', async () => {
      const { store, other } = opened()
      await store.establishSecret('pepper', 'first')
      const replace = (i: number): Promise<boolean> =>
        (i % 2 ? store : other).replaceSecret('pepper', 'first', `again ${i}`)
      const tries = await Promise.all(Array.from({ length: 20 }, (_, i) => replace(i)))
      const winner = tries.flatMap((done, i) => (done ? [i] : []))
      assert.equal(winner.length, 1)
      assert.equal(await store.establishSecret('pepper', 'late'), `again ${winner[0]}`)
    })
  })
}
