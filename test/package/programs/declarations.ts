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
export const ownUsage = usage()
export const ownEmails = emails({ mailer: { send: async () => undefined } })
export const ownRegistration = registration()
export const ownPortal = portal({ actions: { rotate: false } })
export const ownImports = imports()
export const ownPlans = plans({ free: { requests: [{ limit: 10, per: 'month' }] } }, { default: 'free' })
// oxlint-disable-next-line import/no-default-export -- some projects have one
export default createPlatformAuth(options)

// Each member of a platform, and what its calls resolve.
export const members = { ...auth }
export const { requireBearer, requireApiKey, requireAny, router, events, ready, health } = auth
export const membersWithSchema = { ...withSchema }
export const authApplicationsPart = { ...auth.applications }
export const withSchemaApplicationsPart = { ...withSchema.applications }
export const authEmailsPart = { ...auth.emails }
export const authSigningKeysPart = { ...auth.signingKeys }
export const authAuditPart = { ...auth.audit }
export const authUsagePart = { ...auth.usage }
export const authPlansPart = { ...auth.plans }
export const authImportsPart = { ...auth.imports }
export const authPortalPart = { ...auth.portal }
export const authRegistrationPart = { ...auth.registration }
export const authBrandPart = auth.brand
export const withSchemaRegistrationPart = { ...withSchema.registration }
export const maybeEmailsPart = maybe.emails
export const maybeRegistrationPart = maybe.registration
export const authEventsPart = { ...auth.events }
export const authApisPart = [...auth.apis] as const
// With the core alone, whose program has no file of a feature.
export const coreMembers = { ...minimal }
export const coreApplications = { ...minimal.applications }
export const coreGuard = minimal.requireApiKey()
export const coreCreate = () => minimal.applications.create({ name: 'Acme', apis: ['catalog'] })
export const coreVerify = () => minimal.verifyApiKey('catalog', 'key')
export const coreAudit = () => minimal.audit.list()
export const coreDocumentGuard = guardsFromDocument(minimal, 'catalog', 'openapi.json')
export const coreConsole = developerConsole(minimal)
export const coreCallers = testing.callersFor(minimal, 'catalog')
export const coreTelemetry = openTelemetry.observe(minimal)
export const ownOptions = {
  baseUrl: 'http://localhost:3000',
  apis,
  store: sqliteStore('platform.sqlite'),
} satisfies PlatformAuthOptions
export const bearerGuard = auth.requireBearer('orders', { scopes: ['orders:read'] })
export const keyGuard = auth.requireApiKey('catalog')
export const anyGuard = auth.requireAny([auth.requireApiKey()])
export const documentGuard = guardsFromDocument(auth, 'orders', 'openapi.json', { prefix: '/orders' })
export const createCall = () => auth.applications.create({ name: 'Acme', apis: ['catalog'] })
export const createWithSchemaCall = () =>
  withSchema.applications.create({ name: 'Acme', apis: ['catalog'], metadata: { plan: 'free' } })
export const registerCall = () =>
  auth.registration.register({ name: 'Acme', contact: 'dev@acme.example', apis: ['catalog'] })
export const getCall = () => auth.applications.get('id')
export const listCall = () => withSchema.applications.list()
export const rotateKeyCall = () => auth.applications.rotateKey('id')
export const rotateSecretCall = () => auth.applications.rotateSecret('id')
export const addKeyCall = () => auth.applications.addKey('id', { name: 'Second' })
export const verifyCall = () => auth.verifyAccessToken('orders', 'token')
export const verifyKeyCall = () => withSchema.verifyApiKey('catalog', 'key')
export const ofCall = (req: object) => auth.of(req)
export const maybeCall = (req: object) => maybeAuthOf(req)
export const rotateSigningKeyCall = () => auth.signingKeys.rotate()
export const auditCall = () => auth.audit.list()
export const usageCall = () => auth.usage.list()
export const refusalsCall = () => auth.usage.refusals('id')
export const planCall = () => auth.plans.usage('id')
export const reportOnlyCall = () => auth.usage.reportOnly()
export const retryCall = () => maybe.emails?.retry()
export const signInCall = () => auth.portal.link({ contact: 'dev@acme.example' })
export const importCall = () => auth.imports.run([])
export const healthCall = () => auth.health()
export const describeCall = () => describeGuard(auth.requireBearer('orders'))

// Stores, mailers, tools.
export const store = memoryStore()
export const sqlite = sqliteStore('platform.sqlite')
export const postgres = postgresStore({ pool: undefined as never })
export const mailer = smtpMailer({ transport: undefined as never, from: 'shop@example.com' })
export const admin = openAdmin(memoryStore())
export const adminParts = async () => ({ ...(await admin) })
export const adminUsage = async () => (await admin).usage?.list()
export const adminList = async () => (await admin).applications.list()
export const found = () => sqlite.findApplication('id')
export const storeParts = () => ({ ...postgres })
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
