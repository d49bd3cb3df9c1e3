/** What answers: decides which statuses are right. `anything` where the way there has been mutated. */
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

/** A request while mutations work on it. Its texts are latin1: one character is one byte. */
export interface Draft {
  readonly kind: string
  route: Route
  method: string
  target: string
  version: string
  headers: [name: string, value: string][]
  /** Undefined: no body, and no Content-Length. */
  body: string | undefined
  /** The application whose good credential is in it; an answer may identify this one, and no other. */
  owner: string | undefined
  /** Untouched: must be answered with 200 and the right identity. */
  honest: boolean
  /** Whether the server can tell where it ends; otherwise it goes alone and its connection is given up. */
  framing: 'clean' | 'odd'
  /** Lines between head and body as they are, in place of Content-Length. */
  rawBody?: string
  readonly mutations: string[]
}

/** The bytes of a request, as latin1. */
export function wireOf(draft: Draft, number: number): string {
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

/** Bytes of UTF-8 as a latin1 text. */
export function utf8(text: string): string {
  return Buffer.from(text).toString('latin1')
}
