import type { Scheme } from '../contracts/api.js'
import type { Identity } from './authenticate.js'

/** What a guard has established about a request. */
export interface AuthInfo {
  readonly scheme: Scheme
  /** The API's name. */
  readonly api: string
  readonly application: {
    /** Public, and the same for the application's whole life. */
    readonly id: string
    readonly name: string
  }
  /** What the access token allows today; empty for a key API. */
  readonly scopes: string[]
  /** The access token (RFC 9068 2.2); undefined for a key API. */
  readonly token?: {
    /** Its `jti`. */
    readonly id: string
    readonly issuedAt: Date
    readonly expiresAt: Date
  }
}

/**
 * What the guard on this route has established: which application calls, and what it may do. Throws where no guard has
 * run, or where an `optional` one let a request without credential pass.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { authOf, createPlatformAuth } from 'express-platform-auth'
 *
 * const auth = createPlatformAuth({ baseUrl: 'http://localhost:3000', apis: { orders: { scheme: 'oauth2' } } })
 * express().get('/orders/me', auth.requireBearer('orders'), (req, res) => {
 *   res.json({ application: authOf(req).application.name })
 * })
 * ```
 */
export function authOf(req: object): AuthInfo {
  const info = maybeAuthOf(req)
  if (info) return info
  throw new Error(
    'No guard has let this request pass. Put auth.requireBearer() or auth.requireApiKey() before the handler; behind an optional guard ask maybeAuthOf(req).',
  )
}

/**
 * Like `authOf`, but undefined behind an `optional` guard that saw no credential.
 *
 * @example
 * ```ts
 * import { maybeAuthOf } from 'express-platform-auth'
 *
 * const greet = (req: object): string => `Hello, ${maybeAuthOf(req)?.application.name ?? 'stranger'}`
 * ```
 */
export function maybeAuthOf(req: object): AuthInfo | undefined {
  return (req as { [AUTH]?: AuthInfo })[AUTH]
}

/** Makes an identity readable on a request. */
export function establish(request: object, identity: Identity): void {
  const slot: { [AUTH]?: AuthInfo } = request
  slot[AUTH] = describeIdentity(identity)
}

/** An identity as `authOf` shows it; made anew for each request, so that what one handler does to it reaches no other caller. */
export function describeIdentity({ api, application, scopes, token }: Identity): AuthInfo {
  const info: { -readonly [Member in keyof AuthInfo]: AuthInfo[Member] } = {
    scheme: api.scheme,
    api: api.name,
    application: { id: application.id, name: application.name },
    scopes: [...scopes],
  }
  if (token) {
    info.token = { id: token.id, issuedAt: new Date(token.iat * 1000), expiresAt: new Date(token.exp * 1000) }
  }
  return info
}

/** Registered, so that an ESM and a CommonJS copy of this package read the same property. */
const AUTH = Symbol.for('express-platform-auth')
