import { Readable } from 'node:stream'
import type { EmailMessage, Mailer } from '../contracts/mailer.js'

/** Whom emails come from: a bare address, or an address with a name beside it. */
export type Sender = string | { readonly name: string; readonly address: string }

/** As much of a nodemailer transport as is used. */
export interface SmtpTransport {
  sendMail(message: SmtpMessage): Promise<unknown>
}

/** What a transport is given: strings alone, and nothing for it to take apart, to look up or to fetch. */
export interface SmtpMessage {
  readonly from: { name: string; address: string }
  readonly to: { name: string; address: string }
  /** Whom the mail server is told, whatever the headers say. */
  readonly envelope: { from: string; to: string[] }
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly disableFileAccess: true
  readonly disableUrlAccess: true
  readonly signal: AbortSignal
}

/**
 * A mailer that hands emails to a mail server by SMTP (RFC 5321), through nodemailer.
 *
 * Give the transport time-outs well below a minute, such as those of the example: nodemailer's own are as long as 10
 * minutes, and whatever is not over after 50 seconds is broken off here. A pooled transport needs `maxRequeues: 0`.
 *
 * What the server says to connection, TLS and login concerns no email: a wrong password is tried again until somebody
 * has set it right. So is every 4xx. A 5xx to sender, recipient or email is final, except those that ask for another
 * login or order of commands (503, 530, 534, 535, 538); once the cause is gone, `auth.outbox.retry()` begins again.
 *
 * @example
 * ```ts
 * import { createTransport } from 'nodemailer'
 * import { smtpMailer } from 'express-platform-auth/mailers/smtp'
 *
 * const mailer = smtpMailer({
 *   transport: createTransport({
 *     host: 'smtp.example.com',
 *     port: 587,
 *     requireTLS: true,
 *     auth: { user: 'platform', pass: process.env['SMTP_PASSWORD'] },
 *     connectionTimeout: 10_000,
 *     greetingTimeout: 10_000,
 *     socketTimeout: 30_000,
 *   }),
 *   from: { name: 'Example developers', address: 'developers@example.com' },
 * })
 * ```
 */
export function smtpMailer({ transport, from }: { readonly transport: SmtpTransport; readonly from: Sender }): Mailer {
  const sender = readSender(from)
  refuseUnfit(transport)
  const watch = watchContent(transport)

  return {
    async send({ to, subject, text, html }: EmailMessage) {
      const envelope = { from: sender.address, to: [to] }
      const hasLeft = watch(envelope)
      try {
        const sent = await transport.sendMail({
          from: { ...sender },
          to: { name: '', address: to },
          envelope,
          subject,
          text,
          html,
          disableFileAccess: true,
          disableUrlAccess: true,
          signal: AbortSignal.timeout(PATIENCE),
        })
        refuseRejected(sent)
      } catch (cause) {
        throw failureOf(cause, hasLeft())
      }
    },
  }
}

/** Milliseconds: less than the platform waits for a mailer, so that no email is under way while the next one begins. */
const PATIENCE = 50_000

function readSender(from: unknown): { name: string; address: string } {
  const { name, address } = (typeof from === 'string' ? { name: '', address: from } : (from ?? {})) as Record<
    string,
    unknown
  >
  if (typeof name === 'string' && !/\p{C}/u.test(name) && typeof address === 'string' && ADDRESS.test(address)) {
    return { name, address }
  }
  throw new TypeError(
    `from is ${JSON.stringify(from)}. Give one plain address, such as 'developers@example.com', or { name: 'Example developers', address: 'developers@example.com' }.`,
  )
}

const ADDRESS = /^[^\s<>()[\]\\,;:"@\p{C}]+@[^\s<>()[\]\\,;:"@\p{C}]+$/u

/** What is used of nodemailer beside `sendMail()`, where it is there. */
interface Nodemailer extends Partial<SmtpTransport> {
  readonly transporter?: { readonly name?: string; readonly options?: { readonly maxRequeues?: number } }
  use?(step: 'stream', plugin: (mail: Mail, done: () => void) => void): unknown
}

interface Mail {
  readonly data: { readonly envelope?: object }
  readonly message: { processFunc?(wrap: (content: Readable) => Readable): void }
}

function refuseUnfit(transport: Nodemailer | undefined): void {
  if (typeof transport?.sendMail !== 'function') {
    throw new TypeError('transport has no sendMail(). Give what createTransport() of nodemailer makes.')
  }
  // After a try with an unknown outcome it makes another: whatever that ends with says nothing of the first.
  if (transport.transporter?.options?.maxRequeues) {
    throw new TypeError(
      'transport sends emails again by itself when a connection is lost. Give the pool maxRequeues: 0; the platform tries again.',
    )
  }
}

/**
 * For each envelope, whether its email may have left. nodemailer's errors don't tell: a connection lost before DATA
 * looks like one lost after it. But its SMTP transports read a email only once the server has asked for it.
 */
function watchContent(transport: Nodemailer): (envelope: object) => () => boolean {
  // Other transports may take a email's parts and never read the whole.
  if (!transport.use || !transport.transporter?.name?.startsWith('SMTP')) return () => () => true

  const left = new WeakMap<object, boolean>()
  transport.use('stream', ({ data: { envelope }, message }, done) => {
    if (envelope && left.has(envelope) && message.processFunc) {
      left.set(envelope, false)
      message.processFunc((content) => Readable.from(telling(content, () => left.set(envelope, true))))
    }
    done()
  })
  return function watch(envelope) {
    left.set(envelope, true)
    return () => left.get(envelope) !== false
  }
}

async function* telling(content: Readable, tell: () => void): AsyncGenerator {
  tell()
  yield* content
}

/** LMTP, which nodemailer speaks as well, answers for each recipient, and nodemailer resolves whatever that was. */
function refuseRejected(sent: unknown): void {
  const [rejected] = (sent as { rejectedErrors?: readonly unknown[] } | undefined)?.rejectedErrors ?? []
  if (rejected !== undefined) throw rejected
}

/** The error in the words of `Mailer`. */
function failureOf(cause: unknown, hasLeft: boolean): Error {
  const { code, responseCode, command } = (cause ?? {}) as { code?: unknown; responseCode?: unknown; command?: unknown }
  const answer =
    typeof responseCode === 'number' && responseCode >= 400 && responseCode < 600 ? responseCode : undefined
  const refused = answer !== undefined || !hasLeft
  const permanent = answer !== undefined && answer >= 500 && !OTHERWISE.has(answer) && ABOUT_EMAILS.has(command)
  return Object.assign(
    new Error(
      refused ? 'The mail server has not accepted the email.' : 'The mail server may have accepted the email.',
      {
        cause,
      },
    ),
    { code, responseCode, ...(refused && { refused }), ...(permanent && { permanent }) },
  )
}

/** The commands whose answer is about one email; every other is about all of them. */
const ABOUT_EMAILS: ReadonlySet<unknown> = new Set(['MAIL FROM', 'RCPT TO', 'DATA'])
/** RFC 5321 4.2.2, RFC 4954 6: not like this, or not without another login. */
const OTHERWISE: ReadonlySet<number> = new Set([503, 530, 534, 535, 538])
