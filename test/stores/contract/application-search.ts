import { describe, expect, it } from 'vitest'
import type { ApplicationRecord } from '../../../src/contracts/store.js'
import { application, audit, credential, NOW } from '../records.js'
import { createReaders, MALFORMED_CURSORS, NO_TRACES } from './suite.js'
import type { OpenedStores } from './suite.js'

/** `externalId`, and the look-ups by several hashes, by external id and by expiry. */
export function applicationSearchContract(opened: () => OpenedStores): void {
  const { listIds, recordTraces } = createReaders(opened)

  async function save(id: string, changes: Partial<ApplicationRecord> = {}): Promise<boolean> {
    return opened().store.saveApplication(application(id, changes), audit(id))
  }

  describe('external id', () => {
    it('finds its application, and no other', async () => {
      await save('a', { externalId: 'customer 1' })
      await save('b', { externalId: 'customer 2', status: 'suspended', apis: { orders: { scopes: [] } } })
      await save('c')
      expect(await listIds({ externalId: 'customer 1' })).toEqual(['a'])
      expect(await listIds({ externalId: 'customer 2' })).toEqual(['b'])
      expect(await listIds({ externalId: 'customer 2', status: 'suspended', api: 'orders' })).toEqual(['b'])
      expect(await listIds({ externalId: 'customer 2', status: 'active' })).toEqual([])
      expect(await listIds({ externalId: 'customer 2', api: 'catalog' })).toEqual([])
      expect(await listIds({ externalId: 'customer 1', after: 'a' })).toEqual([])
      expect(await listIds({ externalId: 'customer 2', after: 'a' })).toEqual(['b'])
      for (const externalId of ['CUSTOMER 1', 'customer', ...MALFORMED_CURSORS]) {
        expect(await listIds({ externalId }), JSON.stringify(externalId)).toEqual([])
      }
    })

    it('that another application has is refused, and nothing is changed', async () => {
      const { store, other } = opened()
      await save('a', { externalId: 'taken' })
      await save('b', { externalId: 'own' })
      const refused = [
        application('b', { version: 2, externalId: 'taken', keys: [credential('k')] }),
        application('new', { externalId: 'taken', keys: [credential('k')] }),
      ]
      for (const record of refused) {
        const traces = await recordTraces(async () => {
          expect(await other.saveApplication(record, audit(record.id))).toBe(false)
        })
        expect(traces).toEqual(NO_TRACES)
      }
      expect(await listIds()).toEqual(['a', 'b'])
      expect(await listIds({ externalId: 'own' })).toEqual(['b'])
      expect(await store.findApplicationByKey('k')).toBeUndefined()
    })

    it('can be kept, changed, removed, and taken by another application then', async () => {
      await save('a', { externalId: 'one' })
      expect(await save('a', { version: 2, externalId: 'one', name: 'renamed' })).toBe(true)
      expect(await save('b', { externalId: 'one' })).toBe(false)
      expect(await save('a', { version: 3, externalId: 'two' })).toBe(true)
      expect(await save('b', { externalId: 'one' })).toBe(true)
      expect(await save('a', { version: 4, status: 'deleted' })).toBe(true)
      expect(await save('c', { externalId: 'two' })).toBe(true)
      expect(await listIds({ externalId: 'two' })).toEqual(['c'])
      expect(await listIds({ externalId: 'two', status: 'deleted' })).toEqual([])
    })

    it('may be missing, or empty, in one application', async () => {
      expect(await save('a', { externalId: '' })).toBe(true)
      expect(await save('b')).toBe(true)
      expect(await save('c')).toBe(true)
      expect(await save('d', { externalId: '' })).toBe(false)
      expect(await listIds({ externalId: '' })).toEqual(['a'])
    })

    it('is taken by exactly one of 10 concurrent callers', async () => {
      const { store, other } = opened()
      const savers = Array.from({ length: 10 }, (_, i) =>
        (i % 2 ? store : other).saveApplication(application(`a${i}`, { externalId: 'wanted' }), audit(`a${i}`)),
      )
      const winners = (await Promise.all(savers)).flatMap((saved, i) => (saved ? [`a${i}`] : []))
      expect(winners).toHaveLength(1)
      expect(await listIds()).toEqual(winners)
    })
  })

  describe('look-up by several hashes of a key', () => {
    it('finds the application of the first, else of any of the others, and none by a secret', async () => {
      const { store } = opened()
      await save('a', { keys: [credential('ka')] })
      await save('b', { keys: [credential('kb2'), credential('sha256:kb')], secrets: [credential('sb')] })
      expect((await store.findApplicationByKey('ka', 'sha256:kb'))?.id).toBe('a')
      expect((await store.findApplicationByKey('sha256:kb', 'ka'))?.id).toBe('b')
      expect((await store.findApplicationByKey('none', 'sha512:none', 'sha256:kb'))?.id).toBe('b')
      expect(await store.findApplicationByKey('none', 'sb')).toBeUndefined()
    })
  })

  describe('list of applications with expiring credentials', () => {
    it('has those with a credential that expires between two times, each once and in order of creation', async () => {
      const at = (hash: string, days: number) => credential(hash, { expiresAt: NOW + days })
      await save('none', { keys: [credential('n')] })
      await save('late', { keys: [at('l', 40)] })
      await save('soon', { keys: [at('s1', 10), at('s2', 11), credential('s3')], secrets: [at('s4', 12)] })
      await save('over', { keys: [at('o', -1)], apis: { orders: { scopes: [] } } })
      await save('secret', { secrets: [at('x', 30)], status: 'suspended', apis: { orders: { scopes: [] } } })
      const expiring = { expiringAfter: NOW, expiringBefore: NOW + 31 }
      expect(await listIds(expiring)).toEqual(['soon', 'secret'])
      expect(await listIds({ ...expiring, limit: 1 })).toEqual(['soon'])
      expect(await listIds({ ...expiring, after: 'soon' })).toEqual(['secret'])
      expect(await listIds({ ...expiring, after: 'unknown' })).toEqual([])
      expect(await listIds({ ...expiring, status: 'suspended' })).toEqual(['secret'])
      expect(await listIds({ ...expiring, api: 'orders' })).toEqual(['secret'])
      expect(await listIds({ expiringBefore: NOW + 31 })).toEqual(['soon', 'over', 'secret'])
      expect(await listIds({ expiringAfter: NOW + 10, expiringBefore: NOW + 11 })).toEqual([])
      expect(await listIds({ expiringAfter: NOW + 29, expiringBefore: NOW + 31 })).toEqual(['secret'])
    })
  })
}
