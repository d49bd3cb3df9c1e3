// What a package exports that is compiled with `declaration: true`: each type must have a name that its users can import.
import {
  checkOptions,
  createPlatformAuth,
  describeGuard,
  maybeAuthOf,
  memoryStore,
  type CoreAuth,
  type FeatureEntry,
  type PlatformAuth,
  type PlatformAuthOptions,
  type StandardSchema,
} from 'express-platform-auth'
import { openAdmin } from 'express-platform-auth/admin'
import { developerConsole } from 'express-platform-auth/console'
import { guardsFromDocument } from 'express-platform-auth/document-guards'
import { emails, smtpMailer } from 'express-platform-auth/emails'
import { imports } from 'express-platform-auth/imports'
import { portal } from 'express-platform-auth/portal'
import { registration } from 'express-platform-auth/registration'
import { postgresStore } from 'express-platform-auth/stores/postgres'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'
import * as openTelemetry from 'express-platform-auth/opentelemetry'
import * as testing from 'express-platform-auth/testing'
import * as storeTests from 'express-platform-auth/testing/store'
import { plans, type WithPlans } from 'express-platform-auth/plans'
import { usage, type UsageFeature, type WithUsage } from 'express-platform-auth/usage'

export const apis = {
  orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders' } },
  catalog: { scheme: 'apiKey' },
} as const
export const options = {
  baseUrl: 'http://localhost:3000',
  apis,
  features: [
    emails({ mailer: { send: async () => undefined } }),
    registration(),
    portal(),
    usage(),
    imports(),
    plans({ free: { requests: [] } }),
  ],
} satisfies PlatformAuthOptions<typeof apis>
export const schema: StandardSchema<{ plan: string }, { plan: 'free' | 'paid' }> = undefined as never

// Platforms: the smallest, with inferred APIs, with a schema, with options of any kind, from a function, in a class, nested.
export const minimal = createPlatformAuth({ baseUrl: 'http://localhost:3000', apis: { catalog: { scheme: 'apiKey' } } })
export const auth = createPlatformAuth({
  baseUrl: 'https://shop.example/api',
  apis: { orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders' } }, catalog: { scheme: 'apiKey' } },
  features: [
    emails({ mailer: { send: async () => undefined } }),
    registration({ operators: ['apis@shop.example'] }),
    portal({ actions: { rotate: false } }),
    usage(),
    imports(),
    plans({ free: { requests: [] } }),
  ],
})
export const withOptions = createPlatformAuth(options)
export const withSchema = createPlatformAuth({ ...options, metadata: schema })
export const anyPlatform = createPlatformAuth(options as PlatformAuthOptions)
export function createAuth() {
  return createPlatformAuth(options)
}
export const createAuthLater = async () => ({ auth: createPlatformAuth({ ...options, metadata: schema }) })
export class Platform {
  readonly auth = createPlatformAuth(options)
  readonly guard = this.auth.requireBearer('orders')
  callers() {
    return this.auth.applications.list()
  }
}
// Features that depend on a setting, and features of any kind.
export const maybe = createPlatformAuth({
  ...options,
  features: [
    usage(),
    process.env['SMTP_URL'] ? emails({ mailer: { send: async () => undefined } }) : undefined,
    process.env['OPEN'] && registration(),
  ],
})
export const listed = createPlatformAuth({ ...options, features: [] as readonly FeatureEntry[] })
export const mount = (platform: PlatformAuth): CoreAuth['router'] => platform.router
export const countersOf = (platform: WithUsage) => platform.usage.list({ api: 'orders' })
export const quotasOf = (platform: WithPlans) => platform.plans.usage('id')
export const ownFeature: UsageFeature = usage({ retention: 30 })
// oxlint-disable-next-line import/no-default-export -- some projects have one
export default createPlatformAuth(options)

// Each member of a platform, and what its calls resolve.
export const members = { ...auth }
export const { requireBearer, requireApiKey, requireAny, router, events, ready, health } = auth
export const membersWithSchema = { ...withSchema }
export const parts = [
  { ...auth.applications },
  { ...withSchema.applications },
  { ...auth.emails },
  { ...auth.signingKeys },
  { ...auth.audit },
  { ...auth.usage },
  { ...auth.plans },
  { ...auth.imports },
  { ...auth.portal },
  { ...auth.registration },
  auth.brand,
  { ...withSchema.registration },
  maybe.emails,
  maybe.registration,
  { ...auth.events },
  [...auth.apis],
] as const
export const guards = {
  bearer: auth.requireBearer('orders', { scopes: ['orders:read'] }),
  key: auth.requireApiKey('catalog'),
  any: auth.requireAny([auth.requireApiKey()]),
  document: guardsFromDocument(auth, 'orders', 'openapi.json', { prefix: '/orders' }),
}
export const calls = {
  create: () => auth.applications.create({ name: 'Acme', apis: ['catalog'] }),
  createWithSchema: () =>
    withSchema.applications.create({ name: 'Acme', apis: ['catalog'], metadata: { plan: 'free' } }),
  register: () => auth.registration.register({ name: 'Acme', contact: 'dev@acme.example', apis: ['catalog'] }),
  get: () => auth.applications.get('id'),
  list: () => withSchema.applications.list(),
  rotateKey: () => auth.applications.rotateKey('id'),
  rotateSecret: () => auth.applications.rotateSecret('id'),
  addKey: () => auth.applications.addKey('id', { name: 'Second' }),
  verify: () => auth.verifyAccessToken('orders', 'token'),
  verifyKey: () => withSchema.verifyApiKey('catalog', 'key'),
  of: (req: object) => auth.of(req),
  maybe: (req: object) => maybeAuthOf(req),
  rotateSigningKey: () => auth.signingKeys.rotate(),
  audit: () => auth.audit.list(),
  usage: () => auth.usage.list(),
  refusals: () => auth.usage.refusals('id'),
  plan: () => auth.plans.usage('id'),
  reportOnly: () => auth.usage.reportOnly(),
  retry: () => maybe.emails?.retry(),
  signIn: () => auth.portal.link({ contact: 'dev@acme.example' }),
  import: () => auth.imports.run([]),
  health: () => auth.health(),
  describe: () => describeGuard(guards.bearer),
}

// Stores, mailers, tools.
export const store = memoryStore()
export const sqlite = sqliteStore('platform.sqlite')
export const postgres = postgresStore({ pool: undefined as never })
export const mailer = smtpMailer({ transport: undefined as never, from: 'shop@example.com' })
export const admin = openAdmin(memoryStore())
export const adminParts = async () => ({ ...(await admin) })
export const report = checkOptions(options)
export const developers = developerConsole(auth, {
  documents: { orders: { document: 'openapi.json', prefix: '/orders' } },
})
export const platform = testing.createTestPlatform({ apis })
export const testMailer = testing.memoryMailer()
export const { auth: testAuth, clock } = testing.createTestPlatform({
  apis: { catalog: { scheme: 'apiKey' } },
  features: [emails({ mailer: testMailer })],
})
export const retryInTest = () => testAuth.emails.retry()
export const kit = { ...testing }
export const callers = testing.callersFor(auth, 'orders')
export const secured = testing.expectSecured(() => undefined, { auth })
export const fetchApp = testing.fetchFrom(() => undefined)
export const telemetry = { ...openTelemetry }
export const suite = { ...storeTests }
