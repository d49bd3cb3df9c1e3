import assert from 'node:assert/strict'
import type { ApplicationRecord, CredentialRecord, ExpiryQuery } from '../../store.js'
import { application, audit, credential, NOW } from './records.js'
import { assertEqual, createReaders, type OpenedStores, type TestCollector } from './suite.js'

/** The credentials that `emails.listExpiring()` finds, and their order. */
export function expiringContract({ describe, it }: TestCollector, opened: () => OpenedStores): void {
  const { listIds } = createReaders(opened)
  const list = (query: Partial<ExpiryQuery> = {}): Promise<readonly string[]> =>
    opened().other.emails.listExpiring({ after: NOW, until: NOW + 100, days: 7, limit: 100, ...query })

  async function save(id: string, key: Partial<CredentialRecord>, changes: Partial<ApplicationRecord> = {}) {
    const keys = [credential(id, { expiresAt: NOW + 50, ...key })]
    await opened().store.saveApplication(application(id, { contact: 'dev@example.com', keys, ...changes }), audit(id))
  }

  describe('expiring credentials', () => {
    it('are found in a period: after its start, and not after its end', async () => {
      await save('start', { expiresAt: NOW })
      await save('first', { expiresAt: NOW + 1 })
      await save('end', { expiresAt: NOW + 100 })
      await save('later', { expiresAt: NOW + 101 })
      await save('never', { expiresAt: undefined })
      assertEqual(await list(), ['first', 'end'])
    })

    it('are found until their last reminder was for as many days or fewer', async () => {
      for (const [id, remindedDays] of [
        ['none', undefined],
        ['8', 8],
        ['7', 7],
        ['6', 6],
        ['0', 0],
      ] as const) {
        await save(id, { remindedDays })
      }
      assertEqual((await list()).toSorted(), ['8', 'none'])
      assertEqual((await list({ days: 6 })).toSorted(), ['7', '8', 'none'])
    })

    it('are found in active applications with a contact only', async () => {
      await save('active', {})
      await save('suspended', {}, { status: 'suspended' })
      await save('pending', {}, { status: 'pending' })
      await save('deleted', {}, { status: 'deleted' })
      await save('no contact', {}, { contact: undefined })
      assertEqual(await list(), ['active'])
    })

    it('are listed by their expiry, keys and secrets alike, once each, up to the limit', async () => {
      const keys = [credential('k1', { expiresAt: NOW + 30 }), credential('k2', { expiresAt: NOW + 10 })]
      const secrets = [credential('s1', { expiresAt: NOW + 40 }), credential('s2')]
      await save('a', {}, { keys, secrets })
      await save('b', { expiresAt: NOW + 20 })
      assertEqual(await list(), ['a', 'b', 'a', 'a'])
      assertEqual(await list({ limit: 2 }), ['a', 'b'])
    })

    it('are found as they were saved last', async () => {
      await save('a', {})
      await save('a', { remindedDays: 7 }, { version: 2 })
      assertEqual(await list(), [])
      await save('a', { expiresAt: NOW + 200, remindedDays: undefined }, { version: 3 })
      assertEqual(await list(), [])
      assertEqual(await list({ until: NOW + 200 }), ['a'])
    })
  })

  describe('list of applications that end', () => {
    it('has those whose end is before a time, in order of creation, and none without an end', async () => {
      const { store } = opened()
      const end = (id: string, changes: Partial<ApplicationRecord>): Promise<boolean> =>
        store.saveApplication(application(id, changes), audit(id))
      await end('none', { keys: [credential('n', { expiresAt: NOW })] })
      await end('late', { endsAt: NOW + 40, apis: { orders: { scopes: [] } } })
      await end('soon', { endsAt: NOW + 10, status: 'suspended' })
      await end('gone', { endsAt: NOW, status: 'deleted' })
      assertEqual(await listIds({ endingBefore: NOW + 10 }), [])
      assertEqual(await listIds({ endingBefore: NOW + 11 }), ['soon'])
      assertEqual(await listIds({ endingBefore: Number.MAX_SAFE_INTEGER }), ['late', 'soon'])
      assertEqual(await listIds({ endingBefore: NOW + 41, limit: 1 }), ['late'])
      assertEqual(await listIds({ endingBefore: NOW + 41, after: 'late' }), ['soon'])
      assertEqual(await listIds({ endingBefore: NOW + 41, api: 'orders' }), ['late'])
      assertEqual(await listIds({ endingBefore: NOW + 41, status: 'active' }), ['late'])
      assert.equal(await store.saveApplication(application('late', { version: 2 }), audit('late')), true)
      assertEqual(await listIds({ endingBefore: NOW + 41 }), ['soon'])
    })
  })
}
