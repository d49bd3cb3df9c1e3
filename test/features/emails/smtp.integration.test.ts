import { createTransport } from 'nodemailer'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import type { EmailMessage, Mailer } from '../../../src/features/emails/index.js'
import { smtpMailer, type SmtpTransport } from '../../../src/features/emails/smtp.js'
import { freePort } from '../../support/free-port.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import {
  LOGIN,
  readMail,
  SHORT_TIMEOUTS,
  startMailServer,
  STAGES,
  transportTo,
  type Fault,
  type MailServer,
  type Stage,
} from '../../support/smtp.js'
import { timeBound } from '../../support/time-bound.js'

const FROM = { name: 'Example developers', address: 'developers@example.com' }
const EMAIL: EmailMessage = {
  to: 'dev@customer.example',
  subject: 'Your credentials',
  text: 'The key is k.\n.\nThe secret is s.\n',
  html: '<p>The key is <b>k</b>.</p>',
  headers: { 'Auto-Submitted': 'auto-generated' },
}

/** What a mailer rejected with, in terms of the contract of `Mailer`. */
async function readOutcome(sending: Promise<unknown>): Promise<Record<string, unknown>> {
  const error = await sending.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error === undefined) return { accepted: true }
  expect(error).toBeInstanceOf(Error)
  const { refused, permanent } = error as { refused?: boolean; permanent?: boolean }
  return { ...(refused !== undefined && { refused }), ...(permanent !== undefined && { permanent }) }
}

const REFUSED = { refused: true }
const PERMANENT = { refused: true, permanent: true }
const UNKNOWN = {}

const refuse = (code: number): Fault => ({ does: 'refuse', code })
const stall = { does: 'stall' } as const
const drop = { does: 'drop' } as const

/** The outcomes of these faults at these stages. */
const OUTCOMES: readonly (readonly [readonly Stage[], readonly Fault[], object])[] = [
  [STAGES, [refuse(451), refuse(421)], REFUSED],
  [['connect', 'EHLO', 'AUTH'], [refuse(535), refuse(554)], REFUSED],
  [['MAIL', 'RCPT', 'DATA', 'content', 'end'], [refuse(550), refuse(554)], PERMANENT],
  // These concern the session, also as replies to sender or recipient.
  [['MAIL', 'RCPT'], [503, 530, 534, 535, 538].map(refuse), REFUSED],
  // Nothing of the e-mail has left.
  [['connect', 'EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA'], [drop, stall], REFUSED],
  [['content', 'end'], [drop, stall], UNKNOWN],
  // The server has the e-mail.
  [
    ['end'],
    [
      { ...drop, kept: true },
      { ...stall, kept: true },
    ],
    UNKNOWN,
  ],
]

describe.concurrent.each([
  ['with commands sent together (RFC 2920)', {}, {}],
  ['one command at a time', { hidePIPELINING: true }, {}],
  ['through a pool', {}, { pool: true, maxRequeues: 0, maxMessages: 1 }],
])('smtpMailer() %s', (name, serverOptions, transportOptions) => {
  /** The first fault of each kind suffices in the other modes. */
  const isWhole = IS_LONG_LANE || name.startsWith('with')

  async function open({ onTestFinished }: TestContext, timeouts = {}): Promise<{ server: MailServer; mailer: Mailer }> {
    const server = await startMailServer(serverOptions)
    const transport = transportTo(server, { ...timeouts, ...transportOptions })
    onTestFinished(async () => {
      transport.close()
      await server.close()
    })
    return { server, mailer: smtpMailer({ transport, from: FROM }) }
  }

  it.for(STAGES)('every fault at %s has its outcome, and the next e-mail gets through', async (stage, test) => {
    const { server, mailer } = await open(test, SHORT_TIMEOUTS)
    for (const [stages, faults, outcome] of OUTCOMES) {
      for (const fault of stages.includes(stage) ? (isWhole ? faults : faults.slice(0, 1)) : []) {
        const before = server.mails.length
        server.fault = (at) => (at === stage ? fault : undefined)
        test.expect([fault, await readOutcome(mailer.send(EMAIL))]).toEqual([fault, outcome])
        server.fault = undefined
        test.expect(server.mails.length - before).toBe(fault.kept ? 1 : 0)
        test.expect(await readOutcome(mailer.send(EMAIL))).toEqual({ accepted: true })
      }
    }
  })

  it('sends an e-mail unchanged', async (test) => {
    const { expect } = test
    const { server, mailer } = await open(test)
    await mailer.send(EMAIL)
    const mail = server.mails.at(-1)!
    expect(mail).toMatchObject({ sender: 'developers@example.com', recipients: ['dev@customer.example'] })
    const { from, to, subject, text, html, cc, bcc, attachments } = await readMail(mail)
    expect({ from, to, subject, cc, bcc, attachments }).toEqual({
      from: FROM,
      to: [{ name: '', address: 'dev@customer.example' }],
      subject: 'Your credentials',
      cc: undefined,
      bcc: undefined,
      attachments: [],
    })
    expect(text?.trimEnd()).toBe(EMAIL.text.trimEnd())
    expect(html?.trimEnd()).toBe(EMAIL.html)
  })

  it('verify() logs in and sends nothing, and rejects if the server refuses or does not answer', async (test) => {
    const { expect } = test
    const { server, mailer } = await open(test)
    await mailer.verify!()
    server.fault = (stage) => (stage === 'AUTH' ? refuse(535) : undefined)
    await expect(mailer.verify!()).rejects.toMatchObject({ code: 'EAUTH' })
    server.fault = (stage) => (stage === 'EHLO' ? { does: 'drop' } : undefined)
    await expect(mailer.verify!()).rejects.toThrow()
    expect(server.mails).toEqual([])
    expect(smtpMailer({ transport: createTransport({ jsonTransport: true }), from: FROM })).not.toHaveProperty('verify')
  })

  it('rejects with nodemailer’s code, and its error as the cause', async (test) => {
    const { expect } = test
    const { server, mailer } = await open(test)
    server.fault = (stage) => (stage === 'RCPT' ? refuse(550) : undefined)
    await expect(mailer.send(EMAIL)).rejects.toMatchObject({
      message: 'The mail server has not accepted the e-mail.',
      code: 'EENVELOPE',
      responseCode: 550,
      cause: { response: expect.stringContaining('repeats what it refuses') as string },
    })
  })
})

describe('smtpMailer()', () => {
  let server: MailServer
  beforeAll(async () => void (server = await startMailServer()))
  afterAll(() => server.close())

  it('reports a wrong password as refused, not permanently', async () => {
    const transport = transportTo(server, { auth: { ...LOGIN, pass: 'wrong' } })
    const sending = smtpMailer({ transport, from: FROM }).send(EMAIL)
    await expect(sending).rejects.toMatchObject({ code: 'EAUTH', responseCode: 535, refused: true })
    expect(await readOutcome(smtpMailer({ transport, from: FROM }).send(EMAIL))).toEqual(REFUSED)
  })

  it('reports an unreachable server or an untrusted certificate as refused', async () => {
    const port = await freePort()
    expect(await readOutcome(smtpMailer({ transport: transportTo({ port }), from: FROM }).send(EMAIL))).toEqual(REFUSED)
    const host = { ...SHORT_TIMEOUTS, host: 'unknown.invalid' }
    expect(await readOutcome(smtpMailer({ transport: transportTo(server, host), from: FROM }).send(EMAIL))).toEqual(
      REFUSED,
    )

    // The default certificate of smtp-server is self-signed.
    const secure = await startMailServer({ disabledCommands: [] })
    const transport = transportTo({ port: secure.directPort }, { requireTLS: true })
    await expect(smtpMailer({ transport, from: FROM }).send(EMAIL)).rejects.toMatchObject({
      code: 'ESOCKET',
      refused: true,
    })
    expect(await readOutcome(smtpMailer({ transport, from: FROM }).send(EMAIL))).toEqual(REFUSED)
    await secure.close()
  })

  it('sends to the one recipient, whatever the transport’s defaults would add', async () => {
    const defaults = { to: 'a@evil.example', cc: 'b@evil.example', bcc: 'c@evil.example', from: 'd@evil.example' }
    const { host, port } = { host: '127.0.0.1', port: server.port }
    const transport = createTransport({ host, port, auth: LOGIN }, defaults)
    await smtpMailer({ transport, from: 'developers@example.com' }).send(EMAIL)
    expect(server.mails.at(-1)).toMatchObject({
      sender: 'developers@example.com',
      recipients: ['dev@customer.example'],
    })
  })

  it('lets nodemailer read nothing from disk and fetch nothing', async () => {
    const message = await captureMessage(EMAIL)
    expect(message).toMatchObject({
      from: FROM,
      to: { name: '', address: 'dev@customer.example' },
      envelope: { from: 'developers@example.com', to: ['dev@customer.example'] },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    for (const part of ['subject', 'text', 'html']) expect(message[part]).toBe(EMAIL[part as keyof EmailMessage])
  })

  it('aborts an attempt before the platform’s own time-out', async () => {
    const signal = (await captureMessage(EMAIL))['signal'] as AbortSignal
    expect(signal.aborted).toBe(false)
    // The same signal after less time: nodemailer ends the session.
    server.fault = (stage) => (stage === 'MAIL' ? { does: 'stall' } : undefined)
    const slow = transportTo(server)
    const aborted: SmtpTransport = Object.assign(Object.create(slow) as typeof slow, {
      sendMail: (message: object) => slow.sendMail({ ...message, signal: AbortSignal.timeout(300) }),
    })
    const asked = performance.now()
    expect(await readOutcome(smtpMailer({ transport: aborted, from: FROM }).send(EMAIL))).toEqual(REFUSED)
    expect(performance.now() - asked).toBeLessThan(timeBound(5000))
    server.fault = undefined
  })

  it('judges a transport that is not nodemailer’s by the server’s replies only', async () => {
    const failing = (error: unknown): SmtpTransport => ({
      async sendMail() {
        throw error
      },
    })
    const outcome = (error: unknown) => readOutcome(smtpMailer({ transport: failing(error), from: FROM }).send(EMAIL))
    expect(await outcome({ code: 'ECONNECTION' })).toEqual(UNKNOWN)
    expect(await outcome({ code: 'EAUTH', responseCode: 535 })).toEqual(REFUSED)
    expect(await outcome({ responseCode: 550 })).toEqual(REFUSED)
    expect(await outcome({ responseCode: 550, command: 'RCPT TO' })).toEqual(PERMANENT)
    expect(await outcome({ responseCode: 354, command: 'DATA' })).toEqual(UNKNOWN)
    expect(await outcome({ responseCode: '550' })).toEqual(UNKNOWN)
    expect(await outcome(undefined)).toEqual(UNKNOWN)
  })

  it('rejects if the transport resolves with a rejected recipient, as with LMTP', async () => {
    const lmtp = await startMailServer({
      lmtp: true,
      onData(stream, _session, done) {
        stream.resume().on('end', () => done(null, [Object.assign(new Error('no'), { responseCode: 550 })] as never))
      },
    })
    const transport = transportTo(lmtp, { lmtp: true })
    expect(await transport.sendMail({ ...EMAIL, from: FROM.address })).toMatchObject({ rejected: [EMAIL.to] })
    expect(await readOutcome(smtpMailer({ transport, from: FROM }).send(EMAIL))).toEqual(PERMANENT)
    await lmtp.close()
  })

  it.each<[string, object]>([
    ['550 no', PERMANENT],
    ['450 later', REFUSED],
    ['', UNKNOWN],
  ])(
    'rejects if the transport resolves with a rejected recipient and the reply "%s", as nodemailer 6 to 9',
    async (response, outcome) => {
      const transport: SmtpTransport = { sendMail: async () => ({ rejected: [EMAIL.to], response }) }
      expect(await readOutcome(smtpMailer({ transport, from: FROM }).send(EMAIL))).toEqual(outcome)
    },
  )

  it.each([
    undefined,
    null,
    7,
    '',
    'developers',
    'Developers <developers@example.com>',
    'a@example.com, b@example.com',
    'a b@example.com',
    'developers@example.com\r\nBcc: all@example.com',
    {},
    { name: 'Developers' },
    { address: 'developers@example.com' },
    { name: 'two\nlines', address: 'developers@example.com' },
    { name: 'Developers', address: 'Developers <developers@example.com>' },
  ])('throws for the sender %j', (from) => {
    expect(() => smtpMailer({ transport: transportTo(server), from: from as string })).toThrow(
      /^from is .*Write smtpMailer\({ transport, from }\), with one plain address/s,
    )
  })

  it.each([undefined, null, {}, 'smtp://localhost'])('throws for the transport %j', (transport) => {
    expect(() => smtpMailer({ transport: transport as SmtpTransport, from: FROM })).toThrow(/createTransport/)
  })

  it('throws for a pool that would send e-mails again by itself', () => {
    const transport = createTransport({ host: '127.0.0.1', port: server.port, pool: true })
    expect(() => smtpMailer({ transport, from: FROM })).toThrow(/maxRequeues: 0/)
    // As nodemailer 6 to 9 have it.
    Object.assign((transport.transporter as unknown as { options: object }).options, { maxRequeues: undefined })
    expect(() => smtpMailer({ transport, from: FROM })).toThrow(/maxRequeues: 0/)
    transport.close()
  })
})

/** What a transport is given for an e-mail. */
async function captureMessage(email: EmailMessage): Promise<Record<string, unknown>> {
  let given: object | undefined
  const transport: SmtpTransport = { sendMail: async (message) => void (given = message) }
  await smtpMailer({ transport, from: FROM }).send(email)
  return given as Record<string, unknown>
}
