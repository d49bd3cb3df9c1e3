import type { MetadataSchema } from '../contracts/metadata-schema.js'
import type { Logger } from '../contracts/logger.js'
import type { Store } from '../contracts/store.js'
import type { ApplicationWriter } from './application-writer.js'
import type { Applications } from './applications-api.js'
import { createApprovals, type Approvals } from './approvals.js'
import { createCleanup } from './cleanup.js'
import { createCredentialCreation } from './credential-creation.js'
import { createCredentialRotation } from './credential-rotation.js'
import type { Credentials } from './credentials.js'
import { createDecisions } from './decisions.js'
import { createOperatorDataReader } from './metadata.js'
import { createOutbox, type Outbox } from './email-outbox.js'
import { createGrants } from './grants.js'
import { createImport, type LineReaderParts } from './import.js'
import type { LastUsed } from './last-used.js'
import { createNamedCredentials } from './named-credentials.js'
import { createRegistration, type PrepareRegistration } from './registration.js'
import { createRegistry } from './registry.js'
import { createReminders } from './reminders.js'

interface ApplicationsOptions {
  readonly store: Store
  readonly apis: Parameters<typeof createRegistration>[0]['apis']
  readonly writer: ApplicationWriter
  readonly lastUsed: Pick<LastUsed, 'flush'>
  /** The option `applicationMetadata`. */
  readonly metadataSchema: MetadataSchema | undefined
  /** Resolves once the store is open. */
  readonly opened: () => Promise<Credentials>
  /** What imports are read with; undefined without the option `importedCredentials`. */
  readonly importReader: LineReaderParts | undefined
  readonly hasMailer: boolean
  /** Who is asked to decide about registrations. */
  readonly operators: readonly string[]
  /** Days before an expiry. */
  readonly remindBefore: readonly number[]
  /** Called when an e-mail has become due. */
  readonly onEmailDue: () => void
  readonly logger: Pick<Logger, 'warn'>
  readonly now: () => number
}

/** What a process does by itself, between `start` and `close`. */
interface Background {
  start(): void
  /** Waits for what is being changed. */
  close(): Promise<void>
}

/** The public calls on applications and their e-mails, and the cleanup and the reminders in the background. */
export function createApplications({ lastUsed, metadataSchema, ...options }: ApplicationsOptions): {
  readonly applications: Applications
  /** For the registration form. */
  readonly prepareRegistration: PrepareRegistration
  /** For the pages on which operators decide. */
  readonly approvals: Approvals
  readonly outbox: Outbox
  readonly background: Background
} {
  const readOperatorData = createOperatorDataReader(metadataSchema)
  const { prepareRegistration, create } = createRegistration({ ...options, readOperatorData })
  const decisions = createDecisions(options)
  const cleanup = createCleanup(options)
  const reminders = createReminders({
    ...options,
    remindBefore: options.hasMailer ? options.remindBefore : [],
    flushLastUsed: lastUsed.flush,
  })
  return {
    applications: {
      ...createRegistry({ ...options, decisions, readOperatorData, flushLastUsed: lastUsed.flush }),
      ...createGrants(options),
      ...createCredentialCreation(options),
      ...createNamedCredentials(options),
      ...createCredentialRotation(options),
      create,
      import: createImport(options),
      // Async: a mistake rejects.
      register: async (application) => {
        const registration = prepareRegistration(application)
        return registration.save(undefined, await readOperatorData(application))
      },
    },
    prepareRegistration,
    approvals: createApprovals({ ...options, decisions }),
    outbox: createOutbox(options),
    background: {
      start() {
        cleanup.start()
        reminders.start()
      },
      async close() {
        cleanup.close()
        await reminders.close()
      },
    },
  }
}
