/**
 * A whole platform on SQLite for a soak, which reports its memory. Usage: `node --expose-gc soak-process.mjs <SQLite file> [entries]`, where
 * `entries` are those of each cache, or `default`.
 * `POST /operate` makes a call of an operator: `[part, call, ...arguments]`. Each message is answered with megabytes after a collection.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import express from 'express'
import { authOf, createPlatformAuth } from 'express-platform-auth'
import { emails } from 'express-platform-auth/emails'
import { portal } from 'express-platform-auth/portal'
import { registration } from 'express-platform-auth/registration'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'
import { usage } from 'express-platform-auth/usage'

const [file = '', entries = '500'] = process.argv.slice(2)
process.on('disconnect', () => process.exit())

const app = express().set('trust proxy', 1)
const server = createServer(app).listen(0, 'localhost')
await once(server, 'listening')
const address = server.address()
const baseUrl = `http://localhost:${typeof address === 'object' ? address?.port : ''}`
const auth = createPlatformAuth({
  baseUrl,
  developersUrl: `${baseUrl}/developers`,
  apis: {
    orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders' }, registration: 'automatic' },
    catalog: { scheme: 'apiKey' },
  },
  store: sqliteStore(file),
  secret: 'a secret of 32 characters or more',
  features: [
    emails({ mailer: { send: async () => undefined } }),
    registration({ limits: { registration: false, allRegistrations: false } }),
    portal({ limits: { actions: false } }),
    usage(),
  ],
  // So that what is bounded is full, or has expired, long before the middle of the soak.
  tokens: { lifetime: 60 },
  cache: entries === 'default' ? {} : { applications: Number(entries), accessTokens: Number(entries) },
  logger: { debug() {}, info() {}, warn() {}, error: (message) => void process.stderr.write(`${message}\n`) },
})

/** @type {Record<string, number>} */
const events = {}
const EVENTS = /** @type {const} */ ([
  'token.issued',
  'token.refused',
  'request.allowed',
  'request.denied',
  'application.registered',
  'application.credentialRotated',
  'application.deleted',
  'signingKey.rotated',
])
for (const type of EVENTS) auth.events.on(type, () => (events[type] = (events[type] ?? 0) + 1))

app.use(auth.router)
app.get('/orders/items', auth.requireBearer('orders'), (req, res) => {
  // A listener for the time of a request.
  const count = () => undefined
  auth.events.on('request.allowed', count)
  res.on('close', () => auth.events.off('request.allowed', count))
  res.json(authOf(req))
})
app.get('/catalog/items', auth.requireApiKey('catalog'), (req, res) => void res.json(authOf(req)))
app.use('/developers/register', auth.registration.router, auth.emails.router)
app.use('/developers/applications', auth.portal.router)
/** @type {Record<string, any>} */
const parts = auth
app.post('/operate', express.json(), (req, res, next) => {
  const [part, call, ...args] = req.body
  parts[part][call](...args).then((/** @type {unknown} */ result) => res.json(result ?? null), next)
})

await auth.ready()
process.on('message', () => {
  for (let i = 0; i < 3; i++) globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  process.send?.({ rss: rss / 2 ** 20, heap: heapUsed / 2 ** 20, events })
})
process.send?.({ baseUrl })
