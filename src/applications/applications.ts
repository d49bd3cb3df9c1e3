import { StoreUnavailableError } from '../contracts/errors.js'
import type { Emit } from '../contracts/events.js'
import type { Settings } from '../options/settings.js'
import type { Store } from '../contracts/store.js'
import { createActivation, type Activate } from './activation.js'
import { createAttempts } from '../credential-email/attempt.js'
import type { Applications } from './applications-api.js'
import { createApplicationWriter } from './application-writer.js'
import { createClaim, type Claim } from '../credential-email/claim-link.js'
import { createCredentialRotation } from './credential-rotation.js'
import type { Credentials } from './credentials.js'
import { createDelivery } from '../credential-email/worker.js'
import { createApplicationCache, type ApplicationCache } from './application-cache.js'
import { deleteForgotten } from './cleanup.js'
import { createEmailComposer } from '../credential-email/message.js'
import { createEmailOutbox, type EmailOutbox } from './email-outbox.js'
import { createRegistration, type Register } from './registration.js'
import { createRegistry } from './registry.js'
import { createLastUsed, type LastUsed } from './last-used.js'

/** The wing in which applications live: what operators call, and what the doors ask. */
export interface ApplicationsWing {
  readonly applications: Applications
  readonly register: Register
  readonly outbox: EmailOutbox
  readonly applicationCache: ApplicationCache
  readonly activate: Activate
  readonly claim: Claim
  readonly lastUsed: LastUsed
  /** Begins to deliver letters and to keep house; called once the store has been opened. */
  start(): void
  close(): Promise<void>
}

interface ApplicationsOptions {
  readonly settings: Settings
  readonly store: Store
  readonly credentials: () => Credentials
  /** Resolves once the store has been opened. */
  readonly opened: () => Promise<Credentials>
  readonly emit: Emit
  /** How many applications stay in memory. */
  readonly limit: number
}

const HOUR = 3600 * 1000

export function createApplications({
  settings,
  store,
  credentials,
  opened,
  emit,
  limit,
}: ApplicationsOptions): ApplicationsWing {
  const { apis, baseUrl, developersUrl, mailer, now, logger } = settings
  const applicationCache = createApplicationCache({ store, limit })
  const writer = createApplicationWriter({ store, applicationCache, emit, now })
  const lastUsed = createLastUsed({ store, now })
  const attempts = createAttempts({
    store,
    apis,
    writer,
    credentials,
    compose: createEmailComposer({ apis, developersUrl, baseUrl }),
    byClaimLink: settings.delivery === 'claim-link',
    emit,
    onFailed(applicationId, problem, givenUp) {
      const next = givenUp ? 'It is given up until auth.outbox.retry() begins again.' : 'It is tried again.'
      logger.warn(`A email to application ${applicationId} was not delivered: ${problem}. ${next}`)
    },
    now,
  })
  const report = (error: unknown): void => {
    // An outage of the store is known by then, and would be told again every second.
    if (error instanceof StoreUnavailableError) return
    logger.error('A email could not be handled; it is tried again.', error)
  }
  const delivery = mailer && createDelivery({ store, mailer, attempts, now, onProblem: report })
  let started = false
  let cleaning: NodeJS.Timeout | undefined
  const wake = (): void => {
    if (started) delivery?.wake()
  }
  const outbox = createEmailOutbox({ store, opened, now, wake, hasMailer: mailer !== undefined })
  const { register, approve } = createRegistration({ store, apis, writer, outbox, opened, now })

  function keepHouse(): void {
    void deleteForgotten({ store, writer, now }).catch((error: unknown) =>
      logger.warn('Pending applications could not be looked through.', error),
    )
  }

  return {
    applications: {
      ...createRegistry({ store, apis, writer, opened, mint: opened, writeUsage: lastUsed.flush, now }),
      ...createCredentialRotation({ writer, outbox, opened, now }),
      register: (application) => register(application, undefined),
      approve,
    },
    register,
    outbox,
    applicationCache,
    activate: createActivation(store, writer),
    claim: createClaim({ store, apis, writer, opened, now }),
    lastUsed,
    start() {
      started = true
      wake()
      keepHouse()
      cleaning = setInterval(keepHouse, HOUR).unref()
    },
    async close() {
      clearInterval(cleaning)
      await delivery?.close()
      if (started) await lastUsed.close()
    },
  }
}
