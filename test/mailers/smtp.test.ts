import { createServer } from 'node:net'
import { createTransport } from 'nodemailer'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import type { EmailMessage, Mailer } from '../../src/index.js'
import { smtpMailer, type SmtpTransport } from '../../src/mailers/smtp.js'
import { LOGIN, readMail, startMailServer, STAGES, transportTo, type Fault, type MailServer } from '../support/smtp.js'

const FROM = { name: 'Example developers', address: 'developers@example.com' }
const EMAIL: EmailMessage = {
  to: 'dev@customer.example',
  subject: 'Your credentials',
  text: 'The key is k.\n.\nThe secret is s.\n',
  html: '<p>The key is <b>k</b>.</p>',
}

/** What a mailer rejected with, as the contract of `Mailer` has it. */
async function outcomeOf(sending: Promise<void>): Promise<Record<string, unknown>> {
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
const FOR_GOOD = { refused: true, permanent: true }
const UNKNOWN = {}

describe.concurrent.each([
  ['one command at a time', { hidePIPELINING: true }, {}],
  ['with commands sent together (RFC 2920)', {}, {}],
  ['through a pool', {}, { pool: true, maxRequeues: 0, maxMessages: 1 }],
])('smtpMailer() %s', (_, serverOptions, transportOptions) => {
  async function open({ onTestFinished }: TestContext): Promise<{ server: MailServer; mailer: Mailer }> {
    const server = await startMailServer(serverOptions)
    const transport = transportTo(server, transportOptions)
    onTestFinished(async () => {
      transport.close()
      await server.close()
    })
    return { server, mailer: smtpMailer({ transport, from: FROM }) }
  }

  /** What comes of emails when these go wrong at that stage, and whether the server has them then. */
  async function tryWith(test: TestContext, stage: string, ...faults: readonly Fault[]): Promise<object[]> {
    const { server, mailer } = await open(test)
    const outcomes: object[] = []
    for (const fault of faults) {
      const before = server.mails.length
      server.fault = (at) => (at === stage ? fault : undefined)
      outcomes.push(await outcomeOf(mailer.send(EMAIL)))
      server.fault = undefined
      test.expect(server.mails.length - before).toBe(fault.kept ? 1 : 0)
      // Whatever it was, the next email gets through.
      test.expect(await outcomeOf(mailer.send(EMAIL))).toEqual({ accepted: true })
    }
    return outcomes
  }

  it('hands over a email', async (test) => {
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

  const refuse = (code: number): Fault => ({ does: 'refuse', code })

  it.for(STAGES)('a 4xx at %s: refused, for now', async (stage, test) => {
    test.expect(await tryWith(test, stage, refuse(451), refuse(421))).toEqual([REFUSED, REFUSED])
  })

  it.for(['connect', 'EHLO', 'AUTH'])('a 5xx at %s: refused, but no fault of the email', async (stage, test) => {
    test.expect(await tryWith(test, stage, refuse(535), refuse(554))).toEqual([REFUSED, REFUSED])
  })

  it.for(['MAIL', 'RCPT', 'DATA', 'content', 'end'])('a 5xx at %s: refused for good', async (stage, test) => {
    test.expect(await tryWith(test, stage, refuse(550), refuse(554))).toEqual([FOR_GOOD, FOR_GOOD])
  })

  it.for([503, 530, 534, 535, 538])('a %d to sender or recipient asks for another session', async (code, test) => {
    test.expect(await tryWith(test, 'MAIL', refuse(code))).toEqual([REFUSED])
    test.expect(await tryWith(test, 'RCPT', refuse(code))).toEqual([REFUSED])
  })

  it.for(['connect', 'EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA'])(
    'silence or a lost connection at %s: refused, since nothing of the email has left',
    async (stage, test) => {
      test.expect(await tryWith(test, stage, { does: 'stall' }, { does: 'drop' })).toEqual([REFUSED, REFUSED])
    },
  )

  it.for(['content', 'end'])('silence or a lost connection at %s: nobody knows', async (stage, test) => {
    test.expect(await tryWith(test, stage, { does: 'stall' }, { does: 'drop' })).toEqual([UNKNOWN, UNKNOWN])
  })

  it('silence or a lost connection when the server has the email: nobody knows', async (test) => {
    const faults = [
      { does: 'stall', kept: true },
      { does: 'drop', kept: true },
    ] as const
    test.expect(await tryWith(test, 'end', ...faults)).toEqual([UNKNOWN, UNKNOWN])
  })

  it('keeps what went wrong as the cause, beside a code of its own', async (test) => {
    const { expect } = test
    const { server, mailer } = await open(test)
    server.fault = (stage) => (stage === 'RCPT' ? refuse(550) : undefined)
    await expect(mailer.send(EMAIL)).rejects.toMatchObject({
      message: 'The mail server has not accepted the email.',
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

  it('takes a wrong password for a fault of the platform', async () => {
    const transport = transportTo(server, { auth: { ...LOGIN, pass: 'wrong' } })
    const sending = smtpMailer({ transport, from: FROM }).send(EMAIL)
    await expect(sending).rejects.toMatchObject({ code: 'EAUTH', responseCode: 535, refused: true })
    expect(await outcomeOf(smtpMailer({ transport, from: FROM }).send(EMAIL))).toEqual(REFUSED)
  })

  it('takes a server that can not be reached, or whose certificate is nobody’s, for a refusal', async () => {
    const port = await freePort()
    expect(await outcomeOf(smtpMailer({ transport: transportTo({ port }), from: FROM }).send(EMAIL))).toEqual(REFUSED)
    const host = { host: 'nobody.invalid' }
    expect(await outcomeOf(smtpMailer({ transport: transportTo(server, host), from: FROM }).send(EMAIL))).toEqual(
      REFUSED,
    )

    // smtp-server brings a certificate that it signed itself.
    const secure = await startMailServer({ disabledCommands: [] })
    const transport = transportTo({ port: secure.portBehind }, { requireTLS: true })
    await expect(smtpMailer({ transport, from: FROM }).send(EMAIL)).rejects.toMatchObject({
      code: 'ESOCKET',
      refused: true,
    })
    expect(await outcomeOf(smtpMailer({ transport, from: FROM }).send(EMAIL))).toEqual(REFUSED)
    await secure.close()
  })

  it('mails the one recipient, whatever the transport would add by default', async () => {
    const defaults = { to: 'a@evil.example', cc: 'b@evil.example', bcc: 'c@evil.example', from: 'd@evil.example' }
    const { host, port } = { host: '127.0.0.1', port: server.port }
    const transport = createTransport({ host, port, auth: LOGIN }, defaults)
    await smtpMailer({ transport, from: 'developers@example.com' }).send(EMAIL)
    expect(server.mails.at(-1)).toMatchObject({
      sender: 'developers@example.com',
      recipients: ['dev@customer.example'],
    })
  })

  it('has nothing read from disk or fetched', async () => {
    const message = await messageOf(EMAIL)
    expect(message).toMatchObject({
      from: FROM,
      to: { name: '', address: 'dev@customer.example' },
      envelope: { from: 'developers@example.com', to: ['dev@customer.example'] },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    for (const part of ['subject', 'text', 'html']) expect(message[part]).toBe(EMAIL[part as keyof EmailMessage])
  })

  it('gives up before the platform does', async () => {
    const signal = (await messageOf(EMAIL))['signal'] as AbortSignal
    expect(signal.aborted).toBe(false)
    // The same, in less time: nodemailer ends a session when it is told to.
    server.fault = (stage) => (stage === 'MAIL' ? { does: 'stall' } : undefined)
    const patient = transportTo(server, { socketTimeout: 60_000 })
    const hasty: SmtpTransport = Object.assign(Object.create(patient) as typeof patient, {
      sendMail: (message: object) => patient.sendMail({ ...message, signal: AbortSignal.timeout(300) }),
    })
    const asked = performance.now()
    expect(await outcomeOf(smtpMailer({ transport: hasty, from: FROM }).send(EMAIL))).toEqual(REFUSED)
    expect(performance.now() - asked).toBeLessThan(5000)
    server.fault = undefined
  })

  it('knows nothing of a transport that is not nodemailer’s but what the server has answered', async () => {
    const failing = (error: unknown): SmtpTransport => ({
      async sendMail() {
        throw error
      },
    })
    const outcome = (error: unknown) => outcomeOf(smtpMailer({ transport: failing(error), from: FROM }).send(EMAIL))
    expect(await outcome({ code: 'ECONNECTION' })).toEqual(UNKNOWN)
    expect(await outcome({ code: 'EAUTH', responseCode: 535 })).toEqual(REFUSED)
    expect(await outcome({ responseCode: 550 })).toEqual(REFUSED)
    expect(await outcome({ responseCode: 550, command: 'RCPT TO' })).toEqual(FOR_GOOD)
    expect(await outcome({ responseCode: 354, command: 'DATA' })).toEqual(UNKNOWN)
    expect(await outcome({ responseCode: '550' })).toEqual(UNKNOWN)
    expect(await outcome(undefined)).toEqual(UNKNOWN)
  })

  it('believes no success that names the recipient as rejected, as LMTP does', async () => {
    const lmtp = await startMailServer({
      lmtp: true,
      onData(stream, _session, done) {
        stream.resume().on('end', () => done(null, [Object.assign(new Error('no'), { responseCode: 550 })] as never))
      },
    })
    const transport = transportTo(lmtp, { lmtp: true })
    expect(await transport.sendMail({ ...EMAIL, from: FROM.address })).toMatchObject({ rejected: [EMAIL.to] })
    expect(await outcomeOf(smtpMailer({ transport, from: FROM }).send(EMAIL))).toEqual(FOR_GOOD)
    await lmtp.close()
  })

  it.each([
    undefined, null, 7, '', 'developers', 'Developers <developers@example.com>', 'a@example.com, b@example.com', 'a b@example.com',
    'developers@example.com\r\nBcc: all@example.com', {}, { name: 'Developers' }, { address: 'developers@example.com' },
    { name: 'two\nlines', address: 'developers@example.com' }, { name: 'Developers', address: 'Developers <developers@example.com>' },
  ])('refuses to be from %j', (from) => {
    expect(() => smtpMailer({ transport: transportTo(server), from: from as string })).toThrow(/^from is .*Give one plain address/s)
  }) // prettier-ignore

  it.each([undefined, null, {}, 'smtp://localhost'])('refuses the transport %j', (transport) => {
    expect(() => smtpMailer({ transport: transport as SmtpTransport, from: FROM })).toThrow(/createTransport/)
  })

  it('refuses a pool that sends emails twice', () => {
    const transport = createTransport({ host: '127.0.0.1', port: server.port, pool: true })
    expect(() => smtpMailer({ transport, from: FROM })).toThrow(/maxRequeues: 0/)
    transport.close()
  })
})

/** What a transport is given for a email. */
async function messageOf(email: EmailMessage): Promise<Record<string, unknown>> {
  let given: object | undefined
  const transport: SmtpTransport = { sendMail: async (message) => void (given = message) }
  await smtpMailer({ transport, from: FROM }).send(email)
  return given as Record<string, unknown>
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  await new Promise((closed) => server.close(closed))
  return port
}
