import { isMultipart } from './serialize.js'

/** A call of an API, as its reader typed it. Samples contain its parts unchanged. */
export interface SampleCall {
  /** The authentication of the call; `none` for an operation without security. */
  readonly scheme: 'oauth2' | 'apiKey' | 'none'
  readonly method: string
  readonly url: string
  /** The headers without the credential, and without `Content-Type` if there is a body. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: SampleBody | undefined
  readonly tokenEndpoint?: string | undefined
  /** The header of the key, for `apiKey`; `X-Api-Key` if left out. */
  readonly keyHeader?: string | undefined
  /** Credentials to show. For each that is missing, the sample reads an environment variable. */
  readonly credentials?:
    | {
        readonly key?: string | undefined
        readonly secret?: string | undefined
        /** Whether CLIENT_ASSERTION, which proves a private key (RFC 7523), takes the place of the secret: in curl; other samples say where programs for it are. */
        readonly provesKey?: boolean | undefined
      }
    | undefined
}

/** Stands for a path of an API in the address of a call where none is known: the reader puts one there. */
export const ANY_PATH = '/RESOURCE_PATH'

type CalledApi = Pick<SampleCall, 'scheme' | 'tokenEndpoint'> &
  Record<'resource', string> &
  Record<'keyHeaders', readonly string[]>

export function createGetCall(api: CalledApi, path: string): SampleCall {
  const { scheme, resource, tokenEndpoint, keyHeaders } = api
  return { scheme, method: 'GET', url: resource + path, headers: [], tokenEndpoint, keyHeader: keyHeaders[0] }
}

/** Fields are sent as `application/x-www-form-urlencoded` or `multipart/...`, as `mediaType` says. */
export type SampleBody =
  | { readonly mediaType: string; readonly text: string }
  | { readonly mediaType: string; readonly fields: readonly SampleField[] }
  | { readonly mediaType: string; readonly file: SampleFile }

/** A field of a form. In `multipart/...` its part has the media type and the headers, if they are given. */
export type SampleField = {
  readonly name: string
  readonly mediaType?: string | undefined
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined
} & ({ readonly value: string } | { readonly file: SampleFile })

/** A file that the sample reads from the working directory; in browsers a File. */
export interface SampleFile {
  readonly name: string
  readonly type?: string
}

export type SampleTokenRequest = Pick<SampleCall, 'credentials'> & { readonly tokenEndpoint: string }

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

export type SampleLanguage = 'curl' | 'javascript' | 'python' | 'go' | 'php' | 'java' | 'csharp'

export interface Sample {
  readonly language: SampleLanguage
  readonly label: string
  readonly code: string
}

export function prepareCall(call: SampleCall): PreparedCall {
  const headers = mergeHeaders(call.headers)
  const body = call.body && prepareBody(call.body)
  if (call.body && (body?.kind === 'text' || body?.kind === 'file'))
    headers.push(['Content-Type', cleanHeader(call.body.mediaType)])
  const credential = prepareCredential(call)
  return { method: call.method.toUpperCase(), url: encodeUrl(call.url), headers, body, credential }
}

function prepareCredential(call: SampleCall): PreparedCredential | undefined {
  const { scheme, tokenEndpoint, keyHeader = 'X-Api-Key', credentials } = call
  if (scheme === 'apiKey') return { kind: 'key', header: keyHeader, key: credentials?.key }
  if (scheme === 'none' || tokenEndpoint === undefined) return undefined
  return { kind: 'accessToken', request: { tokenEndpoint, credentials } }
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
  const pairs = fields.flatMap((field) => ('value' in field ? [[field.name, field.value] as const] : []))
  return { kind: 'form', fields: pairs }
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

/** Some clients refuse what RFC 3986 does not allow, such as `{` and `ü`; curl replaces braces. `fetch` encodes apostrophes too. */
export function encodeUrl(url: string): string {
  const [authority = ''] = AUTHORITY.exec(url) ?? []
  const encode = (character: string): string =>
    character === "'" ? '%27' : encodeURIComponent(replaceSurrogates(character))
  return authority + url.slice(authority.length).replaceAll(ILLEGAL, encode)
}

export function hasFiles(body: PreparedBody | undefined): boolean {
  return body?.kind === 'file' || (body?.kind === 'multipart' && body.fields.some((field) => 'file' in field))
}
