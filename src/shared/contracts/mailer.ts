/** One e-mail to one recipient. */
export interface EmailMessage {
  /** The recipient: one bare ASCII address. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /**
   * Headers that the e-mail is to have, by name: `Auto-Submitted` (RFC 3834) and `X-Auto-Response-Suppress` keep mailboxes from
   * answering by themselves, with the credentials of the e-mail in what they quote.
   */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Sends e-mails. `send` resolves when the mail server has accepted the e-mail, and rejects otherwise. A result that tells of
 * a failure, as the SDKs of some services resolve with, counts as a rejection too: an `error`, `ok: false`, a status of 400 or
 * more, `rejected` recipients, an `ErrorCode`, false.
 *
 * On the error, `refused: true` says that the server has certainly not accepted the e-mail, and `permanent: true` that it
 * would refuse it again. Without them the status decides with which the service has answered. After any other rejection the
 * e-mail may have been sent, so its credentials stay valid beside those of the next attempt. A `send` that has not settled
 * after 60 seconds counts as such a rejection; it should have a shorter time-out of its own.
 */
export interface Mailer {
  send(email: EmailMessage): Promise<unknown>
  /** Optional, for the doctor: rejects if the mail server cannot be used. Sends nothing. */
  verify?(): Promise<unknown>
}
