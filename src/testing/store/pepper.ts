import assert from 'node:assert/strict'
import { assertEqual, createReaders, NO_TRACES } from './suite.js'
import type { OpenedStores, TestCollector } from './suite.js'

/** The encrypted pepper, of which a store keeps one. */
export function pepperContract({ describe, it }: TestCollector, opened: () => OpenedStores): void {
  const { recordTraces } = createReaders(opened)

  describe('pepper', () => {
    it('keeps the first pepper that was stored', async () => {
      const { store, other } = opened()
      assert.equal(await store.establishPepper('first'), 'first')
      assert.equal(await store.establishPepper('second'), 'first')
      assert.equal(await other.establishPepper('third'), 'first')
    })

    it('resolves the same pepper to 20 concurrent callers', async () => {
      const { store, other } = opened()
      const calls = Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other).establishPepper(`pepper ${i}`))
      const kept = new Set(await Promise.all(calls))
      assert.equal(kept.size, 1)
      assert.ok(kept.has(await other.establishPepper('late')))
    })

    it('is resealed only if the given former sealing is the stored one', async () => {
      const { store, other } = opened()
      assert.equal(await store.resealPepper('first', 'second'), false)
      assert.equal(await store.establishPepper('first'), 'first')
      const reseal = async (): Promise<void> => assert.equal(await other.resealPepper('first', 'second'), true)
      assertEqual(await recordTraces(reseal), NO_TRACES)
      assert.equal(await store.establishPepper('third'), 'second')
      assert.equal(await store.resealPepper('first', 'third'), false)
      assert.equal(await other.establishPepper('third'), 'second')
    })

    it('is resealed by exactly one of 20 concurrent callers', async () => {
      const { store, other } = opened()
      await store.establishPepper('first')
      const tries = Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other).resealPepper('first', `again ${i}`))
      const winner = (await Promise.all(tries)).flatMap((done, i) => (done ? [i] : []))
      assert.equal(winner.length, 1)
      assert.equal(await store.establishPepper('late'), `again ${winner[0]}`)
    })
  })
}
