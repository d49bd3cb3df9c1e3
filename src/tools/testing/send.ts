import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { duplexPair, type Duplex } from 'node:stream'
import { inspect } from 'node:util'
import { html } from '../../shared/web/html.js'
import { createAnswerReader, type AnswerOnWire } from './read-answer.js'

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
    CONNECTIONS.set(server, { fail, onRequest })
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
    findServer(listener).emit('connection', server)
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

function joinHeaders(rawHeaders: readonly string[]): Headers {
  const joined = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) joined.append(rawHeaders[at]!, rawHeaders[at + 1]!)
  return joined
}

/** Functions to call for a request, and when a listener throws, by the connection. */
const CONNECTIONS = new WeakMap<
  object,
  { readonly fail: (error: unknown) => void; readonly onRequest: SentRequest['onRequest'] }
>()
const SERVERS = new WeakMap<Listener, Server>()

function findServer(listener: Listener): Server {
  const known = SERVERS.get(listener)
  if (known) return known
  const { listen, stack } = listener as { listen?: unknown; stack?: unknown }
  const app = typeof listen === 'function' ? listener : Array.isArray(stack) ? mountInApp(listener) : undefined
  const server = createServer((req, res) => {
    // This error would end the process of a server.
    const connection = CONNECTIONS.get(req.socket)
    const fail = (error: unknown): void => connection?.fail(error ?? new Error('The listener threw nothing.'))
    connection?.onRequest?.(req)
    try {
      // An app that gets no `next` answers requests that nothing in it has answered.
      const result: unknown = app
        ? (app as (...args: unknown[]) => unknown)(req, res)
        : listener(req, res, (error) => answerFinally(error, req, res))
      Promise.resolve(result).catch(fail)
    } catch (error) {
      fail(error)
    }
  })
  SERVERS.set(listener, server)
  return server
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
