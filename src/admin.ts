import type { Applications } from './applications/applications-api.js'
import { createApplicationWriter } from './applications/records/application-writer.js'
import { createAudit, type Audit } from './applications/records/audit-log.js'
import { createContacts } from './applications/contacts/contacts.js'
import { any, withCheckedArguments } from './applications/call-arguments.js'
import { APPLICATION_PARAMETERS, AUDIT_PARAMETERS, OUTBOX_PARAMETERS } from './applications/call-parameters.js'
import { createDecisions } from './applications/decisions/decisions.js'
import { createOperatorDataReader } from './applications/records/metadata.js'
import { createOutbox, type Outbox } from './applications/queue/email-outbox.js'
import { createGrants } from './applications/records/grants.js'
import { createNamedCredentials } from './applications/credentials/named-credentials.js'
import { createRegistry } from './applications/records/registry.js'
import type { MetadataSchema } from './contracts/metadata-schema.js'
import type { Store, StoreWith } from './contracts/store.js'
import { ownMembers } from './lib/own-members.js'
import { refuseUnknown } from './options/checks.js'
import { readMetadataSchema } from './options/read-metadata-schema.js'
import { createSignOutContact, type SignOutContact } from './applications/contacts/sign-outs.js'
import { describeSigningKeys, selectVerifyingKeys, type SigningKeyInfo } from './tokens/key-schedule.js'
import { createUsageCalls, type UsageCalls } from './usage/create.js'

/** The operations that need a platform's store alone. */
export interface AdminApi extends UsageCalls {
  readonly applications: Pick<
    Applications,
    | 'get'
    | 'list'
    | 'approve'
    | 'deny'
    | 'update'
    | 'suspend'
    | 'resume'
    | 'delete'
    | 'disallow'
    | 'updateCredential'
    | 'endCredential'
    | 'revokeTokens'
    | 'addContact'
    | 'removeContact'
    | 'cancelInvitation'
  >
  readonly signingKeys: { list(): Promise<{ items: SigningKeyInfo[] }> }
  readonly audit: Audit
  readonly outbox: Outbox
  readonly portal: { readonly signOut: SignOutContact }
  /** Closes the store. */
  close(): Promise<void>
}

/** The options of `openAdmin()`. */
export interface AdminOptions {
  /** The platform's option of the same name: `applications.update()` validates `metadata` with it. Any JSON object if left out. */
  readonly applicationMetadata?: MetadataSchema | undefined
}

/**
 * Opens a store for an operator, without a platform. Servers on the store apply the changes within a second. It has neither the
 * platform's options nor its `secret`, so it can't create credentials. Rejects with the store's errors, and with
 * `StoreIncompatibleError` if the schema is not the one of this version: it never migrates.
 *
 * @example
 * ```ts
 * import { openAdmin } from 'express-platform-auth'
 * import { sqliteStore } from 'express-platform-auth/stores/sqlite'
 *
 * const admin = await openAdmin(sqliteStore('platform.sqlite'))
 * await admin.applications.suspend('app_0123456789abcdef0123456789abcdef', { by: 'alice' })
 * await admin.close()
 * ```
 */
export async function openAdmin(store: Store, options: AdminOptions = {}): Promise<AdminApi> {
  refuseUnknown('', options, ['applicationMetadata'] satisfies (keyof AdminOptions)[])
  // It never migrates: servers of another version may be running.
  await store.open({ migrate: false })
  const opened = async (): Promise<void> => undefined
  const now = (): number => Date.now()
  const writer = createApplicationWriter({ store, tellsContacts: true, now })
  const readOperatorData = createOperatorDataReader(readMetadataSchema(ownMembers(options).applicationMetadata))
  const decisions = createDecisions({ store, writer, opened, now })
  const { disallow } = createGrants({ apis: undefined, writer, opened, now })

  return {
    applications: withCheckedArguments(APPLICATION_PARAMETERS, {
      ...createRegistry({ store, writer, decisions, readOperatorData, opened, now }),
      ...createNamedCredentials({ store, writer, opened, now }),
      ...createContacts({ store, writer, opened, now }),
      disallow,
    }),
    signingKeys: {
      async list() {
        const records = await store.listSigningKeys()
        return { items: describeSigningKeys(selectVerifyingKeys(records, now()), now()) }
      },
    },
    audit: withCheckedArguments(AUDIT_PARAMETERS, createAudit({ store, opened })),
    ...createUsageCalls({ store: store as StoreWith, opened, now }),
    outbox: withCheckedArguments(OUTBOX_PARAMETERS, createOutbox({ store, writer, opened, now })),
    portal: withCheckedArguments({ signOut: [any] }, { signOut: createSignOutContact({ store, opened, now }) }),
    close: () => store.close(),
  }
}
