import assert from 'node:assert/strict'
import { NOW } from './records.js'
import { assertEqual, readPages, type TestCollector } from './suite.js'
import { count, listUsage } from './usage.js'
import type { UsageCount, UsageCountQuery } from '../../../src/store.js'

/** Counts by route, which are stored beside those of all routes. */
export function usageByRouteContract({ describe, it }: TestCollector): void {
  describe('usage by route', () => {
    it('is added apart from that of all routes, and from that of other routes', async ({ store, other, save }) => {
      await save('a')
      const routes = [count('a', { route: 'GET /b' }), count('a', { route: 'GET /b', outcome: 'extra', count: -1 })]
      await store.usage.add({ id: '1', at: NOW }, [count('a'), ...routes, count('a', { route: '(other)' })])
      await other.usage.add({ id: '2', at: NOW }, [count('a', { route: 'GET /b', count: 5 })])
      assertEqual(await listUsage(store), [count('a')])
      assertEqual(await listUsage(store, { routes: true }), [
        count('a', { route: '(other)' }),
        count('a', { route: 'GET /b', count: 6 }),
        routes[1],
      ])
    })

    it('is listed in the order of routes, then of days or months, APIs and outcomes', async ({ store, save }) => {
      for (const id of ['z', 'a']) await save(id)
      const routes = ['(other)', 'GET /', 'GET /B', `GET /a/${'b'.repeat(300)}`, 'GET /\u00E4/:id']
      const listed = (id: string, days: readonly string[], times = 1) =>
        routes.flatMap((route) =>
          days.flatMap((day) => ['x', 'y'].map((api) => count(id, { route, day, api, count: times }))),
        )
      const days = ['2026-10-31', '2026-11-01', '2026-11-30']
      const both = ['z', 'a'].flatMap((id) => listed(id, days))
      await store.usage.add({ id: '1', at: NOW }, [count('a'), ...both.toReversed()])
      const november = { routes: true, by: 'month', from: '2026-11-01' } as const
      const ofApi = listed('a', ['2026-11'], 2).filter(({ api }) => api === 'y')
      for (const [expected, query] of [
        [both, { routes: true }],
        [listed('a', ['2026-11-30']), { routes: true, from: '2026-11-02', applicationId: 'a' }],
        [['z', 'a'].flatMap((id) => listed(id, ['2026-11'], 2)), november],
        [ofApi, { ...november, applicationId: 'a', api: 'y' }],
      ] as const) {
        for (const limit of [1, 3, 100])
          assertEqual(
            await readPages<UsageCount>(limit, (after) => listUsage(store, { ...query, after, limit })),
            expected,
          )
      }
      assertEqual(await listUsage(store, { routes: true, after: count('unknown', { route: 'GET /' }) }), [])
      assertEqual(await listUsage(store), [count('a')])
    })

    it('is summed up over all applications too, as without routes, in pages of any size', async (context) => {
      const { store, other, save } = context
      for (const id of ['a', 'b']) await save(id)
      const usage = [
        { day: '2026-10-31', api: 'orders', outcome: 'allowed', count: 2 },
        { day: '2026-11-01', api: 'orders', outcome: 'allowed', count: 3 },
        { day: '2026-11-01', api: 'catalog', outcome: 'invalid_token', count: 4 },
        { day: '2026-11-02', api: 'orders', outcome: 'allowed', count: 5, route: 'GET /b' },
        { day: '2026-11-02', api: 'orders', outcome: 'allowed', count: 6, route: 'GET /a' },
      ]
      const of = (applicationId: string) => usage.map((each) => ({ ...each, applicationId }))
      const batch = [...of('a'), ...of('b'), ...of('unknown')]
      await store.usage.add({ id: '1', at: NOW }, batch)
      await other.usage.add({ id: '1', at: NOW }, batch)
      await other.usage.add({ id: '2', at: NOW }, of('b').toReversed())
      await save('a', { version: 2, status: 'deleted' })
      const query = {
        after: undefined,
        applicationId: undefined,
        overall: true,
        api: undefined,
        from: '2026-10-01',
        to: '2026-11-02',
      } as const
      const list = async (changes: Partial<UsageCountQuery>) => {
        const all = await store.usage.list({ ...query, ...changes, limit: 100 })
        for (const limit of [1, 2])
          assertEqual(
            await readPages<UsageCount>(limit, (after) => store.usage.list({ ...query, ...changes, after, limit })),
            all,
          )
        assert.ok(all.every(({ applicationId }) => applicationId === ''))
        return all.map(({ route, day, api, outcome, count }) =>
          [route, day, api, outcome, count].filter(Boolean).join(' '),
        )
      }
      const days = ['2026-10-31 orders allowed 6', '2026-11-01 catalog invalid_token 12', '2026-11-01 orders allowed 9']
      assertEqual(await list({}), days)
      assertEqual(await list({ api: 'orders', from: '2026-11-01' }), days.slice(2))
      assertEqual(await list({ by: 'month' }), [
        '2026-10 orders allowed 6',
        '2026-11 catalog invalid_token 12',
        '2026-11 orders allowed 9',
      ])
      assertEqual(await list({ routes: true }), [
        'GET /a 2026-11-02 orders allowed 18',
        'GET /b 2026-11-02 orders allowed 15',
      ])
      // No list of applications has them.
      const listed = await store.usage.list({ ...query, overall: undefined, limit: 100 })
      assert.ok(listed.every(({ applicationId }) => applicationId !== ''))
      assertEqual(await store.usage.list({ ...query, overall: undefined, applicationId: '', limit: 100 }), [])
    })

    it('is deleted with the counts of its day', async ({ store, save }) => {
      await save('a')
      const counts = ['2026-11-22', '2026-11-23'].map((day) => count('a', { route: 'GET /', day }))
      await store.usage.add({ id: '1', at: NOW }, counts)
      const limits = { refusalsBefore: 0, reportedBefore: 0, batchesBefore: 0, limit: 100 }
      await store.usage.deleteExpired({ ...limits, countsBefore: '2026-11-23' })
      assertEqual(await listUsage(store, { routes: true }), counts.slice(1))
    })
  })
}
