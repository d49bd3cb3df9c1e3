import assert from 'node:assert/strict'
import type { AuditRecord } from '../../../src/store.js'
import { audit, signingKey } from './records.js'
import { assertEqual, MALFORMED_CURSORS, overwrite, readPages, type TestCollector } from './suite.js'

/** The audit, which is written with the change that it records. */
export function auditContract({ describe, it }: TestCollector): void {
  describe('audit', () => {
    it('lists records unchanged, oldest first', async ({ store, save, listAudit }) => {
      const given = [
        audit('a', { by: 'alice', details: { from: 'x', nested: { list: [1, null, 'ü\u0000'] } } }),
        audit('a', { at: 0, type: 'application.suspended' }),
      ]
      await save('a', {}, given[0])
      await save('a', { version: 2 }, given[1])
      await store.addSigningKey(signingKey('k'), undefined, audit(undefined, { type: 'signingKey.rotated' }))
      const records = await listAudit()
      const expected = [...given, audit(undefined, { type: 'signingKey.rotated' })]
      assertEqual(
        records,
        expected.map((record, i) => ({ ...record, id: records[i]?.id })),
      )
      assert.equal(new Set(records.map(({ id }) => id)).size, 3)
    })

    it('stores details as JSON does', async ({ save, listAudit }) => {
      await save('a', {}, audit('a', { details: { gone: undefined, at: new Date(0) } }))
      assertEqual((await listAudit())[0]?.details, { at: '1970-01-01T00:00:00.000Z' })
    })

    it('is read in pages, of one application or of all', async ({ save, listAudit }) => {
      for (let i = 0; i < 9; i++) await save(`${i}`, {}, audit(`${i % 2}`, { at: i }))
      const readAll = async (limit: number, applicationId?: string): Promise<number[]> => {
        const records = await readPages<AuditRecord>(limit, (last) =>
          listAudit({ after: last?.id, limit, applicationId }),
        )
        return records.map(({ at }) => at)
      }
      for (const limit of [1, 2, 4, 9, 10]) {
        assertEqual(await readAll(limit), [0, 1, 2, 3, 4, 5, 6, 7, 8])
        assertEqual(await readAll(limit, '1'), [1, 3, 5, 7])
        assertEqual(await readAll(limit, 'unknown'), [])
      }
    })

    for (const after of ['nonsense', '999999']) {
      it(`is empty after an id that does not exist: ${after}`, async ({ save, listAudit }) => {
        await save('a')
        assertEqual(await listAudit({ after }), [])
      })
    }

    it('is empty after a malformed cursor', async ({ save, listAudit }) => {
      await save('a')
      for (const after of MALFORMED_CURSORS) {
        for (const applicationId of [undefined, 'a']) {
          assertEqual(await listAudit({ after, applicationId }), [], JSON.stringify(after))
        }
      }
      assert.equal((await listAudit({ after: '0' })).length, 1)
    })

    it('is kept when its application is deleted', async ({ save, listAudit }) => {
      await save('a')
      await save('a', { version: 2, status: 'deleted', name: '' })
      assert.equal((await listAudit({ applicationId: 'a' })).length, 2)
    })

    it('is not changed by writing to what was read', async ({ save, listAudit }) => {
      await save('a', {}, audit('a', { details: { list: ['x'] } }))
      const expected = structuredClone(await listAudit())
      overwrite(await listAudit())
      assertEqual(await listAudit(), expected)
    })
  })
}
