import type { Api } from '../contracts/api.js'
import type { AuthInfo } from './auth-info.js'
import type { Identity } from './identity.js'

/**
 * The application that calls this route, and what it may do there, as the last guard established it; with `api`, as the
 * guard of that API did. A new object for each call. Throws if there was no such guard, or if it is `optional` and the request has
 * no credential for it.
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
  const { [LAST]: last, [EARLIER]: earlier }: Slots = req
  if (api === undefined || last?.api.name === api) return last?.toAuthInfo()
  return earlier?.findLast((identity) => identity.api.name === api)?.toAuthInfo()
}

/** What an earlier guard of this API has established about a request. `api` is the object itself: two platforms share nothing. */
export function findIdentity(request: object, api: Api): Identity | undefined {
  const slots: Slots = request
  const last = slots[LAST]
  // The common case: no guard has run yet.
  if (last === undefined) return undefined
  if (last?.api === api) return last
  return slots[EARLIER]?.findLast((identity) => identity.api === api)
}

/** Puts an identity on a request, where `authOf` reads it. Without an identity, `authOf(req)` throws from now on. */
export function setIdentity(request: object, identity: Identity | undefined): void {
  const slots: Slots = request
  const last = slots[LAST]
  if (last === identity) return
  if (last) (slots[EARLIER] ??= []).push(last)
  if (last || identity) slots[LAST] = identity ?? null
}

/**
 * What the last guard established; null if it found no credential and earlier guards did. A registered symbol: an ESM and a
 * CommonJS copy of this package read the same property.
 */
const LAST = Symbol.for('express-platform-auth')
/** What guards before the last one established, in their order. */
const EARLIER = Symbol.for('express-platform-auth.earlier')

interface Slots {
  [LAST]?: Identity | null
  [EARLIER]?: Identity[]
}
