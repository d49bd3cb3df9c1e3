import assert from 'node:assert/strict'
import type { ExpiredUsage, StoreWith, UsageCount, UsageCountQuery } from '../../../src/store.js'
import { NOW } from './records.js'
import { assertEqual, overwrite, readPages, type TestCollector } from './suite.js'

/** Counts of requests, which are added to those stored. */
export function usageContract({ describe, it }: TestCollector): void {
  describe('usage', () => {
    it('is added to what is stored, by day, application, API and outcome', async ({ store, other, save }) => {
      await save('a')
      const counts = [
        count('a'),
        count('a', { outcome: 'token' }),
        count('a', { api: 'b' }),
        count('a', { day: LATER }),
      ]
      await store.usage.add({ id: '1', at: NOW }, counts)
      await other.usage.add({ id: '2', at: NOW }, [count('a', { count: 10 }), count('a', { day: LATER, count: -1 })])
      assertEqual(await listUsage(store), [
        count('a', { count: 11 }),
        count('a', { outcome: 'token' }),
        count('a', { api: 'b' }),
        count('a', { day: LATER, count: 0 }),
      ])
    })

    it('is added once for a batch that is written again, also at the same time', async ({ store, other, save }) => {
      await save('a')
      const write = (each: typeof store) => each.usage.add({ id: 'same', at: NOW }, [count('a')])
      await Promise.all([write(store), write(other), write(store)])
      await write(other)
      assertEqual(await listUsage(store), [count('a')])
    })

    it('of concurrent batches is added up', async ({ store, save, callAtOnce }) => {
      await save('a')
      await save('b')
      const counts = [count('a'), count('b'), count('a', { api: 'other' })]
      await callAtOnce(20, (one, i) =>
        one.usage.add({ id: `${i}`, at: NOW }, i % 3 === 0 ? counts : counts.toReversed()),
      )
      assertEqual(
        (await listUsage(store)).map((each) => each.count),
        [20, 20, 20],
      )
    })

    it('of more than a number can hold exactly is bounded or rounded: no list fails, and no sum', async ({
      store,
      save,
    }) => {
      const most = Number.MAX_SAFE_INTEGER
      for (const id of ['a', 'b']) {
        await save(id)
        for (const batch of ['1', '2'])
          await store.usage.add({ id: `${id}${batch}`, at: NOW }, [
            count(id, { count: most }),
            count(id, { day: LATER, count: most }),
          ])
      }
      for (const by of ['day', 'month'] as const)
        for (const overall of [{}, { overall: true as const }])
          for (const each of await listUsage(store, { by, ...overall })) assert(each.count >= most)
      for (const { allowed } of await store.usage.listSums({
        period: DAY,
        sort: 'allowed',
        after: undefined,
        limit: 10,
      }))
        assert(allowed >= most)
    })

    it('of an application that is not stored is left out, and that of a deleted one is kept', async (context) => {
      const { store, save } = context
      await save('a')
      await store.usage.add({ id: '1', at: NOW }, [count('a'), count('unknown')])
      await save('a', { version: 2, status: 'deleted', name: '' })
      await store.usage.add({ id: '2', at: NOW }, [count('a')])
      assertEqual(await listUsage(store), [count('a', { count: 2 })])
    })

    it('is summed up by day and by month over all APIs, and listed with most first, page by page', async (context) => {
      const { store, other, save } = context
      for (const id of ['a', 'b', 'c', 'd']) await save(id)
      const refused = (id: string, times: number) => count(id, { outcome: 'invalid_token', count: times })
      await store.usage.add({ id: '1', at: NOW }, [
        ...['a', 'b', 'c', 'd'].map((id, i) => count(id, { count: i === 3 ? 0 : i + 1 })),
        refused('a', 4),
        refused('b', 4),
        refused('c', 9),
        refused('unknown', 99),
        count('a', { api: 'b', outcome: '__proto__' }),
        count('a', { outcome: 'token', count: 7 }),
        count('a', { route: 'GET /', count: 50 }),
        count('a', { route: 'GET /', outcome: 'extra', count: 50 }),
      ])
      await other.usage.add({ id: '2', at: NOW }, [refused('b', 1), count('a', { day: LATER, count: 20 })])
      await other.usage.add({ id: '2', at: NOW }, [refused('b', 1)])
      await save('c', { version: 2, status: 'deleted', name: '' })
      const list = (changes: object = {}) =>
        store.usage.listSums({ period: DAY, sort: 'refused', after: undefined, limit: 10, ...changes })
      const sum = (id: string, allowed: number, refusals: number, accessTokens = 0) => {
        return {
          applicationId: id,
          name: id === 'c' ? '' : `Application ${id}`,
          allowed,
          accessTokens,
          refused: refusals,
        }
      }
      const [a, b, c] = [sum('a', 1, 5, 7), sum('b', 2, 5), sum('c', 3, 9)]
      assertEqual(await list(), [c, b, a])
      assertEqual(await list({ sort: 'allowed' }), [c, b, a])
      assertEqual(await list({ limit: 2 }), [c, b])
      assertEqual(await list({ after: { applicationId: 'b', count: 5 } }), [a])
      assertEqual(await list({ after: { applicationId: 'gone', count: 9 } }), [c, b, a])
      assertEqual(await list({ after: { applicationId: 'a', count: 5 } }), [])
      assertEqual(await list({ period: LATER }), [])
      assertEqual(await list({ period: LATER, sort: 'allowed' }), [sum('a', 20, 0)])
      assertEqual(await list({ period: DAY.slice(0, 7), sort: 'allowed' }), [sum('a', 21, 5, 7), c, b])
      const expired = { countsBefore: '2999-01-01', refusalsBefore: 0, reportedBefore: 0, batchesBefore: 0, limit: 2 }
      for (let calls = 0; (await store.usage.deleteExpired(expired)) > 0; calls++) assert.ok(calls < 20)
      assertEqual([await list(), await list({ period: DAY.slice(0, 7) })], [[], []])
    })

    it('holds large counts', async ({ store, save }) => {
      await save('a')
      const large = Number.MAX_SAFE_INTEGER - 1
      await store.usage.add({ id: '1', at: NOW }, [count('a', { count: large })])
      await store.usage.add({ id: '2', at: NOW }, [count('a')])
      assertEqual(await listUsage(store), [count('a', { count: large + 1 })])
    })

    it('is added neither to the audit nor to the change feed', async ({ store, save, withoutTraces }) => {
      await save('a')
      await withoutTraces(() => store.usage.add({ id: '1', at: NOW }, [count('a')]))
    })

    it('is not changed by writing to what was given or read', async ({ store, save }) => {
      await save('a')
      const given = [{ ...count('a') }]
      await store.usage.add({ id: '1', at: NOW }, given)
      overwrite(given)
      overwrite(await listUsage(store))
      assertEqual(await listUsage(store), [count('a')])
    })
  })
}

/** Lists of counts. */
export function usageListContract({ describe, it }: TestCollector): void {
  describe('the list of usage', () => {
    it('has the order in which applications were added, then of days, APIs and outcomes', async ({ store, save }) => {
      for (const id of ['z', 'a']) await save(id)
      const expected = ['z', 'a'].flatMap((id) => [
        count(id, { api: 'B' }),
        count(id, { api: 'a' }),
        count(id, { api: 'a-b' }),
        count(id, { api: 'a.b' }),
        count(id, { api: 'a.b', outcome: 'invalid_token' }),
        count(id, { day: LATER }),
      ])
      await store.usage.add({ id: '1', at: NOW }, expected.toReversed())
      assertEqual(await listUsage(store), expected)
    })

    it('is read in pages', async ({ store, save }) => {
      const counts: UsageCount[] = []
      for (const id of ['c', 'b', 'a']) {
        await save(id)
        for (const day of [DAY, LATER]) for (const api of ['a', 'b']) counts.push(count(id, { day, api }))
      }
      await save('without')
      await store.usage.add({ id: '1', at: NOW }, counts)
      await assertPages(store, counts)
      const after = { applicationId: 'b', day: LATER, api: '', outcome: '' }
      assertEqual(await listUsage(store, { after, limit: 1 }), [count('b', { day: LATER, api: 'a' })])
      assertEqual(await listUsage(store, { after: { ...after, applicationId: 'unknown' } }), [])
    })

    it('is restricted to days, an application and an API', async ({ store, save }) => {
      for (const id of ['a', 'b']) await save(id)
      const days = ['2026-10-31', '2026-11-01', '2026-11-30', '2026-12-01']
      await store.usage.add(
        { id: '1', at: NOW },
        ['a', 'b'].flatMap((id) => days.flatMap((day) => ['x', 'y'].map((api) => count(id, { day, api })))),
      )
      const november = { from: '2026-11-01', to: '2026-11-31' }
      const inNovember = (id: string, api: string) => days.slice(1, 3).map((day) => count(id, { day, api }))
      assertEqual(await listUsage(store, { ...november, applicationId: 'b', api: 'y' }), inNovember('b', 'y'))
      assertEqual(await listUsage(store, { ...november, api: 'x' }), [...inNovember('a', 'x'), ...inNovember('b', 'x')])
      assert.equal((await listUsage(store, { ...november, applicationId: 'a' })).length, 4)
      assertEqual(await listUsage(store, { applicationId: 'unknown' }), [])
      assertEqual(await listUsage(store, { api: 'unknown' }), [])
      const after = count('a', { day: '2026-11-30', api: 'x' })
      assertEqual(await listUsage(store, { ...november, after, applicationId: 'a' }), [
        count('a', { day: '2026-11-30', api: 'y' }),
      ])
    })

    it('by month has the sums of the listed days, in the same order and pages', async ({ store, save }) => {
      const days = ['2026-10-30', '2026-10-31', '2026-11-01', '2026-11-30', '2027-10-31']
      const kinds = [
        { api: 'B', outcome: 'invalid_token', count: Number.MAX_SAFE_INTEGER - 9 },
        { api: 'a', count: 2 },
        { api: 'a', outcome: 'token', count: -3 },
      ]
      for (const id of ['z', 'a', 'without']) await save(id)
      const counts = ['z', 'a'].flatMap((id) => days.flatMap((day) => kinds.map((kind) => count(id, { day, ...kind }))))
      const added = counts.map((each) => (each.day.endsWith('-30') ? { ...each, count: 1 } : each))
      await store.usage.add({ id: '1', at: NOW }, added.toReversed())
      const sum = (id: string, day: string) => kinds.map((kind) => count(id, { ...kind, day, count: kind.count + 1 }))
      const sums = (id: string) => [
        ...sum(id, '2026-10'),
        ...sum(id, '2026-11'),
        ...kinds.map((kind) => count(id, { ...kind, day: '2027-10' })),
      ]
      await assertPages(store, [...sums('z'), ...sums('a')], { by: 'month' })
      await assertPages(store, sums('a'), { by: 'month', applicationId: 'a' })
      const ofApi = sums('a').filter(({ api }) => api === 'a')
      await assertPages(store, ofApi, { by: 'month', applicationId: 'a', api: 'a' })
      const range = { by: 'month', from: '2026-10-31', to: '2026-11-29', api: 'B' } as const
      const inRange = ['2026-10', '2026-11'].map((day) => count('z', { ...kinds[0], day }))
      assertEqual(await listUsage(store, { ...range, limit: 2 }), inRange)
      const after = { applicationId: 'z', day: '2026-11', api: '', outcome: '' }
      assertEqual(await listUsage(store, { ...range, after, limit: 1 }), inRange.slice(1))
      assertEqual(await listUsage(store, { ...range, after: { ...after, applicationId: 'unknown' } }), [])
      assertEqual(await listUsage(store, { ...range, applicationId: 'unknown' }), [])
      assertEqual(await listUsage(store, { by: 'day' }), added)
    })
  })

  async function assertPages(
    store: StoreWith,
    expected: readonly UsageCount[],
    query: Partial<UsageCountQuery> = {},
  ): Promise<void> {
    for (const limit of [1, 2, 5, expected.length, expected.length + 1]) {
      const seen = await readPages<UsageCount>(limit, (after) => listUsage(store, { ...query, after, limit }))
      assertEqual(seen, expected, `pages of ${limit}`)
    }
  }
}

/** The end of counts and of the ids of batches. */
export function expiredUsageContract({ describe, it }: TestCollector): void {
  describe('usage.deleteExpired()', () => {
    it('deletes counts of earlier days, as often as it is called until nothing is left', async ({ store, save }) => {
      await save('a')
      const counts = Array.from({ length: 5 }, (_, i) => count('a', { api: `api${i}` }))
      await store.usage.add({ id: '1', at: NOW }, [...counts, count('a', { day: LATER })])
      await deleteAll(store, { countsBefore: DAY })
      assert.equal((await listUsage(store)).length, 6)
      await deleteAll(store, { countsBefore: LATER, limit: 2 })
      assertEqual(await listUsage(store), [count('a', { day: LATER })])
    })

    it('deletes the ids of earlier batches only', async ({ store, save }) => {
      await save('a')
      await store.usage.add({ id: 'earlier', at: NOW - 1 }, [count('a')])
      await store.usage.add({ id: 'later', at: NOW }, [count('a')])
      await deleteAll(store, { batchesBefore: NOW })
      await store.usage.add({ id: 'later', at: NOW }, [count('a')])
      assertEqual(await listUsage(store), [count('a', { count: 2 })])
      await store.usage.add({ id: 'earlier', at: NOW }, [count('a')])
      assertEqual(await listUsage(store), [count('a', { count: 3 })])
    })
  })

  async function deleteAll({ usage }: StoreWith, expired: Partial<ExpiredUsage>): Promise<void> {
    const nothing = { countsBefore: '', refusalsBefore: 0, reportedBefore: 0, batchesBefore: 0, limit: 100 }
    for (let calls = 0; calls < 100; calls++) {
      if ((await usage.deleteExpired({ ...nothing, ...expired })) === 0) return
    }
    throw new Error('deleteExpiredUsage() always has something to delete.')
  }
}

const DAY = '2026-11-22'
const LATER = '2026-11-23'

export function count(applicationId: string, changes: Partial<UsageCount> = {}): UsageCount {
  return { day: DAY, applicationId, api: 'a', outcome: 'allowed', count: 1, ...changes }
}

export async function listUsage(
  store: StoreWith,
  query: Partial<UsageCountQuery> = {},
): Promise<readonly UsageCount[]> {
  const everything = {
    after: undefined,
    applicationId: undefined,
    api: undefined,
    from: '2000-01-01',
    to: '2999-12-31',
    limit: 100,
  }
  return store.usage.list({ ...everything, ...query })
}
