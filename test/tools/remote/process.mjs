/**
 * A process that tests stop and let go on. Usage: `node process.mjs platform <SQLite file> <secret>`, or
 * `node process.mjs service <address> <client id> <client secret> <maxStaleness>`. Writes its port to stdout.
 */
import express from 'express'
import { createPlatformAuth } from 'express-platform-auth'
import { createRemoteAuth, credentialSource } from 'express-platform-auth/remote'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'
import { usage } from 'express-platform-auth/usage'

const [role, place = '', id = '', secret = '', maxStaleness] = process.argv.slice(2)
const apis = /** @type {const} */ ({
  orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' } },
  catalog: { scheme: 'apiKey' },
})
const logger = { debug() {}, info() {}, warn() {}, error() {} }
const baseUrl = 'https://api.example.com'
const app = express()

async function startPlatform() {
  const all = /** @type {const} */ ({ ...apis, invoices: { scheme: 'oauth2' }, weather: { scheme: 'apiKey' } })
  const auth = createPlatformAuth({
    baseUrl,
    apis: all,
    store: sqliteStore(place),
    secret: id,
    logger,
    features: [usage()],
  })
  app.use(auth.router, credentialSource(auth))
  await auth.ready()
}

async function startService() {
  const auth = createRemoteAuth({
    platform: baseUrl,
    address: place,
    apis,
    clientId: id,
    clientSecret: secret,
    maxStaleness: Number(maxStaleness),
    rateLimits: { failedAuthentication: false },
    logger,
  })
  app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
  await auth.ready()
}

await (role === 'platform' ? startPlatform() : startService())
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
})
server.keepAliveTimeout = 60_000
