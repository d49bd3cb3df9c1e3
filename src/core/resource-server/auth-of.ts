import type { Api } from '../../shared/contracts/api.js'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import type { AuthInfo, Identity } from './identity.js'
import { shareInProcess } from '../../shared/lib/share-in-process.js'

/**
 * The application that calls this route, and its rights there, as the last guard established them; with `api`, as the guard of
 * that API did. Each call returns a new object. Throws a `ConfigurationError` (`code`: `invalid_configuration`) if there was no
 * such guard, or if it is `optional` and the request has no credential for it.
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
  throw new ConfigurationError({
    problem: `No guard${api === undefined ? '' : ` of the API "${api}"`} has let this request pass with a credential`,
    fix: 'Put auth.requireBearer() or auth.requireApiKey() before the handler; behind an optional guard use maybeAuthOf(req).',
  })
}

/**
 * Like `authOf`, but undefined if that throws: behind an `optional` guard that let a request without a credential pass,
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
  const identities = readIdentities(req)
  const last = identities.at(-1)
  if (api === undefined || last?.api.name === api) return last?.toAuthInfo()
  return identities.findLast((identity) => identity?.api.name === api)?.toAuthInfo()
}

/** The identity that an earlier guard of this API established. `api` is the object itself: two platforms share nothing. */
export function findIdentity(request: object, api: Api): Identity | undefined {
  const established = ESTABLISHED.get(request)
  // The common case: no guard has run yet.
  if (established === undefined) return undefined
  return toList(established).findLast((identity) => identity?.api === api) ?? undefined
}

/** Records an identity for a request, where `authOf` finds it. Without an identity, `authOf(req)` throws from now on. */
export function setIdentity(request: object, identity: Identity | undefined): void {
  const earlier = ESTABLISHED.get(request)
  if (earlier === undefined) {
    if (identity) ESTABLISHED.set(request, identity)
  } else if (toList(earlier).at(-1) !== identity) ESTABLISHED.set(request, [...toList(earlier), identity ?? null])
}

/** The identity that one guard established, or those of several in their order: null for one that found no credential. */
type Established = Identity | readonly (Identity | null)[]

/** Not a property of the request, which would cost more than the rest of the guard (docs/architecture.md, "Why it is fast"). */
const ESTABLISHED = shareInProcess('express-platform-auth', () => new WeakMap<object, Established>())

function toList(established: Established): readonly (Identity | null)[] {
  return Array.isArray(established) ? (established as readonly (Identity | null)[]) : [established as Identity]
}

function readIdentities(req: object): readonly (Identity | null)[] {
  const established = ESTABLISHED.get(findRequest(req))
  return established ? toList(established) : []
}

/** The request that guards saw, also for a Proxy of it or an object behind it: Express names it by its response. */
export function findRequest(req: object): object {
  for (let object: object | null = req; object; object = Object.getPrototypeOf(object) as object | null) {
    if (ESTABLISHED.has(object)) return object
  }
  const { res } = req as { readonly res?: { readonly req?: object } }
  return typeof res?.req === 'object' && res.req !== null ? res.req : req
}
