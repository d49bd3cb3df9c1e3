import assert from 'node:assert/strict'
import type { ReportedCount, ReportedCountQuery } from '../../store.js'
import { NOW } from './records.js'
import { assertEqual, createReaders, NO_TRACES, overwrite, type OpenedStores, type TestCollector } from './suite.js'

/** Counts of requests that guards would have refused, which are added to those stored. */
export function reportedContract({ describe, it }: TestCollector, opened: () => OpenedStores): void {
  const { recordTraces } = createReaders(opened)
  const list = createList(opened)

  describe('report-only guards', () => {
    it('is added to what is stored, by application, API, route and reason, with the first and the last time', async () => {
      const { store, other } = opened()
      const others = [{ applicationId: 'b' }, { api: 'b' }, { route: 'GET /b' }, { reason: 'b' }].map((change) =>
        count(change),
      )
      await store.usage.addReported({ id: '1', at: NOW }, [count({ count: 2, firstAt: 5, lastAt: 9 }), ...others])
      await other.usage.addReported({ id: '2', at: NOW }, [count({ count: 10, firstAt: 3, lastAt: 7 })])
      await store.usage.addReported({ id: '3', at: NOW }, [count({ firstAt: 6, lastAt: 20 })])
      const added = count({ count: 13, firstAt: 3, lastAt: 20 })
      assertEqual(await list({ applicationId: 'a', api: 'a' }), [others[2], others[3], added])
      assert.equal((await list()).length, 5)
    })

    it('is added once for a batch that is written again, also at the same time, and not for one of the usage', async () => {
      const { store, other } = opened()
      const write = (each: typeof store) => each.usage.addReported({ id: 'same', at: NOW }, [count()])
      await Promise.all([write(store), write(other), write(store)])
      await other.usage.add({ id: 'usage', at: NOW }, [])
      await other.usage.addReported({ id: 'usage', at: NOW }, [count()])
      assertEqual(await list(), [count()])
    })

    it('of concurrent batches is added up', async () => {
      const { store, other } = opened()
      const counts = [count(), count({ applicationId: '' }), count({ route: 'other' })]
      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 === 0 ? store : other).usage.addReported(
            { id: `${i}`, at: NOW },
            i % 3 === 0 ? counts : counts.toReversed(),
          ),
        ),
      )
      assertEqual(
        (await list()).map((each) => each.count),
        [20, 20, 20],
      )
    })

    it('is listed by application, API, route and reason, in pages', async () => {
      const { store } = opened()
      const counts = ['', 'a', 'b'].flatMap((applicationId) =>
        ['A', 'a', 'a-b', 'a.b'].flatMap((api) =>
          ['DELETE /x', 'GET /:id', 'GET /ü'].flatMap((route) =>
            ['no_credential', 'suspended'].map((reason) => count({ applicationId, api, route, reason })),
          ),
        ),
      )
      await store.usage.addReported({ id: '1', at: NOW }, counts.toReversed())
      for (const limit of [1, 7, 72, 73]) {
        const seen: ReportedCount[] = []
        for (let after: ReportedCount | undefined; ;) {
          const page = await list({ after, limit })
          assert.ok(page.length <= limit)
          seen.push(...page)
          if (page.length < limit) break
          after = page.at(-1)
        }
        assertEqual(seen, counts, `pages of ${limit}`)
      }
      const ofOne = { applicationId: '', api: 'a.b' }
      const expected = counts.filter(({ applicationId, api }) => applicationId === '' && api === 'a.b')
      assertEqual(await list(ofOne), expected)
      assertEqual(await list({ ...ofOne, after: expected[1] }), expected.slice(2))
      assertEqual(
        await list({ api: 'A' }),
        counts.filter(({ api }) => api === 'A'),
      )
      for (const unknown of ['unknown', '\0']) assertEqual(await list({ applicationId: unknown }), [])
    })

    it('holds large counts, and is not changed by writing to what was given or read', async () => {
      const { store } = opened()
      const given = [{ ...count({ count: Number.MAX_SAFE_INTEGER - 1 }) }]
      await store.usage.addReported({ id: '1', at: NOW }, given)
      overwrite(given)
      overwrite(await list())
      await store.usage.addReported({ id: '2', at: NOW }, [count()])
      assertEqual(await list(), [count({ count: Number.MAX_SAFE_INTEGER })])
    })

    it('is added neither to the audit nor to the change feed', async () => {
      const { store } = opened()
      assertEqual(await recordTraces(() => store.usage.addReported({ id: '1', at: NOW }, [count()])), NO_TRACES)
    })

    it('is deleted by usage.deleteExpired() if its last request is too old', async () => {
      const { store } = opened()
      const old = Array.from({ length: 5 }, (_, i) => count({ route: `GET /${i}`, firstAt: 1, lastAt: 9 }))
      const kept = count({ firstAt: 1, lastAt: 10 })
      await store.usage.addReported({ id: '1', at: NOW }, [...old, kept])
      const expired = { countsBefore: '', refusalsBefore: 0, reportedBefore: 10, batchesBefore: 0, limit: 2 }
      for (let calls = 0; (await store.usage.deleteExpired(expired)) > 0; calls++) assert.ok(calls < 10)
      assertEqual(await list(), [kept])
    })
  })
}

function count(changes: Partial<ReportedCount> = {}): ReportedCount {
  const some = { applicationId: 'a', api: 'a', route: 'GET /items/:id', reason: 'suspended' }
  return { ...some, count: 1, firstAt: NOW, lastAt: NOW, ...changes }
}

function createList(opened: () => OpenedStores) {
  return async function list(query: Partial<ReportedCountQuery> = {}): Promise<readonly ReportedCount[]> {
    const everything = { after: undefined, applicationId: undefined, api: undefined, limit: 100 }
    return opened().store.usage.listReported({ ...everything, ...query })
  }
}
