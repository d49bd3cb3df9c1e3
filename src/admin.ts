import type { Applications } from './applications/applications-api.js'
import { createApplicationWriter } from './applications/application-writer.js'
import { createAudit, type Audit } from './applications/audit-log.js'
import { createOutbox, type Outbox } from './applications/email-outbox.js'
import { createGrants } from './applications/grants.js'
import { createRegistry } from './applications/registry.js'
import type { Store } from './contracts/store.js'
import { describeSigningKeys, selectVerifyingKeys, type SigningKeyInfo } from './tokens/key-schedule.js'

/** What can be done with a platform's store alone. */
export interface AdminApi {
  readonly applications: Pick<
    Applications,
    'get' | 'list' | 'approve' | 'update' | 'suspend' | 'resume' | 'delete' | 'disallow' | 'revokeTokens'
  >
  readonly signingKeys: { list(): Promise<{ items: SigningKeyInfo[] }> }
  readonly audit: Audit
  readonly outbox: Outbox
  /** Closes what the store has opened. */
  close(): Promise<void>
}

/**
 * An operator's hands on a store, beside the servers that run on it: they follow within a second. It needs neither the
 * platform's options nor its `secret`, and so it can make no credentials. Rejects with the store's own
 * errors, and with `StoreIncompatibleError` for a schema that no server of this version has brought up to date.
 *
 * @example
 * ```ts
 * import { openAdmin } from 'express-platform-auth'
 * import { sqliteStore } from 'express-platform-auth/stores/sqlite'
 *
 * const operations = await openAdmin(sqliteStore('platform-auth.sqlite'))
 * await operations.applications.suspend('app_0123456789abcdef0123456789abcdef', { by: 'alice' })
 * await operations.close()
 * ```
 */
export async function openAdmin(store: Store): Promise<AdminApi> {
  // Under running servers nothing is changed that they did not ask for.
  const opening = store.open({ migrate: false })
  await opening
  const opened = (): Promise<void> => opening
  const now = Date.now
  const writer = createApplicationWriter({ store, now })
  const { disallow } = createGrants({ apis: undefined, writer, opened, now })

  return {
    applications: { ...createRegistry({ store, writer, opened, now }), disallow },
    signingKeys: {
      async list() {
        const records = await store.listSigningKeys()
        return { items: describeSigningKeys(selectVerifyingKeys(records, now()), now()) }
      },
    },
    audit: createAudit({ store, opened }),
    outbox: createOutbox({ store, opened, now }),
    close: () => store.close(),
  }
}
