// Code that must not compile, each line with the error above it. It is not run: `npm run check` and types.integration.test.ts compile it.
import { operation } from '../../src/tools/operations/operation.js'
import { APPLICATION } from '../../src/tools/operations/schemas.js'
import type { Request } from 'express'
import * as z from 'zod'
import * as mini from 'zod/mini'
import { imports } from '../../src/features/imports/index.js'
import { usage } from '../../src/features/usage/index.js'
import { createPlatformAuth } from '../../src/index.js'

const auth = createPlatformAuth({
  baseUrl: 'https://api.example.com',
  apis: { orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read' } }, catalog: { scheme: 'apiKey' } },
})

// @ts-expect-error TS2769 catalog is called with a key
auth.requireBearer('catalog')
// @ts-expect-error TS2769 a misspelt name
auth.requireBearer('ordres')
// @ts-expect-error TS2322 an unknown scope
auth.requireBearer('orders', { scopes: ['orders:reed'] })
// @ts-expect-error TS2769 orders is called with an access token
auth.requireApiKey('orders')
// @ts-expect-error TS2769 a misspelt name
auth.requireApiKey('katalog')
// @ts-expect-error TS2322 the catalog has no scopes
auth.requireApiKey('catalog', { scopes: ['orders:read'] })
// @ts-expect-error TS2561 a misspelt option
auth.requireBearer('orders', { scope: ['orders:read'] })
// @ts-expect-error TS2322 an unknown scope of a method
auth.requireBearer('orders', { scopes: { GET: ['orders:reed'] } })
// @ts-expect-error TS2353 a method in small letters
auth.requireBearer('orders', { scopes: { get: ['orders:read'] } })
// @ts-expect-error TS2322 an unknown scope
auth.requireBearer('orders', { anyScope: ['orders:reed'] })
// @ts-expect-error TS2322 neither a boolean nor a denial
auth.requireBearer('orders', { allow: () => 'yes' })
// @ts-expect-error TS18048 a key has no token
auth.requireApiKey('catalog', { allow: (caller) => caller.token.id !== '' })
// @ts-expect-error TS2353 the host's guard is for bearer tokens
auth.requireApiKey('catalog', { otherIssuers: () => undefined })
// @ts-expect-error TS2322 API names are no guards
auth.requireAny(['orders'])
// @ts-expect-error TS2353 conditions are those of each guard
auth.requireAny([auth.requireBearer('orders')], { scopes: ['orders:read'] })
// @ts-expect-error TS2322 access tokens are sent in Authorization
createPlatformAuth({ baseUrl: 'https://api.example.com', apis: { orders: { scheme: 'oauth2', header: 'X-Key' } } })
// @ts-expect-error TS2345 catalog has no access tokens
void auth.verifyAccessToken('catalog', 'token')
// @ts-expect-error TS2345 orders has no keys
void auth.verifyApiKey('orders', 'key')

const two = createPlatformAuth({
  baseUrl: 'https://api.example.com',
  apis: { orders: { scheme: 'oauth2' }, invoices: { scheme: 'oauth2' }, catalog: { scheme: 'apiKey' } },
})
// @ts-expect-error TS2554 there are two oauth2 APIs
two.requireBearer()
// @ts-expect-error TS2322 orders has no scopes
two.requireBearer('orders', { scopes: ['orders:read'] })

const keysOnly = createPlatformAuth({ baseUrl: 'https://api.example.com', apis: { catalog: { scheme: 'apiKey' } } })
// @ts-expect-error TS2554 there is no such API
keysOnly.requireBearer()
const scopedKeys = createPlatformAuth({
  baseUrl: 'https://api.example.com',
  apis: { catalog: { scheme: 'apiKey', scopes: { 'catalog:read': 'Read', 'catalog:write': 'Write' } } },
})

// @ts-expect-error TS2820 a scheme that doesn't exist
createPlatformAuth({ baseUrl: 'https://api.example.com', apis: { orders: { scheme: 'oauth' } } })
// @ts-expect-error TS2769 the catalog has no such scope
scopedKeys.requireApiKey({ scopes: ['catalog:writ'] })
// @ts-expect-error TS2322 nor this one
scopedKeys.requireApiKey('catalog', { anyScope: ['orders:read'] })
// @ts-expect-error TS2322 and it grants none that it does not have
void scopedKeys.applications.create({ name: 'Acme', apis: { catalog: { scopes: 'catalog:read' } } })
// @ts-expect-error TS2322 access tokens have the scopes that they were requested with
createPlatformAuth({ baseUrl: 'https://a.example', apis: { orders: { scheme: 'oauth2', defaultScopes: [] } } })
// @ts-expect-error TS2741 no base URL
createPlatformAuth({ apis: {} })
// @ts-expect-error TS2322 an address is no ioredis instance
createPlatformAuth({ baseUrl: 'https://a.example', apis: {}, rateLimits: { redis: 'redis://db' } })
// @ts-expect-error TS2561 an unknown option
createPlatformAuth({ baseUrl: 'https://api.example.com', apis: {}, baseUrI: '' })

const shop = createPlatformAuth({
  baseUrl: 'https://api.example.com',
  apis: { orders: { scheme: 'oauth2' } },
  metadata: z.object({ discount: z.number() }),
})
// @ts-expect-error TS2322 metadata of another type
void shop.applications.create({ name: 'Shop', apis: ['orders'], metadata: { discount: '10 %' } })
// @ts-expect-error TS2353 a member that the schema does not have
void shop.applications.update('app_', { metadata: { discount: 10, rebate: 5 } })
// @ts-expect-error TS2551 a member that the schema does not have
void shop.of({}).application.metadata?.discout
// @ts-expect-error TS2345 no such API
void shop.of({}, 'ordres')
createPlatformAuth({
  baseUrl: 'https://api.example.com',
  // @ts-expect-error TS2551 a member that the schema does not have
  apis: { orders: { scheme: 'oauth2', claims: ({ metadata }) => ({ discount: metadata?.discout ?? 0 }) } },
  metadata: z.object({ discount: z.number() }),
})
createPlatformAuth({
  baseUrl: 'https://api.example.com',
  // @ts-expect-error TS2322 claims that may be missing
  apis: { orders: { scheme: 'oauth2', claims: ({ externalId }) => ({ customer: externalId }) } },
})
// @ts-expect-error TS2322 key APIs have no access tokens
createPlatformAuth({ baseUrl: 'https://a.example', apis: { catalog: { scheme: 'apiKey', claims: () => ({}) } } })
// @ts-expect-error TS2322 metadata is an object
createPlatformAuth({ baseUrl: 'https://a.example', apis: {}, metadata: z.string() })

// A feature that may be missing: an entry, a list, and one of two lists that depend on a setting.
declare const isOn: boolean
const BASE = { baseUrl: 'https://api.example.com', apis: {} }
// @ts-expect-error TS2532 an entry
void createPlatformAuth({ ...BASE, features: [isOn && usage()] }).usage.list()
// @ts-expect-error TS2532 a list
void createPlatformAuth({ ...BASE, features: isOn ? [usage()] : [] }).usage.list()
// @ts-expect-error TS2532 a list within the list
void createPlatformAuth({ ...BASE, features: [...(isOn ? [imports()] : []), usage()] }).imports.run([])
// @ts-expect-error TS2532 in one of two lists
void createPlatformAuth({ ...BASE, features: isOn ? [usage(), imports()] : [usage()] }).imports.run([])
// @ts-expect-error TS2339 not at all
void createPlatformAuth({ ...BASE, features: [usage()] }).imports

// Express's types are not changed. (test/package checks the same for req.user, without @types/passport.)
export function untouched(req: Request): unknown {
  // @ts-expect-error TS2339 the package declares no req.auth
  return req.auth
}

// An operation that lacks a member of its call, has one too many or of another type, or whose output lacks one.
const read = { summary: '', scope: 'applications:write', needs: 'store', changes: 'application' } as const
const ended = { ...read, name: 'applications.endCredential', output: APPLICATION } as const
const [id, credentialId] = [['id', mini.string()] as const, ['credentialId', mini.string()] as const]
operation({ ...ended, subject: [id, credentialId], options: { revokeTokens: mini.optional(mini.boolean()) } })
// @ts-expect-error TS2322 no revokeTokens
operation({ ...ended, subject: [id, credentialId] })
// @ts-expect-error TS2322 revokeTokens is no text
operation({ ...ended, subject: [id, credentialId], options: { revokeTokens: mini.optional(mini.string()) } })
// @ts-expect-error TS2322 revokeTokens may be left out
operation({ ...ended, subject: [id, credentialId], options: { revokeTokens: mini.boolean() } })
operation({
  ...ended,
  subject: [id, credentialId],
  // @ts-expect-error TS2322 the call has no such option
  options: { revokeTokens: mini.optional(mini.boolean()), now: mini.boolean() },
})
// @ts-expect-error TS2322 the call has two parameters before its options
operation({ ...ended, subject: [id], options: { revokeTokens: mini.optional(mini.boolean()) } })
// @ts-expect-error TS2322 the actor is given by perform()
operation({ ...read, name: 'applications.resume', subject: [id], options: { by: mini.string() }, output: APPLICATION })
// @ts-expect-error TS2322 the result has more members
operation({ ...read, name: 'applications.resume', subject: [id], output: mini.strictObject({ id: mini.string() }) })
