import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { createTransport } from 'nodemailer'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** Where in a session something goes wrong: at the answer to a command, amid the email, or at the answer to its end. */
export type Stage = 'connect' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'content' | 'end'
export const STAGES: readonly Stage[] = ['connect', 'EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA', 'content', 'end']

/** What goes wrong. `kept`: at the end of a email, though the server has it by then. */
export type Fault = { readonly kept?: boolean } & (
  | { readonly does: 'refuse'; readonly code: number }
  | { readonly does: 'stall' | 'drop' }
)

/** A email that the server has taken. */
export interface ReceivedMail {
  /** Whom the envelope names, not the headers. */
  readonly sender: string
  readonly recipients: readonly string[]
  readonly raw: string
}

export interface MailServer {
  readonly port: number
  /** The server's own, without the wire. */
  readonly portBehind: number
  /** In the order in which they came. */
  readonly mails: readonly ReceivedMail[]
  mailsTo(address: string): readonly ReceivedMail[]
  /** Recipients to whom two emails were under way at the same time. */
  readonly overlaps: readonly string[]
  /** How many connections there have been. */
  readonly connections: number
  /** Asked at each stage of each session; nothing goes wrong where it is undefined, or says so. */
  fault: ((stage: Stage, recipient: string | undefined) => Fault | undefined) | undefined
  close(): Promise<void>
}

/** The only one who may log in. */
export const LOGIN = { user: 'platform', pass: 'correct horse' }

/**
 * A real mail server (smtp-server) behind a wire on which everything can go wrong: what the server says passes it line
 * by line, and at each stage the wire may answer in its place, say nothing, or break.
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
  const portBehind = (real.server.address() as AddressInfo).port

  // The server takes its time before it greets; these have been greeted by then.
  const ahead = Array.from({ length: 8 }, () => dial(portBehind))
  const clients = new Set<Socket>()
  const overlaps: string[] = []
  let connections = 0
  const underWay = new Set<string>()
  const wire = createServer({ noDelay: true }, (client) => {
    connections++
    clients.add(client)
    client.on('close', () => clients.delete(client)).on('error', () => undefined)
    ahead.push(dial(portBehind))
    void converse(client, ahead.shift()!, {
      faultAt: (stage, recipient) => server.fault?.(stage, recipient),
      begin(recipient) {
        if (underWay.has(recipient)) overlaps.push(recipient)
        underWay.add(recipient)
      },
      end: (recipient) => void underWay.delete(recipient),
    })
  })
  wire.listen(0, '127.0.0.1')
  await once(wire, 'listening')

  const server: MailServer = {
    port: (wire.address() as AddressInfo).port,
    portBehind,
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
      await new Promise((closed) => wire.close(closed))
      await new Promise<void>((closed) => real.close(() => closed()))
    },
  }
  return server
}

/** A transport to that server, with less patience than anybody should have. */
export function transportTo({ port }: { readonly port: number }, options: object = {}) {
  return createTransport({
    host: '127.0.0.1',
    port,
    auth: LOGIN,
    connectionTimeout: 2500,
    greetingTimeout: 1500,
    socketTimeout: 900,
    ...options,
  })
}

/** A email as a mail program shows it. */
export function readMail({ raw }: ReceivedMail): Promise<Email> {
  return PostalMime.parse(Buffer.from(raw, 'latin1'))
}

interface Watch {
  faultAt(stage: Stage, recipient: string | undefined): Fault | undefined
  begin(recipient: string): void
  end(recipient: string): void
}

/** A session with the server itself. */
function dial(port: number) {
  const upstream = connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => undefined)
  return { upstream, answers: reader(upstream) }
}

/** One session: commands go to the server one at a time, so that answers keep their order whoever gives them. */
async function converse(client: Socket, { upstream, answers }: ReturnType<typeof dial>, watch: Watch): Promise<void> {
  const { faultAt, begin, end } = watch
  let recipient: string | undefined
  const over = (): void => {
    if (recipient !== undefined) end(recipient)
    recipient = undefined
  }
  const said = reader(client)
  client.on('close', () => {
    over()
    upstream.destroy()
  })
  upstream.on('close', () => client.end())

  /** Whether the session goes on as if nothing had been said. */
  async function goesWrong(fault: Fault): Promise<boolean> {
    if (fault.does === 'refuse') {
      client.write(`${fault.code} This server repeats what it refuses\r\n`)
      return fault.code !== 421
    }
    if (fault.does === 'stall') await once(client, 'close')
    client.destroy()
    return false
  }

  try {
    const greeting = await answers.reply()
    const refused = faultAt('connect', undefined)
    if (refused) {
      await goesWrong(refused)
      client.end()
      return
    }
    client.write(greeting)
    for (;;) {
      const line = await said.line()
      const stage = stageOf(line)
      const named = /^RCPT TO:<([^>]*)>/i.exec(line)?.[1]
      if (named !== undefined) begin((recipient = named))
      const fault = stage && faultAt(stage, recipient)
      if (fault) {
        if (await goesWrong(fault)) continue
        return
      }
      upstream.write(line)
      const reply = await answers.reply()
      client.write(reply)
      if (stage === 'DATA' && reply.startsWith('354') && !(await takeEmail())) return
    }
  } catch {
    // One of the two is gone.
    client.destroy()
  }

  async function takeEmail(): Promise<boolean> {
    const amid = faultAt('content', recipient)
    if (amid) {
      await said.some()
      // What is still on its way belongs to a email that the server has never seen.
      if (await goesWrong(amid)) await once(client, 'close')
      return false
    }
    const email = await said.until('\r\n.\r\n')
    const fault = faultAt('end', recipient)
    if (!fault || fault.kept) {
      upstream.write(email, 'latin1')
      const reply = await answers.reply()
      if (!fault) client.write(reply)
    }
    const goesOn = !fault || (await goesWrong(fault))
    over()
    return goesOn
  }
}

function stageOf(line: string): Stage | undefined {
  const command = /^[A-Z]+/i.exec(line)?.[0].toUpperCase()
  return command === 'HELO' ? 'EHLO' : STAGES.find((stage) => stage === command)
}

/** Reads a socket piece by piece; rejects once it has ended. */
function reader(socket: Socket) {
  let text = ''
  let over = false
  let wake: (() => void) | undefined
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    text += chunk
    wake?.()
  })
  socket.on('close', () => {
    over = true
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
      if (over) throw new Error('The connection has ended.')
      await new Promise<void>((woken) => (wake = woken))
    }
  }
  const until = (end: string): Promise<string> => take(() => (text.includes(end) ? text.indexOf(end) + end.length : 0))

  return {
    until,
    line: () => until('\r\n'),
    some: () => take(() => text.length),
    /** A whole answer, its continued lines included. */
    reply: () => take(() => /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(text)?.[0].length ?? 0),
  }
}
