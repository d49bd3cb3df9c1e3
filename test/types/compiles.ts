// Code that must compile. It is not run: `npm run check` and types.test.ts compile it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Cluster, Redis } from 'ioredis'
import * as z from 'zod'
import { imports } from '../../src/features/imports/index.js'
import { usage } from '../../src/features/usage/index.js'
import {
  authOf,
  createPlatformAuth,
  maybeAuthOf,
  memoryStore,
  OAuthError,
  type ApisOptions,
  type PlatformAuth,
  type PlatformAuthOptions,
} from '../../src/index.js'

const auth = createPlatformAuth({
  baseUrl: 'https://api.example.com',
  apis: {
    orders: { scheme: 'oauth2', title: 'Orders', scopes: { 'orders:read': 'Read', 'orders:write': 'Change' } },
    catalog: { scheme: 'apiKey', title: 'Catalog' },
  },
  store: memoryStore(),
})

// Literal names and scopes.
auth.requireBearer('orders')
auth.requireBearer('orders', { scopes: ['orders:read', 'orders:write'], optional: true })
auth.requireApiKey('catalog')
auth.requireApiKey('catalog', { optional: true, onDenied: (denial, _req, res) => res.end(denial.description) })

// What a request costs.
auth.requireBearer('orders', { cost: 5 })
auth.requireApiKey('catalog', { cost: (req: Request) => Number(req.params['count']) })

// Conditions: scopes per method, one of several scopes, and a function that takes Express's request.
auth.requireBearer('orders', { scopes: { GET: ['orders:read'], '*': ['orders:write'] }, anyScope: ['orders:read'] })
auth.requireBearer('orders', { allow: ({ token, scopes }) => token.expiresAt > new Date() && scopes.length > 0 })
auth.requireBearer({ allow: async ({ application }, req: Request) => req.params['id'] === application.id })
auth.requireBearer('orders', { allow: (_caller, req: Request<{ id: string }>) => req.params.id !== '' })
auth.requireBearer('orders', { allow: () => ({ status: 404, error: 'not_found' }) })
auth.requireBearer('orders', { allow: () => new OAuthError('access_denied', 'No') })
auth.requireApiKey('catalog', { allow: ({ scheme }, { method }) => scheme === 'apiKey' && method === 'GET' })

// A guard of the host, typed by Express, by Passport's types or by nothing.
declare const handler5: RequestHandler
// oxlint-disable-next-line typescript/no-explicit-any -- what passport.authenticate() returns
declare const authenticate: any
auth.requireBearer('orders', { otherIssuers: handler5 })
auth.requireBearer('orders', { otherIssuers: authenticate, optional: true })
auth.requireBearer('orders', { otherIssuers: (req: Request, _res: Response, next: NextFunction) => next(req.ip) })
auth.requireAny([auth.requireBearer('orders'), auth.requireApiKey('catalog')], { optional: true })
createPlatformAuth({
  baseUrl: 'https://a.example',
  apis: { one: { scheme: 'apiKey', header: 'apikey' }, two: { scheme: 'apiKey', header: ['X-Key', 'apikey'] } },
})

// Keys have scopes too.
const scopedKeys = createPlatformAuth({
  baseUrl: 'https://a.example',
  apis: {
    catalog: { scheme: 'apiKey', scopes: { read: 'Read', write: 'Write' }, defaultScopes: ['read'] },
    prices: { scheme: 'apiKey', scopes: { see: 'See' }, registrationScopes: [] },
  },
})
scopedKeys.requireApiKey('catalog', { scopes: { GET: ['read'], '*': ['write'] }, anyScope: ['read'] })
scopedKeys.requireApiKey('prices', { scopes: ['see'], allow: ({ scopes }) => scopes.includes('see') })
void scopedKeys.applications.create({ name: 'Acme', apis: { catalog: { scopes: ['read'] } } })

// With one API per scheme, the name may be left out.
auth.requireBearer()
auth.requireApiKey()

// Destructuring works, and so does a platform without scopes or without one of the schemes.
const { requireBearer, router, flush, close } = auth
requireBearer('orders')
void close
export const flushed: Promise<void> = flush()
createPlatformAuth({ baseUrl: 'https://a.example', apis: { plain: { scheme: 'oauth2' } } }).requireBearer('plain')

// Any ioredis instance can count the limits.
export function counted(redis: Redis | Cluster): PlatformAuth {
  return createPlatformAuth({ baseUrl: 'https://a.example', apis: loaded, rateLimits: { redis, headers: true } })
}

// Guards and routers are middleware for everything that calls (req, res, next).
const middleware: (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => unknown = router
void middleware

// With plain records, names and scopes are any strings, and are checked at start-up.
declare const loaded: ApisOptions
const dynamic = createPlatformAuth({ baseUrl: 'https://api.example.com', apis: loaded })
dynamic.requireBearer('whatever', { scopes: ['what:ever'] })
dynamic.requireApiKey('whatever')
const record: Record<string, { scheme: 'apiKey' }> = {}
createPlatformAuth({ baseUrl: 'https://api.example.com', apis: record }).requireApiKey('whatever')

// Functions that take any platform.
declare function mount(platform: PlatformAuth): void
mount(auth)
mount(dynamic)

// authOf().
export function handler(req: IncomingMessage): { id: string; expires: Date | undefined; scopes: readonly string[] } {
  const { application, token, scopes, scheme, api } = authOf(req)
  const both: 'oauth2' | 'apiKey' = scheme
  const name: string = api
  void [both, name, maybeAuthOf(req)?.application.name]
  return { id: application.id, expires: token?.expiresAt, scopes }
}

// A schema for metadata gives it its type, for those who write it (input) and those who read it (output).
const shop = createPlatformAuth({
  baseUrl: 'https://api.example.com',
  apis: {
    orders: {
      scheme: 'oauth2',
      scopes: { 'orders:read': 'Read' },
      claims: ({ externalId, metadata }) => ({ customer: externalId ?? null, discount: metadata?.discount ?? 0 }),
    },
    catalog: { scheme: 'apiKey' },
  },
  metadata: z.object({ discount: z.number().default(0), since: z.string().optional() }),
})
shop.requireBearer('orders', {
  scopes: ['orders:read'],
  allow: ({ application }) => (application.metadata?.discount ?? 0) > 5,
})
mount(shop)

export async function customers(req: IncomingMessage): Promise<number | undefined> {
  await shop.applications.create({ name: 'Shop', apis: ['orders'], externalId: 'C-1', metadata: {} })
  const { items } = await shop.applications.list({ externalId: 'C-1' })
  const since: string | undefined = items[0]?.metadata?.since
  await shop.applications.update('app_', { metadata: { discount: 10 } })
  await shop.applications.update('app_', { metadata: null, externalId: null })
  const verified: number | undefined = (await shop.verifyAccessToken('orders', 'x')).application.metadata?.discount
  const untyped: unknown = authOf(req).application.metadata?.['discount']
  const claims: Record<string, unknown> | undefined = authOf(req).token?.claims
  void [since, verified, untyped, claims, authOf(req).application.externalId]
  return shop.of(req, 'orders').application.metadata?.discount
}

// Without a schema, metadata is any object, also one of an interface.
interface Terms {
  discount: number
}
export async function withoutSchema(terms: Terms, req: IncomingMessage): Promise<unknown> {
  await auth.applications.create({ name: 'Shop', apis: ['orders'], metadata: terms })
  return auth.of(req).application.metadata?.['discount']
}

// Options in a variable.
declare const options: PlatformAuthOptions
mount(createPlatformAuth(options))

export async function outsideARequest(token: string): Promise<string | undefined> {
  try {
    await auth.verifyApiKey('catalog', 'key')
    return (await auth.verifyAccessToken('orders', token)).application.id
  } catch (error) {
    return error instanceof OAuthError ? error.code : undefined
  }
}

export async function operators(): Promise<void> {
  const { application, credentials } = await auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] })
  const secret: string | undefined = credentials.clientSecret
  const created: Date = application.createdAt
  void [secret, created]
  await auth.applications.allow(application.id, 'orders', { scopes: ['orders:read'] })
  await auth.applications.create({ name: 'Shop', apis: { orders: { scopes: ['orders:read'] } } })
}

// In both of two lists.
declare const isOn: boolean
export const either = createPlatformAuth({
  baseUrl: 'https://api.example.com',
  apis: {},
  features: isOn ? [usage(), imports()] : [usage()],
})
void either.usage.list()
void either.imports?.run([])
