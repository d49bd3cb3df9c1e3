import assert from 'node:assert/strict'
import type { QuotaCount, StoreWith } from '../../../src/store.js'
import { NOW } from './records.js'
import { assertEqual, overwrite, type TestCollector } from './suite.js'

/** Units that applications have used of their quotas. */
export function quotasContract({ describe, it }: TestCollector): void {
  const list = (store: StoreWith, id = 'a') => store.quotas.list(id, '2000-01-01', '2999-12-31')

  describe('quotas.add()', () => {
    it('adds to what is stored, and resolves the totals of each day and of its month', async ({ store, other }) => {
      const months = ['2026-10-31', '2026-11-01', '2026-11-22', '2026-11-30', '2026-12-01'].map((day) => count({ day }))
      await store.quotas.add({ id: '1', at: NOW }, months)
      const given = [count({ count: 10 }), count({ applicationId: 'b', count: 5 }), count({ day: '2026-12-02' })]
      assertEqual(await other.quotas.add({ id: '2', at: NOW }, given), [
        { ofDay: 11, ofMonth: 13 },
        { ofDay: 5, ofMonth: 5 },
        { ofDay: 1, ofMonth: 2 },
      ])
      assertEqual(await list(store), [...months.with(2, count({ count: 11 })), count({ day: '2026-12-02' })])
      assertEqual(await list(store, 'b'), [given[1]])
      assertEqual(await store.quotas.add({ id: '3', at: NOW }, []), [])
    })

    it('adds a batch that is written again once, also at the same time, and resolves the totals each time', async (context) => {
      const { store, other } = context
      const write = (each: typeof store) => each.quotas.add({ id: 'same', at: NOW }, [count()])
      const totals = await Promise.all([write(store), write(other), write(store)])
      totals.push(await write(other))
      for (const each of totals) assertEqual(each, [{ ofDay: 1, ofMonth: 1 }])
      await store.usage?.add({ id: 'usage', at: NOW }, [])
      if (store.usage)
        assertEqual(await store.quotas.add({ id: 'usage', at: NOW }, [count()]), [{ ofDay: 1, ofMonth: 1 }])
    })

    it('of concurrent batches adds all, and resolves no total that lacks its own', async ({ store, callAtOnce }) => {
      const counts = [count(), count({ applicationId: 'b' }), count({ day: '2026-11-23' })]
      const results = await callAtOnce(20, (one, i) =>
        one.quotas.add({ id: `${i}`, at: NOW }, i % 3 === 0 ? counts : counts.toReversed()),
      )
      assertEqual(await list(store), [count({ count: 20 }), count({ day: '2026-11-23', count: 20 })])
      assertEqual(await list(store, 'b'), [count({ applicationId: 'b', count: 20 })])
      const ofDay = results.map((each) => each[1]!.ofDay).toSorted((one, another) => one - another)
      assertEqual(
        ofDay,
        Array.from({ length: 20 }, (_, i) => i + 1),
      )
    })

    it('holds large counts, and what it was given or has resolved can be written to', async ({ store }) => {
      const given = [{ ...count({ count: Number.MAX_SAFE_INTEGER - 1 }) }]
      await store.quotas.add({ id: '1', at: NOW }, given)
      overwrite(given)
      overwrite(await store.quotas.add({ id: '2', at: NOW }, [count()]))
      overwrite(await list(store))
      assertEqual(await list(store), [count({ count: Number.MAX_SAFE_INTEGER })])
    })

    it('adds neither to the audit nor to the change feed', async ({ store, withoutTraces }) => {
      await withoutTraces(() => store.quotas.add({ id: '1', at: NOW }, [count()]))
    })
  })

  describe('quotas.list()', () => {
    it('is restricted to an application and to days', async ({ store }) => {
      const days = ['2026-11-01', '2026-11-02', '2026-11-03'].map((day) => count({ day }))
      await store.quotas.add({ id: '1', at: NOW }, [...days.toReversed(), count({ applicationId: 'b' })])
      assertEqual(await store.quotas.list('a', '2026-11-02', '2026-11-31'), days.slice(1))
      assertEqual(await store.quotas.list('unknown', '2026-11-02', '2026-11-31'), [])
      assertEqual(await store.quotas.list('a\0', '2026-11-02', '2026-11-31'), [])
    })
  })

  describe('quotas.deleteExpired()', () => {
    it('deletes counts of earlier days and ids of earlier batches, as often as it is called until nothing is left', async (context) => {
      const { store } = context
      const old = Array.from({ length: 5 }, (_, i) => count({ applicationId: `app${i}`, day: '2026-11-21' }))
      await store.quotas.add({ id: 'earlier', at: NOW - 1 }, [...old, count()])
      await store.quotas.add({ id: 'later', at: NOW }, [count()])
      const expired = { countsBefore: '2026-11-22', batchesBefore: NOW, limit: 2 }
      for (let calls = 0; (await store.quotas.deleteExpired(expired)) > 0; calls++) assert.ok(calls < 10)
      for (const { applicationId } of old) assertEqual(await list(store, applicationId), [])
      await store.quotas.add({ id: 'later', at: NOW }, [count()])
      assertEqual(await list(store), [count({ count: 2 })])
      await store.quotas.add({ id: 'earlier', at: NOW }, [count()])
      assertEqual(await list(store), [count({ count: 3 })])
    })
  })
}

function count(changes: Partial<QuotaCount> = {}): QuotaCount {
  return { applicationId: 'a', day: '2026-11-22', count: 1, ...changes }
}
