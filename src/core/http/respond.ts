import type { IncomingMessage, ServerResponse } from 'node:http'
import { OAuthError, createDenial, retryAfter, type Denial } from '../../shared/contracts/denial.js'
import { StoreUnavailableError } from '../../shared/contracts/errors.js'
import { endRefusal } from './refused-upload.js'

type Headers = Readonly<Record<string, string>>

export function sendJson(res: ServerResponse, status: number, document: unknown, headers: Headers = {}): void {
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  const body = JSON.stringify(document)
  prepareText(res, status, body, headers)
  res.end(body)
}

/** The body is sent as a string, not as a Buffer: Node writes it together with the header section. */
function prepareText(res: ServerResponse, status: number, body: string, headers: Headers): void {
  res.statusCode = status
  setHeaders(res, headers)
  res.setHeader('Content-Length', Buffer.byteLength(body))
}

/** Sends an HTML page that is neither cached nor framed. `req` may have a body that was refused before it was read. */
export function sendPage(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  page: string,
  contentSecurityPolicy: string,
  referrerPolicy = 'no-referrer',
): void {
  const body = Buffer.from(page)
  res.statusCode = status
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.setHeader('Content-Length', body.length)
  res.setHeader('Content-Security-Policy', contentSecurityPolicy)
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Referrer-Policy', referrerPolicy)
  res.setHeader('Cache-Control', 'no-store')
  endRefusal(req, res, body)
}

/** Browsers send `Origin: null` with forms of pages whose policy is `no-referrer`, like forms of other sites. */
export const FORM_REFERRER_POLICY = 'same-origin'

const PRIVATE = { 'Referrer-Policy': FORM_REFERRER_POLICY, 'Cache-Control': 'no-store' }

export function sendRedirect(res: ServerResponse, location: string): void {
  res.statusCode = 303
  setHeaders(res, { ...PRIVATE, Location: location, 'Content-Length': '0' })
  res.end()
}

export function sendDownload(
  res: ServerResponse,
  { name, type, text }: { readonly name: string; readonly type: string; readonly text: string },
): void {
  setHeaders(res, {
    ...PRIVATE,
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="${name.replace(/[^A-Za-z0-9._-]/g, '_')}"`,
    'Content-Length': String(Buffer.byteLength(text)),
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Content-Type-Options': 'nosniff',
  })
  res.end(text)
}

export function sendEmpty(res: ServerResponse, status: 200 | 204, headers: Headers = {}): void {
  res.statusCode = status
  setHeaders(res, headers)
  if (status === 200) res.setHeader('Content-Length', 0)
  res.end()
}

/** Sends a refusal (RFC 6749 5.2). It never throws: nothing behind it would answer, and the process would end. */
export function sendDenial(req: IncomingMessage, res: ServerResponse, denied: Denial): void {
  try {
    if (res.headersSent) return closeUnfinished(res)
    const body = formatBody(denied)
    prepareText(res, denied.status, body, denied.headers)
    endRefusal(req, res, body)
  } catch {
    closeUnfinished(res)
  }
}

/** The JSON of refusals that cannot change: those of guards are made at start-up, and sent any number of times. */
const BODIES = new WeakMap<Denial, string>()

function formatBody(denied: Denial): string {
  const known = BODIES.get(denied)
  if (known !== undefined) return known
  const body = JSON.stringify({ error: denied.error, error_description: denied.description })
  if (Object.isFrozen(denied)) BODIES.set(denied, body)
  return body
}

/** Closes the connection of an answer that cannot be completed, so that a partial one does not look complete. */
export function closeUnfinished(res: ServerResponse): void {
  if (!res.writableEnded) res.destroy()
}

/** Sets headers. Own members only; a loop, because `Object.keys()` makes an array for each answer. */
export function setHeaders(res: ServerResponse, headers: Headers): void {
  for (const name in headers) if (Object.hasOwn(headers, name)) res.setHeader(name, headers[name]!)
}

/** The refusal for whatever was thrown. It holds only what the client may know; the cause is for the log. */
export function toDenial(error: unknown): Denial {
  if (error instanceof OAuthError) return error
  return error instanceof StoreUnavailableError ? UNAVAILABLE : UNEXPECTED
}

export function unwrapCause(error: unknown): unknown {
  return error instanceof Error && Object.hasOwn(error, 'cause') ? (error.cause ?? error) : error
}

/** The value of a `WWW-Authenticate` header (RFC 9110 11.6.1), with its parameters in the given order. */
export function formatChallenge(scheme: string, parameters: readonly (readonly [name: string, value: string])[]) {
  return `${scheme} ${parameters.map(([name, value]) => `${name}="${replaceForbidden(value)}"`).join(', ')}`
}

/** The code is from RFC 6749 4.1.2.1, the status from RFC 9110 15.6.4. */
const UNAVAILABLE = createDenial(
  'temporarily_unavailable',
  'The service is temporarily unavailable, try again later',
  retryAfter(1),
)
const UNEXPECTED = createDenial('server_error', 'The server met an unexpected condition')

/** RFC 6749 5.2 and RFC 6750 3 allow %x20-21 / %x23-5B / %x5D-7E only. */
export function replaceForbidden(value: string): string {
  return value.replace(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/g, (character) => (character === '"' ? "'" : ' '))
}
