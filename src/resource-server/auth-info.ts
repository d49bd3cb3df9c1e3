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
 * The application that calls this route, and what it may do there, as the last guard established it; with `api`, as the
 * guard of that API did. Throws if there was no such guard, or if it is `optional` and the request has no credential for it.
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
export function authOf(req: object, api?: string): AuthInfo {
  const info = maybeAuthOf(req, api)
  if (info) return info
  throw new Error(
    `No guard${api === undefined ? '' : ` of the API "${api}"`} has let this request pass with a credential. Put auth.requireBearer() or auth.requireApiKey() before the handler; behind an optional guard use maybeAuthOf(req).`,
  )
}

/**
 * Like `authOf`, but undefined where that throws: behind an `optional` guard that let a request without a credential pass,
 * whatever other guards established before.
 *
 * @example
 * ```ts
 * import { maybeAuthOf } from 'express-platform-auth'
 *
 * const greet = (req: object): string => `Hello, ${maybeAuthOf(req)?.application.name ?? 'stranger'}`
 * ```
 */
export function maybeAuthOf(req: object, api?: string): AuthInfo | undefined {
  const slots: Slots = req
  const last = slots[AUTH]
  return api === undefined || last?.api === api ? last : slots[EARLIER]?.findLast((info) => info.api === api)
}

/** Puts an identity on a request, where `authOf` reads it. Without an identity, `authOf(req)` throws from now on. */
export function setAuthInfo(request: object, identity: Identity | undefined): void {
  const slots: Slots = request
  const last = slots[AUTH]
  // A second guard of the same API: handlers may have changed the object.
  if (last && last.api === identity?.api.name && last.application.id === identity.application.id) return
  if (last) (slots[EARLIER] ??= []).push(last)
  if (last || identity) slots[AUTH] = identity && createAuthInfo(identity)
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
/** What guards before the last one established, in their order. */
const EARLIER = Symbol.for('express-platform-auth.earlier')

interface Slots {
  [AUTH]?: AuthInfo | undefined
  [EARLIER]?: AuthInfo[]
}
