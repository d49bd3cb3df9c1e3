import type { IncomingMessage } from 'node:http'
import { OAuthError } from '../contracts/errors.js'

/** A body as it came, or as a body parser of the host has left it. */
export type Body = { readonly text: string } | { readonly parsed: Record<string, unknown> }

/** The most that a request to an endpoint of ours can need: 16 KiB. */
const MOST = 16 * 1024

/**
 * The body of a request, whichever body parser has been there before. Rejects with `OAuthError` for an encoding, for
 * more than 16 KiB, for what is not UTF-8, and, with the cause for the log, for a body that something else has read.
 */
export async function readBody(req: IncomingMessage): Promise<Body> {
  if (req.headers['content-encoding'] !== undefined) {
    throw new OAuthError('invalid_request', 'The body must not have a Content-Encoding', { status: 415 })
  }
  if (Number(req.headers['content-length'] ?? 0) > MOST) throw tooLarge()

  const { body } = req as { body?: unknown }
  if (typeof body === 'string') return { text: within(body) }
  if (body instanceof Uint8Array) return { text: decodeUtf8(within(body)) }
  const unread = req.readable && !req.readableDidRead
  // body-parser 1 leaves an empty object behind where it parsed nothing.
  if (isRecord(body) && (!unread || Object.keys(body).length > 0)) return { parsed: withinParsed(body) }
  if (!unread) {
    throw new OAuthError('server_error', 'The server met an unexpected condition', {
      cause: new Error(
        'The request body was read before the platform could read it, and no body was left on req.body. Mount auth.router before whatever reads bodies.',
      ),
    })
  }
  return { text: decodeUtf8(await readStream(req)) }
}

/** Listeners stay, since taking them off costs more than leaving them: whatever comes after the end changes nothing. */
function readStream(req: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let settled = false
    const refuse = (problem: () => OAuthError): void => {
      // An Error is made once, not for every chunk of a long upload.
      if (!settled) reject(problem())
      settled = true
    }
    req.on('data', (chunk: Buffer | string) => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
      size += bytes.length
      if (size <= MOST) chunks.push(bytes)
      else refuse(tooLarge)
    })
    req.on('end', () => {
      settled = true
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size))
    })
    req.on('error', () => refuse(cutOff)).on('close', () => refuse(cutOff))
  })
}

function within<Bytes extends string | Uint8Array>(body: Bytes): Bytes {
  if (body.length > MOST) throw tooLarge()
  return body
}

function withinParsed(body: Record<string, unknown>): Record<string, unknown> {
  let size = 0
  for (const [name, value] of Object.entries(body)) size += name.length + (typeof value === 'string' ? value.length : 0)
  if (size > MOST) throw tooLarge()
  return body
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes)
  } catch {
    throw new OAuthError('invalid_request', 'The body is not valid UTF-8')
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function cutOff(): OAuthError {
  return new OAuthError('invalid_request', 'The body ended before it was whole')
}

function tooLarge(): OAuthError {
  return new OAuthError('invalid_request', 'The body is larger than 16 KiB', { status: 413 })
}
