import { afterEach, beforeEach, expect } from 'vitest'
import type { StoreWith } from '../../src/shared/contracts/store.js'
import { application, audit, credential, email, NOW, signingKey } from './suite/records.js'

/** For each test, lets the stores of this process be of a version that has one migration more. Call `restore()` for one without. */
export function useNextMigration<Migration>(migrations: readonly Migration[], next: Migration) {
  const list = migrations as Migration[]
  const { length } = list
  const restore = (): void => void (list.length = length)
  beforeEach(() => void list.push(next))
  afterEach(restore)
  return {
    restore,
    apply: (): void => {
      restore()
      list.push(next)
    },
  }
}

const APPLICATION = application('app_1', {
  name: 'Rötated "twice" 🔑',
  contact: 'A@example.com',
  otherContacts: ['b@example.com'],
  keys: [
    credential('k1', { apis: { orders: { scopes: ['read'] } } }),
    credential('k2', { name: 'till', expiresAt: NOW + 1 }),
  ],
  secrets: [credential('s1')],
  metadata: { plan: 'gold' },
  externalId: 'customer 4711',
})

/** Fills an open store with a record of each kind. */
export async function fillStore(store: StoreWith): Promise<void> {
  await store.establishSecret('pepper', 'the pepper')
  await store.addSigningKey(signingKey('kid_1'), undefined, audit())
  const claimLinks = [{ hash: 'claim', expiresAt: NOW + 1 }]
  await store.saveApplication(APPLICATION, audit('app_1'), {
    save: email('email_1', { applicationId: 'app_1', claimLinks }),
  })
  await store.saveApplication(application('app_2', { status: 'suspended' }), audit('app_2'))
  await store.revokeAccessToken({ id: 'revoked', expiresAt: NOW + 1000 }, NOW)
}

/** Expects every record of `fillStore()`. */
export async function expectFilled(store: StoreWith): Promise<void> {
  expect(await store.establishSecret('pepper', 'unused')).toBe('the pepper')
  expect(await store.findApplication('app_1')).toEqual(APPLICATION)
  for (const hash of ['k1', 'k2']) expect(await store.findApplicationByKey(hash)).toEqual(APPLICATION)
  expect((await store.findApplication('app_2'))?.status).toBe('suspended')
  expect((await store.listSigningKeys()).map(({ kid }) => kid)).toEqual(['kid_1'])
  expect((await store.emails.findByClaimLink('claim'))?.id).toBe('email_1')
  expect(await store.listRevokedAccessTokens(NOW, 10)).toEqual([{ id: 'revoked', expiresAt: NOW + 1000 }])
  const records = await store.listAudit({ after: undefined, limit: 100, applicationId: undefined })
  expect(records.map(({ applicationId }) => applicationId)).toEqual([undefined, 'app_1', 'app_2'])
}
