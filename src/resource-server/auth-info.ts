import type { Scheme } from '../contracts/api.js'
import type { Identity } from './authenticate.js'

/** What a guard has established about a request. */
export interface AuthInfo {
  readonly scheme: Scheme
  /** The API's name. */
  readonly api: string
  readonly application: {
    /** Public, and never changes. */
    readonly id: string
    readonly name: string
  }
  /** The scopes of the access token that are still granted; empty for an API with API keys. */
  readonly scopes: string[]
  /** The access token (RFC 9068 2.2); undefined for an API with API keys. */
  readonly token?: {
    /** Its `jti`. */
    readonly id: string
    readonly issuedAt: Date
    readonly expiresAt: Date
  }
}

/**
 * The application that calls this route, and what it may do. Throws if no guard has run on the route, or if an `optional`
 * guard let a request without a credential pass.
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
    'No guard has let this request pass. Put auth.requireBearer() or auth.requireApiKey() before the handler; behind an optional guard use maybeAuthOf(req).',
  )
}

/**
 * Like `authOf`, but undefined behind an `optional` guard that let a request without a credential pass.
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

/** Puts an identity on a request, where `authOf` reads it. */
export function setAuthInfo(request: object, identity: Identity): void {
  const slot: { [AUTH]?: AuthInfo } = request
  slot[AUTH] = createAuthInfo(identity)
}

/** A new object for each request, because a handler may change it. */
export function createAuthInfo({ api, application, scopes, token }: Identity): AuthInfo {
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

/** A registered symbol: an ESM and a CommonJS copy of this package read the same property. */
const AUTH = Symbol.for('express-platform-auth')
