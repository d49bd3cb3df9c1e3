import { describe, expect, it } from 'vitest'
import { audit, signingKey } from '../records.js'
import { createReaders, NO_TRACES } from './suite.js'
import type { OpenedStores } from './suite.js'

/** Adding, resealing and removing signing keys. */
export function signingKeysContract(opened: () => OpenedStores): void {
  const { listAudit, recordTraces } = createReaders(opened)

  describe('signing keys', () => {
    it('are listed unchanged, in the order in which they were added', async () => {
      const { store } = opened()
      expect(await store.listSigningKeys()).toEqual([])
      expect(await store.addSigningKey(signingKey('z'), undefined, audit())).toBe(true)
      expect(await store.addSigningKey(signingKey('a'), 'z', audit())).toBe(true)
      expect(await store.addSigningKey(signingKey('m'), 'a', audit())).toBe(true)
      expect(await store.listSigningKeys()).toStrictEqual([signingKey('z'), signingKey('a'), signingKey('m')])
    })

    it('are added only after the newest key', async () => {
      const { store } = opened()
      expect(await recordTraces(() => store.addSigningKey(signingKey('a'), 'unknown', audit()))).toEqual(NO_TRACES)
      await store.addSigningKey(signingKey('a'), undefined, audit())
      await store.addSigningKey(signingKey('b'), 'a', audit())
      expect(await store.addSigningKey(signingKey('c'), undefined, audit())).toBe(false)
      expect(await store.addSigningKey(signingKey('c'), 'a', audit())).toBe(false)
      expect(await recordTraces(() => store.addSigningKey(signingKey('c'), 'a', audit()))).toEqual(NO_TRACES)
      expect((await store.listSigningKeys()).map(({ kid }) => kid)).toEqual(['a', 'b'])
    })

    it('are added by exactly one of 20 concurrent callers', async () => {
      const { store, other } = opened()
      for (let round = 1; round <= 3; round++) {
        const newest = (await store.listSigningKeys()).at(-1)?.kid
        const tries = Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? store : other).addSigningKey(signingKey(`${round}-${i}`), newest, audit()),
        )
        const winners = (await Promise.all(tries)).flatMap((added, i) => (added ? [`${round}-${i}`] : []))
        expect(winners).toHaveLength(1)
        expect((await store.listSigningKeys()).at(-1)?.kid).toBe(winners[0])
      }
      expect(await store.listSigningKeys()).toHaveLength(3)
      expect(await listAudit()).toHaveLength(3)
    })

    it('are removed once', async () => {
      const { store, other } = opened()
      await store.addSigningKey(signingKey('a'), undefined, audit())
      await store.addSigningKey(signingKey('b'), 'a', audit())
      const traces = await recordTraces(async () => expect(await other.removeSigningKey('b', audit())).toBe(true))
      expect(traces).toEqual({ audit: 1, changes: [{ kind: 'signingKeys' }] })
      const again = await recordTraces(async () => expect(await store.removeSigningKey('b', audit())).toBe(false))
      expect(again).toEqual(NO_TRACES)
      expect(await store.listSigningKeys()).toStrictEqual([signingKey('a')])
    })

    it('are resealed in their position, only if the given former sealing is the stored one', async () => {
      const { store, other } = opened()
      await store.addSigningKey(signingKey('a'), undefined, audit())
      await store.addSigningKey(signingKey('b'), 'a', audit())
      const reseal = async (): Promise<void> =>
        expect(await other.resealSigningKey('a', 'sealed a', 'resealed')).toBe(true)
      expect(await recordTraces(reseal)).toEqual(NO_TRACES)
      expect(await store.resealSigningKey('a', 'sealed a', 'sealed too late')).toBe(false)
      expect(await store.resealSigningKey('b', 'sealed a', 'sealed wrongly')).toBe(false)
      expect(await store.resealSigningKey('c', 'sealed c', 'sealed for no key')).toBe(false)
      const resealed = { ...signingKey('a'), sealedPrivateJwk: 'resealed' }
      expect(await store.listSigningKeys()).toStrictEqual([resealed, signingKey('b')])
    })

    it('are added after the newest key that was not removed', async () => {
      const { store } = opened()
      await store.addSigningKey(signingKey('a'), undefined, audit())
      await store.addSigningKey(signingKey('b'), 'a', audit())
      await store.removeSigningKey('b', audit())
      expect(await store.addSigningKey(signingKey('c'), 'b', audit())).toBe(false)
      expect(await store.addSigningKey(signingKey('c'), 'a', audit())).toBe(true)
    })

    it('with a kid that is stored already are an error that changes nothing', async () => {
      const { store } = opened()
      await store.addSigningKey(signingKey('a'), undefined, audit())
      const twice = (): Promise<boolean> => store.addSigningKey(signingKey('a'), 'a', audit())
      expect(await recordTraces(() => expect(twice()).rejects.toBeInstanceOf(Error))).toEqual(NO_TRACES)
    })
  })
}
