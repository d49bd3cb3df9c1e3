import type { MetadataSchema } from '../contracts/metadata-schema.js'
import type { Logger } from '../contracts/logger.js'
import type { ApplicationRecord } from '../contracts/application-record.js'
import type { Store, StoreWith } from '../contracts/store.js'
import { checkBefore, type ApplicationWriter } from './records/application-writer.js'
import type { Applications } from './applications-api.js'
import { withCheckedArguments } from './call-arguments.js'
import { APPLICATION_PARAMETERS } from './call-parameters.js'
import { createAccessRequests } from './records/access-requests.js'
import { createApprovals, type Approvals } from './decisions/approvals.js'
import { createCleanup } from './records/cleanup.js'
import { createConfirmContact, type ConfirmContact } from './contacts/confirm-contact.js'
import { createContacts } from './contacts/contacts.js'
import { createCredentialCreation } from './credentials/credential-creation.js'
import { createCredentialRotation } from './credentials/credential-rotation.js'
import type { Credentials } from './credentials/credentials.js'
import { createDecisions } from './decisions/decisions.js'
import { createOperatorDataReader } from './records/metadata.js'
import { createOutbox, type Outbox } from './queue/email-outbox.js'
import { createGrants } from './records/grants.js'
import { createInvitations, type AcceptInvitation } from './contacts/invitations.js'
import { createImport, type LineReaderParts } from './imports/import.js'
import type { LastUsed } from './credentials/last-used.js'
import { createNamedCredentials } from './credentials/named-credentials.js'
import { createRecovery } from './records/recovery.js'
import { createRegistration, type PrepareRegistration } from './decisions/registration.js'
import { createRegistry } from './records/registry.js'
import { createReminders } from './queue/reminders.js'

interface ApplicationsOptions {
  readonly store: Store
  readonly apis: Parameters<typeof createRegistration>[0]['apis']
  readonly writer: ApplicationWriter
  readonly lastUsed: Pick<LastUsed, 'flush'>
  /** The option `applicationMetadata`. */
  readonly metadataSchema: MetadataSchema | undefined
  /** Resolves once the store is open. */
  readonly opened: () => Promise<Credentials>
  /** The parts that read imports; undefined without the option `importedCredentials`. */
  readonly importReader: LineReaderParts | undefined
  /** Ends the sessions of a mailbox. */
  readonly signOut: (contact: string) => Promise<void>
  readonly hasMailer: boolean
  /** The address to which invitations lead; undefined if there is no portal. */
  readonly portalUrl: string | undefined
  /** The operators who are asked to decide about registrations. */
  readonly operators: readonly string[]
  /** Days for which audit records are kept; undefined: for ever. */
  readonly auditRetention: number | undefined
  /** Days before an expiry. */
  readonly remindBefore: readonly number[]
  /** Called when an e-mail has become due. */
  readonly onEmailDue: () => void
  readonly logger: Pick<Logger, 'warn'>
  readonly now: () => number
}

/** The calls on applications that exist. */
export type ApplicationCalls = Omit<Applications, 'create' | 'import' | 'register'>

/** The background work of a process, between `start` and `close`. */
interface Background {
  start(): void
  /** Waits for changes under way. */
  close(): Promise<void>
}

/** The public calls on applications and their e-mails, and the cleanup and the reminders in the background. */
export function createApplications({ lastUsed, metadataSchema, ...options }: ApplicationsOptions): {
  readonly applications: Applications
  /**
   * The calls that change one application. They reject with the error that `check` throws for the record that they would
   * change.
   */
  readonly createCheckedCalls: (check: (current: ApplicationRecord) => void) => ApplicationCalls
  /** The calls for the registration form. */
  readonly prepareRegistration: PrepareRegistration
  /** The calls for the portal. */
  readonly acceptInvitation: AcceptInvitation
  readonly confirmContact: ConfirmContact
  /** The calls for the pages on which operators decide. */
  readonly approvals: Approvals
  readonly outbox: Outbox
  readonly background: Background
} {
  const readOperatorData = createOperatorDataReader(metadataSchema)
  const { prepareRegistration, create } = createRegistration({ ...options, readOperatorData })
  const { acceptInvitation } = createInvitations(options)
  const decisions = createDecisions(options)
  const cleanup = createCleanup(options)
  const reminders = createReminders({
    ...options,
    store: options.store as StoreWith,
    remindBefore: options.hasMailer ? options.remindBefore : [],
    flushLastUsed: lastUsed.flush,
  })
  function createCalls(writer: ApplicationWriter): ApplicationCalls {
    const parts = { ...options, writer }
    const { inviteContact } = createInvitations(parts)
    return {
      ...createRegistry({ ...parts, decisions, readOperatorData, flushLastUsed: lastUsed.flush }),
      ...createGrants(parts),
      ...createAccessRequests(parts),
      ...createContacts(parts),
      inviteContact,
      ...createCredentialCreation(parts),
      ...createNamedCredentials(parts),
      ...createCredentialRotation(parts),
      ...createRecovery(parts),
    }
  }
  return {
    applications: {
      ...createCalls(options.writer),
      create,
      import: createImport(options),
      // The function is async, so that a mistake rejects.
      register: async (application) => {
        const registration = prepareRegistration(application)
        return registration.save(undefined, await readOperatorData(application))
      },
    },
    createCheckedCalls: (check) =>
      withCheckedArguments(APPLICATION_PARAMETERS, createCalls(checkBefore(options.writer, check, options.now))),
    prepareRegistration,
    acceptInvitation,
    confirmContact: createConfirmContact(options),
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
