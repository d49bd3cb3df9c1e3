import type { IncomingMessage, ServerResponse } from 'node:http'
import { readHeader } from './request.js'

/** Uploads of at most so many bytes are read by Node to their end, and the connection is used again. */
const SMALL_UPLOAD_BYTES = 64 * 1024

/** The bounds of a refused upload whose rest is read and dropped: docs/http.md states them. */
const MAX_DROPPED_BYTES = 64 * 1024 * 1024
const MAX_DROPPING_MS = 10_000
const MAX_DROPPING_CONNECTIONS = 1000

let droppingConnections = 0

/** Kept, so that fake timers of the host's tests, which replace the global function later, do not hold up a connection. */
const { setTimeout } = globalThis

/**
 * Sends the body of a refusal, whose headers are set, and ends the answer. The rest of a large upload is read and dropped
 * before the connection is closed: closed at once, most clients and proxies would fail while they write, and never see the
 * answer (RFC 9112 9.6). nginx would also take the process for dead.
 */
export function endRefusal(req: IncomingMessage, res: ServerResponse, body: string | Buffer): void {
  if (!isLargeUpload(req)) return void res.end(body)
  res.setHeader('Connection', 'close')
  if (droppingConnections >= MAX_DROPPING_CONNECTIONS || req.destroyed) return void res.end(body)
  dropRest(req, res)
  // The whole answer is sent now; only end() would close the connection. An answer to HEAD has headers alone.
  if (req.method === 'HEAD') res.flushHeaders()
  else res.write(body)
}

/** A length that is not known counts as large. HTTP/2 has streams, which Node ends one by one. */
function isLargeUpload(req: IncomingMessage): boolean {
  if (req.httpVersionMajor !== 1 || req.complete) return false
  return (
    readHeader(req, 'transfer-encoding') !== undefined ||
    Number(readHeader(req, 'content-length') ?? 0) > SMALL_UPLOAD_BYTES
  )
}

/** Reads and drops what arrives. Ends the answer when all has arrived, the client has gone, or a bound is reached. */
function dropRest(req: IncomingMessage, res: ServerResponse): void {
  let left = MAX_DROPPED_BYTES
  let isDropping = true
  droppingConnections += 1

  function end(): void {
    if (!isDropping) return
    isDropping = false
    droppingConnections -= 1
    clearTimeout(timer)
    res.end()
  }
  function cutOff(): void {
    end()
    req.socket.destroy()
  }
  const timer = setTimeout(cutOff, MAX_DROPPING_MS)
  timer.unref()
  // A body parser of the host may have piped the request elsewhere, or paused it.
  req.unpipe()
  req.on('data', (chunk: { readonly length: number }) => {
    left -= chunk.length
    if (left < 0) cutOff()
  })
  req.on('end', end).on('error', end)
  res.on('close', end)
  req.resume()
}
