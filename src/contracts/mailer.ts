/** One e-mail to one recipient. */
export interface EmailMessage {
  /** One bare ASCII address. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/**
 * Sends e-mails. `send` resolves when the mail server has accepted the e-mail, and rejects otherwise. On the error,
 * `refused: true` says that the server has certainly not accepted it, and `permanent: true` that it would refuse it again.
 * After any other rejection the e-mail may have been sent, so its credentials stay valid beside those of the next attempt.
 * A `send` that has not settled after 60 seconds counts as such a rejection; it should have a shorter time-out of its own.
 */
export interface Mailer {
  send(email: EmailMessage): Promise<void>
  /** Optional, for the doctor: rejects if the mail server cannot be used. Sends nothing. */
  verify?(): Promise<unknown>
}
