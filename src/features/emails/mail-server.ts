import type { Core, Diagnosis } from '../../feature.js'
import { toSentence } from '../../shared/contracts/errors.js'
import type { EmailContent } from '../../shared/contracts/email-content.js'
import type { Mailer } from '../../shared/contracts/composed-email.js'
import { callService, readServiceFailure } from '../../shared/lib/service-failure.js'
import { withTimeout } from '../../shared/lib/timeout.js'
import type { WriteEmail } from './message.js'

/** Calls the mailer for every e-mail, and knows by these attempts whether the mail server takes e-mails. */
export type MailServer = ReturnType<typeof createMailServer>

interface Failing {
  readonly since: number
  readonly failedAt: number
  /** The time in which these attempts waited for an answer. An attempt that was refused at once adds nothing. */
  readonly silence: number
  readonly attempts: number
  readonly problem: string
}

/** One e-mail may be deferred for reasons of its own. Its first attempts follow after 2, 4 and 8 seconds. */
const MIN_DEFERRED_ATTEMPTS = 3
const MIN_DURATION_MS = 10_000
/** A mail server that accepts connections and stays silent fails no attempt before the mailer's own time-outs. */
const MAX_SILENCE_MS = 20_000
const MAILER_TIMEOUT_MS = 60_000

export function createMailServer({ logger, emit, now }: Core, mailer: Mailer, writeEmail: WriteEmail) {
  const underWay = new Set<{ readonly startedAt: number }>()
  let failing: Failing | undefined
  let isReported = false

  async function callMailer(content: EmailContent): Promise<void> {
    const message = await writeEmail(content)
    await callService(() => mailer.send(message))
  }

  /** It has answered about the e-mail itself: accepted it, or refused it for good. */
  function noteAnswer(attempt: { readonly startedAt: number }): void {
    // The attempts that began before say nothing about it any more: their e-mails may be slow for reasons of their own.
    if (underWay.has(attempt))
      for (const each of underWay) {
        underWay.delete(each)
        if (each === attempt) break
      }
    failing = undefined
    if (!isReported) return
    isReported = false
    logger.warn('The mail server takes e-mails again.')
    emit('mail.available', {})
  }

  function noteDeferral(attempt: { readonly startedAt: number }, problem: string): void {
    const failedAt = now()
    const startedAt = underWay.delete(attempt) ? attempt.startedAt : failedAt
    const since = Math.min(failing?.since ?? startedAt, startedAt)
    const attempts = (failing?.attempts ?? 0) + 1
    failing = { since, failedAt, silence: measureSilence(startedAt), attempts, problem }
    const isLasting = attempts >= MIN_DEFERRED_ATTEMPTS && failedAt - since >= MIN_DURATION_MS
    if (isReported || !(isLasting || failing.silence >= MAX_SILENCE_MS)) return
    isReported = true
    logger.error(
      `${toSentence(`No e-mail has been delivered since ${new Date(since).toISOString()}: ${problem}`)} The platform retries.`,
    )
    emit('mail.unavailable', { reason: problem })
  }

  /** Attempts at the same time are counted once. */
  function measureSilence(startedAt: number): number {
    return (failing?.silence ?? 0) + now() - Math.max(startedAt, failing?.failedAt ?? startedAt)
  }

  return {
    /** Writes and sends an e-mail. Rejects if the mail server has not accepted it, or has not answered within a minute. */
    async send(content: EmailContent): Promise<void> {
      const attempt = { startedAt: now() }
      underWay.add(attempt)
      try {
        const late = () => Object.assign(new Error('The mailer did not answer in time.'), { code: 'ETIMEDOUT' })
        await withTimeout(callMailer(content), MAILER_TIMEOUT_MS, late, { background: true })
        noteAnswer(attempt)
      } catch (error) {
        const { permanent, problem } = readServiceFailure(error)
        if (permanent) noteAnswer(attempt)
        else noteDeferral(attempt, problem)
        throw error
      }
    },
    problem(): string | undefined {
      const [oldest] = underWay
      const since = failing?.since ?? oldest?.startedAt
      if (since === undefined) return undefined
      if (!isReported && !(oldest && measureSilence(oldest.startedAt) >= MAX_SILENCE_MS)) return undefined
      const reason = failing
        ? `${failing.attempts} ${failing.attempts === 1 ? 'attempt' : 'attempts'}, the last with ${failing.problem}`
        : 'the mail server does not answer'
      return `No e-mail has been delivered since ${new Date(since).toISOString()} (${reason}): registrations, sign-ins and invitations wait.`
    },
  }
}

const TIMEOUT_MS = 10_000

export async function diagnoseMailer(mailer: Mailer): Promise<readonly Diagnosis[]> {
  if (typeof mailer.verify !== 'function') {
    const problem =
      'The mailer has no verify(): without sending, the doctor cannot tell whether its mail server answers'
    return [{ problem, fix: 'Register an application of your own, and check that its e-mail arrives.', isNote: true }]
  }
  try {
    const work = callService(() => mailer.verify!())
    await withTimeout(work, TIMEOUT_MS, () => new Error(`no answer within ${TIMEOUT_MS / 1000} seconds`))
    return []
  } catch (error) {
    const problem = `The mail server cannot be used: ${error instanceof Error ? error.message : String(error)}`
    return [
      { problem, fix: "Check the host, port, TLS and login of the mailer's transport, and firewalls in between." },
    ]
  }
}
