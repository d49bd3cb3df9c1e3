import type { IncomingMessage } from 'node:http'
import { OAuthError } from '../contracts/errors.js'
import { formDecode } from './basic.js'
import { readBody } from './body.js'

/** The parameters of a form, each at most once, none of them empty. */
export type Form = ReadonlyMap<string, string>

/**
 * The form that a request carries, whichever body parser of the host has been there before. Rejects with `OAuthError`:
 * another media type, an encoding, too much, something that can't be decoded, or one of the `known` parameters twice
 * (RFC 6749 3.2). Unknown parameters are ignored.
 */
export async function readForm(req: IncomingMessage, known: readonly string[]): Promise<Form> {
  const { mediaType, charset } = parseMediaType(req)
  if (mediaType !== FORM.mediaType) {
    throw new OAuthError('invalid_request', 'The Content-Type must be application/x-www-form-urlencoded')
  }
  if (charset !== undefined && !/^"?utf-?8"?$/.test(charset)) {
    throw new OAuthError('invalid_request', 'The charset must be UTF-8')
  }

  const form = new Map<string, string>()
  const seen = new Set<string>()
  for (const [name, value] of await readPairs(req)) {
    if (!known.includes(name)) continue
    if (seen.has(name) || typeof value !== 'string') {
      throw new OAuthError('invalid_request', `The parameter ${name} must be given once, as text`)
    }
    seen.add(name)
    // RFC 6749 3.2: parameters sent without a value are treated as if they were left out.
    if (value !== '') form.set(name, value)
  }
  return form
}

/** A form's names and values, in their order; what the host's parser made of a repeated name is an array. */
export async function readPairs(req: IncomingMessage): Promise<Iterable<readonly [name: string, value: unknown]>> {
  const body = await readBody(req)
  return 'text' in body ? decodePairs(body.text) : Object.entries(body.parsed)
}

/** What a request says that its body is, in lower case. */
export function parseMediaType(req: IncomingMessage): { mediaType: string; charset: string | undefined } {
  if (req.headers['content-type'] === FORM.mediaType) return FORM
  const [mediaType = '', ...parameters] = (req.headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  return { mediaType, charset: charset?.slice('charset='.length) }
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

/** What nearly every client sends. */
const FORM = { mediaType: 'application/x-www-form-urlencoded', charset: undefined }

function decodePairs(text: string): (readonly [name: string, value: string])[] {
  const pairs: (readonly [string, string])[] = []
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = formDecode(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : formDecode(pair.slice(equals + 1))
    if (name === undefined || value === undefined) {
      throw new OAuthError('invalid_request', 'The body is not valid application/x-www-form-urlencoded in UTF-8')
    }
    pairs.push([name, value])
  }
  return pairs
}
