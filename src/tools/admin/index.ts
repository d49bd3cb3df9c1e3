import { createApplicationWriter } from '../../core/applications/records/application-writer.js'
import { createAudit } from '../../core/applications/records/audit-log.js'
import { createContacts } from '../../core/applications/contacts/contacts.js'
import { any, withCheckedArguments } from '../../core/applications/call-arguments.js'
import { APPLICATION_PARAMETERS, AUDIT_PARAMETERS } from '../../core/applications/call-parameters.js'
import { createDecisions } from '../../core/applications/decisions/decisions.js'
import { createOperatorDataReader } from '../../core/applications/records/metadata.js'
import { createEmailQueue, QUEUE_PARAMETERS } from '../../features/emails/email-queue.js'
import { createGrants } from '../../core/applications/records/grants.js'
import { createKeySetReplacement } from '../../core/applications/credentials/key-sets.js'
import { createNamedCredentials } from '../../core/applications/credentials/named-credentials.js'
import { createRegistry } from '../../core/applications/records/registry.js'
import type { MetadataSchema } from '../../shared/contracts/metadata-schema.js'
import type { Applications, Audit, SigningKeyInfo } from '../../index.js'
import type { Store } from '../../store.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { refuseUnknown } from '../../shared/lib/option-checks.js'
import { readMetadataSchema } from '../../core/options/read-metadata-schema.js'
import { readStore } from '../../core/options/read-persistence.js'
import { createSignOuts } from '../../core/applications/contacts/sign-outs.js'
import { describeSigningKeys, findCurrentKey, selectVerifyingKeys } from '../../core/tokens/key-schedule.js'
import type { EmailQueue } from '../../features/emails/index.js'
import type { Plans } from '../../features/plans/index.js'
import type { SignOutContact } from '../../features/portal/index.js'
import { createSetPlan } from '../../features/plans/plans-calls.js'
import type { Usage } from '../../features/usage/index.js'
import { createUsageCalls } from '../../features/usage/usage-calls.js'

/** The operations that need a platform's store alone. Those on a part that the store does not have are undefined. */
export interface AdminApi {
  readonly applications: Omit<
    Applications,
    'create' | 'allow' | 'addKey' | 'addSecret' | 'addKeySet' | 'rotateKey' | 'rotateSecret' | 'recover'
  >
  readonly signingKeys: { list(): Promise<{ items: SigningKeyInfo[] }> }
  readonly audit: Audit
  /** The store's part `emails`. */
  readonly emails?: EmailQueue | undefined
  /** The store's part `usage`. */
  readonly usage?: Usage | undefined
  /** The store's part `quotas`. Which plans there are is not known here. */
  readonly plans?: Pick<Plans, 'set'> | undefined
  /** The store's part `signIns`. */
  readonly portal?: { readonly signOut: SignOutContact } | undefined
  /** Closes the store. */
  close(): Promise<void>
}

/** The options of `openAdmin()`. */
export interface AdminOptions {
  /** The platform's option of the same name: `applications.update()` validates `metadata` with it. Any JSON object if left out. */
  readonly metadata?: MetadataSchema | undefined
}

/**
 * Opens a store for an operator, without a platform. Servers on the store apply the changes within a second. It has neither the
 * platform's options nor its `secret`, so it can't create credentials. Rejects with the store's errors, and with
 * `StoreIncompatibleError` if the schema is not the one of this version: it never migrates.
 *
 * @example
 * ```ts
 * import { openAdmin } from 'express-platform-auth/admin'
 * import { sqliteStore } from 'express-platform-auth/stores/sqlite'
 *
 * const admin = await openAdmin(sqliteStore('platform.sqlite'))
 * await admin.applications.suspend('app_0123456789abcdef0123456789abcdef', { by: 'alice' })
 * await admin.close()
 * ```
 */
export async function openAdmin(store: Store, options: AdminOptions = {}): Promise<AdminApi> {
  refuseUnknown('', options, ['metadata'] satisfies (keyof AdminOptions)[])
  readStore(store ?? null)
  // It never migrates: servers of another version may be running.
  await store.open({ migrate: false })
  const opened = async (): Promise<void> => undefined
  const now = (): number => Date.now()
  const writer = createApplicationWriter({ store, now })
  const readOperatorData = createOperatorDataReader(readMetadataSchema(ownMembers(options).metadata))
  const decisions = createDecisions({ store, writer, opened, now })
  const { disallow } = createGrants({ apis: undefined, writer, opened, now })

  return {
    applications: withCheckedArguments(APPLICATION_PARAMETERS, {
      ...createRegistry({ store, writer, decisions, readOperatorData, opened, now }),
      ...createNamedCredentials({ store, writer, opened, now }),
      ...createKeySetReplacement({ store, writer, opened, internalHosts: [], now }),
      ...createContacts({ store, writer, opened, now }),
      disallow,
    }),
    signingKeys: {
      async list() {
        const keys = selectVerifyingKeys(await store.listSigningKeys(), now())
        return { items: describeSigningKeys(keys, now(), findCurrentKey(keys, now())) }
      },
    },
    audit: withCheckedArguments(AUDIT_PARAMETERS, createAudit({ store, opened })),
    emails: store.emails && withCheckedArguments(QUEUE_PARAMETERS, createEmailQueue(store, writer, opened, now)),
    usage: store.usage && createUsageCalls({ store: store.usage, opened, now }),
    plans: store.quotas && createSetPlan(writer, opened),
    portal:
      store.signIns &&
      withCheckedArguments({ signOut: [any] }, { signOut: createSignOuts({ store, opened, now }).signOut }),
    close: () => store.close(),
  }
}
