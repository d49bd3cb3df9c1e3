import { EventEmitter, once } from 'node:events'
import type { EmailMessage, Mailer } from '../../features/emails/index.js'

/** A mailer that keeps e-mails instead of sending them. */
export interface MemoryMailer extends Mailer {
  /** All e-mails so far, oldest first. */
  readonly emails: readonly EmailMessage[]
  /** The newest e-mail. Throws if there is none: they are sent in the background, so wait with `sent()` first. */
  last(): ReceivedEmail
  /** Resolves all e-mails when there are at least `count`, 1 unless given. Rejects after 5 seconds. */
  sent(count?: number): Promise<readonly ReceivedEmail[]>
}

/** An e-mail, with the credentials and links in it. */
export interface ReceivedEmail extends EmailMessage {
  readonly credentials: EmailedCredentials
}

/** The credentials and links that an e-mail delivers; the others are undefined. */
export interface EmailedCredentials {
  /** The key: `client_id`, and the value of the header of key APIs. */
  readonly clientId: string | undefined
  readonly clientSecret: string | undefined
  /** The page that shows the credentials once; with `delivery: 'claim-link'`. */
  readonly claimLink: string | undefined
}

/** setTimeout is kept, so that fake timers of a test do not hold up `sent()`. */
const { setTimeout } = globalThis
const SENT_TIMEOUT_MS = 5000

/**
 * A mailer for tests that accepts every e-mail and sends none.
 *
 * @example
 * ```ts
 * import { emails } from 'express-platform-auth/emails'
 * import { registration } from 'express-platform-auth/registration'
 * import { createTestPlatform, memoryMailer } from 'express-platform-auth/testing'
 *
 * const mailer = memoryMailer()
 * const apis = { catalog: { scheme: 'apiKey' } } as const
 * const { auth } = createTestPlatform({ apis, features: [emails({ mailer }), registration()] })
 * await auth.registration.register({ name: 'Acme', contact: 'dev@acme.example', apis: ['catalog'] })
 * await mailer.sent()
 * const headers = { 'X-Api-Key': mailer.last().credentials.clientId }
 * ```
 */
export function memoryMailer(): MemoryMailer {
  const emails: EmailMessage[] = []
  const arrivals = new EventEmitter()

  return {
    emails,
    async send(email) {
      emails.push(email)
      arrivals.emit('email')
    },
    last() {
      const email = emails.at(-1)
      if (email) return receive(email)
      throw new Error('No e-mail has been sent. E-mails are sent in the background: wait with "await mailer.sent()".')
    },
    async sent(count = 1) {
      const waiting = new AbortController()
      const timer = setTimeout(() => waiting.abort(), SENT_TIMEOUT_MS)
      try {
        while (emails.length < count) await once(arrivals, 'email', { signal: waiting.signal })
      } catch {
        throw new Error(`${emails.length} of ${count} e-mails were sent within ${SENT_TIMEOUT_MS / 1000} seconds.`)
      } finally {
        clearTimeout(timer)
      }
      return emails.map(receive)
    },
  }
}

function receive(email: EmailMessage): ReceivedEmail {
  const { text } = email
  const credentials = {
    clientId: /\b[A-Za-z]\w{0,19}_key_[0-9A-Za-z]{34}\b/.exec(text)?.[0],
    clientSecret: /\b[A-Za-z]\w{0,19}_sec_[0-9A-Za-z]{49}\b/.exec(text)?.[0],
    claimLink: /https?:\/\/\S+\/claim#[\w-]+/.exec(text)?.[0],
  }
  return { ...email, credentials }
}
