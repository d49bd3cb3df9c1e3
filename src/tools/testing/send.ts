import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { duplexPair, type Duplex } from 'node:stream'
import { inspect } from 'node:util'
import { html } from '../../shared/web/html.js'

/** A listener of requests: an Express app, a router, or any other listener of Node's HTTP server. */
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
  /** The version of HTTP, 1.1 if left out. */
  readonly version?: '1.0' | '1.1'
  readonly address?: string
  /** Milliseconds after which an answer that has begun is resolved as it is, for streams that do not end. */
  readonly maxBodyTime?: number
  /** Milliseconds until an answer must have begun, 10 seconds if left out. */
  readonly maxWait?: number
  /** Gets the request as the listener does, before it. */
  readonly onRequest?: (req: IncomingMessage) => void
}

export interface ReceivedAnswer extends Omit<AnswerOnWire, 'isComplete'> {
  /** Headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** setTimeout is kept, so that fake timers of a test do not prevent the time-out. */
const { setTimeout, clearTimeout } = globalThis
const ANSWER_TIMEOUT_MS = 10_000

/**
 * Sends a request to a listener without a port, and resolves the answer. Node's own server reads it from a connection in
 * memory, so that the listener sees and answers what it does on a server. Rejects if a listener throws that is no app or
 * router, closes the connection, or has not answered in time.
 */
export function send(listener: Listener, request: SentRequest): Promise<ReceivedAnswer> {
  const { method, target, address = '127.0.0.1', maxBodyTime, maxWait = ANSWER_TIMEOUT_MS, onRequest } = request
  const { client, server } = createConnection(address)
  return new Promise((resolve, reject) => {
    let timer = setTimeout(() => fail(`was not answered within ${maxWait / 1000} seconds.`), maxWait)
    const reader = createAnswerReader(method)
    let hasBegun = false
    const end = (): void => {
      clearTimeout(timer)
      client.off('close', failClosed).destroy()
    }
    const failClosed = (): void => fail('was not answered: the connection was closed.')
    const fail = (problem: unknown): void => {
      end()
      reject(problem instanceof Error ? problem : new Error(`${method} ${target} ${String(problem)}`))
    }
    const answer = (): void => {
      end()
      const { status, rawHeaders, body } = reader.read()!
      resolve({ status, rawHeaders, headers: Object.fromEntries(joinHeaders(rawHeaders)), body })
    }
    client.on('data', (chunk: Buffer) => {
      const read = reader.push(chunk)
      if (read?.isComplete) return answer()
      if (!read || hasBegun || maxBodyTime === undefined) return
      hasBegun = true
      clearTimeout(timer)
      timer = setTimeout(answer, maxBodyTime)
    })
    client.once('end', () => {
      const read = reader.read()
      // An answer without a length ends with the connection, if the server has ended it.
      const isWhole = read && !read.rawHeaders.some((name) => /^(?:content-length|transfer-encoding)$/i.test(name))
      if (isWhole) answer()
      else failClosed()
    })
    client.once('close', failClosed)
    createListening(listener, onRequest, fail).emit('connection', server)
    client.write(writeRequest(request))
  })
}

/** The two ends of a connection without a network. `address` is what the server sees of the client. */
function createConnection(address: string): { readonly client: Duplex; readonly server: Duplex } {
  const [client, server] = duplexPair()
  client.once('close', () => server.destroy())
  server.once('close', () => client.destroy())
  const ofSocket = {
    setTimeout: () => server,
    setKeepAlive: () => server,
    setNoDelay: () => server,
    ref: () => server,
    unref: () => server,
    remoteAddress: address,
    remotePort: 40_000,
    remoteFamily: address.includes(':') ? 'IPv6' : 'IPv4',
    localAddress: '127.0.0.1',
    localPort: 80,
  }
  return { client, server: Object.assign(server, ofSocket) }
}

function writeRequest({ method, target, headers = {}, body = '', version = '1.1' }: SentRequest): Buffer {
  const content = Buffer.from(body)
  const hasLength = content.length > 0 || ['POST', 'PUT', 'PATCH'].includes(method)
  const length = hasLength ? { 'Content-Length': content.length } : {}
  const sent = { Host: 'localhost', ...headers, ...length, Connection: 'close' }
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`.replaceAll(/[\r\n]/g, ' '))
  // A client cannot send other characters.
  const path = target.replaceAll(/[^!-~\x80-\xff]/g, encodeURIComponent)
  const head = [`${method} ${path} HTTP/${version}`, ...lines, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'latin1'), content])
}

/** An answer as Node's server has written it to a connection, as far as it has come. */
interface AnswerOnWire {
  readonly status: number
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly isComplete: boolean
}

/** An answer (RFC 9112) of Node's server; undefined until its head has come. Parsed here, because nock and msw replace Node's own client. */
function readAnswer(method: string, bytes: Buffer): AnswerOnWire | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = Number(statusLine.split(' ')[1])
  const rest = bytes.subarray(end + 4)
  // These are interim answers: 100 Continue, 103 Early Hints.
  if (status < 200) return readAnswer(method, rest)
  const rawHeaders = lines.flatMap((line) => line.split(/:\s*(.*?)\s*$/s, 2))
  return { status, rawHeaders, ...readBody(method, status, rawHeaders, rest) }
}

/** Collects what comes in, and reads it where it may be whole: long answers come in many pieces. */
function createAnswerReader(method: string) {
  const chunks: Buffer[] = []
  let last: AnswerOnWire | undefined
  let tail = ''
  let missing = 0
  const read = (): AnswerOnWire | undefined => (last = readAnswer(method, Buffer.concat(chunks)))
  return {
    /** The answer, as soon as its head has come; the same one while nothing can have been completed. */
    push(chunk: Buffer): AnswerOnWire | undefined {
      chunks.push(chunk)
      tail = (tail + chunk.toString('latin1', Math.max(chunk.length - 4, 0))).slice(-4)
      missing -= chunk.length
      // A last chunk and its trailers end with an empty line.
      if (last && missing > 0 && tail !== '\r\n\r\n') return last
      const isNew = !last
      read()
      if (isNew && last) missing = Number(findHeader(last.rawHeaders, 'content-length') ?? Infinity) - last.body.length
      return last
    },
    read,
  }
}

function readBody(method: string, status: number, rawHeaders: readonly string[], rest: Buffer) {
  if (method === 'HEAD' || status === 204 || status === 304) return { body: Buffer.alloc(0), isComplete: true }
  if (findHeader(rawHeaders, 'transfer-encoding')?.toLowerCase() === 'chunked') return readChunks(rest)
  const length = findHeader(rawHeaders, 'content-length')
  // An answer without a length ends with the connection.
  if (length === undefined) return { body: rest, isComplete: false }
  return { body: rest.subarray(0, Number(length)), isComplete: rest.length >= Number(length) }
}

function readChunks(bytes: Buffer): Pick<AnswerOnWire, 'body' | 'isComplete'> {
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const end = bytes.indexOf('\r\n', at)
    const size = end < 0 ? undefined : Number.parseInt(bytes.toString('latin1', at, end), 16)
    // Trailers may follow the last chunk.
    if (size === 0) return { body: Buffer.concat(chunks), isComplete: bytes.indexOf('\r\n\r\n', end) >= 0 }
    if (size === undefined || bytes.length < end + 2 + size) return { body: Buffer.concat(chunks), isComplete: false }
    chunks.push(bytes.subarray(end + 2, end + 2 + size))
    at = end + 4 + size
  }
}

function findHeader(rawHeaders: readonly string[], name: string): string | undefined {
  return rawHeaders.find((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === name)
}

function joinHeaders(rawHeaders: readonly string[]): Headers {
  const joined = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) joined.append(rawHeaders[at]!, rawHeaders[at + 1]!)
  return joined
}

/** A server for one request, which calls `fail` when the listener throws: the error would end the process of another server. */
function createListening(
  listener: Listener,
  onRequest: SentRequest['onRequest'],
  fail: (error: unknown) => void,
): Server {
  const { listen, stack } = listener as { listen?: unknown; stack?: unknown }
  const app = typeof listen === 'function' ? listener : Array.isArray(stack) ? mountInApp(listener) : undefined
  const failWith = (error: unknown): void => fail(error ?? new Error('The listener threw nothing.'))
  return createServer((req, res) => {
    onRequest?.(req)
    try {
      // An app that gets no `next` answers requests that nothing in it has answered.
      const result: unknown = app
        ? (app as (...args: unknown[]) => unknown)(req, res)
        : listener(req, res, (error) => answerFinally(error, req, res))
      Promise.resolve(result).catch(failWith)
    } catch (error) {
      failWith(error)
    }
  })
}

/** Answers as an app of Express does if nothing else has. */
function answerFinally(error: unknown, req: IncomingMessage, res: ServerResponse): void {
  if (res.headersSent) return void req.socket.destroy()
  const { status } = Object(error) as { readonly status?: unknown }
  const path = (req.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '').replace(/\?.*$/, '')
  const body = error ? inspect(error) : html`<pre>Cannot ${req.method} ${path}</pre>`.markup
  const own = typeof status === 'number' && status >= 400 && status < 600 ? status : 500
  res.writeHead(error ? own : 404, {
    'Content-Security-Policy': "default-src 'none'",
    'Content-Type': error ? 'text/plain; charset=utf-8' : 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  })
  res.end(body)
}

/** An app with this router, so that its handlers have Express's `res.json()`; undefined if there is no Express to be found. */
function mountInApp(router: Listener): Listener | undefined {
  try {
    const express = createRequire(join(process.cwd(), 'test.js'))('express') as () => {
      use(router: Listener): Listener
    }
    return express().use(router)
  } catch {
    return undefined
  }
}

/** `fetch` for one app. A path without an origin is enough. */
export type AppFetch = (target: string | URL | Request, init?: RequestInit) => Promise<Response>

/**
 * A `fetch` that sends its requests to an Express app, a router or another listener of Node's HTTP server, without a port: nothing
 * listens, and nothing has to be closed. It resolves what a server answers, errors too. Redirects are not followed. Rejects if there
 * is no answer within 10 seconds, if the connection is closed, or if a listener throws that is no app or router.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { createTestPlatform, fetchFrom, headersFor } from 'express-platform-auth/testing'
 *
 * const { auth } = createTestPlatform({ apis: { orders: { scheme: 'oauth2' } } })
 * const app = express()
 * app.get('/orders/items', auth.requireBearer('orders'), (req, res) => void res.json([]))
 * const response = await fetchFrom(app)('/orders/items', { headers: await headersFor(auth, 'orders') })
 * response.status // 200
 * ```
 */
export function fetchFrom(app: Listener): AppFetch {
  return async function fetchFromApp(target, init) {
    const request = new Request(target instanceof Request ? target : new URL(target, 'http://localhost'), init)
    const { pathname, search, host } = new URL(request.url)
    const { status, rawHeaders, body } = await send(app, {
      method: request.method,
      target: pathname + search,
      headers: { Host: host, ...Object.fromEntries(request.headers) },
      body: new Uint8Array(await request.arrayBuffer()),
    })
    const headers = joinHeaders(rawHeaders)
    return new Response(HAS_NO_BODY.has(status) ? null : new Uint8Array(body), { status, headers })
  }
}

const HAS_NO_BODY = new Set([204, 205, 304])
