import type { Letter, Mailer } from '../index.js'

/** A mailer that keeps what it is given to send. */
export interface MemoryMailer extends Mailer {
  /** Every letter so far, oldest first. */
  readonly letters: readonly Letter[]
}

/**
 * A mailer for tests: accepts every letter, and sends none.
 *
 * @example
 * ```ts
 * import { memoryMailer } from 'express-platform-auth/testing'
 *
 * const mailer = memoryMailer()
 * await mailer.send({ to: 'dev@example.com', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' })
 * mailer.letters[0]?.subject // 'Hello'
 * ```
 */
export function memoryMailer(): MemoryMailer {
  const letters: Letter[] = []
  return {
    letters,
    async send(letter) {
      letters.push(letter)
    },
  }
}
