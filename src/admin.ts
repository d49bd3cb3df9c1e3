import type { Applications } from './applications/applications-api.js'
import { createApplicationWriter } from './applications/application-writer.js'
import { createApplicationCache } from './applications/application-cache.js'
import type { Credentials } from './applications/credentials.js'
import { createEmailOutbox, type Outbox } from './applications/email-outbox.js'
import { createRegistration } from './applications/registration.js'
import { createRegistry } from './applications/registry.js'
import { createAudit, type Audit } from './applications/audit-log.js'
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
  await store.open({ migrate: false })
  const now = Date.now
  const opened = async (): Promise<void> => undefined
  const mint = async (): Promise<Credentials> => {
    throw new Error('Credentials are made by a platform, with its options: createPlatformAuth().')
  }
  const applicationCache = createApplicationCache({ store, limit: 1 })
  const writer = createApplicationWriter({ store, applicationCache, emit: () => undefined, now })
  const registry = createRegistry({ store, apis: new Map(), writer, opened, mint, writeUsage: opened, now })
  const { get, list, update, suspend, resume, delete: remove, disallow, revokeTokens } = registry
  const outbox = createEmailOutbox({ store, opened, now, wake: () => undefined, hasMailer: false })

  const { approve } = createRegistration({ store, apis: new Map(), writer, outbox, opened, now })

  return {
    applications: { get, list, approve, update, suspend, resume, delete: remove, disallow, revokeTokens },
    signingKeys: {
      async list() {
        const records = await store.listSigningKeys()
        return { items: describeSigningKeys(selectVerifyingKeys(records, now()), now()) }
      },
    },
    audit: createAudit({ store, opened }),
    outbox: { retry: outbox.retry },
    close: () => store.close(),
  }
}
