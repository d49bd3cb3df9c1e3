import type { SampleBody, SampleCall, SampleField, SampleFile, SampleTokenRequest } from './call.js'
import { isMultipart } from './media-type.js'

/** A call as languages write it: what a client library adds by itself is left out. */
export interface PreparedCall {
  readonly method: string
  readonly url: string
  /** Each name once, with `Content-Type` where libraries do not set it; without the credential. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: PreparedBody | undefined
  readonly credential: PreparedCredential | undefined
}

export type PreparedBody =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly file: SampleFile }
  | { readonly kind: 'form'; readonly fields: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: 'multipart'; readonly mediaType: string; readonly fields: readonly SampleField[] }

/** An access token, or a key in a header: undefined if it is read from the environment. */
export type PreparedCredential =
  | { readonly kind: 'accessToken'; readonly request: SampleTokenRequest }
  | { readonly kind: 'key'; readonly header: string; readonly key: string | undefined }

export function hasFiles(body: PreparedBody | undefined): boolean {
  return body?.kind === 'file' || (body?.kind === 'multipart' && body.fields.some((field) => 'file' in field))
}

export function prepareCall(call: SampleCall): PreparedCall {
  const headers = mergeHeaders(call.headers)
  const body = call.body && prepareBody(call.body)
  if (call.body && (body?.kind === 'text' || body?.kind === 'file'))
    headers.push(['Content-Type', cleanHeader(call.body.mediaType)])
  return {
    method: call.method.toUpperCase(),
    url: encodeUrl(call.url),
    headers,
    body,
    credential: prepareCredential(call),
  }
}

function prepareCredential(call: SampleCall): PreparedCredential | undefined {
  const { scheme, tokenEndpoint, scope, keyHeader = 'X-Api-Key', credentials } = call
  if (scheme === 'apiKey') return { kind: 'key', header: keyHeader, key: credentials?.key }
  if (scheme === 'none' || tokenEndpoint === undefined) return undefined
  return { kind: 'accessToken', request: { tokenEndpoint, scope, credentials } }
}

/** Joins headers of one name (RFC 9110 5.3), as libraries take a map; drops what RFC 9110 5.1, 5.5 forbid. */
function mergeHeaders(headers: SampleCall['headers']): [name: string, value: string][] {
  const merged = new Map<string, [name: string, value: string]>()
  for (const [name, value] of headers) {
    if (!HEADER_NAME.test(name)) continue
    const key = name.toLowerCase()
    const known = merged.get(key)
    const text = cleanHeader(value)
    if (known) known[1] += `${key === 'cookie' ? '; ' : ', '}${text}`
    else merged.set(key, [name, text])
  }
  return [...merged.values()]
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/

function prepareBody(body: SampleBody): PreparedBody {
  if ('text' in body) return { kind: 'text', text: replaceSurrogates(body.text) }
  if ('file' in body) return { kind: 'file', file: body.file }
  const fields = body.fields.map((field) => ({
    ...field,
    name: replaceSurrogates(field.name),
    ...('value' in field && { value: replaceSurrogates(field.value) }),
    ...(field.mediaType !== undefined && { mediaType: cleanHeader(field.mediaType) }),
    ...(field.headers && { headers: mergeHeaders(field.headers) }),
  }))
  if (isMultipart(body.mediaType)) return { kind: 'multipart', mediaType: cleanHeader(body.mediaType), fields }
  return {
    kind: 'form',
    fields: fields.flatMap((field) => ('value' in field ? [[field.name, field.value] as const] : [])),
  }
}

function cleanHeader(value: string): string {
  return replaceSurrogates(value).replaceAll(/[\r\n\0]+/g, ' ')
}

/** Half of a surrogate pair cannot be encoded. U+FFFD stands for it, as in what a browser sends. */
function replaceSurrogates(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\uFFFD')
}

const AUTHORITY = /^[a-z][\w+.-]*:\/\/[^/?#]*/i
const ILLEGAL = /%(?![\dA-F]{2})|[^\w~:/?#@!$&()*+,;=%.-]/giu

/**
 * Percent-encodes characters that RFC 3986 allows nowhere in path and query, such as `{` and `ü`: some clients refuse them, and
 * curl replaces braces. It also encodes apostrophes, as `fetch` does.
 */
export function encodeUrl(url: string): string {
  const [authority = ''] = AUTHORITY.exec(url) ?? []
  return authority + url.slice(authority.length).replaceAll(ILLEGAL, encodeCharacter)
}

function encodeCharacter(character: string): string {
  // Half of a surrogate pair cannot be encoded. U+FFFD stands for it, as in URLs that a browser encodes.
  if (character === "'") return '%27'
  return encodeURIComponent(/\p{Surrogate}/u.test(character) ? '\uFFFD' : character)
}

export type SampleLanguage = 'curl' | 'javascript' | 'python' | 'go' | 'php' | 'java' | 'csharp'

export interface Sample {
  readonly language: SampleLanguage
  readonly label: string
  readonly code: string
}

/** The code of a body, and the media type that the code does not send by itself. */
export interface WrittenBody {
  readonly code: string
  readonly contentType?: string
}

export interface SampleWriter {
  readonly language: SampleLanguage
  readonly label: string
  /** The call, and before it the token request, whose access token is kept until it expires. */
  writeCall(call: PreparedCall): string
}
