import { withCheckedArguments } from '../../core/applications/call-arguments.js'
import type { Api } from '../../shared/contracts/api.js'
import type { Core, Feature, FeaturePart } from '../../feature.js'
import { toPublicApi } from '../../core/options/read-apis.js'
import { createPageBrand } from '../../shared/web/page-brand.js'
import { readBrand } from '../../shared/web/read-brand.js'
import type { PlatformAuth } from '../../index.js'
import { createClaim, createClaimRouter } from './claim-link.js'
import { diagnoseMailer } from './mail-server.js'
import { readEmailsOptions, type EmailsOptions, type EmailsSettings } from './emails-options.js'
import { createReminders } from './reminders.js'
import { createSending } from './sending.js'
import { createEmailQueue, QUEUE_PARAMETERS, type EmailQueue } from './email-queue.js'
import type { Middleware } from '../../core/http/middleware.js'

export { smtpMailer, type Sender, type SmtpMessage, type SmtpTransport } from './smtp.js'
export type { EmailMessage, Mailer } from '../../shared/contracts/composed-email.js'
export type {
  ComposedEmail,
  ComposeEmail,
  EmailCode,
  EmailLink,
  EmailSample,
  EmailTexts,
  EmailToCompose,
} from '../../shared/contracts/composed-email.js'
export type {
  ApprovalRequestEmail,
  ApprovedEmail,
  ChangesEmail,
  ContactChange,
  ContactChangeType,
  CredentialsEmail,
  EmailApplication,
  EmailContent,
  EmailGrants,
  ExpiringEmail,
  InvitationEmail,
  RejectionEmail,
  SignInEmail,
  SuspendedEmail,
} from '../../shared/contracts/email-content.js'
export type { EmailsOptions } from './emails-options.js'
export type { EmailEntry, EmailListQuery, EmailQueue, EmailQueueStatus } from './email-queue.js'

/** What `emails()` returns, for the option `features`. */
export interface EmailsFeature extends Feature<'emails'> {
  readonly calls?: Emails
}

/** Any platform that was given `emails()`. */
// oxlint-disable-next-line typescript/no-explicit-any -- a function that takes any platform can't know its APIs' names and its schema
export type WithEmails = PlatformAuth<any, any, readonly [EmailsFeature]>

/**
 * Sends the queued e-mails: credentials, links to them, reminders, decisions. `auth.emails` has what waits, and the page of claim
 * links. It throws nothing; `createPlatformAuth()` validates its options.
 *
 * @example
 * ```ts
 * import { createTransport } from 'nodemailer'
 * import { createPlatformAuth } from 'express-platform-auth'
 * import { emails, smtpMailer } from 'express-platform-auth/emails'
 *
 * const auth = createPlatformAuth({
 *   baseUrl: 'http://localhost:3000',
 *   apis: { catalog: { scheme: 'apiKey' } },
 *   features: [
 *     emails({ mailer: smtpMailer({ transport: createTransport('smtp://localhost:1025'), from: 'apis@example.com' }) }),
 *   ],
 * })
 * await auth.emails.retry()
 * ```
 */
export function emails(options: EmailsOptions): EmailsFeature {
  return {
    name: 'emails',
    storeParts: ['emails'],
    pages: { claim: '/register/claim' },
    prepare(settings, warn) {
      const read = readEmailsOptions(options, settings)
      readBrand(settings.brand, warn)
      return (core) => createEmailsPart(core, read)
    },
  }
}

function createEmailsPart(core: Core, settings: EmailsSettings): FeaturePart {
  const { store, opened, wakeSender, now } = core
  const { brand, developersUrl } = core.settings
  const apis: ReadonlyMap<string, Api> = new Map([...core.settings.apis].map(([name, api]) => [name, toPublicApi(api)]))
  const sending = createSending(core, settings, apis)
  const reminders = createReminders(core, settings.remindBefore)
  const links = { brand: createPageBrand(brand), developersUrl, portalUrl: core.pageUrl('portal') }
  const createCalls = (writer: Core['writer']) =>
    withCheckedArguments(QUEUE_PARAMETERS, createEmailQueue(store, writer, opened, now, wakeSender))
  return {
    calls: {
      ...createCalls(core.writer),
      router: createClaimRouter(core, createClaim(core, apis), links),
    },
    createCalls,
    offers: { sendSignIn: sending.sendSignIn, preview: sending.preview },
    wakeSender: sending.wake,
    problem: sending.problem,
    diagnose: () => diagnoseMailer(settings.mailer),
    start() {
      sending.start()
      reminders.start()
    },
    async flush() {
      try {
        await reminders.flush()
      } finally {
        await sending.flush()
      }
    },
    async stop() {
      await reminders.close()
      await sending.close()
    },
  }
}

/** `auth.emails`: the e-mails that are to be sent. */
export interface Emails extends EmailQueue {
  /**
   * The page at `/claim` that shows the credentials of a claim link, once. The console serves it at `/register`; without the console
   * mount it at `{developersUrl}/register`.
   */
  readonly router: Middleware
}
