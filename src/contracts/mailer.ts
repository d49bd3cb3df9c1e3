/** One e-mail to one person. */
export interface EmailMessage {
  /** One bare ASCII address. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/**
 * Whatever can send a email. Resolves once the mail server has accepted it. Rejects otherwise, with `refused: true` on
 * the error where the server has certainly not accepted it, and `permanent: true` where it would refuse it again; after
 * any other rejection the email may have been sent, and its credentials stay good beside those of the next one. A
 * mailer that says nothing for a minute is taken to have rejected like that, and should have given up by then.
 */
export interface Mailer {
  send(email: EmailMessage): Promise<void>
}
