import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { shareInProcess } from '../../shared/lib/share-in-process.js'
import { readHeader } from '../../shared/lib/request.js'

/** Uploads of at most so many bytes are read by Node to their end, and the connection is used again. */
const SMALL_UPLOAD_BYTES = 64 * 1024

/** The bounds of a refused upload whose rest is read and dropped: docs/http.md states them. */
const MAX_DROPPED_BYTES = 64 * 1024 * 1024
const MAX_DROPPING_MS = 10_000
const MAX_DROPPING_CONNECTIONS = 1000

/** Cuts off each connection whose rest is being dropped; the oldest comes first. */
const dropping = shareInProcess('express-platform-auth.refused-uploads', () => new Set<() => void>())

/** The timers are kept, so that fake timers of the host's tests, which replace the global functions later, do not hold up a connection. */
const { setImmediate, setTimeout } = globalThis

/**
 * Sends the body of a refusal, whose headers are set, and ends the answer. The rest of a large upload is read and dropped
 * before the connection is closed: closed at once, most clients and proxies would fail while they write, and never see the
 * answer (RFC 9112 9.6). nginx would also take the process for dead.
 */
export function endRefusal(req: IncomingMessage, res: ServerResponse, body: string | Buffer): void {
  if (!isLargeUpload(req)) return void res.end(body)
  // Node calls its listeners while it parses what has arrived. The upload may be whole afterwards, and if it is not, nothing
  // of a further request has been parsed either. A next tick may come before the end of a chunk.
  setImmediate(() => {
    if (res.headersSent) return
    try {
      if (isLargeUpload(req)) {
        res.setHeader('Connection', 'close')
        if (!req.socket.destroyed) dropRest(req, res)
      }
      res.end(body)
    } catch {
      res.destroy()
    }
  })
}

/** A length that is not known counts as large. HTTP/2 has streams, which Node ends one by one. */
function isLargeUpload(req: IncomingMessage): boolean {
  if (req.httpVersionMajor !== 1 || req.complete) return false
  return (
    readHeader(req, 'transfer-encoding') !== undefined ||
    Number(readHeader(req, 'content-length') ?? 0) > SMALL_UPLOAD_BYTES
  )
}

/**
 * The HTTP parser of a connection: it calls `onIncoming` with each request, which returns 0 for one that goes on. Node does not
 * document it; Node 20.20, 22.23, 24.21 and 26.10 have it. Where it is missing, the request that follows is not held back.
 */
type ParsedSocket = Socket & { parser?: { onIncoming: unknown } | null }

/** Until all has arrived, the client has gone, or a bound is reached. The answer is not held back: `destroySoon()` waits here. */
function dropRest(req: IncomingMessage, res: ServerResponse): void {
  const socket: ParsedSocket = req.socket
  const destroySoon = socket.destroySoon.bind(socket)
  const bytesBefore = socket.bytesRead
  let isAnswered = false
  let isWhole = false

  function cutOff(): void {
    socket.destroy()
    forget()
  }
  function forget(): void {
    dropping.delete(cutOff)
    clearTimeout(timer)
  }
  const timer = setTimeout(cutOff, MAX_DROPPING_MS)
  timer.unref()
  dropping.add(cutOff)
  // This connection had the most time.
  if (dropping.size > MAX_DROPPING_CONNECTIONS) dropping.values().next().value!()

  // A middleware of the host that reads the body must not keep the dropped rest.
  req.unpipe()
  req.removeAllListeners('data').removeAllListeners('readable')
  req.on('data', () => {
    if (socket.bytesRead - bytesBefore > MAX_DROPPED_BYTES) cutOff()
  })
  req.once('end', () => {
    isWhole = true
    if (isAnswered) destroySoon()
  })
  req.resume()
  socket.once('close', forget)
  socket.destroySoon = () => {
    isAnswered = true
    if (isWhole) destroySoon()
    // An answer without a length ends with the connection.
    else if (req.httpVersionMinor === 0 && !res.hasHeader('Content-Length')) socket.end()
  }
  // This listener runs before Node's, which would send a second answer for the upload that is not whole.
  socket.prependListener('end', () => {
    if (isAnswered) destroySoon()
  })
  // A request that follows on this connection is no part of the app: its answer could not be sent.
  if (socket.parser) socket.parser.onIncoming = () => 0
}
