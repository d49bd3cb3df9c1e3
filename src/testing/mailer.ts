import type { EmailMessage, Mailer } from '../index.js'

/** A mailer that keeps e-mails instead of sending them. */
export interface MemoryMailer extends Mailer {
  /** All e-mails so far, oldest first. */
  readonly emails: readonly EmailMessage[]
}

/**
 * A mailer for tests that accepts every e-mail and sends none.
 *
 * @example
 * ```ts
 * import { memoryMailer } from 'express-platform-auth/testing'
 *
 * const mailer = memoryMailer()
 * await mailer.send({ to: 'dev@example.com', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' })
 * mailer.emails[0]?.subject // 'Hello'
 * ```
 */
export function memoryMailer(): MemoryMailer {
  const emails: EmailMessage[] = []
  return {
    emails,
    async send(email) {
      emails.push(email)
    },
  }
}
