import type { IncomingMessage, ServerResponse } from 'node:http'
import { OAuthError, StoreUnavailableError, denial, type Denial } from '../contracts/errors.js'

type Headers = Readonly<Record<string, string>>

/** Answers with a JSON document. */
export function sendJson(res: ServerResponse, status: number, document: unknown, headers: Headers = {}): void {
  // Text, not bytes: Node sends it in one piece with the head.
  const body = JSON.stringify(document)
  res.statusCode = status
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Content-Length', Buffer.byteLength(body))
  for (const name in headers) res.setHeader(name, headers[name]!)
  res.end(body)
}

/** Answers with a page that nothing keeps and nothing frames. */
export function sendPage(res: ServerResponse, status: number, page: string, contentSecurityPolicy: string): void {
  const body = Buffer.from(page)
  res.statusCode = status
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.setHeader('Content-Length', body.length)
  res.setHeader('Content-Security-Policy', contentSecurityPolicy)
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Referrer-Policy', 'no-referrer')
  res.setHeader('Cache-Control', 'no-store')
  res.end(body)
}

/** Answers with nothing but a status and headers. */
export function sendNothing(res: ServerResponse, status: 200 | 204, headers: Headers = {}): void {
  res.statusCode = status
  for (const name in headers) res.setHeader(name, headers[name]!)
  if (status === 200) res.setHeader('Content-Length', 0)
  res.end()
}

/** Answers with a refusal (RFC 6749 5.2): the one place that does. */
export function sendDenial(req: IncomingMessage, res: ServerResponse, denied: Denial): void {
  if (res.headersSent) {
    // The handler has begun to answer; all that can be done is not to end it as if it were whole.
    if (!res.writableEnded) res.destroy()
    return
  }
  res.setHeader('Cache-Control', 'no-store')
  if (isUploading(req)) res.setHeader('Connection', 'close')
  sendJson(res, denied.status, { error: denied.error, error_description: denied.description }, denied.headers)
}

/** Whatever was thrown, as what the caller may know of it. The cause is for the log. */
export function toDenial(error: unknown): Denial {
  if (error instanceof OAuthError) return error
  return error instanceof StoreUnavailableError ? UNAVAILABLE : UNEXPECTED
}

/** What the operator should read of whatever was thrown. */
export function rootCause(error: unknown): unknown {
  return error instanceof Error ? (error.cause ?? error) : error
}

/** RFC 6749 4.1.2.1 has the word for it; RFC 9110 15.6.4 the status. */
const UNAVAILABLE = denial('temporarily_unavailable', 'The service is temporarily unavailable, try again later', {
  'Retry-After': '1',
})
const UNEXPECTED = denial('server_error', 'The server met an unexpected condition')

const MUCH = 64 * 1024

/** Node would read and drop the rest of a refused upload to keep the connection; closing it is cheaper for both. */
function isUploading(req: IncomingMessage): boolean {
  if (req.httpVersionMajor !== 1 || req.complete) return false
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > MUCH
}
