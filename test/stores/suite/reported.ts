import assert from 'node:assert/strict'
import type { ReportedCount, ReportedCountQuery, StoreWith } from '../../../src/store.js'
import { NOW } from './records.js'
import { assertEqual, overwrite, readPages, type TestCollector } from './suite.js'

/** Counts of requests that guards would have refused, which are added to those stored. */
export function reportedContract({ describe, it }: TestCollector): void {
  describe('report-only guards', () => {
    it('is added to what is stored, by application, API, route and reason, with the first and the last time', async (context) => {
      const { store, other } = context
      const others = [{ applicationId: 'b' }, { api: 'b' }, { route: 'GET /b' }, { reason: 'b' }].map((change) =>
        count(change),
      )
      await store.usage.addReported({ id: '1', at: NOW }, [count({ count: 2, firstAt: 5, lastAt: 9 }), ...others])
      await other.usage.addReported({ id: '2', at: NOW }, [count({ count: 10, firstAt: 3, lastAt: 7 })])
      await store.usage.addReported({ id: '3', at: NOW }, [count({ firstAt: 6, lastAt: 20 })])
      const added = count({ count: 13, firstAt: 3, lastAt: 20 })
      assertEqual(await list(store, { applicationId: 'a', api: 'a' }), [others[2], others[3], added])
      assert.equal((await list(store)).length, 5)
    })

    it('is added once for a batch that is written again, also at the same time, and not for one of the usage', async (context) => {
      const { store, other } = context
      const write = (each: typeof store) => each.usage.addReported({ id: 'same', at: NOW }, [count()])
      await Promise.all([write(store), write(other), write(store)])
      await other.usage.add({ id: 'usage', at: NOW }, [])
      await other.usage.addReported({ id: 'usage', at: NOW }, [count()])
      assertEqual(await list(store), [count()])
    })

    it('of concurrent batches is added up', async ({ store, callAtOnce }) => {
      const counts = [count(), count({ applicationId: '' }), count({ route: 'other' })]
      await callAtOnce(20, (one, i) =>
        one.usage.addReported({ id: `${i}`, at: NOW }, i % 3 === 0 ? counts : counts.toReversed()),
      )
      assertEqual(
        (await list(store)).map((each) => each.count),
        [20, 20, 20],
      )
    })

    it('is listed by application, API, route and reason, in pages', async ({ store }) => {
      const counts = ['', 'a', 'b'].flatMap((applicationId) =>
        ['A', 'a', 'a-b', 'a.b'].flatMap((api) =>
          ['DELETE /x', 'GET /:id', 'GET /ü'].flatMap((route) =>
            ['no_credential', 'suspended'].map((reason) => count({ applicationId, api, route, reason })),
          ),
        ),
      )
      await store.usage.addReported({ id: '1', at: NOW }, counts.toReversed())
      for (const limit of [1, 7, 72, 73]) {
        const seen = await readPages<ReportedCount>(limit, (after) => list(store, { after, limit }))
        assertEqual(seen, counts, `pages of ${limit}`)
      }
      const ofOne = { applicationId: '', api: 'a.b' }
      const expected = counts.filter(({ applicationId, api }) => applicationId === '' && api === 'a.b')
      assertEqual(await list(store, ofOne), expected)
      assertEqual(await list(store, { ...ofOne, after: expected[1] }), expected.slice(2))
      assertEqual(
        await list(store, { api: 'A' }),
        counts.filter(({ api }) => api === 'A'),
      )
      for (const unknown of ['unknown', '\0']) assertEqual(await list(store, { applicationId: unknown }), [])
    })

    it('holds large counts, and is not changed by writing to what was given or read', async ({ store }) => {
      const given = [{ ...count({ count: Number.MAX_SAFE_INTEGER - 1 }) }]
      await store.usage.addReported({ id: '1', at: NOW }, given)
      overwrite(given)
      overwrite(await list(store))
      await store.usage.addReported({ id: '2', at: NOW }, [count()])
      assertEqual(await list(store), [count({ count: Number.MAX_SAFE_INTEGER })])
    })

    it('is added neither to the audit nor to the change feed', async ({ store, withoutTraces }) => {
      await withoutTraces(() => store.usage.addReported({ id: '1', at: NOW }, [count()]))
    })

    it('is deleted by usage.deleteExpired() if its last request is too old', async ({ store }) => {
      const old = Array.from({ length: 5 }, (_, i) => count({ route: `GET /${i}`, firstAt: 1, lastAt: 9 }))
      const kept = count({ firstAt: 1, lastAt: 10 })
      await store.usage.addReported({ id: '1', at: NOW }, [...old, kept])
      const expired = { countsBefore: '', refusalsBefore: 0, reportedBefore: 10, batchesBefore: 0, limit: 2 }
      for (let calls = 0; (await store.usage.deleteExpired(expired)) > 0; calls++) assert.ok(calls < 10)
      assertEqual(await list(store), [kept])
    })
  })
}

function count(changes: Partial<ReportedCount> = {}): ReportedCount {
  const some = { applicationId: 'a', api: 'a', route: 'GET /items/:id', reason: 'suspended' }
  return { ...some, count: 1, firstAt: NOW, lastAt: NOW, ...changes }
}

async function list(store: StoreWith, query: Partial<ReportedCountQuery> = {}): Promise<readonly ReportedCount[]> {
  const everything = { after: undefined, applicationId: undefined, api: undefined, limit: 100 }
  return store.usage.listReported({ ...everything, ...query })
}
