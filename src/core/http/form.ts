import type { IncomingMessage } from 'node:http'
import { OAuthError } from '../../shared/contracts/denial.js'
import { readHeader, readHostMember } from '../../shared/lib/request.js'

/** The parameters of a form: each at most once, none of them empty. */
export type Form = ReadonlyMap<string, string>

/**
 * The form in a request body, whether or not a body parser of the host has read it. Rejects with `OAuthError` for another
 * media type, a `Content-Encoding`, more than 16 KiB, a body that cannot be decoded, and for one of the `known` parameters
 * that occurs twice (RFC 6749 3.2). Unknown parameters are ignored, but for `onUnknown`.
 */
export async function readForm(req: IncomingMessage, known: readonly string[], onUnknown?: (name: string) => void) {
  const { mediaType, charset } = parseMediaType(req)
  requireForm(mediaType)
  if (charset !== undefined && !/^(["']?)utf-?8\1$/.test(charset)) {
    const found = /^["']?([\w:.+-]{1,40})["']?$/.exec(charset)?.[1]
    throw new OAuthError(
      'invalid_request',
      `The charset of the Content-Type must be UTF-8${found ? `, not ${found}` : ''}`,
    )
  }

  const form = new Map<string, string>()
  const seen = new Set<string>()
  for (const [name, value] of await readPairs(req)) {
    if (!known.includes(name)) {
      onUnknown?.(name)
      continue
    }
    if (seen.has(name) || typeof value !== 'string')
      throw new OAuthError('invalid_request', `The parameter ${name} must be given once, as text`)
    seen.add(name)
    // RFC 6749 3.2: a parameter without a value counts as absent.
    if (value !== '') form.set(name, value)
  }
  return form
}

export type FormFields = ReadonlyMap<string, readonly string[]>

/** All fields of a form that a page has sent. Rejects with `OAuthError` as `readForm` does. */
export async function readFields(req: IncomingMessage): Promise<FormFields> {
  requireForm(parseMediaType(req).mediaType)
  const fields = new Map<string, string[]>()
  for (const [name, value] of await readPairs(req)) {
    // A body parser of the host makes an array of repeated names, or an object if there are many of them.
    const values: readonly unknown[] = isRecord(value) ? Object.values(value) : [value]
    if (!values.every((each) => typeof each === 'string'))
      throw new OAuthError('invalid_request', 'The form has a field that is not text')
    fields.set(name, [...(fields.get(name) ?? []), ...values])
  }
  return fields
}

/** The only value of a field; empty if it was left out. Throws if there are several. */
export function readField(fields: FormFields, name: string): string {
  const [value = '', ...others] = fields.get(name) ?? []
  if (others.length > 0) throw new OAuthError('invalid_request', `The field ${name} must be given once`)
  return value.trim()
}

function requireForm(mediaType: string): void {
  if (mediaType === FORM.mediaType) return
  throw new OAuthError('invalid_request', 'The Content-Type must be application/x-www-form-urlencoded')
}

/** The names and values of a form, in order. A body parser of the host may have made an array of a repeated name. */
async function readPairs(req: IncomingMessage): Promise<Iterable<readonly [name: string, value: unknown]>> {
  const body = await readBody(req)
  return body.text === undefined ? Object.entries(body.parsed) : decodePairs(body.text)
}

export function parseMediaType(req: IncomingMessage): { mediaType: string; charset: string | undefined } {
  const contentType = readHeader(req, 'content-type')
  if (contentType === FORM.mediaType) return FORM
  const [mediaType = '', ...parameters] = splitParameters(contentType ?? '')
  const charset = parameters.map((parameter) => /^charset\s*=\s*(.*)$/.exec(parameter)).find((found) => found !== null)
  return { mediaType, charset: charset?.[1] }
}

/** The parts between semicolons, in lower case. A quoted value may have semicolons (RFC 9110 5.6.6). */
function splitParameters(contentType: string): string[] {
  const parts = contentType.match(/(?:"(?:[^"\\]|\\.)*"?|[^;"])+/g) ?? []
  return parts.map((part) => part.trim().toLowerCase())
}

/** Query strings are kept in logs and browser histories. Unknown parameters are ignored, but for `onUnknown`. */
export function refuseInQuery(req: IncomingMessage, names: readonly string[], onUnknown?: (name: string) => void) {
  const { url = '' } = req
  const query = url.indexOf('?')
  if (query < 0) return
  for (const name of new URLSearchParams(url.slice(query)).keys()) {
    if (names.includes(name))
      throw new OAuthError('invalid_request', `The parameter ${name} belongs in the body, never in the query string`)
    onUnknown?.(name)
  }
}

/** Decodes one value of application/x-www-form-urlencoded. Undefined if its percent-encoding or its UTF-8 is invalid. */
export function decodeFormValue(text: string): string | undefined {
  try {
    return decodeURIComponent(text.includes('+') ? text.replaceAll('+', ' ') : text)
  } catch {
    return undefined
  }
}

export type Body =
  | { readonly text: string; readonly parsed?: undefined }
  | { readonly text: undefined; readonly parsed: Record<string, unknown> }

/**
 * The body of a request, whether or not a body parser of the host has read it. Rejects with `OAuthError` for a
 * `Content-Encoding`, for more than 16 KiB, for invalid UTF-8, and, with the cause for the log, for a body that something
 * else has read without leaving it on `req.body`.
 */
export async function readBody(req: IncomingMessage): Promise<Body> {
  if (readHeader(req, 'content-encoding') !== undefined)
    throw new OAuthError('invalid_request', 'The body must not have a Content-Encoding', { status: 415 })
  if (Number(readHeader(req, 'content-length') ?? 0) > MAX_BODY_BYTES) throw createTooLargeError()

  const body = readHostMember(req, 'body')
  if (typeof body === 'string') return { text: checkSize(body) }
  if (body instanceof Uint8Array) return { text: decodeUtf8(checkSize(body)) }
  const isUnread = req.readable && !req.readableDidRead
  // body-parser 1 leaves an empty object on requests that it did not parse.
  if (isRecord(body) && (!isUnread || Object.keys(body).length > 0))
    return { text: undefined, parsed: checkParsedSize(body) }
  if (!isUnread && req.readableAborted) throw createTruncatedError()
  if (!isUnread)
    throw new OAuthError('server_error', 'The server met an unexpected condition', {
      cause: new Error(
        'Another middleware read the request body before auth.router and did not leave it on req.body. Mount auth.router before that middleware.',
      ),
    })
  return { text: decodeUtf8(await readStream(req)) }
}

const FORM = { mediaType: 'application/x-www-form-urlencoded', charset: undefined }

function decodePairs(text: string): (readonly [name: string, value: string])[] {
  const pairs: (readonly [string, string])[] = []
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decodeFormValue(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : decodeFormValue(pair.slice(equals + 1))
    if (name === undefined || value === undefined)
      throw new OAuthError('invalid_request', 'The body is not valid application/x-www-form-urlencoded in UTF-8')
    pairs.push([name, value])
  }
  return pairs
}

const MAX_BODY_BYTES = 16 * 1024

/** The listeners are not removed: that costs more, and they have no effect once the promise has settled. */
function readStream(req: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let isSettled = false
    const refuse = (createError: () => OAuthError): void => {
      // Each request makes one Error, not one per chunk of a long upload.
      if (!isSettled) reject(createError())
      isSettled = true
    }
    req.on('data', (chunk: Buffer | string) => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
      size += bytes.length
      if (size <= MAX_BODY_BYTES) chunks.push(bytes)
      else refuse(createTooLargeError)
    })
    req.on('end', () => {
      isSettled = true
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size))
    })
    req.on('error', () => refuse(createTruncatedError)).on('close', () => refuse(createTruncatedError))
  })
}

function checkSize<Bytes extends string | Uint8Array>(body: Bytes): Bytes {
  if (body.length > MAX_BODY_BYTES) throw createTooLargeError()
  return body
}

function checkParsedSize(body: Record<string, unknown>): Record<string, unknown> {
  let size = 0
  for (const [name, value] of Object.entries(body)) size += name.length + (typeof value === 'string' ? value.length : 0)
  if (size > MAX_BODY_BYTES) throw createTooLargeError()
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

function createTruncatedError(): OAuthError {
  return new OAuthError('invalid_request', 'The body ended before it was whole')
}

function createTooLargeError(): OAuthError {
  return new OAuthError('invalid_request', 'The body is larger than 16 KiB', { status: 413 })
}
