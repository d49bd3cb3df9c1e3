import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createFinalHandler } from './final-handler.js'
import { createConnection } from './in-memory-connection.js'
import { createAnswerReader } from './read-answer.js'

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

export interface ReceivedAnswer {
  readonly status: number
  /** Headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
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
      client.removeAllListeners('close').destroy()
    }
    const fail = (problem: unknown): void => {
      end()
      reject(problem instanceof Error ? problem : new Error(`${method} ${target} ${String(problem)}`))
    }
    const answer = (): void => {
      end()
      const { status, rawHeaders, body } = reader.read()!
      resolve({ status, rawHeaders, headers: joinHeaders(rawHeaders), body })
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
      else fail(CLOSED)
    })
    client.once('close', () => fail(CLOSED))
    findServer(listener).emit('connection', server)
    client.write(writeRequest(request))
  })
}

const CLOSED = 'was not answered: the connection was closed.'

function writeRequest({ method, target, headers = {}, body = '', version = '1.1' }: SentRequest): Buffer {
  const content = Buffer.from(body)
  const hasLength = content.length > 0 || ['POST', 'PUT', 'PATCH'].includes(method)
  const sent = {
    Host: 'localhost',
    ...headers,
    ...(hasLength ? { 'Content-Length': content.length } : {}),
    Connection: 'close',
  }
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`.replaceAll(/[\r\n]/g, ' '))
  // A client cannot send other characters.
  const path = target.replaceAll(/[^!-~\x80-\xff]/g, encodeURIComponent)
  return Buffer.concat([
    Buffer.from([`${method} ${path} HTTP/${version}`, ...lines, '', ''].join('\r\n'), 'latin1'),
    content,
  ])
}

function joinHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const joined = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) joined.append(rawHeaders[at]!, rawHeaders[at + 1]!)
  return Object.fromEntries(joined)
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
        : listener(req, res, createFinalHandler(req, res))
      Promise.resolve(result).catch(fail)
    } catch (error) {
      fail(error)
    }
  })
  SERVERS.set(listener, server)
  return server
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
