import assert from 'node:assert/strict'
import type { QuotaCount, StoreWith } from '../../../src/store.js'
import { application, audit, NOW } from './records.js'
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

  describe('quotas.listUsed()', () => {
    const page = { plan: 'gold', period: '2026-11-22', atLeast: 1, after: undefined, limit: 10 } as const
    const save = (store: StoreWith, id: string, changes: object = {}) =>
      store.saveApplication(application(id, { plan: 'gold', ...changes }), audit(id))

    it('lists the applications of a plan by what they have used of a day or a month, most first, page by page', async ({
      store,
      other,
    }) => {
      const used = { a: 5, b: 7, c: 5, d: 0, e: 90, f: 6 }
      for (const id of Object.keys(used)) await save(store, id, id === 'e' ? { plan: 'free' } : {})
      const counts = Object.entries(used).map(([applicationId, units]) => count({ applicationId, count: units }))
      // As if it was written by another process that had seen the application before it was stored.
      await other.quotas.add({ id: '1', at: NOW }, [...counts, count({ applicationId: 'unknown', count: 8 })])
      await store.quotas.add({ id: '2', at: NOW }, [count({ applicationId: 'a', day: '2026-11-01', count: 20 })])
      await store.quotas.add({ id: '3', at: NOW }, [count({ applicationId: 'b', day: '2026-10-31', count: 20 })])
      const list = async (changes: object): Promise<unknown> =>
        (await store.quotas.listUsed({ ...page, ...changes })).map(({ applicationId, count: units }) => [
          applicationId,
          units,
        ])
      const [a, b, c, f] = Object.entries(used).filter(([id]) => 'abcf'.includes(id))
      assertEqual(await list({}), [b, f, c, a])
      assertEqual(await list({ period: '2026-11' }), [['a', 25], b, f, c])
      assertEqual(await list({ period: '2026-10' }), [['b', 20]])
      assertEqual(await list({ period: '2026-12' }), [])
      assertEqual(await list({ plan: 'free' }), [['e', 90]])
      assertEqual(await list({ plan: 'other' }), [])
      assertEqual(await list({ atLeast: 6 }), [b, f])
      assertEqual(await list({ limit: 3 }), [b, f, c])
      assertEqual(await list({ after: { count: 5, applicationId: 'c' } }), [a])
      assertEqual(await list({ after: { count: 6, applicationId: '' } }), [c, a])
      assertEqual(await list({ after: { count: 7, applicationId: 'z' }, limit: 2 }), [b, f])
      assertEqual((await store.quotas.listUsed({ ...page, limit: 1 }))[0], {
        applicationId: 'b',
        name: 'Application b',
        count: 7,
      })
    })

    it('knows the plan that an application has now, whichever was written first', async ({ store, other }) => {
      const list = async (plan: string, period = '2026-11'): Promise<unknown> =>
        (await other.quotas.listUsed({ ...page, plan, period })).map(({ count: units }) => units)
      await store.quotas.add({ id: '1', at: NOW }, [count({ count: 3 })])
      assertEqual(await list('gold'), [])
      await save(store, 'a')
      assertEqual([await list('gold'), await list('gold', '2026-11-22')], [[3], [3]])
      await save(store, 'a', { plan: 'free', version: 2 })
      assertEqual([await list('gold'), await list('free'), await list('free', '2026-11-22')], [[], [3], [3]])
      await store.quotas.add({ id: '2', at: NOW }, [count({ day: '2026-11-23' })])
      assertEqual([await list('gold'), await list('free'), await list('free', '2026-11-23')], [[], [4], [1]])
      await save(store, 'a', { plan: undefined, version: 3 })
      assertEqual(await list('free'), [])
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
