/**
 * A platform under attack in its own process: `node --expose-gc platform-process.mjs <options as JSON>`. Sends its port and
 * the credentials of its applications over IPC, and answers commands.
 */
import { createServer, request } from 'node:http'
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import express5 from 'express'
import express4 from 'express4'
import { createPlatformAuth, maybeAuthOf, memoryStore } from 'express-platform-auth'
import { developerConsole } from 'express-platform-auth/console'
import { guardsFromDocument } from 'express-platform-auth/document-guards'
import { emails } from 'express-platform-auth/emails'
import { management, managementApi } from 'express-platform-auth/management'
import { portal } from 'express-platform-auth/portal'
import { registration } from 'express-platform-auth/registration'
import { createRemoteAuth, credentialSource } from 'express-platform-auth/remote'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'
import { usage } from 'express-platform-auth/usage'

/** @type {{ express?: 4 | 5, file?: string, journeys?: boolean, server?: import('node:http').ServerOptions }} */
const { express: version = 5, file, journeys = false, server: serverOptions = {} } = JSON.parse(process.argv[2] ?? '{}')
const express = version === 4 ? /** @type {typeof express5} */ (/** @type {unknown} */ (express4)) : express5

/** @type {string[]} */
const complaints = []
const complain = (/** @type {unknown[]} */ ...what) => void complaints.push(what.map(String).join(' ').slice(0, 500))
// Node warns of some URLs that Express parses.
process.on('warning', (warning) => ('code' in warning && warning.code === 'DEP0170' ? undefined : complain(warning)))
/** Errors that would have ended the process. */
/** @type {string[]} */
const crashes = []
for (const type of /** @type {const} */ (['unhandledRejection', 'uncaughtException'])) {
  process.on(type, (/** @type {any} */ error) => {
    complain(error)
    crashes.push(String(error?.stack ?? error))
  })
}

let clock = 0
const auth = createPlatformAuth({
  baseUrl: 'http://localhost',
  apis: {
    orders: {
      scheme: 'oauth2',
      scopes: { 'orders:read': 'Read', 'orders:write': 'Write' },
      registration: 'automatic',
      claims: ({ externalId = 'none' }) => ({ customer: externalId }),
    },
    invoices: { scheme: 'oauth2' },
    catalog: { scheme: 'apiKey' },
    weather: { scheme: 'apiKey' },
    ...(journeys && { management: managementApi }),
  },
  store: file === undefined ? memoryStore() : sqliteStore(file),
  secret: 'a secret of 32 characters or more',
  developersUrl: 'http://localhost/developers',
  features: [
    emails({ mailer: { async send() {} } }),
    registration({
      operators: ['ops@example.com'],
      ...(journeys && { limits: { registration: false, allRegistrations: false } }),
    }),
    // A test of one kind of request sends thousands from one contact.
    portal({ limits: { actions: false } }),
    usage(),
  ],
  logger: { debug() {}, info() {}, warn() {}, error: complain },
  now: () => Date.now() + clock,
})

// Routes without body parsers, and the same routes behind them.
const parsers = [express.json(), express.urlencoded({ extended: true }), express.text()]
const app = express().set('trust proxy', 'loopback').disable('x-powered-by')
app.use((req, res, next) => {
  // So that the test can assign the answer to its request.
  const number = req.headers['x-number']
  if (typeof number === 'string' && /^\d+$/.test(number)) res.setHeader('X-Number', number)
  next()
})
// What Express answers without the platform.
app.get('/control', (_req, res) => void res.json({ control: true }))
app.use('/parsed', ...parsers)
for (const place of ['/', '/parsed']) {
  const host = express.Router()
  host.use(auth.router)
  host.use('/developers', developerConsole(auth))
  host.all('/orders/items', auth.requireBearer('orders', { scopes: ['orders:read'] }), echo)
  host.all('/orders/items/:id', auth.requireBearer('orders', { scopes: ['orders:read'] }), echo)
  host.all('/orders/maybe', auth.requireBearer('orders', { optional: true }), echo)
  host.use('/invoices/items', auth.requireBearer('invoices'), echo)
  host.all('/catalog/items', auth.requireApiKey('catalog'), echo)
  host.all('/orders/methods', auth.requireBearer('orders', { scopes: { POST: ['orders:write'] } }), echo)
  host.all('/orders/any-scope', auth.requireBearer('orders', { anyScope: ['orders:read', 'orders:write'] }), echo)
  host.all('/orders/none', auth.requireBearer('orders', { allow: async () => false }), echo)
  host.all('/orders/shared', auth.requireBearer('orders', { otherIssuers: refuseUser }), echo)
  const documented = {
    '/open': { get: { security: [] } },
    '/any': { get: {} },
    '/{id}': { get: { security: [{ oauth2: ['orders:read'] }, { oauth2: ['orders:write'] }] } },
  }
  const document = { openapi: '3.1.0', info: { title: 'Orders', version: '1' }, paths: documented }
  host.use('/orders/documented', guardsFromDocument(auth, 'orders', document), echo)
  host.all('/orders/mixed', auth.requireAny([auth.requireBearer('orders'), auth.requireApiKey('catalog')]), echo)
  host.use('/weather', auth.requireApiKey('weather'), echo)
  app.use(place, host)
}

/** The guards of a service without a database, which asks this process. */
const service = express.Router()
if (journeys) {
  app.use(credentialSource(auth, { externalId: true, metadata: ['discount'] }))
  app.use('/management', management(auth, { api: 'management' }))
  app.use('/service', service)
}

// Otherwise Express writes errors to stderr, with the body that could not be parsed.
app.use(
  (
    /** @type {any} */ error,
    /** @type {unknown} */ _req,
    /** @type {any} */ res,
    /** @type {(error: unknown) => void} */ next,
  ) =>
    res.headersSent
      ? next(error)
      : void res
          .status(error.status ?? 500)
          .type('text')
          .send(error.status ? 'Refused' : error.stack),
)

/** @param {import('express').Request} req @param {import('express').Response} res */
function echo(req, res) {
  const caller = maybeAuthOf(req)
  res.json({ handled: true, api: caller?.api, application: caller?.application.id ?? null })
}

/** @param {unknown} _req @param {import('express').Response} res */
function refuseUser(_req, res) {
  res.status(401).json({ error: 'unknown_user' })
}

const server = createServer(serverOptions, app)
const delay = monitorEventLoopDelay({ resolution: 10 })
/** @type {Record<string, (argument: any) => unknown>} */
const commands = {
  measureResources,
  begin: () => delay.enable() && delay.reset(),
  connections,
  pollute,
  crashes: () => crashes.splice(0),
}

process.on(
  'message',
  (/** @type {{ id: number, command: string, argument?: unknown }} */ { id, command, argument }) => {
    void Promise.resolve(commands[command]?.(argument)).then((result) => process.send?.({ id, result }))
  },
)
process.on('disconnect', () => process.exit())

await auth.ready()
// A connection that is kept while the machine stands still would be reset at its next request.
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
const port = typeof address === 'object' ? (address?.port ?? 0) : 0
const others = journeys ? { service: await startService(), manager: await createManager() } : {}
const credentials = { ...(await createCredentials()), ...others }
process.send?.({ port, credentials })

async function startService() {
  const { credentials: own } = await auth.applications.create({
    name: 'Service',
    resourceServer: ['orders', 'catalog'],
  })
  const remote = createRemoteAuth({
    platform: 'http://localhost',
    address: `http://127.0.0.1:${port}`,
    apis: { orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read' } }, catalog: { scheme: 'apiKey' } },
    clientId: own.clientId,
    clientSecret: own.clientSecret ?? '',
    logger: { debug() {}, info() {}, warn() {}, error: complain },
  })
  await remote.ready()
  service.get('/orders/items', remote.requireBearer('orders', { scopes: ['orders:read'] }), echo)
  service.get('/catalog/items', remote.requireApiKey('catalog'), echo)
  return own
}

/** The access token of an operator's program, and an application that it changes. */
async function createManager() {
  const { applications } = auth
  const apis = { management: { scopes: Object.keys(managementApi.scopes) } }
  const { credentials: own } = await applications.create({ name: 'Manager', apis })
  const { application } = await applications.create({ name: 'Managed', contact: 'dev@example.com', apis: ['orders'] })
  return { token: await requestToken(own, 'management'), managed: application.id }
}

/** Creates applications in every state, with good and with refused credentials. */
async function createCredentials() {
  const { applications } = auth
  const good = []
  for (const name of ['Ann', 'Ben', 'Cleo']) {
    const data = { externalId: name, metadata: { discount: 10 } }
    const { application, credentials } = await applications.create({ name, apis: ['orders', 'catalog'], ...data })
    good.push({ id: application.id, ...credentials, token: await requestToken(credentials, 'orders') })
  }
  const elsewhere = await applications.create({ name: 'Elsewhere', apis: ['invoices', 'weather'] })
  const suspended = await applications.create({ name: 'Suspended', apis: ['orders', 'catalog'] })
  const deleted = await applications.create({ name: 'Deleted', apis: ['orders', 'catalog'] })
  const rotated = await applications.create({ name: 'Rotated', apis: ['orders', 'catalog'] })
  const ended = await applications.create({ name: 'Ended', apis: ['orders', 'catalog'] })
  clock = -7_200_000
  const expired = await requestToken(ended.credentials, 'orders')
  clock = 0
  const deadTokens = [
    await requestToken(elsewhere.credentials, 'invoices'),
    await requestToken(suspended.credentials, 'orders'),
    await requestToken(deleted.credentials, 'orders'),
    await requestToken(ended.credentials, 'orders'),
    expired,
  ]
  await applications.revokeTokens(ended.application.id)
  await applications.suspend(suspended.application.id)
  await applications.delete(deleted.application.id)
  await applications.rotateKey(rotated.application.id, { overlap: 0 })
  await applications.rotateSecret(rotated.application.id, { overlap: 0 })
  const restricted = await createRestricted()
  const deadClients = [suspended, deleted, rotated].map(({ credentials }) => credentials)
  const deadKeys = [elsewhere, suspended, deleted, rotated].map(({ credentials }) => credentials.clientId)
  return { good, deadTokens, deadClients, deadKeys, restricted, contact: await signIn() }
}

/** A contact of two applications, who has signed in at the portal. */
async function signIn() {
  const contact = 'dev@example.com'
  const created = []
  for (const name of ['Portal', 'Renamed']) {
    const { application } = await auth.applications.create({ name, contact, apis: ['catalog'] })
    created.push({ root: `/developers/applications/${application.id}`, keyId: application.keys[0]?.id ?? '' })
  }
  const link = new URL(await auth.portal.link({ contact }))
  const visitor = await exchange('GET', link.pathname)
  const form = new URLSearchParams({ csrf: readField(visitor.text, 'csrf'), token: link.hash.slice(1) })
  const { cookie } = await exchange('POST', `${link.pathname}/link`, visitor.cookie, form)
  const { text } = await exchange('GET', `${created[0]?.root}/colleagues/invite`, cookie)
  return {
    root: created[0]?.root ?? '',
    version: readField(text, 'version'),
    renamed: created[1] ?? { root: '', keyId: '' },
    session: { cookie, csrf: readField(text, 'csrf') },
    visitor: { cookie: visitor.cookie, csrf: readField(visitor.text, 'csrf') },
  }
}

/**
 * The value of a hidden field.
 *
 * @param {string} page
 * @param {string} name
 */
function readField(page, name) {
  return new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(page)?.[1] ?? ''
}

/**
 * On its own connection, which is closed before connections are counted.
 *
 * @param {string} method
 * @param {string} path
 * @param {string} [cookie]
 * @param {URLSearchParams} [form]
 * @returns {Promise<{ text: string, cookie: string }>} with the cookie that was set
 */
function exchange(method, path, cookie = '', form) {
  const headers = {
    Cookie: cookie,
    'Sec-Fetch-Site': 'same-origin',
    'Content-Type': 'application/x-www-form-urlencoded',
  }
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path, method, headers, agent: false }, (answer) => {
      let text = ''
      const [set = ''] = answer.headers['set-cookie'] ?? []
      answer.setEncoding('utf8').on('data', (piece) => void (text += piece))
      answer.on('end', () => resolve({ text, cookie: set.split(';', 1)[0] ?? '' }))
    })
      .on('error', reject)
      .end(form?.toString())
  })
}

/** A key for catalog and a secret for orders, of an application that may use more. */
async function createRestricted() {
  const { applications } = auth
  const { application } = await applications.create({
    name: 'Restricted',
    apis: ['orders', 'invoices', 'catalog', 'weather'],
  })
  const key = await applications.addKey(application.id, { name: 'one', apis: ['catalog'] })
  const secret = await applications.addSecret(application.id, {
    name: 'one',
    apis: ['orders'],
    scopes: ['orders:read'],
  })
  return { ...key.credentials, ...secret.credentials }
}

/**
 * @param {{ clientId: string, clientSecret?: string | undefined }} credentials
 * @param {string} api
 * @returns {Promise<string>}
 */
async function requestToken({ clientId, clientSecret = '' }, api) {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  })
  const { text } = await exchange('POST', `/${api}/token`, '', form)
  return JSON.parse(text).access_token
}

/** @type {string[]} */
let polluted = []

/**
 * Gives `Object.prototype` enumerable members instead of those of the last call.
 *
 * @param {{ names: string[], kind?: string }} pollution
 */
function pollute({ names, kind }) {
  const prototype = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (Object.prototype))
  for (const name of polluted) delete prototype[name]
  polluted = names
  for (const name of names) prototype[name] = createValue(kind)
}

/** @param {string | undefined} kind */
function createValue(kind) {
  if (kind === 'string') return 'polluted'
  if (kind === 'number') return 200
  if (kind === 'boolean') return true
  if (kind === 'object') return { value: 'polluted' }
  if (kind === 'array') return ['polluted']
  // Of several lines, which no header may have.
  return function polluted() {
    return 'polluted'
  }
}

/** @returns {Promise<number>} the number of open connections */
function connections() {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
}

/** The resources of this process after garbage collections. */
async function measureResources() {
  for (let i = 0; i < 4; i++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  /** @type {Record<string, number>} */
  const resources = {}
  for (const each of process.getActiveResourcesInfo()) resources[each] = (resources[each] ?? 0) + 1
  /** @type {import('node:events').EventEmitter[]} */
  const emitters = [process, server, auth.events]
  const listeners = emitters.reduce(
    (sum, emitter) => sum + emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0),
    0,
  )
  const milliseconds = (/** @type {number} */ nanoseconds) => Math.round(nanoseconds / 1e6)
  const loop = { p99: milliseconds(delay.percentile(99)), max: milliseconds(delay.max) }
  return { heapUsed, external, rss, connections: await connections(), resources, listeners, loop, complaints }
}
