/**
 * A platform in its own process that stops as docs/production.md shows: `node stopping-process.mjs <SQLite file or PostgreSQL
 * address> <port of the mail server> <options>`. Sends its port over IPC, and prints the requests that it received when it exits.
 * The options are JSON: `{ port?, drain?, maxStaleness? }`.
 */
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import express from 'express'
import { authOf, createPlatformAuth } from 'express-platform-auth'
import { emails, smtpMailer } from 'express-platform-auth/emails'
import { portal } from 'express-platform-auth/portal'
import { registration } from 'express-platform-auth/registration'
import { postgresStore } from 'express-platform-auth/stores/postgres'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'
import { usage } from 'express-platform-auth/usage'
import { createTransport } from 'nodemailer'
import { Pool } from 'pg'

const [database = '', mailPort = '', options = '{}'] = process.argv.slice(2)
const { port = 0, drain: DRAIN_MS = 0, maxStaleness = 5 } = JSON.parse(options)
const pool = database.startsWith('postgres') ? new Pool({ connectionString: database }) : undefined
/** @type {unknown[]} */
const complaints = []
process.on('warning', (warning) => complaints.push(String(warning)))

const auth = createPlatformAuth({
  baseUrl: 'http://localhost',
  developersUrl: 'http://localhost/developers',
  apis: {
    orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read' }, registration: 'automatic' },
    catalog: { scheme: 'apiKey' },
  },
  store: pool ? postgresStore({ pool }) : sqliteStore(database),
  secret: 'a secret of 32 characters or more',
  features: [
    emails({
      mailer: smtpMailer({
        transport: createTransport({
          host: '127.0.0.1',
          port: Number(mailPort),
          auth: { user: 'platform', pass: 'correct horse' },
        }),
        from: 'developers@example.com',
      }),
    }),
    registration({ operators: ['ops@example.com'], limits: { registration: false, allRegistrations: false } }),
    portal(),
    usage(),
  ],
  logger: { debug() {}, info() {}, warn() {}, error: (...line) => void complaints.push(line.map(String).join(' ')) },
  rateLimits: { failedAuthentication: false },
  maxStaleness,
})

/** @type {number[]} */
const seen = []
const app = express()
app.use((req, _res, next) => {
  if (req.headers['x-number']) seen.push(Number(req.headers['x-number']))
  next()
})
app.use(auth.router)
app.use('/register', auth.registration.router, auth.emails.router)
app.use('/applications', auth.portal.router)
app.put('/catalog/items', auth.requireApiKey('catalog'), (req, res) => void res.json(authOf(req).application.id))
app.get('/orders/items', auth.requireBearer('orders'), (req, res) => void res.json(authOf(req).application.id))
app.post(
  '/orders/items',
  auth.requireBearer('orders'),
  (req, res) => void res.status(201).json(authOf(req).application.id),
)
app.get('/catalog/slow', auth.requireApiKey('catalog'), (req, res) => {
  setTimeout(() => res.json(authOf(req).application.id), 300)
})
app.post('/operator/create', (_req, res, next) => {
  auth.applications.create({ name: 'Customer', apis: ['orders', 'catalog'] }).then((created) => res.json(created), next)
})
app.post('/operator/suspend', express.json(), (req, res, next) => {
  auth.applications.suspend(req.body.id).then((suspended) => res.json(suspended), next)
})
await auth.ready()
// As docs/production.md shows.
let stopping = false
app.get('/healthz', async (_req, res) => res.status(!stopping && (await auth.health()).ok ? 200 : 503).end())
const server = app.listen(port, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' ? address?.port : 0)
  // The IPC channel must not keep the process alive.
  process.channel?.unref()
})

// As docs/production.md shows.
server.keepAliveTimeout = 75_000
async function stop() {
  if (stopping) return
  stopping = true
  await sleep(DRAIN_MS)
  server.prependListener('request', (_req, res) => res.setHeader('Connection', 'close'))
  Server.prototype.close.call(server)
  setTimeout(() => server.closeAllConnections(), 10_000).unref()
  await once(server, 'close')
  await auth.close()
  await pool?.end()
}
process.on('SIGTERM', () => void stop()).on('SIGINT', () => void stop())

process.on('exit', () => writeSync(1, JSON.stringify({ seen, complaints })))
