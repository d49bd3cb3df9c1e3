import { createApprovalLinks } from '../../core/applications/decisions/approval-requests.js'
import type { Api } from '../../shared/contracts/api.js'
import { StoreUnavailableError, toSentence } from '../../shared/contracts/errors.js'
import type { Core } from '../../feature.js'
import { readBrand } from '../../shared/web/read-brand.js'
import { createAttempts } from './attempt.js'
import { createMailServer, type MailServer } from './mail-server.js'
import { createEmailWriter } from './message.js'
import type { EmailsSettings } from './emails-options.js'
import { createSignInMailer, type SignInMailer } from './sign-in-email.js'
import { createEmailWorker, type EmailWorker } from './worker.js'

export interface Sending
  extends Pick<SignInMailer, 'sendSignIn'>, Pick<MailServer, 'problem'>, Pick<EmailWorker, 'start' | 'wake'> {
  /** Sends what is due, and resolves when that is over. */
  flush(): Promise<void>
  /** Waits for e-mails that are being sent. */
  close(): Promise<void>
}

/** `apis` are as hosts see them. */
export function createSending(core: Core, settings: EmailsSettings, apis: ReadonlyMap<string, Api>): Sending {
  const { logger } = core
  const { developersUrl, baseUrl } = core.settings
  const brand = readBrand(core.settings.brand)
  const portalUrl = core.pageUrl('portal')
  const writeEmail = createEmailWriter({ ...settings, apis, baseUrl, developersUrl, portalUrl, brand, logger })
  const mailServer = createMailServer({ ...core, ...settings, writeEmail })
  // A process without operators never gets here: describeDecision() needs the page on which they decide.
  const isOperator = (address: string): boolean => core.find('registration')?.isOperator(address) ?? false
  const approvalLinks = createApprovalLinks({ ...core, isOperator })
  const attempts = createAttempts({
    ...core,
    ...settings,
    apis,
    developersUrl,
    approvalLinks,
    onFailed: logFailure,
  })
  const worker = createEmailWorker({ ...core, mailServer, attempts, onError: logError })
  const signInMailer = createSignInMailer({ mailServer, logger })

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
    problem: mailServer.problem,
    wake: worker.wake,
    start: worker.start,
    async flush() {
      await Promise.all([worker.flush(), signInMailer.sent()])
    },
    async close() {
      await Promise.all([worker.close(), signInMailer.close()])
    },
  }
}
