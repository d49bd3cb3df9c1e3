import { randomBytes } from 'node:crypto'
import { ConfigurationError } from '../contracts/errors.js'
import type { EmailPurpose, QueuedEmail, Store } from '../contracts/store.js'

/** `auth.outbox`: the e-mails that are to be sent (a transactional outbox). */
export interface Outbox {
  /**
   * Makes failed e-mails due at once: all of them, or those of one application. For one application, also an e-mail whose
   * claim link has not been used. Resolves how many. Has no effect on e-mails that wait for approval.
   */
  retry(applicationId?: string): Promise<{ retried: number }>
}

interface OutboxOptions {
  readonly store: Store
  /** Resolves once the store is open. */
  readonly opened: () => Promise<unknown>
  /** Called when e-mails have become due; undefined in a process that sends none. */
  readonly onEmailDue?: () => void
  readonly now: () => number
}

const RETRY_PAGE_SIZE = 100

export function createOutbox({ store, opened, onEmailDue, now }: OutboxOptions): Outbox {
  async function retryAll(applicationId: string | undefined, state: QueuedEmail['state']): Promise<number> {
    let retried = 0
    for (;;) {
      const emails = await store.listEmails({ applicationId, state, limit: RETRY_PAGE_SIZE })
      for (const email of emails) if (await store.saveEmail(requeueEmail(email, now()))) retried++
      if (emails.length < RETRY_PAGE_SIZE) return retried
    }
  }

  return {
    async retry(applicationId) {
      await opened()
      let retried = await retryAll(applicationId, 'failed')
      if (applicationId !== undefined) retried += await retryAll(applicationId, 'claimable')
      if (retried > 0) onEmailDue?.()
      return { retried }
    },
  }
}

/** A new e-mail: due at once, or held until the registration is approved. */
export function createQueuedEmail(
  applicationId: string,
  purpose: EmailPurpose,
  now: number,
  { held = false, overlap = 0 } = {},
): QueuedEmail {
  return {
    id: `email_${randomBytes(16).toString('hex')}`,
    applicationId,
    purpose,
    state: held ? 'held' : 'due',
    overlap,
    attemptCount: 0,
    attemptedHashes: [],
    claimLinks: [],
    createdAt: now,
    dueAt: now,
    leasedUntil: 0,
    problem: undefined,
    version: 1,
  }
}

/** The e-mail as if it were new: due at once, back-off and its 72 hours start again. A lease stays until it ends. */
export function requeueEmail(email: QueuedEmail, now: number): QueuedEmail {
  return { ...email, state: 'due', attemptCount: 0, createdAt: now, dueAt: now, version: email.version + 1 }
}

/** The application's e-mail for a purpose, if one is queued. There is at most one: with two, neither would know which credentials the other replaces. */
export async function findQueuedEmail(
  store: Store,
  applicationId: string,
  purpose: EmailPurpose,
): Promise<QueuedEmail | undefined> {
  const [email] = await store.listEmails({ applicationId, purpose, state: undefined, limit: 1 })
  return email
}

/** Throws `ConfigurationError` if nothing could ever be sent. */
export function requireMailer(hasMailer: boolean, call: string): void {
  if (hasMailer) return
  throw new ConfigurationError({
    problem: `${call}: mailer is missing`,
    fix: 'Credentials are mailed: give the option mailer, such as smtpMailer() from "express-platform-auth/mailers/smtp".',
  })
}
