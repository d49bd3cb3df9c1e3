import type { Logger } from '../contracts/logger.js'
import type { Store } from '../contracts/store.js'
import type { ApplicationWriter } from './application-writer.js'
import type { Applications } from './applications-api.js'
import { createCleanup, type Cleanup } from './cleanup.js'
import { createCredentialCreation } from './credential-creation.js'
import { createCredentialRotation } from './credential-rotation.js'
import type { Credentials } from './credentials.js'
import { createOutbox, type Outbox } from './email-outbox.js'
import { createGrants } from './grants.js'
import type { LastUsed } from './last-used.js'
import { createNamedCredentials } from './named-credentials.js'
import { createRegistration, type PrepareRegistration } from './registration.js'
import { createRegistry } from './registry.js'

interface ApplicationsOptions {
  readonly store: Store
  readonly apis: Parameters<typeof createRegistration>[0]['apis']
  readonly writer: ApplicationWriter
  readonly lastUsed: Pick<LastUsed, 'flush'>
  /** Resolves once the store is open. */
  readonly opened: () => Promise<Credentials>
  readonly hasMailer: boolean
  /** Called when an e-mail has become due. */
  readonly onEmailDue: () => void
  readonly logger: Pick<Logger, 'warn'>
  readonly now: () => number
}

/** The public calls on applications and their e-mails, and the cleanup in the background. */
export function createApplications({ lastUsed, ...options }: ApplicationsOptions): {
  readonly applications: Applications
  /** For the registration form. */
  readonly prepareRegistration: PrepareRegistration
  readonly outbox: Outbox
  readonly cleanup: Cleanup
} {
  const { prepareRegistration, create } = createRegistration(options)
  return {
    applications: {
      ...createRegistry({ ...options, flushLastUsed: lastUsed.flush }),
      ...createGrants(options),
      ...createCredentialCreation(options),
      ...createNamedCredentials(options),
      ...createCredentialRotation(options),
      create,
      // Async: a mistake rejects.
      register: async (application) => prepareRegistration(application).save(undefined),
    },
    prepareRegistration,
    outbox: createOutbox(options),
    cleanup: createCleanup(options),
  }
}
