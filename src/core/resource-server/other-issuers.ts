import type { IncomingMessage, ServerResponse } from 'node:http'
import { handOnFailure } from '../http/middleware.js'
import { isObject } from '../../shared/lib/own-members.js'
import { decodeText } from '../../shared/lib/request.js'

/**
 * A guard of the host, such as `passport.authenticate('jwt', { session: false })`. It must answer or fail requests without a
 * valid credential: a request for which it calls `next()` reaches the route.
 *
 * @example
 * ```ts
 * import express, { type RequestHandler } from 'express'
 * import { createPlatformAuth, maybeAuthOf } from 'express-platform-auth'
 *
 * const auth = createPlatformAuth({ baseUrl: 'http://localhost:3000', apis: { orders: { scheme: 'oauth2' } } })
 * export function mount(app: express.Express, users: RequestHandler): void {
 *   app.get('/orders', auth.requireBearer('orders', { otherIssuers: users }), (req, res) => {
 *     res.json({ partner: maybeAuthOf(req)?.application.name ?? null })
 *   })
 * }
 * ```
 */
export type OtherIssuersGuard = {
  // A method, because its parameters may be narrower: the function can take Express's Request and Response.
  otherIssuers(req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): unknown
}['otherIssuers']

export function callOtherGuard(
  guard: OtherIssuersGuard,
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
): void {
  // Express 4 does not wait for middleware, and Express 5 does not see this promise.
  const call = async (): Promise<unknown> => guard(req, res, next)
  handOnFailure(call(), res, next)
}

/** Whether a bearer token may go to the host's guard. */
export type IsOfOtherIssuer = (token: string) => boolean

/** False if anything could be read as ours: other libraries' readings of repeated members must not decide who sees a token. */
export function createOtherIssuerTest(issuers: readonly string[]): IsOfOtherIssuer {
  const ours = new Set(issuers.map(normalizeIssuer))

  return function isOfOtherIssuer(token) {
    const segments = token.split('.', 4)
    const [header, claims] = segments.slice(0, 2).map(parseMembers)
    // RFC 7519 5.3: the header may repeat claims.
    if ([header, claims].some((part) => part && mayBeOurs(part))) return false
    // The form of a signed JWT (RFC 7515 7.1), and claims that cannot be read.
    return !header || claims !== undefined || segments.length !== 3
  }

  function mayBeOurs({ members, isRepeated }: JsonPart): boolean {
    const values = Object.entries(members).flatMap(([name, value]) =>
      name.trim().toLowerCase() === 'iss' ? [value] : [],
    )
    return isRepeated || values.some((issuer) => typeof issuer !== 'string' || ours.has(normalizeIssuer(issuer)))
  }
}

interface JsonPart {
  readonly members: Record<string, unknown>
  /** Whether a name occurs twice: parsers disagree about which one counts (RFC 7519 4). */
  readonly isRepeated: boolean
}

/** Decodes UTF-8 without a byte order mark, as jose reads it too. */
const UTF_8 = new TextDecoder()

/** The JSON object in a segment of a token. Node's base64url decoder ignores what is not base64url, and reads base64 too. */
function parseMembers(segment: string): JsonPart | undefined {
  try {
    const json = UTF_8.decode(Buffer.from(segment, 'base64url'))
    const members: unknown = JSON.parse(json)
    return isObject(members) ? { members, isRepeated: countMembers(json) !== Object.keys(members).length } : undefined
  } catch {
    return undefined
  }
}

/** How many members the JSON text of an object names, repeated ones included. */
function countMembers(json: string): number {
  let depth = 0
  let count = 0
  for (const [part] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/g)) {
    if (part === '{' || part === '[') depth += 1
    else if (part === '}' || part === ']') depth -= 1
    else if (part === ':' && depth === 1) count += 1
  }
  return count
}

/** Host and path in lower case: issuers that differ in scheme, case, percent-encoding or a slash at the end become equal. */
function normalizeIssuer(issuer: string): string {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  const address = (url ? url.host + decodeText(url.pathname) : issuer.trim()).toLowerCase()
  // A loop is used: /\/+$/ takes quadratic time for many slashes.
  let end = address.length
  while (address[end - 1] === '/') end -= 1
  return address.slice(0, end)
}
