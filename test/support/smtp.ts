import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { createTransport } from 'nodemailer'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** Where in a session a fault happens: at the reply to a command, during the content, or at the reply to its end. */
export type Stage = 'connect' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'content' | 'end'
export const STAGES: readonly Stage[] = ['connect', 'EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA', 'content', 'end']

/** What happens in place of a reply. `kept`: at the end of an e-mail, after the server has accepted it. */
export type Fault = { readonly kept?: boolean } & (
  | { readonly does: 'refuse'; readonly code: number }
  | { readonly does: 'stall' | 'drop' }
)

/** An e-mail that the server has accepted. */
export interface ReceivedMail {
  /** From the envelope, not from the headers. */
  readonly sender: string
  readonly recipients: readonly string[]
  readonly raw: string
}

export interface MailServer {
  readonly port: number
  /** The port of the server behind the proxy. */
  readonly directPort: number
  /** In order of arrival. */
  readonly mails: readonly ReceivedMail[]
  mailsTo(address: string): readonly ReceivedMail[]
  /** Recipients to whom two e-mails were being sent at the same time. */
  readonly overlaps: readonly string[]
  /** The number of connections so far. */
  readonly connections: number
  /** Called at each stage of each session; no fault if it is undefined or returns undefined. */
  fault: ((stage: Stage, recipient: string | undefined) => Fault | undefined) | undefined
  close(): Promise<void>
}

/** The only login that the server accepts. */
export const LOGIN = { user: 'platform', pass: 'correct horse' }

/**
 * A real mail server (smtp-server) behind a proxy that reads the session line by line. At each stage the proxy can reply
 * in the server's place, stay silent, or drop the connection.
 */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const real = new SMTPServer({
    disableReverseLookup: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    closeTimeout: 100,
    socketTimeout: 600_000,
    onAuth: ({ username, password }, _session, done) =>
      username === LOGIN.user && password === LOGIN.pass
        ? done(null, { user: username })
        : done(Object.assign(new Error('Authentication failed'), { responseCode: 535 })),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const sender = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        const recipients = envelope.rcptTo.map(({ address }) => address)
        mails.push({ sender, recipients, raw: Buffer.concat(chunks).toString('latin1') })
        done()
      })
    },
    ...options,
  })
  real.on('error', () => undefined)
  await new Promise<void>((listening) => void real.listen(0, '127.0.0.1', listening))
  const directPort = (real.server.address() as AddressInfo).port

  // The server greets after a delay; these connections have been greeted when a client connects.
  const ahead = Array.from({ length: 8 }, () => dial(directPort))
  const clients = new Set<Socket>()
  const overlaps: string[] = []
  let connections = 0
  const underWay = new Set<string>()
  const proxy = createServer({ noDelay: true }, (client) => {
    connections++
    clients.add(client)
    client.on('close', () => clients.delete(client)).on('error', () => undefined)
    ahead.push(dial(directPort))
    void relaySession(client, ahead.shift()!, {
      faultAt: (stage, recipient) => server.fault?.(stage, recipient),
      begin(recipient) {
        if (underWay.has(recipient)) overlaps.push(recipient)
        underWay.add(recipient)
      },
      end: (recipient) => void underWay.delete(recipient),
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')

  const server: MailServer = {
    port: (proxy.address() as AddressInfo).port,
    directPort,
    mails,
    mailsTo: (address) => mails.filter(({ recipients }) => recipients.includes(address)),
    overlaps,
    get connections() {
      return connections
    },
    fault: undefined,
    async close() {
      for (const client of clients) client.destroy()
      for (const { upstream } of ahead) upstream.destroy()
      await new Promise((closed) => proxy.close(closed))
      await new Promise<void>((closed) => real.close(() => closed()))
    },
  }
  return server
}

/** Makes every session fail at that stage, `times` at most. */
export function failAt(server: MailServer, stage: Stage, fault: Fault, times = Infinity): void {
  let left = times
  server.fault = (at) => (at === stage && left-- > 0 ? fault : undefined)
}

/** For tests in which the mail server stays silent. Long enough for the other commands of a session on a busy machine. */
export const SHORT_TIMEOUTS = { connectionTimeout: 5000, greetingTimeout: 5000, socketTimeout: 5000 }

/**
 * A transport to that server. Its time-outs are longer than a busy machine needs: after one that no test expects, the next
 * attempt is due on a clock that stands still.
 */
export function transportTo({ port }: { readonly port: number }, options: object = {}) {
  return createTransport({
    host: '127.0.0.1',
    port,
    auth: LOGIN,
    connectionTimeout: 30_000,
    greetingTimeout: 30_000,
    socketTimeout: 30_000,
    ...options,
  })
}

/** An e-mail as a mail program shows it. */
export function readMail({ raw }: ReceivedMail): Promise<Email> {
  return PostalMime.parse(Buffer.from(raw, 'latin1'))
}

interface Watch {
  faultAt(stage: Stage, recipient: string | undefined): Fault | undefined
  begin(recipient: string): void
  end(recipient: string): void
}

/** A connection to the server itself. */
function dial(port: number) {
  const upstream = connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => undefined)
  return { upstream, answers: createReader(upstream) }
}

/** One session: commands go to the server one at a time, so that replies keep their order, whoever gives them. */
async function relaySession(
  client: Socket,
  { upstream, answers }: ReturnType<typeof dial>,
  watch: Watch,
): Promise<void> {
  const { faultAt, begin, end } = watch
  let recipient: string | undefined
  const endEmail = (): void => {
    if (recipient !== undefined) end(recipient)
    recipient = undefined
  }
  const commands = createReader(client)
  client.on('close', () => {
    endEmail()
    upstream.destroy()
  })
  upstream.on('close', () => client.end())

  try {
    const greeting = await answers.reply()
    const refused = faultAt('connect', undefined)
    if (refused) {
      await applyFault(client, refused)
      client.end()
      return
    }
    client.write(greeting)
    await relayCommands()
  } catch {
    // Client or server has disconnected.
    client.destroy()
  }

  async function relayCommands(): Promise<void> {
    for (;;) {
      const line = await commands.line()
      const stage = findStage(line)
      const named = /^RCPT TO:<([^>]*)>/i.exec(line)?.[1]
      if (named !== undefined) begin((recipient = named))
      const fault = stage && faultAt(stage, recipient)
      if (fault) {
        if (await applyFault(client, fault)) continue
        return
      }
      upstream.write(line)
      const reply = await answers.reply()
      client.write(reply)
      if (stage === 'DATA' && reply.startsWith('354') && !(await takeEmail())) return
    }
  }

  async function takeEmail(): Promise<boolean> {
    const contentFault = faultAt('content', recipient)
    if (contentFault) {
      await commands.some()
      // The rest of the content is discarded: the server has seen nothing of it.
      if (await applyFault(client, contentFault)) await once(client, 'close')
      return false
    }
    const email = await commands.until('\r\n.\r\n')
    const fault = faultAt('end', recipient)
    if (!fault || fault.kept) {
      upstream.write(email, 'latin1')
      const reply = await answers.reply()
      if (!fault) client.write(reply)
    }
    const continues = !fault || (await applyFault(client, fault))
    endEmail()
    return continues
  }
}

/** Resolves whether the session continues. */
async function applyFault(client: Socket, fault: Fault): Promise<boolean> {
  if (fault.does === 'refuse') {
    client.write(`${fault.code} This server repeats what it refuses\r\n`)
    return fault.code !== 421
  }
  if (fault.does === 'stall') await once(client, 'close')
  client.destroy()
  return false
}

function findStage(line: string): Stage | undefined {
  const command = /^[A-Z]+/i.exec(line)?.[0].toUpperCase()
  return command === 'HELO' ? 'EHLO' : STAGES.find((stage) => stage === command)
}

/** Reads a socket in pieces; rejects after its end. */
function createReader(socket: Socket) {
  let text = ''
  let ended = false
  let wake: (() => void) | undefined
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    text += chunk
    wake?.()
  })
  socket.on('close', () => {
    ended = true
    wake?.()
  })

  async function take(length: () => number): Promise<string> {
    for (;;) {
      const taken = length()
      if (taken > 0) {
        const piece = text.slice(0, taken)
        text = text.slice(taken)
        return piece
      }
      if (ended) throw new Error('The connection has ended.')
      await new Promise<void>((woken) => (wake = woken))
    }
  }
  const until = (end: string): Promise<string> => take(() => (text.includes(end) ? text.indexOf(end) + end.length : 0))

  return {
    until,
    line: () => until('\r\n'),
    some: () => take(() => text.length),
    /** A whole reply, with its continuation lines (RFC 5321 4.2.1). */
    reply: () => take(() => /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(text)?.[0].length ?? 0),
  }
}
