import { describe, expect, it } from 'vitest'
import { application, audit, signingKey } from '../records.js'
import { createReaders, MALFORMED_CURSORS, overwrite } from './suite.js'
import type { OpenedStores } from './suite.js'

/** The audit, which is written with the change that it records. */
export function auditContract(opened: () => OpenedStores): void {
  const { listAudit } = createReaders(opened)

  describe('audit', () => {
    it('lists records unchanged, oldest first', async () => {
      const { store } = opened()
      const given = [
        audit('a', { by: 'alice', details: { from: 'x', nested: { list: [1, null, 'ü\u0000'] } } }),
        audit('a', { at: 0, type: 'application.suspended' }),
      ]
      await store.saveApplication(application('a'), given[0])
      await store.saveApplication(application('a', { version: 2 }), given[1])
      await store.addSigningKey(signingKey('k'), undefined, audit(undefined, { type: 'signingKey.rotated' }))
      const records = await listAudit()
      const expected = [...given, audit(undefined, { type: 'signingKey.rotated' })]
      expect(records).toStrictEqual(expected.map((record, i) => ({ ...record, id: records[i]?.id })))
      expect(new Set(records.map(({ id }) => id)).size).toBe(3)
    })

    it('stores details as JSON does', async () => {
      const { store } = opened()
      await store.saveApplication(application('a'), audit('a', { details: { gone: undefined, at: new Date(0) } }))
      expect((await listAudit())[0]?.details).toStrictEqual({ at: '1970-01-01T00:00:00.000Z' })
    })

    it('is read in pages, of one application or of all', async () => {
      const { store } = opened()
      for (let i = 0; i < 9; i++) await store.saveApplication(application(`${i}`), audit(`${i % 2}`, { at: i }))
      const listInPages = async (limit: number, applicationId?: string): Promise<number[]> => {
        const seen: number[] = []
        for (let after: string | undefined; ;) {
          const page = await listAudit({ after, limit, applicationId })
          expect(page.length).toBeLessThanOrEqual(limit)
          seen.push(...page.map(({ at }) => at))
          if (page.length < limit) return seen
          after = page.at(-1)?.id
        }
      }
      for (const limit of [1, 2, 4, 9, 10]) {
        expect(await listInPages(limit)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
        expect(await listInPages(limit, '1')).toEqual([1, 3, 5, 7])
        expect(await listInPages(limit, 'unknown')).toEqual([])
      }
    })

    it.each(['nonsense', '999999'])('is empty after an id that does not exist: %s', async (after) => {
      const { store } = opened()
      await store.saveApplication(application('a'), audit('a'))
      expect(await listAudit({ after })).toEqual([])
    })

    it('is empty after a malformed cursor', async () => {
      const { store } = opened()
      await store.saveApplication(application('a'), audit('a'))
      for (const after of MALFORMED_CURSORS) {
        for (const applicationId of [undefined, 'a']) {
          expect(await listAudit({ after, applicationId }), JSON.stringify(after)).toEqual([])
        }
      }
      expect(await listAudit({ after: '0' })).toHaveLength(1)
    })

    it('is kept when its application is deleted', async () => {
      const { store } = opened()
      await store.saveApplication(application('a'), audit('a'))
      await store.saveApplication(application('a', { version: 2, status: 'deleted', name: '' }), audit('a'))
      expect(await listAudit({ applicationId: 'a' })).toHaveLength(2)
    })

    it('is not changed by writing to what was read', async () => {
      const { store } = opened()
      await store.saveApplication(application('a'), audit('a', { details: { list: ['x'] } }))
      const expected = structuredClone(await listAudit())
      overwrite(await listAudit())
      expect(await listAudit()).toStrictEqual(expected)
    })
  })
}
