import type { Applications } from './applications/applications-api.js'
import { createChanges } from './applications/application-writer.js'
import { createDirectory } from './applications/application-cache.js'
import type { Credentials } from './applications/credentials.js'
import { createOutbox, type OutboxCalls } from './applications/email-outbox.js'
import { createRegistration } from './applications/registration.js'
import { createRegistry } from './applications/registry.js'
import { createAudit, type Audit } from './applications/audit-log.js'
import type { Store } from './contracts/store.js'
import { describeSigningKeys, type SigningKeyInfo } from './tokens/key-rotation.js'
import { verifyingKeys } from './tokens/signing-keys.js'

/** What can be done with a platform's store alone. */
export interface Operations {
  readonly applications: Pick<
    Applications,
    'get' | 'list' | 'approve' | 'update' | 'suspend' | 'resume' | 'delete' | 'disallow' | 'revokeTokens'
  >
  readonly signingKeys: { list(): Promise<SigningKeyInfo[]> }
  readonly audit: Audit
  readonly outbox: OutboxCalls
  /** Closes what the store has opened. */
  close(): Promise<void>
}

/**
 * An operator's hands on a store, beside the servers that run on it: they follow within a second. It needs neither the
 * platform's options nor its `secret`, and so it can make no credentials. Rejects with the store's own
 * errors, and with `StoreUnusableError` for a schema that no server of this version has brought up to date.
 *
 * @example
 * ```ts
 * import { openOperations } from 'express-platform-auth'
 * import { sqliteStore } from 'express-platform-auth/stores/sqlite'
 *
 * const operations = await openOperations(sqliteStore('platform-auth.sqlite'))
 * await operations.applications.suspend('app_0123456789abcdef0123456789abcdef', { by: 'alice' })
 * await operations.close()
 * ```
 */
export async function openOperations(store: Store): Promise<Operations> {
  // Under running servers nothing is changed that they did not ask for.
  await store.open({ migrate: false })
  const now = Date.now
  const opened = async (): Promise<void> => undefined
  const mint = async (): Promise<Credentials> => {
    throw new Error('Credentials are made by a platform, with its options: createPlatformAuth().')
  }
  const directory = createDirectory({ store, limit: 1 })
  const changes = createChanges({ store, directory, emit: () => undefined, now })
  const registry = createRegistry({ store, apis: new Map(), changes, opened, mint, writeUsage: opened, now })
  const { get, list, update, suspend, resume, delete: remove, disallow, revokeTokens } = registry
  const outbox = createOutbox({ store, opened, now, wake: () => undefined, hasMailer: false })

  const { approve } = createRegistration({ store, apis: new Map(), changes, outbox, opened, now })

  return {
    applications: { get, list, approve, update, suspend, resume, delete: remove, disallow, revokeTokens },
    signingKeys: {
      async list() {
        const records = await store.listSigningKeys()
        return describeSigningKeys(verifyingKeys(records, now()), now())
      },
    },
    audit: createAudit({ store, opened }),
    outbox: { retry: outbox.retry },
    close: () => store.close(),
  }
}
