import assert from 'node:assert/strict'
import type { AuditRecord } from '../../../src/store.js'
import { audit } from './records.js'
import { assertEqual, type TestCollector } from './suite.js'

/** The audit by time, type and actor, and its end. */
export function auditQueriesContract({ describe, it }: TestCollector): void {
  describe('audit', () => {
    it('is read newest first, by type, actor and time', async ({ save, listAudit }) => {
      for (let i = 0; i < 9; i++) {
        const type = i % 2 ? 'application.updated' : 'application.suspended'
        await save(`${i}`, {}, audit(`${i % 3}`, { at: i, type, by: i % 4 ? undefined : 'ann' }))
      }
      const list = async (query: Parameters<typeof listAudit>[0]): Promise<number[]> =>
        (await listAudit(query)).map(({ at }) => at)
      assertEqual(await list({ newestFirst: true, limit: 3 }), [8, 7, 6])
      const [, , last] = await listAudit({ newestFirst: true, limit: 3 })
      assertEqual(await list({ newestFirst: true, limit: 3, after: last!.id }), [5, 4, 3])
      assertEqual(await list({ types: ['application.updated'] }), [1, 3, 5, 7])
      assertEqual(await list({ types: ['application.updated', 'unknown'], newestFirst: true }), [7, 5, 3, 1])
      assertEqual(await list({ types: [] }), [])
      assertEqual(await list({ by: 'ann' }), [0, 4, 8])
      assertEqual(await list({ by: 'ANN' }), [])
      assertEqual(await list({ from: 3, until: 6 }), [3, 4, 5])
      assertEqual(await list({ applicationId: '0', from: 3, types: ['application.suspended'] }), [6])
    })

    it('is read in the order of times between two of them, in pages of any size', async ({ save, listAudit }) => {
      for (const [i, at] of [5, 1, 4, 4, 9, 2].entries()) await save(`${i}`, {}, audit(`${i % 2}`, { at, by: 'ann' }))
      for (const [query, expected] of [
        [{ from: 2 }, [2, 4, 4, 5, 9]],
        [{ until: 9 }, [1, 2, 4, 4, 5]],
        [{ from: 2, until: 5, newestFirst: true }, [4, 4, 2]],
        [{ from: 2, by: 'ann', applicationId: '0', types: ['application.registered', audit('0').type] }, [4, 5, 9]],
      ] as const)
        for (const limit of [1, 2, 3, 10]) {
          const read: AuditRecord[] = []
          for (;;) {
            const page = await listAudit({ ...query, limit, after: read.at(-1)?.id })
            read.push(...page)
            if (page.length < limit) break
          }
          assertEqual(
            read.map(({ at }) => at),
            expected,
          )
          assert.equal(new Set(read.map(({ id }) => id)).size, read.length)
        }
      for (const newestFirst of [false, true])
        assertEqual(await listAudit({ from: 0, newestFirst, after: newestFirst ? '0' : '999999' }), [])
    })

    it('is deleted before a time, oldest first and up to a number; ids are never used again', async (context) => {
      const { store, save, listAudit } = context
      for (let i = 0; i < 6; i++) await save(`${i}`, {}, audit(`${i}`, { at: i }))
      const before = await listAudit()
      assert.equal(await store.deleteAudit(3, 2), 2)
      assert.equal(await store.deleteAudit(3, 2), 1)
      assert.equal(await store.deleteAudit(3, 2), 0)
      assertEqual(await listAudit(), before.slice(3))
      assertEqual(await listAudit({ after: before[0]!.id }), before.slice(3))
      await save('new', {}, audit('new', { at: 9 }))
      const ids = (await listAudit()).map(({ id }) => id)
      assert.ok(!before.some(({ id }) => id === ids.at(-1)))
      assertEqual(
        ids.slice(0, -1),
        before.slice(3).map(({ id }) => id),
      )
    })
  })
}
