import type { Api } from '../../shared/contracts/api.js'
import type { Logger } from '../../shared/contracts/logger.js'
import type { MetadataSchema } from '../../shared/contracts/metadata-schema.js'
import type { Store } from '../../shared/contracts/store.js'
import type { Applications } from './applications-api.js'
import { withCheckedArguments } from './call-arguments.js'
import { APPLICATION_PARAMETERS } from './call-parameters.js'
import { createContacts } from './contacts/contacts.js'
import { createCredentialCreation } from './credentials/credential-creation.js'
import { createCredentialRotation } from './credentials/credential-rotation.js'
import type { Credentials } from './credentials/credentials.js'
import { createKeySetReplacement } from './credentials/key-sets.js'
import type { LastUsed } from './credentials/last-used.js'
import { createNamedCredentials } from './credentials/named-credentials.js'
import { createDecisions, type Decisions } from './decisions/decisions.js'
import type { EmailSender } from './call-parts.js'
import type { ApplicationWriter } from './records/application-writer.js'
import { checkBefore, type Checks } from './records/application-writer.js'
import { createCleanup } from './records/cleanup.js'
import { createCreation } from './records/creation.js'
import { createGrants } from './records/grant-calls.js'
import { createOperatorDataReader, type ReadOperatorData } from './records/metadata.js'
import { createRecovery } from './records/recovery.js'
import { createRegistry } from './records/registry.js'

export type ApplicationCalls = Omit<Applications, 'create'>

/** The calls on applications, for hosts and for features. */
export interface CoreCalls {
  readonly applications: Applications
  /** The calls that change one application. They reject as `check` throws. What they save names `request`. */
  readonly createCheckedCalls: (...checks: Checks) => Applications
  readonly decisions: Decisions
  readonly readOperatorData: ReadOperatorData
}

/** The public calls on applications, and what cleans them up in the background. */
export function createApplications(options: {
  readonly store: Store
  readonly apis: ReadonlyMap<string, Api>
  readonly writer: ApplicationWriter
  readonly lastUsed: Pick<LastUsed, 'flush'>
  readonly metadataSchema: MetadataSchema | undefined
  readonly opened: () => Promise<Credentials>
  /** Ends the sessions of a mailbox. */
  readonly signOut: (contact: string) => Promise<void>
  readonly sender: EmailSender
  readonly internalHosts: readonly string[]
  /** Days for which audit records are kept; undefined: for ever. */
  readonly auditRetention: number | undefined
  readonly logger: Pick<Logger, 'warn'>
  readonly now: () => number
}): { readonly calls: CoreCalls; readonly cleanup: ReturnType<typeof createCleanup> } {
  const readOperatorData = createOperatorDataReader(options.metadataSchema)
  const decisions = createDecisions(options)
  function createCalls(writer: ApplicationWriter): ApplicationCalls {
    const parts = { ...options, writer }
    return {
      ...createRegistry({
        ...parts,
        decisions: createDecisions(parts),
        readOperatorData,
        flushLastUsed: options.lastUsed.flush,
      }),
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
      applications: { ...createCalls(options.writer), ...createCreation({ ...options, readOperatorData }) },
      createCheckedCalls: (...checks) => {
        const writer = checkBefore(options.writer, ...checks)
        const creation = createCreation({ ...options, writer, readOperatorData })
        return withCheckedArguments<Applications>(APPLICATION_PARAMETERS, { ...createCalls(writer), ...creation })
      },
      decisions,
      readOperatorData,
    },
    cleanup: createCleanup(options),
  }
}
