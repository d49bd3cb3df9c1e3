import type { Emit } from '../../shared/contracts/events.js'
import type { Logger } from '../../shared/contracts/logger.js'

/** Whether the mail server takes e-mails, as the attempts of this process show. */
export interface MailHealth {
  /** It has answered about the e-mail itself: accepted it, or refused it for good. */
  answered(): void
  /** The attempt will be repeated. */
  deferred(problem: string): void
  /** The problem for `auth.health()`; undefined if all is well. */
  problem(): string | undefined
}

interface MailHealthOptions {
  readonly logger: Pick<Logger, 'warn' | 'error'>
  readonly emit: Emit
  readonly now: () => number
}

/** One e-mail may be deferred for reasons of its own. Its first attempts follow after 2, 4 and 8 seconds. */
const MIN_DEFERRED_ATTEMPTS = 3
const MIN_DURATION_MS = 10_000

export function createMailHealth({ logger, emit, now }: MailHealthOptions): MailHealth {
  let since: number | undefined
  let attempts = 0
  let lastProblem = ''
  let isReported = false

  return {
    answered() {
      since = undefined
      attempts = 0
      if (!isReported) return
      isReported = false
      logger.warn('The mail server takes e-mails again.')
      emit('mail.available', {})
    },
    deferred(problem) {
      since ??= now()
      attempts += 1
      lastProblem = problem
      if (isReported || attempts < MIN_DEFERRED_ATTEMPTS || now() - since < MIN_DURATION_MS) return
      isReported = true
      logger.error(
        `No e-mail has been delivered since ${new Date(since).toISOString()}: ${problem}. The platform retries.`,
      )
      emit('mail.unavailable', { reason: problem })
    },
    problem() {
      if (!isReported || since === undefined) return undefined
      return `No e-mail has been delivered since ${new Date(since).toISOString()} (${attempts} attempts, the last with ${lastProblem}): registrations, sign-ins and invitations wait.`
    },
  }
}
