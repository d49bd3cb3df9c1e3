import { Readable } from 'node:stream'
import type { EmailMessage, Mailer } from '../../shared/contracts/composed-email.js'
import { isPermanentReply } from '../../shared/lib/service-failure.js'

/** The sender of e-mails: an address, or an address with a name. */
export type Sender = string | { readonly name: string; readonly address: string }

/** The part of a nodemailer transport that is used. */
export interface SmtpTransport {
  sendMail(message: SmtpMessage): Promise<unknown>
  /** Connects and logs in, as nodemailer's SMTP transports do. */
  verify?(): Promise<unknown>
}

/** The argument of `sendMail()`: plain strings, and nothing that a transport would parse, read from disk or fetch. */
export interface SmtpMessage {
  readonly from: { name: string; address: string }
  readonly to: { name: string; address: string }
  /** The addresses in the SMTP session (RFC 5321 3.3), whatever the headers say. */
  readonly envelope: { from: string; to: string[] }
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
  readonly disableFileAccess: true
  readonly disableUrlAccess: true
  readonly signal: AbortSignal
}

/**
 * A mailer that sends e-mails to a mail server by SMTP (RFC 5321), through nodemailer.
 *
 * Give the transport time-outs well below a minute, as in the example: nodemailer's defaults are up to 10 minutes, and
 * after 50 seconds an attempt is aborted here (nodemailer 10; earlier versions go on). A pooled transport needs
 * `maxRequeues: 0`.
 *
 * An error of connection, TLS or login concerns no single e-mail, so e-mails are retried until the cause (a wrong
 * password, say) is removed. So are they after every 4xx. A 5xx to sender, recipient or content is permanent, except
 * those that ask for another login or order of commands (503, 530, 534, 535, 538); `auth.emails.retry()` starts again.
 * `verify()` connects and logs in without sending; the doctor calls it.
 *
 * @example
 * ```ts
 * import { createTransport } from 'nodemailer'
 * import { smtpMailer } from 'express-platform-auth/emails'
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
  checkTransport(transport)
  const watchEnvelope = watchContent(transport)
  const { verify, transporter }: Nodemailer = transport
  // nodemailer's `verify()` resolves false for transports that have none, such as sendmail.
  const canVerify = typeof verify === 'function' && (!transporter || typeof transporter.verify === 'function')

  return {
    async send({ to, subject, text, html, headers }: EmailMessage) {
      const envelope = { from: sender.address, to: [to] }
      const mayHaveBeenReceived = watchEnvelope(envelope)
      try {
        const sent = await transport.sendMail({
          from: { ...sender },
          to: { name: '', address: to },
          envelope,
          subject,
          text,
          html,
          headers: { ...headers },
          disableFileAccess: true,
          disableUrlAccess: true,
          signal: AbortSignal.timeout(SMTP_TIMEOUT_MS),
        })
        throwRejection(sent)
      } catch (cause) {
        throw toMailerError(cause, mayHaveBeenReceived())
      }
    },
    ...(canVerify && { verify: () => transport.verify!() }),
  }
}

/** Less than the platform's time-out for a mailer (60 s), so that an attempt ends before the next begins. */
const SMTP_TIMEOUT_MS = 50_000

function readSender(from: unknown): { name: string; address: string } {
  const { name, address } = (typeof from === 'string' ? { name: '', address: from } : (from ?? {})) as Record<
    string,
    unknown
  >
  if (typeof name === 'string' && !/\p{C}/u.test(name) && typeof address === 'string' && ADDRESS.test(address))
    return { name, address }
  throw new TypeError(
    `from is ${JSON.stringify(from)}. Write smtpMailer({ transport, from }), with one plain address, such as 'developers@example.com', or { name: 'Example developers', address: 'developers@example.com' }.`,
  )
}

const ADDRESS = /^[^\s<>()[\]\\,;:"@\p{C}]+@[^\s<>()[\]\\,;:"@\p{C}]+$/u

interface Nodemailer extends Partial<SmtpTransport> {
  readonly transporter?: {
    readonly name?: string
    readonly options?: { readonly maxRequeues?: number }
    readonly verify?: unknown
  }
  use?(step: 'stream', plugin: (mail: Mail, done: () => void) => void): unknown
}

interface Mail {
  readonly data: { readonly envelope?: object }
  readonly message: { processFunc?(wrap: (content: Readable) => Readable): void }
}

function checkTransport(transport: Nodemailer | undefined): void {
  if (typeof transport?.sendMail !== 'function')
    throw new TypeError('transport has no sendMail(). Give the result of createTransport() of nodemailer.')
  // Such a pool sends again after an unknown outcome, and reports the result of the last attempt only. Before version 10 of
  // nodemailer the option is undefined if it was left out, and the pool sends again without end.
  const { name, options } = transport.transporter ?? {}
  if (name === 'SMTP (pool)' && options?.maxRequeues !== 0)
    throw new TypeError(
      'transport sends e-mails again by itself when a connection is lost. Give the pool maxRequeues: 0; the platform retries.',
    )
}

/** For each envelope, whether the server may have the e-mail: nodemailer's transports read it only when the server has accepted DATA. */
function watchContent(transport: Nodemailer): (envelope: object) => () => boolean {
  // Other transports may send an e-mail without reading it as a stream.
  if (!transport.use || !transport.transporter?.name?.startsWith('SMTP')) return () => () => true

  const received = new WeakMap<object, boolean>()
  transport.use('stream', ({ data: { envelope }, message }, done) => {
    if (envelope && received.has(envelope) && message.processFunc) {
      received.set(envelope, false)
      message.processFunc((content) => Readable.from(notifyRead(content, () => received.set(envelope, true))))
    }
    done()
  })
  return function watchEnvelope(envelope) {
    received.set(envelope, true)
    return () => received.get(envelope) !== false
  }
}

async function* notifyRead(content: Readable, onRead: () => void): AsyncGenerator {
  onRead()
  yield* content
}

/** LMTP answers for each recipient, and nodemailer resolves anyway; before version 10 the result has the reply, and no error. */
function throwRejection(sent: unknown): void {
  const {
    rejectedErrors = [],
    rejected = [],
    response,
  } = Object(sent) as {
    readonly rejectedErrors?: readonly unknown[]
    readonly rejected?: readonly unknown[]
    readonly response?: unknown
  }
  if (rejectedErrors.length > 0) throw rejectedErrors[0]
  if (rejected.length === 0) return
  const responseCode = Number.parseInt(String(response), 10)
  throw Object.assign(new Error('The mail server rejected the recipient.'), { responseCode, command: 'DATA' })
}

function toMailerError(cause: unknown, mayHaveBeenReceived: boolean): Error {
  const { code, responseCode, command } = (cause ?? {}) as { code?: unknown; responseCode?: unknown; command?: unknown }
  const reply = typeof responseCode === 'number' && responseCode >= 400 && responseCode < 600 ? responseCode : undefined
  const refused = reply !== undefined || !mayHaveBeenReceived
  const permanent = reply !== undefined && isPermanentReply(reply, command)
  const message = refused
    ? 'The mail server has not accepted the e-mail.'
    : 'The mail server may have accepted the e-mail.'
  return Object.assign(new Error(message, { cause }), {
    code,
    responseCode,
    ...(refused && { refused }),
    ...(permanent && { permanent }),
  })
}
