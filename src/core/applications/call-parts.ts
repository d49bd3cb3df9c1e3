import type { Store } from '../../shared/contracts/store.js'
import type { ApplicationWriter } from './records/application-writer.js'
import { ConfigurationError } from '../../shared/contracts/errors.js'

/** What the calls on applications share. */
export interface CallParts<Opened = unknown> {
  readonly store: Store
  readonly writer: ApplicationWriter
  /** Resolves once the store is open. */
  readonly opened: () => Promise<Opened>
  /** Undefined in a process that sends no e-mails. */
  readonly sender?: Pick<EmailSender, 'wake'>
  readonly now: () => number
}

/** The feature that sends e-mails, as far as calls that queue them need it. */
export interface EmailSender {
  /** Whether the platform was given one. */
  isGiven(): boolean
  /** Sends e-mails that have become due; no effect without one. */
  wake(): void
}

/** Throws `ConfigurationError` if the platform was given nothing that sends e-mails. */
export function requireSender(sender: EmailSender, call: string): void {
  if (sender.isGiven()) return
  throw new ConfigurationError({
    problem: `${call}: there is nothing that sends e-mails`,
    fix: 'Credentials are mailed: add emails({ mailer }) from "express-platform-auth/emails" to the option features.',
  })
}
