/**
 * A process of a fleet: an Express app with router and guards for each platform of the plans in its argument (JSON).
 * fleet.ts forks it, gets the ports by message, and sends the calls of operators as messages.
 */
import { once } from 'node:events'
import express from 'express'
import { authOf, createPlatformAuth } from 'express-platform-auth'
import { plans as plansFeature } from 'express-platform-auth/plans'
import { postgresStore } from 'express-platform-auth/stores/postgres'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'
import { Pool } from 'pg'

/** @typedef {import('./fleet.ts').PlatformPlan} PlatformPlan */

/** @type {Record<string, PlatformPlan>} */
const plans = JSON.parse(process.argv[2] ?? '{}')
process.on('disconnect', () => process.exit())

/** By name: the platform that serves HTTP, then the other ones of its plan. @type {Record<string, any[]>} */
const platforms = {}
/** @type {Record<string, number>} */
const ports = {}
for (const [name, plan] of Object.entries(plans)) {
  platforms[name] = Array.from({ length: plan.count ?? 1 }, () => open(plan))
  ports[name] = await serve(platforms[name][0])
}
await Promise.all(Object.values(platforms).flatMap((those) => those.map((auth) => auth.ready())))

process.on('message', (/** @type {import('./fleet.ts').CallRequest} */ request) => void call(request))
process.send?.({ ports })

/** @param {PlatformPlan} plan */
function open({ store, ...options }) {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} }
  return createPlatformAuth({
    baseUrl: options.baseUrl ?? 'https://api.example.com',
    apis: options.apis ?? {
      orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' } },
      catalog: { scheme: 'apiKey' },
    },
    store:
      store.kind === 'sqlite'
        ? sqliteStore(store.file)
        : postgresStore({ pool: createPool(store), listen: store.listen }),
    secret: 'a secret of 32 characters or more',
    rateLimits: { failedAuthentication: false },
    logger: quiet,
    ...(options.plans && { features: [plansFeature(options.plans)] }),
    ...(options.tokens && { tokens: options.tokens }),
    ...(options.maxStaleness !== undefined && { maxStaleness: options.maxStaleness }),
  })
}

/** @param {{ url: string }} store */
function createPool({ url }) {
  return new Pool({ connectionString: url, max: 5 })
}

/** @param {ReturnType<typeof open>} auth */
async function serve(auth) {
  const app = express().use(auth.router)
  app.get('/orders/items', auth.requireBearer('orders'), (req, res) => void res.json(authOf(req)))
  app.get('/orders/changes', auth.requireBearer('orders', { scopes: ['orders:write'] }), (_req, res) => void res.end())
  app.get('/catalog/items', auth.requireApiKey('catalog'), (req, res) => void res.json(authOf(req)))
  const server = app.listen(0, '127.0.0.1')
  server.keepAliveTimeout = 60_000
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

/** @param {import('./fleet.ts').CallRequest} request */
async function call({ id, platform, part, call: name, args, at }) {
  const called = at === undefined ? platforms[platform]?.slice(0, 1) : platforms[platform]
  try {
    if (at !== undefined) blockUntil(at)
    const results = (called ?? []).map((auth) => (part === 'platform' ? auth : auth[part])[name](...args))
    const values = await Promise.all(results)
    process.send?.({ id, values, at: performance.timeOrigin + performance.now() })
  } catch (error) {
    process.send?.({ id, problem: String(error) })
  }
}

/** Blocks the event loop, so that this process learns nothing of what others do at that time. @param {number} at */
function blockUntil(at) {
  const delay = at - Date.now()
  if (delay <= 0) throw new Error('The request arrived too late.')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delay)
}
