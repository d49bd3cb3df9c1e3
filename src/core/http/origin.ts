import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { RequestOrigin } from '../../shared/contracts/events.js'
import { holdsCredential } from '../../shared/lib/credential-text.js'
import { decodeText, readHeader, readIpAddress } from '../../shared/lib/request.js'

/** The id is the host's (`req.id`), and many hosts take it from a header: one that holds a credential is left out. */
export function readOrigin(req: IncomingMessage, keyHeaders: readonly string[] = []): RequestOrigin {
  const address = readIpAddress(req)
  return { requestId: readId(req, keyHeaders), address: isIP(address) === 0 ? undefined : address }
}

export function createOriginReader(apis: readonly { readonly keyHeaders: readonly string[] }[]) {
  const keyHeaders = [...new Set(apis.flatMap((api) => api.keyHeaders))]
  return (req: IncomingMessage) => readOrigin(req, keyHeaders)
}

/** Secrets of other systems that a request has presented in its body, or in a header that was removed. Those of this package are known by their form. */
const PRESENTED = new WeakMap<object, readonly string[]>()

export function notePresentedSecrets(req: object, secrets: readonly string[]): void {
  const foreign = secrets.filter((secret) => !holdsCredential(secret))
  if (foreign.length > 0) PRESENTED.set(req, [...(PRESENTED.get(req) ?? []), ...foreign])
}

/** Records what these headers of a request present, before they are removed from it. */
export function notePresentedHeaders(req: IncomingMessage, headers: readonly string[]): void {
  notePresentedSecrets(req, listPresented(req, [...headers, 'Authorization']))
}

function readId(req: IncomingMessage, keyHeaders: readonly string[]): string | undefined {
  const given = Object.hasOwn(req, 'id') ? (req as { id?: unknown }).id : undefined
  if (typeof given !== 'string' && typeof given !== 'number') return undefined
  const id = String(given)
  const presented = [...listPresented(req, keyHeaders), ...(PRESENTED.get(req) ?? [])]
  const spellings = id.includes('%') ? [id, decodeText(id)] : [id]
  const isSecret = spellings.some((text) => holdsCredential(text) || presented.some((each) => holds(text, each)))
  return isSecret ? undefined : id
}

/** A shorter text may be part of an id by chance. */
const MIN_PART_LENGTH = 8

function holds(id: string, presented: string): boolean {
  return id === presented || (presented.length >= MIN_PART_LENGTH && id.includes(presented))
}

/** The credentials in the headers: after the scheme, the password of Basic, its user name where that may be a key, and API keys. */
function listPresented(req: IncomingMessage, keyHeaders: readonly string[]): string[] {
  const presented: string[] = []
  const authorization = readHeader(req, 'authorization')
  if (authorization !== undefined) {
    const credential = authorization.slice(authorization.indexOf(' ') + 1).trim()
    const pair = Buffer.from(credential, 'base64').toString()
    const [user = '', ...password] = pair.split(':')
    presented.push(authorization, credential, pair, password.join(':'))
    if (keyHeaders.includes('Authorization')) presented.push(user.trim())
  }
  for (const name of ['x-api-key', ...keyHeaders]) {
    const key = readHeader(req, name.toLowerCase())
    if (typeof key === 'string') presented.push(key)
  }
  return presented.filter((each) => each !== '')
}
