/**
 * One process of a fleet: Express apps with router and guards, one for each platform that its argument names, as JSON.
 * Forked by fleet.ts, which it tells the ports; what an operator would do there it is asked by message.
 */
import { once } from 'node:events'
import express from 'express'
import { authOf, createPlatformAuth } from 'express-platform-auth'
import { postgresStore } from 'express-platform-auth/stores/postgres'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'
import { Pool } from 'pg'

/** @typedef {import('./fleet.ts').PlatformPlan} PlatformPlan */

/** @type {Record<string, PlatformPlan>} */
const plans = JSON.parse(process.argv[2] ?? '{}')
process.on('disconnect', () => process.exit())

/** Of each name, one that is asked over HTTP, and as many more as its plan says. @type {Record<string, any[]>} */
const platforms = {}
/** @type {Record<string, number>} */
const ports = {}
for (const [name, plan] of Object.entries(plans)) {
  platforms[name] = Array.from({ length: plan.count ?? 1 }, () => open(plan))
  ports[name] = await serve(platforms[name][0])
}
await Promise.all(Object.values(platforms).flatMap((those) => those.map((auth) => auth.ready())))

process.on('message', (/** @type {import('./fleet.ts').Order} */ order) => void obey(order))
process.send?.({ ports })

/** @param {PlatformPlan} plan */
function open({ store, ...options }) {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} }
  return createPlatformAuth({
    baseUrl: 'https://api.example.com',
    apis: {
      orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' } },
      catalog: { scheme: 'apiKey' },
    },
    store:
      store.kind === 'sqlite' ? sqliteStore(store.file) : postgresStore({ pool: poolOf(store), listen: store.listen }),
    secret: 'a secret of 32 characters or more',
    rateLimits: { failedAuthentication: false },
    logger: quiet,
    ...(options.signing && { signing: options.signing }),
    ...(options.maxStaleness !== undefined && { maxStaleness: options.maxStaleness }),
  })
}

/** @param {{ url: string }} store */
function poolOf({ url }) {
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

/** @param {import('./fleet.ts').Order} order */
async function obey({ id, platform, part, call, args, at }) {
  const asked = at === undefined ? platforms[platform]?.slice(0, 1) : platforms[platform]
  try {
    if (at !== undefined) standStillUntil(at)
    const deeds = (asked ?? []).map((auth) => (part === 'platform' ? auth : auth[part])[call](...args))
    const values = await Promise.all(deeds)
    process.send?.({ id, values, at: performance.timeOrigin + performance.now() })
  } catch (error) {
    process.send?.({ id, problem: String(error) })
  }
}

/** So that nothing is heard meanwhile of what others do at that instant, however late this process wakes. @param {number} at */
function standStillUntil(at) {
  const patience = at - Date.now()
  if (patience <= 0) throw new Error('This process heard of it too late.')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, patience)
}
