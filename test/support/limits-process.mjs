/**
 * A platform in its own process that counts rate limits in Redis. Usage: `node limits-process.mjs <JSON>` with `file` (SQLite),
 * `secret`, `redis` (URL), `baseUrl` and `rateLimits`, of which `registration` is the limit of the feature. Writes its port to stdout, then each `limits.*` event.
 */
import express from 'express'
import { Redis } from 'ioredis'
import { createPlatformAuth } from 'express-platform-auth'
import { emails } from 'express-platform-auth/emails'
import { registration } from 'express-platform-auth/registration'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'
import { memoryMailer } from 'express-platform-auth/testing'

const { file, secret, redis: url, baseUrl, rateLimits } = JSON.parse(process.argv[2] ?? '')
const { registration: perCaller, ...limits } = rateLimits
const redis = new Redis(url, { retryStrategy: () => 50 })
redis.on('error', () => undefined)
const auth = createPlatformAuth({
  baseUrl,
  apis: { orders: { scheme: 'oauth2' }, catalog: { scheme: 'apiKey' } },
  store: sqliteStore(file),
  secret,
  rateLimits: { ...limits, redis },
  features: [emails({ mailer: memoryMailer() }), registration({ limits: { registration: perCaller } })],
  logger: { debug() {}, info() {}, warn() {}, error: console.error },
})
for (const type of /** @type {const} */ (['limits.unavailable', 'limits.available'])) {
  auth.events.on(type, () => void process.stdout.write(`${type}\n`))
}

const app = express().set('trust proxy', true).use(auth.router)
app.use('/register', auth.registration.router)
app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))

await auth.ready()
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
})
// A connection that is kept while the machine stands still would be reset at its next request.
server.keepAliveTimeout = 60_000
