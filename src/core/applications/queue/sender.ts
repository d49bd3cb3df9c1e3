import { ConfigurationError } from '../../../shared/contracts/errors.js'

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
