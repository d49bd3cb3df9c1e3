import { NOW } from './records.js'
import { assertEqual, readPages, type TestCollector } from './suite.js'
import { count, listUsage } from './usage.js'
import type { UsageCount } from '../../../src/store.js'

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
