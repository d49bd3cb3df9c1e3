import { AsyncResource } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApprovalLinks } from '../../core/applications/decisions/approval-requests.js'
import type { Api } from '../../shared/contracts/api.js'
import { StoreUnavailableError, toSentence } from '../../shared/contracts/errors.js'
import type { Core } from '../../feature.js'
import { readBrand } from '../../shared/web/read-brand.js'
import { createAttempts, type Attempts } from './attempt.js'
import { createMailServer, type MailServer } from './mail-server.js'
import { createEmailWriter } from './message.js'
import { createPreview } from './preview.js'
import type { EmailsSettings } from './emails-options.js'
import type { SignInEmail } from '../../shared/contracts/email-content.js'
import { createConcurrencyLimit } from '../../shared/lib/concurrency-limit.js'
import { readServiceFailure } from '../../shared/lib/service-failure.js'
import { nextVersion } from '../../core/applications/queue/queued-emails.js'
import type { QueuedEmail } from '../../shared/contracts/queued-email.js'

export function createSending(core: Core, settings: EmailsSettings, apis: ReadonlyMap<string, Api>) {
  const { logger } = core
  const { developersUrl, baseUrl } = core.settings
  const { delivery, composeEmail } = settings
  const brand = readBrand(core.settings.brand)
  const portalUrl = core.pageUrl('portal')
  const writeEmail = createEmailWriter({ apis, baseUrl, developersUrl, portalUrl, brand, composeEmail, logger })
  const mailServer = createMailServer(core, settings.mailer, writeEmail)
  // A process without operators never gets here: describeDecision() needs the page on which they decide.
  const isOperator = (address: string): boolean => core.find('registration')?.isOperator(address) ?? false
  const approvalLinks = createApprovalLinks({ ...core, isOperator })
  const attempts = createAttempts(core, { apis, delivery, developersUrl, approvalLinks }, logFailure)
  const worker = createEmailWorker(core, mailServer, attempts, logError)
  const signInMailer = createSignInMailer(mailServer, logger)

  function logFailure(applicationId: string, problem: string, final: boolean): void {
    const next = final ? 'It is not retried before auth.emails.retry() is called.' : 'It will be retried.'
    logger.warn(`${toSentence(`The e-mail to application ${applicationId} was not delivered: ${problem}`)} ${next}`)
  }

  function logError(error: unknown): void {
    // The store client has logged the outage. Here it would be logged at every poll.
    if (error instanceof StoreUnavailableError) return
    logger.error('An e-mail could not be processed; the platform will retry.', error)
  }

  return {
    sendSignIn: signInMailer.sendSignIn,
    preview: createPreview(apis, writeEmail, developersUrl ?? baseUrl, core.now),
    problem: mailServer.problem,
    wake: worker.wake,
    start: worker.start,
    async flush(): Promise<void> {
      await Promise.all([worker.flush(), signInMailer.sent()])
    },
    async close(): Promise<void> {
      await Promise.all([worker.close(), signInMailer.close()])
    },
  }
}

const MAX_CONCURRENT_EMAILS = 4
/** The limit of waiting e-mails. Further ones are dropped: by the time they could be sent, their codes would have expired. */
const MAX_WAITING_EMAILS = 1000
const RETRY_DELAYS_MS = [2000, 10_000]

/** Sends e-mails that are not queued in the store: a contact who lost one asks for another. */
function createSignInMailer(mailServer: Pick<MailServer, 'send'>, logger: Core['logger']) {
  const sending = new Set<Promise<void>>()
  const closing = new AbortController()
  const limit = createConcurrencyLimit({
    atOnce: MAX_CONCURRENT_EMAILS,
    waiting: MAX_WAITING_EMAILS,
    onOverflow: () => Object.assign(new Error('Too many sign-in e-mails wait.'), { code: 'overloaded' }),
  })

  async function sendWithRetries(email: SignInEmail): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        // The recipient's own queue, so that many requests for one address do not delay those for others.
        return await limit(email.to, () => mailServer.send(email))
      } catch (error) {
        const delay = RETRY_DELAYS_MS[attempt]
        const { permanent, problem } = readServiceFailure(error)
        const isLast = delay === undefined || closing.signal.aborted || permanent || problem === 'overloaded'
        // Without the address, and without the mail server's text, which may repeat the e-mail.
        if (isLast) return logger.warn(toSentence(`A sign-in e-mail was not sent: ${problem}`))
        await sleep(delay, undefined, { signal: closing.signal, ref: false }).catch(() => undefined)
      }
    }
  }

  return {
    // The function is bound here: e-mails must not be part of the trace or log context of the request that asks for them.
    sendSignIn: AsyncResource.bind((email: Omit<SignInEmail, 'purpose'>) => {
      const attempts = sendWithRetries({ ...email, purpose: 'signIn' }).finally(() => sending.delete(attempts))
      sending.add(attempts)
    }),
    sent: (): Promise<unknown> => Promise.all(sending),
    /** Sends waiting e-mails once more at most, and resolves when that is over. */
    async close(): Promise<void> {
      closing.abort()
      await Promise.all(sending)
    },
  }
}

const OUTBOX_POLL_INTERVAL_MS = 1000
/** The lease is renewed while the e-mail is being sent, so that a killed process's e-mail is soon sent by another. */
const LEASE_DURATION_MS = 15_000
const LEASE_RENEWAL_INTERVAL_MS = 5000

/** Sends the e-mails that are due. Every process with `emails()` runs one; a lease keeps two from sending the same e-mail. */
function createEmailWorker(
  { store, now }: Core,
  mailServer: Pick<MailServer, 'send'>,
  attempts: Attempts,
  /** Called when an e-mail could not be processed. If the mail server does not take it, `attempts.failed` is called instead. */
  onError: (error: unknown) => void,
) {
  const sending = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let polling: Promise<void> | undefined
  let pollAgain = false
  let started = false
  let closed = false

  async function takeDueEmails(): Promise<void> {
    for (;;) {
      if (closed || sending.size >= MAX_CONCURRENT_EMAILS) return
      const email = await store.emails.lease(now(), now() + LEASE_DURATION_MS)
      if (!email) return
      const attempt = sendEmail(email)
        .catch(onError)
        .finally(() => {
          sending.delete(attempt)
          wake()
        })
      sending.add(attempt)
    }
  }

  function wake(): void {
    if (closed || !started) return
    if (polling) {
      pollAgain = true
      return
    }
    clearTimeout(timer)
    polling = takeDueEmails()
      .catch(onError)
      .finally(() => {
        polling = undefined
        if (closed) return
        timer = setTimeout(wake, pollAgain ? 0 : OUTBOX_POLL_INTERVAL_MS).unref()
        pollAgain = false
      })
  }

  async function sendEmail(leased: QueuedEmail): Promise<void> {
    const attempt = await attempts.prepare(leased)
    if (!attempt) return
    const lease = keepLease(attempt.email)
    try {
      await mailServer.send(attempt.content)
    } catch (error) {
      await attempts.failed(await lease.end(), error)
      return
    }
    await attempts.accepted(await lease.end())
  }

  /** Renews the lease of an e-mail until `end`, which resolves the e-mail as it was saved last. */
  function keepLease(email: QueuedEmail): { end(): Promise<QueuedEmail> } {
    const ending = new AbortController()
    let current = email
    async function renew(): Promise<void> {
      for (;;) {
        await sleep(LEASE_RENEWAL_INTERVAL_MS, undefined, { signal: ending.signal, ref: false })
        const renewed = nextVersion(current, { leasedUntil: now() + LEASE_DURATION_MS })
        // If it fails, the next renewal may still be in time. At worst another process sends the e-mail as well.
        if (await store.emails.save(renewed).catch(() => false)) current = renewed
      }
    }
    // Rejects when it is aborted.
    const renewing = renew().catch(() => undefined)
    return {
      async end() {
        ending.abort()
        await renewing
        return current
      },
    }
  }

  return {
    // The function is bound here, because a request may wake the worker: e-mails must not be part of that request's trace or
    // log context.
    /** Leases and sends due e-mails now; no effect before `start`. */
    wake: AsyncResource.bind(wake),
    start(): void {
      started = true
      wake()
    },
    /** Sends due e-mails, also before `start`, and resolves when none is due and none being sent. Rejects if the store is unavailable. */
    async flush(): Promise<void> {
      for (;;) {
        await polling
        await takeDueEmails()
        if (sending.size === 0) return
        await Promise.race(sending)
      }
    },
    async close(): Promise<void> {
      closed = true
      clearTimeout(timer)
      await polling
      await Promise.all(sending)
    },
  }
}
