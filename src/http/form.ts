import type { IncomingMessage } from 'node:http'
import { OAuthError } from '../errors.js'
import { formDecode } from './basic.js'

/** The parameters of a form, each at most once, none of them empty. */
export type Form = ReadonlyMap<string, string>

/** The most that a request to an endpoint of ours can need: 16 KiB. */
const MOST = 16 * 1024

/**
 * The form that a request carries, whichever body parser of the host has been there before. Rejects with `OAuthError`:
 * another media type, an encoding, too much, something that can't be decoded, or one of the `known` parameters twice
 * (RFC 6749 3.2). Unknown parameters are ignored.
 */
export async function readForm(req: IncomingMessage, known: readonly string[]): Promise<Form> {
  refuseOtherMedia(req.headers['content-type'])
  if (req.headers['content-encoding'] !== undefined) {
    throw new OAuthError('invalid_request', 'The body must not have a Content-Encoding', { status: 415 })
  }
  if (Number(req.headers['content-length'] ?? 0) > MOST) throw tooLarge()

  const form = new Map<string, string>()
  const seen = new Set<string>()
  for (const [name, value] of await readPairs(req)) {
    if (!known.includes(name)) continue
    if (seen.has(name) || typeof value !== 'string') throw twice(name)
    seen.add(name)
    // RFC 6749 3.2: parameters sent without a value are treated as if they were left out.
    if (value !== '') form.set(name, value)
  }
  return form
}

/** Refuses parameters in the query string that belong in the body, where logs and histories don't keep them. */
export function refuseInQuery(req: IncomingMessage, names: readonly string[]): void {
  const { url = '' } = req
  const query = url.indexOf('?')
  if (query < 0) return
  for (const name of new URLSearchParams(url.slice(query)).keys()) {
    if (names.includes(name)) {
      throw new OAuthError('invalid_request', `The parameter ${name} belongs in the body, never in the query string`)
    }
  }
}

function refuseOtherMedia(contentType = ''): void {
  const [mediaType, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length)
  if (mediaType !== 'application/x-www-form-urlencoded') {
    throw new OAuthError('invalid_request', 'The Content-Type must be application/x-www-form-urlencoded')
  }
  if (charset !== undefined && !/^"?utf-?8"?$/.test(charset)) {
    throw new OAuthError('invalid_request', 'The charset must be UTF-8')
  }
}

type Pairs = Iterable<readonly [name: string, value: unknown]>

async function readPairs(req: IncomingMessage): Promise<Pairs> {
  const { body } = req as { body?: unknown }
  if (typeof body === 'string') return decodePairs(within(body))
  if (body instanceof Uint8Array) return decodePairs(decodeUtf8(within(body)))
  const unread = req.readable && !req.readableDidRead
  // body-parser 1 leaves an empty object behind where it parsed nothing.
  if (isRecord(body) && (!unread || Object.keys(body).length > 0)) return parsedPairs(body)
  if (!unread) {
    throw new OAuthError('server_error', 'The server met an unexpected condition', {
      cause: new Error(
        'The request body was read before the platform could read it, and no body was left on req.body. Mount auth.router before whatever reads bodies.',
      ),
    })
  }
  return decodePairs(decodeUtf8(await readBody(req)))
}

function* decodePairs(text: string): Generator<readonly [string, string]> {
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = formDecode(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : formDecode(pair.slice(equals + 1))
    if (name === undefined || value === undefined) throw undecodable()
    yield [name, value]
  }
}

/** What the host's parser made of the body: a repeated parameter is an array there, and refused as one. */
function parsedPairs(body: Record<string, unknown>): Pairs {
  const pairs = Object.entries(body)
  const size = pairs.reduce(
    (sum, [name, value]) => sum + name.length + (typeof value === 'string' ? value.length : 0),
    0,
  )
  if (size > MOST) throw tooLarge()
  return pairs
}

function readBody(req: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (finish: () => void) => (): void => {
      req.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken)
      finish()
    }
    const onData = (chunk: Buffer | string): void => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
      size += bytes.length
      if (size > MOST) settle(() => reject(tooLarge()))()
      else chunks.push(bytes)
    }
    const onEnd = settle(() => resolve(Buffer.concat(chunks, size)))
    const onBroken = settle(() => reject(new OAuthError('invalid_request', 'The body ended before it was whole')))
    req.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken)
  })
}

function within<Body extends string | Uint8Array>(body: Body): Body {
  if (body.length > MOST) throw tooLarge()
  return body
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw undecodable()
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

const undecodable = (): OAuthError =>
  new OAuthError('invalid_request', 'The body is not valid application/x-www-form-urlencoded in UTF-8')
const tooLarge = (): OAuthError => new OAuthError('invalid_request', 'The body is larger than 16 KiB', { status: 413 })
const twice = (name: string): OAuthError =>
  new OAuthError('invalid_request', `The parameter ${name} must be given once, as text`)
