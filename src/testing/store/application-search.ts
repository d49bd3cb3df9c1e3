import assert from 'node:assert/strict'
import type { ApplicationRecord } from '../../store.js'
import { application, audit, credential } from './records.js'
import { assertEqual, createReaders, MALFORMED_CURSORS, NO_TRACES } from './suite.js'
import type { OpenedStores, TestCollector } from './suite.js'

/** `externalId`, `plan`, and the look-ups by several hashes and by external id. */
export function applicationSearchContract({ describe, it }: TestCollector, opened: () => OpenedStores): void {
  const { listIds, listInPages, recordTraces } = createReaders(opened)

  async function save(id: string, changes: Partial<ApplicationRecord> = {}): Promise<boolean> {
    return opened().store.saveApplication(application(id, changes), audit(id))
  }

  describe('external id', () => {
    it('finds its application, and no other', async () => {
      await save('a', { externalId: 'customer 1' })
      await save('b', { externalId: 'customer 2', status: 'suspended', apis: { orders: { scopes: [] } } })
      await save('c')
      assertEqual(await listIds({ externalId: 'customer 1' }), ['a'])
      assertEqual(await listIds({ externalId: 'customer 2' }), ['b'])
      assertEqual(await listIds({ externalId: 'customer 2', status: 'suspended', api: 'orders' }), ['b'])
      assertEqual(await listIds({ externalId: 'customer 2', status: 'active' }), [])
      assertEqual(await listIds({ externalId: 'customer 2', api: 'catalog' }), [])
      assertEqual(await listIds({ externalId: 'customer 1', after: 'a' }), [])
      assertEqual(await listIds({ externalId: 'customer 2', after: 'a' }), ['b'])
      for (const externalId of ['CUSTOMER 1', 'customer', ...MALFORMED_CURSORS]) {
        assertEqual(await listIds({ externalId }), [], JSON.stringify(externalId))
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
          assert.equal(await other.saveApplication(record, audit(record.id)), false)
        })
        assertEqual(traces, NO_TRACES)
      }
      assertEqual(await listIds(), ['a', 'b'])
      assertEqual(await listIds({ externalId: 'own' }), ['b'])
      assert.equal(await store.findApplicationByKey('k'), undefined)
    })

    it('can be kept, changed, removed, and taken by another application then', async () => {
      await save('a', { externalId: 'one' })
      assert.equal(await save('a', { version: 2, externalId: 'one', name: 'renamed' }), true)
      assert.equal(await save('b', { externalId: 'one' }), false)
      assert.equal(await save('a', { version: 3, externalId: 'two' }), true)
      assert.equal(await save('b', { externalId: 'one' }), true)
      assert.equal(await save('a', { version: 4, status: 'deleted' }), true)
      assert.equal(await save('c', { externalId: 'two' }), true)
      assertEqual(await listIds({ externalId: 'two' }), ['c'])
      assertEqual(await listIds({ externalId: 'two', status: 'deleted' }), [])
    })

    it('may be missing, or empty, in one application', async () => {
      assert.equal(await save('a', { externalId: '' }), true)
      assert.equal(await save('b'), true)
      assert.equal(await save('c'), true)
      assert.equal(await save('d', { externalId: '' }), false)
      assertEqual(await listIds({ externalId: '' }), ['a'])
    })

    it('is taken by exactly one of 10 concurrent callers', async () => {
      const { store, other } = opened()
      const savers = Array.from({ length: 10 }, (_, i) =>
        (i % 2 ? store : other).saveApplication(application(`a${i}`, { externalId: 'wanted' }), audit(`a${i}`)),
      )
      const winners = (await Promise.all(savers)).flatMap((saved, i) => (saved ? [`a${i}`] : []))
      assert.equal(winners.length, 1)
      assertEqual(await listIds(), winners)
    })
  })

  describe('plan', () => {
    it('finds its applications, in pages of any size, and no deleted one', async () => {
      await save('a', { plan: 'gold' })
      await save('b', { plan: 'gold, too', status: 'suspended', apis: { orders: { scopes: [] } } })
      await save('c')
      await save('d', { plan: 'gold' })
      for (const limit of [1, 2, 3]) {
        assertEqual(await listInPages({ plan: true }, limit), ['a', 'b', 'd'])
        assertEqual(await listInPages({ plan: 'gold' }, limit), ['a', 'd'])
      }
      assertEqual(await listIds({ plan: true, api: 'orders', status: 'suspended' }), ['b'])
      for (const plan of ['GOLD', 'gol', '', ...MALFORMED_CURSORS]) assertEqual(await listIds({ plan }), [], plan)
      await save('a', { version: 2, status: 'deleted' })
      assertEqual(await listIds({ plan: true }), ['b', 'd'])
    })
  })

  describe('look-up by several hashes of a key', () => {
    it('finds the application of the first, else of any of the others, and none by a secret', async () => {
      const { store } = opened()
      await save('a', { keys: [credential('ka')] })
      await save('b', { keys: [credential('kb2'), credential('sha256:kb')], secrets: [credential('sb')] })
      assert.equal((await store.findApplicationByKey('ka', 'sha256:kb'))?.id, 'a')
      assert.equal((await store.findApplicationByKey('sha256:kb', 'ka'))?.id, 'b')
      assert.equal((await store.findApplicationByKey('none', 'sha512:none', 'sha256:kb'))?.id, 'b')
      assert.equal(await store.findApplicationByKey('none', 'sb'), undefined)
    })
  })
}
