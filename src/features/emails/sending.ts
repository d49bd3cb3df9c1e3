import { AsyncResource } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApprovalLinks } from '../../core/applications/decisions/approval-requests.js'
import type { Api } from '../../shared/contracts/api.js'
import { StoreUnavailableError, toSentence } from '../../shared/contracts/errors.js'
import type { Core } from '../../feature.js'
import { readBrand } from '../../shared/web/read-brand.js'
import { createAttempts } from './attempt.js'
import { createMailServer, type MailServer } from './mail-server.js'
import { createEmailWriter } from './message.js'
import { createPreview } from './preview.js'
import type { EmailsSettings } from './emails-options.js'
import { createEmailWorker } from './worker.js'
import type { SignInEmail } from '../../shared/contracts/email-content.js'
import { createConcurrencyLimit } from '../../shared/lib/concurrency-limit.js'
import { readServiceFailure } from '../../shared/lib/service-failure.js'

/** `apis` are as hosts see them. */
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
    preview: createPreview({ apis, writeEmail, developersUrl: developersUrl ?? baseUrl, now: core.now }),
    problem: mailServer.problem,
    wake: worker.wake,
    start: worker.start,
    /** Sends what is due, and resolves when that is over. */
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
        if (delay === undefined || closing.signal.aborted || isFinal(error)) return logFailure(error)
        await sleep(delay, undefined, { signal: closing.signal, ref: false }).catch(() => undefined)
      }
    }
  }

  /** Describes an error without the address, and without the mail server's text, which may repeat the e-mail. */
  function logFailure(error: unknown): void {
    logger.warn(toSentence(`A sign-in e-mail was not sent: ${readServiceFailure(error).problem}`))
  }

  return {
    // The function is bound here: e-mails must not be part of the trace or log context of the request that asks for them.
    /** Returns at once, and sends in the background. */
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

function isFinal(error: unknown): boolean {
  const { permanent, problem } = readServiceFailure(error)
  return permanent || problem === 'overloaded'
}
