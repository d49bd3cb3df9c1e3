/**
 * A platform in its own process. Usage: `node platform-process.mjs <SQLite file> <secret>`. Writes its port to stdout.
 * `POST /control` calls a method of `auth.applications` or `auth.signingKeys`; `expiresAt` is read as a date, and a refusal is
 * answered with its code.
 */
import express from 'express'
import { authOf, createPlatformAuth } from 'express-platform-auth'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'

const [file = '', secret = ''] = process.argv.slice(2)
const auth = createPlatformAuth({
  baseUrl: 'https://api.example.com',
  apis: {
    orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' } },
    invoices: { scheme: 'oauth2' },
    catalog: { scheme: 'apiKey' },
    weather: { scheme: 'apiKey' },
  },
  store: sqliteStore(file),
  secret,
  rateLimits: { failedAuthentication: false },
  logger: { debug() {}, info() {}, warn() {}, error: console.error },
})

const app = express().use(auth.router)
app.get('/orders/items', auth.requireBearer('orders'), (req, res) => void res.json(authOf(req)))
app.get('/catalog/items', auth.requireApiKey('catalog'), (req, res) => void res.json(authOf(req)))
/** @type {Record<string, Record<string, (...args: any[]) => Promise<unknown>>>} */
const parts = { applications: { ...auth.applications }, signingKeys: { ...auth.signingKeys } }
app.get('/weather/now', auth.requireApiKey('weather'), (req, res) => void res.json(authOf(req)))
/** @param {string} name @param {unknown} value */
const reviver = (name, value) => (name === 'expiresAt' && typeof value === 'string' ? new Date(value) : value)
app.post('/control', express.json({ reviver }), (req, res) => {
  const { part, call, args } = req.body
  parts[part]?.[call]?.(...args).then(
    (result) => res.json(result ?? null),
    (error) => res.status(500).json({ code: error.code }),
  )
})

await auth.ready()
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
})
// A connection that is kept while the machine stands still would be reset at its next request.
server.keepAliveTimeout = 60_000
