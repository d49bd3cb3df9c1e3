import { IncomingMessage, ServerResponse, type OutgoingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** What answers requests: an Express app, a router, or any other listener of Node's HTTP server. */
export type Listener = {
  // A method, because its parameters may be narrower: a router takes Express's Request and Response.
  answer(req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): unknown
}['answer']

export interface SentRequest {
  readonly method: string
  /** The request target: path and query, as they stand in the request line. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** The address of the client. */
  readonly address?: string
}

export interface ReceivedAnswer {
  readonly status: number
  readonly headers: Readonly<OutgoingHttpHeaders>
  readonly body: Buffer
}

/** Kept, so that fake timers of a test do not prevent the time-out. */
const { setTimeout, clearTimeout } = globalThis
const ANSWER_TIMEOUT_MS = 10_000

/**
 * Sends a request to a listener without a network connection, and resolves the answer. The request and the response are
 * Node's own, so that Express and middleware see what they see on a server. Rejects if the listener throws, passes the
 * request on with an error, destroys the response, or has not answered after 10 seconds.
 */
export function send(listener: Listener, request: SentRequest): Promise<ReceivedAnswer> {
  const { req, res } = createExchange(request)
  const chunks: Buffer[] = []
  collect(res, chunks)
  return new Promise((resolve, reject) => {
    const fail = (problem: unknown): void => reject(problem instanceof Error ? problem : new Error(String(problem)))
    const timer = setTimeout(() => {
      fail(`${request.method} ${request.target} was not answered within ${ANSWER_TIMEOUT_MS / 1000} seconds.`)
    }, ANSWER_TIMEOUT_MS)
    res.once('finish', () => {
      clearTimeout(timer)
      resolve({ status: res.statusCode, headers: res.getHeaders(), body: Buffer.concat(chunks) })
    })
    res.once('close', () => {
      clearTimeout(timer)
      fail(`${request.method} ${request.target} was not answered: the connection was closed.`)
    })
    const answerUnhandled = (error?: unknown): void => {
      if (error !== undefined && error !== null) return fail(error)
      res.writeHead(404).end()
    }
    Promise.resolve()
      .then(() => listener(req, res, answerUnhandled))
      .catch(fail)
  })
}

function createExchange({ method, target, headers = {}, body = '', address = '127.0.0.1' }: SentRequest): {
  req: IncomingMessage
  res: ServerResponse
} {
  const socket = createSocket(address)
  const req = new IncomingMessage(socket)
  const sent = Object.entries({ Host: 'localhost', ...headers })
  if (body.length > 0) sent.push(['Content-Length', String(Buffer.byteLength(body))])
  Object.assign(req, { method, url: target, httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1 })
  req.rawHeaders = sent.flat()
  req.headers = Object.fromEntries(sent.map(([name, value]) => [name.toLowerCase(), value]))
  if (body.length > 0) req.push(Buffer.from(body))
  req.push(null)
  req.complete = true
  const res = new ServerResponse(req)
  res.assignSocket(socket)
  return { req, res }
}

/** A connection that nobody reads. The answer is taken from the response. */
function createSocket(remoteAddress: string): Socket {
  const stream = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() })
  const calls = { setTimeout: () => stream, setKeepAlive: () => stream, setNoDelay: () => stream }
  return Object.assign(stream, calls, { remoteAddress, remotePort: 40_000, remoteFamily: 'IPv4' }) as unknown as Socket
}

function collect(res: ServerResponse, chunks: Buffer[]): void {
  const keep = (chunk: unknown, encoding: unknown): void => {
    if (typeof chunk === 'string') {
      chunks.push(Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'))
    } else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
  }
  const { write, end } = res
  res.write = (...args: unknown[]) => {
    keep(args[0], args[1])
    return Reflect.apply(write, res, args) as boolean
  }
  res.end = (...args: unknown[]) => {
    keep(args[0], args[1])
    return Reflect.apply(end, res, args) as ServerResponse
  }
}
