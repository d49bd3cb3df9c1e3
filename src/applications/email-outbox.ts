import { randomBytes } from 'node:crypto'
import { ConfigurationError } from '../contracts/errors.js'
import type { EmailPurpose, QueuedEmail, Store } from '../contracts/store.js'

/** `auth.outbox`: the emails that are to be sent. */
export interface Outbox {
  /**
   * Tries emails again that were given up, at once: all of them, or those of one application, and then also one whose
   * claim link has not been used. Resolves how many; without effect on emails that wait for approval.
   */
  retry(applicationId?: string): Promise<{ retried: number }>
}

/** Letters as the registry puts them in. */
export interface EmailOutbox extends Outbox {
  /** An application's first email, due at once unless it is held. */
  newEmail(applicationId: string, purpose: EmailPurpose, options?: { held?: boolean; overlap?: number }): QueuedEmail
  /**
   * A email, due at once: the one that is still to be sent for the same purpose, begun anew, or else a new one. Of two
   * at once, neither could tell what the other has replaced.
   */
  emailFor(applicationId: string, purpose: EmailPurpose, overlap: number): Promise<QueuedEmail>
  /** Has what is due looked for now rather than at the next turn. */
  wake(): void
  /** Throws `ConfigurationError` where nothing could ever be sent. */
  refuseWithoutMailer(call: string): void
}

interface OutboxOptions {
  readonly store: Store
  readonly opened: () => Promise<unknown>
  readonly now: () => number
  readonly wake: () => void
  readonly hasMailer: boolean
}

export function createEmailOutbox({ store, opened, now, wake, hasMailer }: OutboxOptions): EmailOutbox {
  function newEmail(applicationId: string, purpose: EmailPurpose, { held = false, overlap = 0 } = {}): QueuedEmail {
    return {
      id: `email_${randomBytes(16).toString('hex')}`,
      applicationId,
      purpose,
      state: held ? 'held' : 'due',
      overlap,
      attemptCount: 0,
      attemptedHashes: [],
      claimLinks: [],
      createdAt: now(),
      dueAt: now(),
      leasedUntil: 0,
      problem: undefined,
      version: 1,
    }
  }

  /** A fresh start, back-off and its end included. Whoever is just sending it keeps it until then. */
  function anew(email: QueuedEmail): QueuedEmail {
    const at = now()
    return { ...email, state: 'due', attemptCount: 0, createdAt: at, dueAt: at, version: email.version + 1 }
  }

  return {
    wake,
    refuseWithoutMailer(call) {
      if (hasMailer) return
      throw new ConfigurationError(
        `${call}: mailer is missing. Credentials are mailed: give one, such as smtpMailer() from "express-platform-auth/mailers/smtp".`,
      )
    },
    newEmail,
    async emailFor(applicationId, purpose, overlap) {
      const [unsent] = await store.listEmails({ applicationId, purpose, state: undefined, limit: 1 })
      return unsent ? { ...anew(unsent), overlap } : newEmail(applicationId, purpose, { overlap })
    },
    async retry(applicationId) {
      await opened()
      let retried = 0
      for (const state of applicationId === undefined ? (['failed'] as const) : (['failed', 'claimable'] as const)) {
        for (;;) {
          const emails = await store.listEmails({ applicationId, state, limit: 100 })
          for (const email of emails) if (await store.saveEmail(anew(email))) retried++
          if (emails.length < 100) break
        }
      }
      if (retried > 0) wake()
      return { retried }
    },
  }
}
