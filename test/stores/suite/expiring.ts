import type { ApplicationRecord, CredentialRecord, ExpiryQuery, StoreWith } from '../../../src/store.js'
import { credential, NOW } from './records.js'
import { assertEqual, type TestCollector, type TestContext } from './suite.js'

/** The credentials that `emails.listExpiring()` finds, and their order. */
export function expiringContract({ describe, it }: TestCollector): void {
  const list = (other: StoreWith, query: Partial<ExpiryQuery> = {}): Promise<readonly string[]> =>
    other.emails.listExpiring({ after: NOW, until: NOW + 100, days: 7, limit: 100, ...query })

  async function saveWithKey(
    save: TestContext['save'],
    id: string,
    key: Partial<CredentialRecord> = {},
    changes: Partial<ApplicationRecord> = {},
  ): Promise<void> {
    const keys = [credential(id, { expiresAt: NOW + 50, ...key })]
    await save(id, { contact: 'dev@example.com', keys, ...changes })
  }

  describe('expiring credentials', () => {
    it('are found in a period: after its start, and not after its end', async ({ other, save }) => {
      await saveWithKey(save, 'start', { expiresAt: NOW })
      await saveWithKey(save, 'first', { expiresAt: NOW + 1 })
      await saveWithKey(save, 'end', { expiresAt: NOW + 100 })
      await saveWithKey(save, 'later', { expiresAt: NOW + 101 })
      await saveWithKey(save, 'never', { expiresAt: undefined })
      assertEqual(await list(other), ['first', 'end'])
    })

    it('are found until their last reminder was for as many days or fewer', async ({ other, save }) => {
      await saveWithKey(save, 'none')
      for (const remindedDays of [8, 7, 6, 0]) await saveWithKey(save, `${remindedDays}`, { remindedDays })
      assertEqual((await list(other)).toSorted(), ['8', 'none'])
      assertEqual((await list(other, { days: 6 })).toSorted(), ['7', '8', 'none'])
    })

    it('are found in active applications with a contact only', async ({ other, save }) => {
      await saveWithKey(save, 'active')
      await saveWithKey(save, 'suspended', {}, { status: 'suspended' })
      await saveWithKey(save, 'pending', {}, { status: 'pending' })
      await saveWithKey(save, 'deleted', {}, { status: 'deleted' })
      await saveWithKey(save, 'no contact', {}, { contact: undefined })
      assertEqual(await list(other), ['active'])
    })

    it('are listed by their expiry, keys and secrets alike, once each, up to the limit', async ({ other, save }) => {
      const keys = [credential('k1', { expiresAt: NOW + 30 }), credential('k2', { expiresAt: NOW + 10 })]
      const secrets = [credential('s1', { expiresAt: NOW + 40 }), credential('s2')]
      await saveWithKey(save, 'a', {}, { keys, secrets })
      await saveWithKey(save, 'b', { expiresAt: NOW + 20 })
      assertEqual(await list(other), ['a', 'b', 'a', 'a'])
      assertEqual(await list(other, { limit: 2 }), ['a', 'b'])
    })

    it('are found as they were saved last', async ({ other, save }) => {
      await saveWithKey(save, 'a')
      await saveWithKey(save, 'a', { remindedDays: 7 }, { version: 2 })
      assertEqual(await list(other), [])
      await saveWithKey(save, 'a', { expiresAt: NOW + 200, remindedDays: undefined }, { version: 3 })
      assertEqual(await list(other), [])
      assertEqual(await list(other, { until: NOW + 200 }), ['a'])
    })
  })

  describe('list of applications that end', () => {
    it('has those whose end is before a time, in order of creation, and none without an end', async (context) => {
      const { save, listIds } = context
      await save('none', { keys: [credential('n', { expiresAt: NOW })] })
      await save('late', { endsAt: NOW + 40, apis: { orders: { scopes: [] } } })
      await save('soon', { endsAt: NOW + 10, status: 'suspended' })
      await save('gone', { endsAt: NOW, status: 'deleted' })
      assertEqual(await listIds({ endingBefore: NOW + 10 }), [])
      assertEqual(await listIds({ endingBefore: NOW + 11 }), ['soon'])
      assertEqual(await listIds({ endingBefore: Number.MAX_SAFE_INTEGER }), ['late', 'soon'])
      assertEqual(await listIds({ endingBefore: NOW + 41, limit: 1 }), ['late'])
      assertEqual(await listIds({ endingBefore: NOW + 41, after: 'late' }), ['soon'])
      await save('late', { version: 2 })
      assertEqual(await listIds({ endingBefore: NOW + 41 }), ['soon'])
    })
  })
}
