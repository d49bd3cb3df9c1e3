import { assertEqual, type TestCollector } from './suite.js'

const NOW = 1_800_000_000_000
const BOUNDS = { now: NOW, most: 3 }
const used = (hash: string, { applicationId = 'app_a', expiresAt = NOW + 60_000 } = {}) => ({
  applicationId,
  hash,
  expiresAt,
})

/** The assertions that were used. */
export function assertionsContract({ describe, it }: TestCollector): void {
  describe('assertions.add()', () => {
    it('adds an assertion once, for every process, without an audit record or a change', async (context) => {
      const { store, other, withoutTraces } = context
      await withoutTraces(async () => {
        assertEqual(await store.assertions.add(used('one'), BOUNDS), 'added')
        assertEqual(await store.assertions.add(used('one'), BOUNDS), 'known')
        assertEqual(await other.assertions.add(used('one'), BOUNDS), 'known')
        assertEqual(await other.assertions.add(used('one', { applicationId: 'app_b' }), BOUNDS), 'added')
      })
    })

    it('adds one of many that come at the same time', async ({ callAtOnce, store }) => {
      const answers = await callAtOnce(20, (one) => one.assertions.add(used('one'), { now: NOW, most: 100 }))
      assertEqual(answers.filter((answer) => answer === 'added').length, 1)
      assertEqual(await store.assertions.add(used('one'), BOUNDS), 'known')
    })

    it('adds no more than an application may have, evicts none that counts, and forgets those that expired', async (context) => {
      const { store } = context
      for (const hash of ['one', 'two', 'three']) await store.assertions.add(used(hash), BOUNDS)
      assertEqual(await store.assertions.add(used('four'), BOUNDS), 'full')
      assertEqual(await store.assertions.add(used('four', { applicationId: 'app_b' }), BOUNDS), 'added')
      // At its very end it still counts.
      assertEqual(await store.assertions.add(used('four'), { now: NOW + 60_000, most: 3 }), 'full')
      const later = { now: NOW + 60_001, most: 3 }
      assertEqual(await store.assertions.add(used('four', { expiresAt: NOW + 120_000 }), later), 'added')
      assertEqual(await store.assertions.add(used('four', { expiresAt: NOW + 120_000 }), later), 'known')
    })
  })
}
