import type { Api } from '../../shared/contracts/api.js'
import type { Logger } from '../../shared/contracts/logger.js'
import type { MetadataSchema } from '../../shared/contracts/metadata-schema.js'
import type { Store } from '../../shared/contracts/store.js'
import type { Applications } from './applications-api.js'
import { withCheckedArguments } from './call-arguments.js'
import { APPLICATION_PARAMETERS } from './call-parameters.js'
import { createContacts } from './contacts/contacts.js'
import { createCredentialCreation } from './credentials/credential-creation.js'
import { createNamedCredentials } from './credentials/named-credentials.js'
import { createCredentialRotation } from './credentials/credential-rotation.js'
import type { Credentials } from './credentials/credentials.js'
import { createKeySetReplacement } from './credentials/key-sets.js'
import type { LastUsed } from './credentials/last-used.js'
import { createDecisions } from './decisions/decisions.js'
import type { EmailSender } from './call-parts.js'
import { guardWriter, type ApplicationWriter, type WriteGuard } from './records/application-writer.js'
import { createCleanup } from './records/cleanup.js'
import { createCreation } from './records/creation.js'
import { createGrants } from './records/grants.js'
import { createOperatorDataReader } from './records/metadata.js'
import { createRecovery } from './records/recovery.js'
import { createRegistry } from './records/registry.js'

export type CoreCalls = ReturnType<typeof createApplications>['calls']

export function createApplications(options: {
  readonly store: Store
  readonly apis: ReadonlyMap<string, Api>
  readonly writer: ApplicationWriter
  readonly lastUsed: Pick<LastUsed, 'flush'>
  readonly metadataSchema: MetadataSchema | undefined
  readonly opened: () => Promise<Credentials>
  readonly signOut: (contact: string) => Promise<void>
  readonly sender: EmailSender
  readonly internalHosts: readonly string[]
  readonly auditRetention: number | undefined
  readonly logger: Pick<Logger, 'warn'>
  readonly now: () => number
}) {
  const readOperatorData = createOperatorDataReader(options.metadataSchema)
  function createCalls(writer: ApplicationWriter): Applications {
    const parts = { ...options, writer, readOperatorData }
    return {
      ...createRegistry({ ...parts, decisions: createDecisions(parts), flushLastUsed: options.lastUsed.flush }),
      ...createCreation(parts),
      ...createGrants(parts),
      ...createContacts(parts),
      ...createCredentialCreation(parts),
      ...createNamedCredentials(parts),
      ...createKeySetReplacement(parts),
      ...createCredentialRotation(parts),
      ...createRecovery(parts),
    }
  }
  return {
    calls: {
      applications: createCalls(options.writer),
      /** The calls that change one application. They reject as the guard's `check` throws. What they save names its `request`. */
      createGuardedCalls: (guard: WriteGuard): Applications =>
        withCheckedArguments(APPLICATION_PARAMETERS, createCalls(guardWriter(options.writer, guard))),
      decisions: createDecisions(options),
      readOperatorData,
    },
    cleanup: createCleanup(options),
  }
}
