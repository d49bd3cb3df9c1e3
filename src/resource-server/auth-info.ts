import type { Identity } from './authenticate.js'

/** What a guard has established about a request. `scheme` tells whether there is an access token. */
export type AuthInfo = AccessTokenInfo | ApiKeyInfo

/** The caller of an API with the scheme `oauth2`. */
export interface AccessTokenInfo extends CallerInfo {
  readonly scheme: 'oauth2'
  /** The access token (RFC 9068 2.2). */
  readonly token: {
    /** Its `jti`. */
    readonly id: string
    readonly issuedAt: Date
    readonly expiresAt: Date
  }
}

/** The caller of an API with the scheme `apiKey`. */
export interface ApiKeyInfo extends CallerInfo {
  readonly scheme: 'apiKey'
  readonly token?: never
}

interface CallerInfo {
  /** The API's name. */
  readonly api: string
  readonly application: {
    /** Public, and never changes. */
    readonly id: string
    readonly name: string
  }
  /** The scopes of the access token that are still granted; empty for an API with API keys. */
  readonly scopes: string[]
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
  const { id, name } = application
  if (!token) return { scheme: 'apiKey', api: api.name, application: { id, name }, scopes: [] }
  return {
    scheme: 'oauth2',
    api: api.name,
    application: { id, name },
    scopes: [...scopes],
    token: { id: token.id, issuedAt: new Date(token.iat * 1000), expiresAt: new Date(token.exp * 1000) },
  }
}

/** A registered symbol: an ESM and a CommonJS copy of this package read the same property. */
const AUTH = Symbol.for('express-platform-auth')
