import type express5 from 'express'
import { readPages } from '../../../src/shared/lib/own-members.js'
import { guardsFromDocument } from '../../../src/tools/document-guards/index.js'
import type { ReportedRequests, WithUsage } from '../../../src/features/usage/index.js'
import { StoreUnavailableError } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import { callersFor, createCaller } from '../../../src/tools/testing/callers.js'
import { send } from '../../../src/tools/testing/send.js'
import { createRandom, type Random } from '../../abuse/random.js'
import { openPlatform, type TestOptions } from '../../support/platform.js'

const APIS = {
  orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' } },
  catalog: { scheme: 'apiKey' },
  // Longer than a test, so that time does not decide what is refused.
  limited: { scheme: 'oauth2', rateLimit: { limit: 3, window: 2_000_000 } },
} as const

const OPTIONS: TestOptions = { rateLimits: { failedAuthentication: { limit: 5, window: 2_000_000 } } }

/** How often something was refused, by application, API, route and reason. */
export type Counts = Readonly<Record<string, number>>

export interface Comparison {
  /** What the platform that refuses requests has refused. */
  readonly refused: Counts
  /** What the report of the platform with `reportOnly: true` says. */
  readonly reported: Counts
  /** How many requests the second platform has refused. */
  readonly refusedByReporting: number
  readonly requestCount: number
}

/**
 * Sends the same random requests to two platforms that differ in `reportOnly`: first to the one that refuses, then to the one
 * that only reports. Both have the same store, so that every credential is the same at both.
 */
export async function compareReportWithRefusals(
  express: typeof express5,
  store: StoreWith,
  { requestCount, seed }: { readonly requestCount: number; readonly seed: number },
): Promise<Comparison> {
  const random = createRandom(seed)
  const enforcing = openPlatform({ ...OPTIONS, apis: APIS, store: keepOpen(store) })
  const reporting = openPlatform({
    ...OPTIONS,
    apis: APIS,
    store: keepOpen(store),
    now: enforcing.clock.now,
    reportOnly: true,
  })
  await Promise.all([enforcing.auth.ready(), reporting.auth.ready()])
  const credentials = await createCredentials(enforcing.auth)
  // Both know of every change before the first request.
  await Promise.all([enforcing.auth.health(), reporting.auth.health()])
  const [enforcingApp, reportingApp] = [createApp(express, enforcing.auth), createApp(express, reporting.auth)]

  const refused: Record<string, number> = {}
  let refusedByReporting = 0
  let route = ''
  enforcing.auth.events.on('request.denied', ({ applicationId, api, reason }) =>
    add(refused, { applicationId, api: api!, route, reason: reason! }, 1),
  )
  reporting.auth.events.on('request.denied', () => void (refusedByReporting += 1))

  for (let at = 0; at < requestCount; at++) {
    const { route: next, ...request } = createRequest(random, credentials)
    route = next
    await send(enforcingApp, request)
    await send(reportingApp, request)
  }
  const reported: Record<string, number> = {}
  for (const entry of await readReport(reporting.auth)) add(reported, entry, entry.count)
  await Promise.all([enforcing.auth.close(), reporting.auth.close()])
  return { refused, reported, refusedByReporting, requestCount }
}

/** Closing one platform must not close the store of the other. */
function keepOpen(store: StoreWith): StoreWith {
  return { ...store, close: async () => undefined }
}

export async function readReport(auth: WithUsage): Promise<readonly ReportedRequests[]> {
  const entries: ReportedRequests[] = []
  for await (const page of readPages((after) => auth.usage.reportOnly({ after, limit: 1000 }))) entries.push(...page)
  return entries
}

type Refusal = Pick<ReportedRequests, 'api' | 'route' | 'reason'> & { readonly applicationId?: string | undefined }

function add(counts: Record<string, number>, { applicationId, api, route, reason }: Refusal, count: number): void {
  const name = [applicationId ?? '-', api, route, reason].join(' | ')
  counts[name] = (counts[name] ?? 0) + count
}

type Auth = ReturnType<typeof openPlatform<typeof APIS>>['auth']

/** The routes: method, path (`#` is a random number), and what the report calls it. */
const ROUTES: readonly (readonly [method: string, path: string, route: string])[] = [
  ['GET', '/orders/items', 'GET /orders/items'],
  ['HEAD', '/orders/items', 'HEAD /orders/items'],
  ['POST', '/orders/items', 'POST /orders/items'],
  ['GET', '/ORDERS/Items/', 'GET /orders/items'],
  ['GET', '/orders/items/#?secret=#', 'GET /orders/items/:id'],
  ['GET', '/orders/nothing/#', 'unmatched'],
  ['OPTIONS', '/orders/items', 'unmatched'],
  ['GET', '/methods/#', 'GET /methods/:id'],
  ['DELETE', '/methods/#', 'DELETE /methods/:id'],
  ['GET', '/tenants/#/orders/#', 'GET /*/orders/:id'],
  ['GET', '/tenants/Fixed/list', 'GET /*/list'],
  ['GET', '/catalog/items/#', 'GET /catalog/items/:id'],
  ['GET', '/either', 'GET /either'],
  ['GET', '/optional', 'GET /optional'],
  ['GET', '/both', 'GET /both'],
  ['GET', '/allowed', 'GET /allowed'],
  ['GET', '/limited/#', 'GET /limited/:id'],
  ['GET', '/limited/#/more', 'GET /limited/:id/more'],
  ['GET', '/documented/items', 'GET /documented/items'],
  ['GET', '/documented/open', 'GET /documented/open'],
  ['POST', '/documented/items', 'unmatched'],
  ['GET', '/documented/#', 'unmatched'],
  ['GET', '/documented/a%2Fb', 'unmatched'],
]

function createApp(express: typeof express5, auth: Auth): express5.Express {
  const app = express()
  const answer: express5.RequestHandler = (_req, res) => void res.status(204).end()
  const later: express5.RequestHandler = (_req, _res, next) => void setImmediate(next)

  const orders = express.Router()
  orders
    .route('/items')
    .get(auth.requireBearer('orders', { scopes: ['orders:read'] }), answer)
    .post(auth.requireBearer('orders', { scopes: ['orders:write'] }), later, answer)
  orders.get('/items/:id', answer)
  app.use('/orders', auth.requireBearer('orders'), orders)
  app.all('/methods/:id', auth.requireBearer('orders', { scopes: { GET: ['orders:read'] } }), answer)

  const tenant = express.Router({ mergeParams: true })
  tenant.get('/orders/:id', auth.requireBearer('orders', { anyScope: ['orders:write'] }), answer)
  tenant.get('/list', auth.requireApiKey('catalog'), answer)
  app.use('/tenants/:tenant', tenant)

  app.get('/catalog/items/:id', auth.requireApiKey('catalog'), answer)
  app.get(
    '/either',
    auth.requireAny([auth.requireBearer('orders', { scopes: ['orders:read'] }), auth.requireApiKey('catalog')]),
    answer,
  )
  app.get('/optional', auth.requireBearer('orders', { optional: true }), answer)
  // The second one must count nothing that the first one would have refused.
  app.get('/both', auth.requireBearer('limited'), auth.requireApiKey('catalog', { allow: decide }), answer)
  app.get('/allowed', auth.requireApiKey('catalog'), auth.requireApiKey('catalog', { allow: decide }), answer)
  app.get('/limited/:id', auth.requireBearer('limited'), auth.requireBearer('limited'), answer)
  app.get('/limited/:id/more', later, auth.requireBearer('limited', { allow: decide }), answer)

  const documented = express.Router().get('/items', answer).get('/open', answer)
  app.use('/documented', guardsFromDocument(auth, 'orders', DOCUMENT), documented)
  // Express logs errors otherwise.
  app.use(((error, _req, res, _next) => void res.status(500).end(String(error))) as express5.ErrorRequestHandler)
  return app
}

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1' },
  paths: { '/items': { get: { security: [{ oauth2: ['orders:read'] }] } }, '/open': { get: { security: [] } } },
}

/** What the header `x-allow` says. */
async function decide(_auth: unknown, { headers }: { headers: NodeJS.Dict<string | string[]> }) {
  const answer = headers['x-allow']
  if (answer === 'failed') throw new Error('It failed.')
  if (answer === 'unavailable') throw new StoreUnavailableError('It is unavailable.')
  return answer === 'gone' ? { status: 410, error: 'gone' } : answer !== 'no'
}

type Headers = Readonly<Record<string, string>>

/** Good and bad credentials of every kind. */
async function createCredentials(auth: Auth): Promise<readonly Headers[]> {
  const orders = await callersFor(auth, 'orders')
  const reader = await createCaller(auth, 'orders', { scopes: ['orders:read'] })
  const catalog = await callersFor(auth, 'catalog')
  const limited = await callersFor(auth, 'limited')
  const headers = [...Object.values(orders), reader, ...Object.values(catalog), ...Object.values(limited)].map(
    (caller) => caller.headers,
  )
  const [good, key] = [orders.allowed.headers, catalog.allowed.headers]
  return [
    ...headers,
    { ...good, ...key },
    { ...limited.allowed.headers, ...key },
    { ...limited.allowed.headers, ...catalog.suspended.headers },
    { ...good, authorization: 'Bearer second' },
    { ...key, 'x-api-key': 'second' },
    { Authorization: 'Bearer' },
    { Authorization: 'Bearer two words' },
    { Authorization: 'Bearer not.a.token' },
    { Authorization: 'Basic abc' },
    { 'X-Api-Key': 'epa_key_unknown' },
    { 'X-Api-Key': '' },
    {},
  ]
}

const ALLOW = ['yes', 'yes', 'yes', 'no', 'gone', 'failed', 'unavailable']

function createRequest({ pick, below }: Random, credentials: readonly Headers[]) {
  const [method, path, route] = pick(ROUTES)
  return {
    method,
    route,
    target: path.replaceAll('#', () => String(below(1_000_000))),
    headers: { ...pick(credentials), 'X-Allow': pick(ALLOW) },
    address: `10.0.0.${below(5)}`,
  }
}
