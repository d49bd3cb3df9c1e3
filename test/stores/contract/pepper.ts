import { describe, expect, it } from 'vitest'
import { createReaders, NO_TRACES } from './suite.js'
import type { OpenedStores } from './suite.js'

/** The encrypted pepper, of which a store keeps one. */
export function pepperContract(opened: () => OpenedStores): void {
  const { recordTraces } = createReaders(opened)

  describe('pepper', () => {
    it('keeps the first pepper that was stored', async () => {
      const { store, other } = opened()
      expect(await store.establishPepper('first')).toBe('first')
      expect(await store.establishPepper('second')).toBe('first')
      expect(await other.establishPepper('third')).toBe('first')
    })

    it('resolves the same pepper to 20 concurrent callers', async () => {
      const { store, other } = opened()
      const calls = Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other).establishPepper(`pepper ${i}`))
      const kept = new Set(await Promise.all(calls))
      expect(kept.size).toBe(1)
      expect(kept).toContain(await other.establishPepper('late'))
    })

    it('is resealed only if the given former sealing is the stored one', async () => {
      const { store, other } = opened()
      expect(await store.resealPepper('first', 'second')).toBe(false)
      expect(await store.establishPepper('first')).toBe('first')
      const reseal = async (): Promise<void> => expect(await other.resealPepper('first', 'second')).toBe(true)
      expect(await recordTraces(reseal)).toEqual(NO_TRACES)
      expect(await store.establishPepper('third')).toBe('second')
      expect(await store.resealPepper('first', 'third')).toBe(false)
      expect(await other.establishPepper('third')).toBe('second')
    })

    it('is resealed by exactly one of 20 concurrent callers', async () => {
      const { store, other } = opened()
      await store.establishPepper('first')
      const tries = Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other).resealPepper('first', `again ${i}`))
      const winner = (await Promise.all(tries)).flatMap((done, i) => (done ? [i] : []))
      expect(winner).toHaveLength(1)
      expect(await store.establishPepper('late')).toBe(`again ${winner[0]}`)
    })
  })
}
