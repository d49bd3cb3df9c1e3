import type { ApprovalLinks } from '../applications/approval-links.js'
import type { ApplicationWriter } from '../applications/application-writer.js'
import type { Credentials } from '../applications/credentials.js'
import type { Api } from '../contracts/api.js'
import { StoreUnavailableError } from '../contracts/errors.js'
import type { Emit } from '../contracts/events.js'
import type { Logger } from '../contracts/logger.js'
import type { Mailer } from '../contracts/mailer.js'
import type { Store } from '../contracts/store.js'
import { createAttempts } from './attempt.js'
import { createClaim, type ClaimCredentials } from './claim-link.js'
import { createEmailComposer } from './message.js'
import { createNoticeComposer } from './notice.js'
import { createReminderComposer } from './reminder-message.js'
import { createEmailWorker } from './worker.js'

/** Sends credentials, or links to them, by e-mail. */
export interface CredentialEmail {
  readonly claim: ClaimCredentials
  /** Sends due e-mails now; no effect before `start`, or without a mailer. */
  wake(): void
  /** Starts to send e-mails; called once the store is open. */
  start(): void
  /** Waits for e-mails that are being sent. */
  close(): Promise<void>
}

interface CredentialEmailOptions {
  readonly store: Store
  readonly apis: ReadonlyMap<string, Api>
  readonly writer: ApplicationWriter
  readonly credentials: () => Credentials
  /** Resolves once the store is open. */
  readonly opened: () => Promise<Credentials>
  /** Undefined: nothing is sent. */
  readonly mailer: Mailer | undefined
  readonly delivery: 'inline' | 'claim-link'
  readonly baseUrl: string
  readonly developersUrl: string | undefined
  readonly approvalLinks: ApprovalLinks
  readonly emit: Emit
  readonly logger: Pick<Logger, 'warn' | 'error'>
  readonly now: () => number
}

export function createCredentialEmail(options: CredentialEmailOptions): CredentialEmail {
  const { store, mailer, logger, now } = options
  const attempts = createAttempts({
    ...options,
    composeEmail: createEmailComposer(options),
    composeReminder: createReminderComposer(options),
    composeNotice: createNoticeComposer(options),
    onFailed: logFailure,
  })
  const worker = mailer && createEmailWorker({ store, mailer, attempts, now, onError: logError })
  let started = false

  function logFailure(applicationId: string, problem: string, final: boolean): void {
    const next = final ? 'It is not retried before auth.outbox.retry() is called.' : 'It will be retried.'
    logger.warn(`The e-mail to application ${applicationId} was not delivered: ${problem}. ${next}`)
  }

  function logError(error: unknown): void {
    // The store client has logged the outage. Here it would be logged at every poll.
    if (error instanceof StoreUnavailableError) return
    logger.error('An e-mail could not be processed; the platform will retry.', error)
  }

  function wake(): void {
    if (started) worker?.wake()
  }

  return {
    claim: createClaim(options),
    wake,
    start() {
      started = true
      wake()
    },
    async close() {
      await worker?.close()
    },
  }
}
