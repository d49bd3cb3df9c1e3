import { createServer, request as createRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { Server, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createFinalHandler } from './final-handler.js'
import { createConnection } from './in-memory-connection.js'

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
  /** Milliseconds after which an answer that has begun is resolved as it is, for streams that do not end. */
  readonly maxBodyTime?: number
  /** Milliseconds until an answer must have begun, 10 seconds if left out. */
  readonly maxWait?: number
}

export interface ReceivedAnswer {
  readonly status: number
  readonly headers: Readonly<IncomingHttpHeaders>
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
}

/** Kept, so that fake timers of a test do not prevent the time-out. */
const { setTimeout, clearTimeout } = globalThis
const ANSWER_TIMEOUT_MS = 10_000

/**
 * Sends a request to a listener without a port, and resolves the answer. Client and server are Node's own, over a connection in
 * memory, so that the listener sees and answers what it does on a server. Rejects if a listener throws that is no app or
 * router, closes the connection, or has not answered in time.
 */
export function send(listener: Listener, request: SentRequest): Promise<ReceivedAnswer> {
  const { method, target, headers = {}, body = '', address = '127.0.0.1' } = request
  const { maxBodyTime, maxWait = ANSWER_TIMEOUT_MS } = request
  const { client, server } = createConnection(address)
  return new Promise((resolve, reject) => {
    let timer = setTimeout(() => fail(`was not answered within ${maxWait / 1000} seconds.`), maxWait)
    const end = (): void => {
      clearTimeout(timer)
      client.destroy()
    }
    const fail = (problem: unknown): void => {
      end()
      reject(problem instanceof Error ? problem : new Error(`${method} ${target} ${String(problem)}`))
    }
    FAILURES.set(server, fail)
    const outgoing = createRequest({
      createConnection: () => client,
      method,
      // A client cannot send other characters.
      path: target.replaceAll(/[^!-ÿ]/g, encodeURIComponent),
      headers: {
        Host: 'localhost',
        ...headers,
        ...(body.length > 0 ? { 'Content-Length': String(Buffer.byteLength(body)) } : {}),
      },
    })
    outgoing.once('error', () => fail('was not answered: the connection was closed.'))
    outgoing.once('response', (incoming) => {
      const chunks: Buffer[] = []
      const answer = (): void => {
        end()
        const { statusCode = 0, headers: received, rawHeaders } = incoming
        resolve({ status: statusCode, headers: received, rawHeaders, body: Buffer.concat(chunks) })
      }
      incoming.on('data', (chunk: Buffer) => void chunks.push(chunk))
      incoming.once('end', answer)
      incoming.once('error', () => fail('was not answered: the connection was closed.'))
      if (maxBodyTime === undefined) return
      clearTimeout(timer)
      timer = setTimeout(answer, maxBodyTime)
    })
    findServer(listener).emit('connection', server)
    outgoing.end(body)
  })
}

/** What to do when a listener throws, by the connection. */
const FAILURES = new WeakMap<object, (error: unknown) => void>()
const SERVERS = new WeakMap<Listener, Server>()

function findServer(listener: Listener): Server {
  const known = SERVERS.get(listener)
  if (known) return known
  const { listen, stack } = listener as { listen?: unknown; stack?: unknown }
  const app = typeof listen === 'function' ? listener : Array.isArray(stack) ? mountInApp(listener) : undefined
  const server = createServer((req, res) => {
    // On a server, this error would end the process.
    const fail = (error: unknown): void => FAILURES.get(req.socket)?.(error ?? new Error('The listener threw nothing.'))
    try {
      // Without `next`, an app answers by itself what nothing in it has answered.
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
