import type { ApprovalLinks } from '../applications/decisions/approval-links.js'
import type { ApplicationWriter } from '../applications/records/application-writer.js'
import type { Credentials } from '../applications/credentials/credentials.js'
import type { Api } from '../contracts/api.js'
import type { Brand } from '../contracts/brand.js'
import type { ComposeEmail } from '../contracts/composed-email.js'
import { StoreUnavailableError } from '../contracts/errors.js'
import type { Emit } from '../contracts/events.js'
import type { Logger } from '../contracts/logger.js'
import type { Mailer } from '../contracts/mailer.js'
import type { StoreWith } from '../contracts/store.js'
import { createAttempts } from './attempt.js'
import { createClaim, type ClaimCredentials } from './claim-link.js'
import { createMailHealth } from './mail-health.js'
import { createEmailWriter } from './message.js'
import { createSignInMailer, type SignInMailer } from './sign-in-email.js'
import { createEmailWorker } from './worker.js'

/** Sends credentials, or links to them, by e-mail. */
export interface Emails {
  readonly claim: ClaimCredentials
  /** Sends an e-mail with which a contact signs in, in the background; no effect without a mailer. */
  readonly sendSignIn: SignInMailer['sendSignIn']
  /** Sends due e-mails now; no effect before `start`, or without a mailer. */
  wake(): void
  /** The problem for `auth.health()`: the mail server takes no e-mails. */
  problem(): string | undefined
  /** Starts to send e-mails; called once the store is open. */
  start(): void
  /** Waits for e-mails that are being sent. */
  close(): Promise<void>
}

interface EmailsPartOptions {
  readonly store: StoreWith<'emails'>
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
  /** Whether contacts manage their applications at `/applications` below `developersUrl`. */
  readonly portal: { readonly enabled: boolean }
  readonly brand: Brand
  /** The option `emails.compose`. */
  readonly composeEmail: ComposeEmail | undefined
  readonly approvalLinks: ApprovalLinks
  readonly emit: Emit
  readonly logger: Pick<Logger, 'warn' | 'error'>
  readonly now: () => number
}

export function createEmails(options: EmailsPartOptions): Emails {
  const { store, mailer, developersUrl, portal, logger, now } = options
  const portalUrl = portal.enabled && developersUrl !== undefined ? `${developersUrl}/applications` : undefined
  const writeEmail = createEmailWriter({ ...options, portalUrl })
  const mailHealth = createMailHealth(options)
  const attempts = createAttempts({ ...options, onFailed: logFailure, mailHealth })
  const worker = mailer && createEmailWorker({ store, mailer, attempts, writeEmail, now, onError: logError })
  const signInMailer = mailer && createSignInMailer({ mailer, writeEmail, logger, mailHealth })
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
    sendSignIn: (email) => signInMailer?.sendSignIn(email),
    wake,
    problem: mailHealth.problem,
    start() {
      started = true
      wake()
    },
    async close() {
      await Promise.all([worker?.close(), signInMailer?.close()])
    },
  }
}
