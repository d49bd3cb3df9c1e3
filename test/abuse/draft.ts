/** The endpoint that answers, which determines the expected statuses. `anything` if the target has been mutated. */
export type Route =
  | 'token'
  | 'revoke'
  | 'introspect'
  | 'metadata'
  | 'authorize'
  | 'registration'
  | 'claim'
  | 'console'
  | 'bearer'
  | 'optional'
  | 'apiKey'
  | 'anything'

/** A request that mutations change. Its strings are latin1: one character is one byte. */
export interface Draft {
  readonly kind: string
  route: Route
  method: string
  target: string
  version: string
  headers: [name: string, value: string][]
  /** Undefined: no body, and no Content-Length. */
  body: string | undefined
  /** The application whose good credential is in the request. No answer may identify another one. */
  owner: string | undefined
  /** Not mutated: the answer must be 200 with the right identity. */
  honest: boolean
  /** Whether the server can find the end of the request. If not, it is sent on a connection of its own. */
  framing: 'clear' | 'unclear'
  /** The body as it is sent, without a Content-Length header. */
  rawBody?: string
  readonly mutations: string[]
}

/** The bytes of a request, as latin1. */
export function formatRequest(draft: Draft, number: number): string {
  const { method, target, version, headers, body, rawBody } = draft
  let head = `${method} ${target} ${version}\r\nX-Number: ${number}\r\n`
  for (const [name, value] of headers) head += name === '' ? `${value}\r\n` : `${name}: ${value}\r\n`
  if (rawBody !== undefined) return `${head}\r\n${rawBody}`
  if (body !== undefined) head += `Content-Length: ${body.length}\r\n`
  return `${head}\r\n${body ?? ''}`
}

export function setHeader(draft: Draft, name: string, value: string): void {
  removeHeader(draft, name)
  draft.headers.push([name, value])
}

export function removeHeader(draft: Draft, name: string): void {
  const lower = name.toLowerCase()
  draft.headers = draft.headers.filter(([each]) => each.toLowerCase() !== lower)
}

/** The UTF-8 bytes of a text, as a latin1 string. */
export function encodeUtf8(text: string): string {
  return Buffer.from(text).toString('latin1')
}
