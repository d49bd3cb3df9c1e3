/** One e-mail to one person. */
export interface Letter {
  /** One bare ASCII address. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/**
 * Whatever can send a letter. Resolves once the mail server has accepted it; rejects otherwise, with
 * `permanent: true` on the error where another try would be refused as well.
 */
export interface Mailer {
  send(letter: Letter): Promise<void>
}
