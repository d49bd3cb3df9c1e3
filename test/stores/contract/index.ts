import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/contracts/store.js'
import { application, audit } from '../records.js'
import { applicationListContract } from './application-list.js'
import { applicationSearchContract } from './application-search.js'
import { applicationsContract } from './applications.js'
import { auditContract } from './audit.js'
import { changeFeedContract } from './change-feed.js'
import { credentialUseContract } from './credential-use.js'
import { expiringContract } from './expiring.js'
import { emailChangesContract } from './email-changes.js'
import { emailLeaseContract } from './email-lease.js'
import { emailListContract } from './email-list.js'
import { emailsContract } from './emails.js'
import { pepperContract } from './pepper.js'
import { revokedAccessTokensContract } from './revoked-access-tokens.js'
import { signingKeysContract } from './signing-keys.js'
import { createReaders } from './suite.js'
import type { OpenedStores } from './suite.js'

/** A store that is open, on an empty database of its own. */
interface OpenedStore {
  readonly store: Store
  /** Opens a second store on the same database. */
  readonly again: () => Promise<Store>
  readonly close: () => Promise<void>
}

/** The behaviour that every store has in common. Call it once per kind of store. */
export function storeContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} fulfils the store contract:`, () => {
    let current: OpenedStore
    let stores: OpenedStores

    beforeEach(async () => {
      current = await open()
      stores = { store: current.store, other: await current.again() }
    })
    afterEach(() => current.close())

    const opened = (): OpenedStores => stores
    const { listIds } = createReaders(opened)

    it('open() resolves undefined if the store is open', async () => {
      const { store } = opened()
      await store.saveApplication(application('a'), audit('a'))
      expect(await Promise.all([store.open(), store.open()])).toEqual([undefined, undefined])
      expect(await listIds()).toEqual(['a'])
    })

    pepperContract(opened)
    signingKeysContract(opened)
    applicationsContract(opened)
    credentialUseContract(opened)
    emailsContract(opened)
    emailListContract(opened)
    emailLeaseContract(opened)
    emailChangesContract(opened)
    applicationListContract(opened)
    applicationSearchContract(opened)
    expiringContract(opened)
    revokedAccessTokensContract(opened)
    auditContract(opened)
    changeFeedContract(opened)
  })
}
