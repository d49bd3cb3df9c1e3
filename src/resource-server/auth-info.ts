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
/** What guards before the last one established, in their order. */
const EARLIER = Symbol.for('express-platform-auth.earlier')

interface Slots {
  [AUTH]?: AuthInfo | undefined
  [EARLIER]?: AuthInfo[]
}
