// What the types of features promise to an app that is compiled with `declaration: true`.
import {
  createPlatformAuth,
  type CoreAuth,
  type FeatureEntry,
  type PlatformAuth,
  type PlatformAuthOptions,
  type StandardSchema,
} from 'express-platform-auth'
import { developerConsole } from 'express-platform-auth/console'
import { emails } from 'express-platform-auth/emails'
import { registration } from 'express-platform-auth/registration'
import { plans, type WithPlans } from 'express-platform-auth/plans'
import { createTestPlatform } from 'express-platform-auth/testing'
import { usage, type UsageFeature, type WithUsage } from 'express-platform-auth/usage'

const mailer = { send: async (_email: object) => undefined }
declare const metadata: StandardSchema<{ discount?: number }, { discount: number }>
export const auth = createPlatformAuth({
  baseUrl: 'https://api.example.com',
  apis: { orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read' } }, catalog: { scheme: 'apiKey' } },
  metadata,
  features: [emails({ mailer }), registration({ operators: ['a@example.com'] }), usage()],
})
auth.requireBearer('orders')
// @ts-expect-error an API that is called with keys
auth.requireBearer('catalog')
void auth.usage.list({ api: 'orders' })
// @ts-expect-error a misspelt API, in a call of a feature
void auth.usage.list({ api: 'ordres' })
const acme = { name: 'Acme', contact: 'a@example.com', apis: ['orders'] } as const
void auth.registration
  .register({ ...acme, metadata: { discount: 5 } })
  .then(({ application }) => application.metadata?.discount.toFixed())
// @ts-expect-error the schema rules calls of features too
void auth.registration.register({ ...acme, metadata: { discount: 'x' } })
// @ts-expect-error a misspelt API at registration
void auth.registration.register({ ...acme, apis: ['ordres'] })
void auth.emails.retry()
// @ts-expect-error portal() was not given
void auth.portal

// The order does not matter for the types; a feature that depends on a setting is optional.
export const maybe = createPlatformAuth({
  baseUrl: 'https://api.example.com',
  apis: { orders: { scheme: 'oauth2' } },
  features: [usage(), process.env['SMTP_URL'] ? emails({ mailer }) : undefined, process.env['OPEN'] && registration()],
})
void maybe.usage.list({ api: 'orders' })
void maybe.emails?.retry()
// @ts-expect-error it may be missing
void maybe.registration.router

export const bare = createPlatformAuth({ baseUrl: 'https://a.example', apis: { plain: { scheme: 'apiKey' } } })
// @ts-expect-error usage() was not given
void bare.usage

// Options in a variable: the core is typed, the features are not known.
declare const options: PlatformAuthOptions
export const dynamic = createPlatformAuth(options)
declare const list: readonly FeatureEntry[]
export const dynamicList = createPlatformAuth({
  baseUrl: 'https://a.example',
  apis: { a: { scheme: 'apiKey' } },
  features: list,
})
dynamicList.requireApiKey('a')
const plainRecord: Record<string, { scheme: 'apiKey' }> = {}
void createPlatformAuth({ baseUrl: 'https://a.example', apis: plainRecord, features: [usage()] }).usage.list({
  api: 'whatever',
})

// Options that server and command line share: `satisfies` keeps the features.
const shared = {
  baseUrl: 'https://a.example',
  apis: { orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read' } }, catalog: { scheme: 'apiKey' } },
  features: [usage(), plans({ free: { requests: [] } }), process.env['OPEN'] && registration()],
} satisfies PlatformAuthOptions
export const ofShared = createPlatformAuth(shared)
void ofShared.usage.list({ api: 'orders' })
void ofShared.plans.set('id', 'free')
// @ts-expect-error a misspelt plan
void ofShared.plans.set('id', 'fre')
// @ts-expect-error it may be missing
void ofShared.registration.router
// @ts-expect-error imports() was not given
void ofShared.imports
ofShared.requireBearer('orders', { scopes: ['orders:read'] })
// @ts-expect-error an API that is called with keys
ofShared.requireBearer('catalog')

// Functions that take any platform, or one with a feature.
function mount(platform: CoreAuth): void {
  void platform.router
}
mount(auth)
mount(maybe)
mount(bare)
mount(dynamic)
function mountAny(platform: PlatformAuth): void {
  void platform.router
}
mountAny(auth)
mountAny(maybe)
mountAny(dynamic)
mountAny(dynamicList)
// oxlint-disable-next-line typescript/no-explicit-any -- any APIs and any metadata
function report(platform: PlatformAuth<any, any, [UsageFeature]>): Promise<unknown> {
  return platform.usage.list({ api: 'orders' })
}
void report(auth)
// @ts-expect-error usage() was not given
void report(bare)
export const count = (platform: WithUsage): Promise<unknown> => platform.usage.list()
void count(auth)
void count(createPlatformAuth({ ...shared, baseUrl: 'https://b.example', metadata }))
void count(createTestPlatform({ apis: shared.apis, features: shared.features }).auth)
// @ts-expect-error usage() was not given
void count(bare)

// Plans, whose names are known.
const withPlans = createPlatformAuth({
  baseUrl: 'https://a.example',
  apis: { a: { scheme: 'apiKey' } },
  features: [plans({ free: { requests: [{ limit: 1, per: 'day' }] }, gold: { requests: [] } }, { default: 'free' })],
})
void withPlans.plans.set('id', 'gold')
// @ts-expect-error a misspelt plan
void withPlans.plans.set('id', 'gild')
// @ts-expect-error a misspelt plan
plans({ free: { requests: [] } }, { default: 'fre' })
// @ts-expect-error either a window or a period
plans({ free: { requests: [{ limit: 1, window: 1, per: 'day' }] } })
export const usedOf = (platform: WithPlans) => platform.plans.usage('id')
void usedOf(withPlans)

// Tools.
export const pages = developerConsole(auth, { documents: { orders: {} } })
// @ts-expect-error a misspelt API
developerConsole(auth, { documents: { ordres: {} } })

// What a project exports: a factory and types of what it returns, and a class with a field, as providers of NestJS have it.
export function createShop(operators: readonly string[]) {
  return createPlatformAuth({
    baseUrl: 'https://a.example',
    apis: { orders: { scheme: 'oauth2' } },
    features: [emails({ mailer }), registration({ operators })],
  })
}
export type Shop = ReturnType<typeof createShop>
export const register: Shop['registration']['register'] = (request) => createShop([]).registration.register(request)
export class Platform {
  readonly auth = createPlatformAuth({
    baseUrl: 'https://a.example',
    apis: { orders: { scheme: 'oauth2' } },
    features: [usage()],
  })
}
void new Platform().auth.usage.list({ api: 'orders' })

// @ts-expect-error no feature
createPlatformAuth({ baseUrl: 'https://a.example', apis: { a: { scheme: 'apiKey' } }, features: ['usage'] })
// @ts-expect-error the factory, which was not called
createPlatformAuth({ baseUrl: 'https://a.example', apis: { a: { scheme: 'apiKey' } }, features: [usage] })
