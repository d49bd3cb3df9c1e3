import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RequestHandler } from 'express'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createTemporaryFolder } from '../../../support/temporary-folder.js'
import { IS_LONG_LANE } from '../../../support/long-lane.js'
import { request } from '../../../support/request.js'
import { createPlatformAuth, describeGuard, memoryStore } from '../../../../src/index.js'
import { management, managementApi } from '../../../../src/tools/management/index.js'
import { recordingLogger } from '../../../support/platform.js'
import { expectSecured, fetchFrom } from '../../../../src/tools/testing/index.js'
import { NEWEST_EXPRESS, SECURED_EXPRESSES } from './expresses.js'
import { APIS, findProblems, openShop } from './shop.js'

const { auth } = openShop()
afterAll(() => auth.close())
const guard = auth.requireBearer('orders', { scopes: ['orders:read'] })
const answer: RequestHandler = (_req, res) => void res.json({ handler: true })

const fail = (app: Parameters<typeof expectSecured>[0], options = {}) => findProblems(app, { auth, ...options })

describe.each(IS_LONG_LANE ? SECURED_EXPRESSES : NEWEST_EXPRESS)('expectSecured(), %s', (_name, express) => {
  it('resolves the routes that it has checked, and how many requests it took', async () => {
    const app = express().use('/orders', guard, express.Router().get('/items/:id', answer).post('/items', answer))
    const { routes, requestCount } = await expectSecured(app, { auth })
    expect(routes).toEqual(['GET /orders/items/:id', 'POST /orders/items'])
    expect(requestCount).toBeGreaterThan(100)
    expect(requestCount).toBeLessThan(250)
  })

  it('leaves the app as it was, also after a problem', async () => {
    let calls = 0
    const count: RequestHandler = (_req, res) => {
      calls += 1
      res.json({ handler: true })
    }
    const router = express.Router().get('/items', count)
    const app = express().use('/orders', guard, router).get('/open', count)
    const { problems } = await fail(app)
    expect(problems.map(({ route }) => route)).toEqual(['GET /open'])
    expect(calls).toBe(1)
    await request(app).get('/open').expect(200, { handler: true })
    await request(app).get('/orders/items').expect(401)
    expect(calls).toBe(2)
  })

  it('runs no handler that a guard protects, for OPTIONS as well', async () => {
    const run: RequestHandler = () => expect.fail('A handler ran.')
    const load: RequestHandler = (_req, _res, next) => next(new Error('Middleware behind the guard ran.'))
    const app = express()
    app.get('/orders/a', guard, load, run)
    app.all('/orders/b', guard, load, auth.requireBearer('orders', { scopes: ['orders:write'] }), load, run)
    app.route('/orders/c').all(guard).options(run).get(run)
    expect((await expectSecured(app, { auth })).routes).toHaveLength(4)
  })

  it('sends what a caller sends, so that middleware of the app sees real requests', async () => {
    const seen = new Set<string>()
    const app = express()
    app.use((req, _res, next) => {
      seen.add(
        `${req.method} ${req.path} ${req.ip} ${req.hostname} ${req.protocol}`.replace(/127\.\d+\.\d+\.\d+/, 'IP'),
      )
      next()
    })
    app.get('/orders/items/:id', guard, answer)
    await expectSecured(app, { auth, params: { id: '42' } })
    expect([...seen]).toContain('GET /orders/items/42 IP localhost http')
    expect([...seen]).toContain('OPTIONS /orders/items/42 IP localhost http')
  })

  it('finds routes below a baseUrl with a path, and where a proxy removes it', async () => {
    const platform = openPlatformAt('https://api.example.com/v1')
    const other = platform.requireApiKey('catalog')
    const below = express().use('/v1', express.Router().get('/orders/items', other, answer))
    const { problems } = await fail(below, { auth: platform })
    expect(problems[0]).toMatchObject({ kind: 'wrong-api', route: 'GET /v1/orders/items' })
    const removed = express().get('/orders/items', other, answer)
    await expect(expectSecured(removed, { auth: platform })).rejects.toThrow('its guard is for "catalog"')
  })

  it('takes guards of another platform for functions of the app', async () => {
    const other = openPlatformAt('https://other.example.com')
    const app = express().get('/orders/items', other.requireBearer('orders') as RequestHandler, answer)
    expect((await fail(app)).problems[0]).toMatchObject({ kind: 'wrong-refusal', route: 'GET /orders/items' })
  })

  it('tries a credential of a scheme that no API of the platform has', async () => {
    const taken = /^(?:Bearer .+|epa_key_\w+)$/
    const cases = [
      { scheme: 'oauth2', header: 'x-api-key', guardOf: 'requireBearer' },
      { scheme: 'apiKey', header: 'authorization', guardOf: 'requireApiKey' },
    ] as const
    for (const { scheme, header, guardOf } of cases) {
      const platform = createPlatformAuth({
        baseUrl: 'http://localhost',
        store: memoryStore(),
        apis: { orders: { scheme } },
      })
      onTestFinished(() => platform.close())
      const own = (platform[guardOf] as (api: string) => RequestHandler)('orders')
      const app = express().get(
        '/orders/items',
        (req, res, next) => (taken.test(req.get(header) ?? '') ? next() : own(req, res, next)),
        answer,
      )
      expect((await fail(app, { auth: platform })).problems, header).toMatchObject([
        { kind: 'accepted', route: 'GET /orders/items', description: expect.stringContaining('which no API takes') },
      ])
      const secured = express().get('/orders/items', own, answer)
      expect((await expectSecured(secured, { auth: platform })).routes).toEqual(['GET /orders/items'])
    }
  })

  it('reads documents from files, and finds the route of an operation by a request', async () => {
    const file = join(await createTemporaryFolder(), 'orders.json')
    await writeFile(file, JSON.stringify({ paths: { '/items/{id}': { get: READ }, '/gone': { get: READ } } }))
    const app = express().get(/^\/orders\/items\/\w+$/, guard, answer)
    const { problems } = await fail(app, { documents: { orders: file } })
    expect(problems.map(({ kind, route }) => `${kind} ${route}`)).toEqual(['no-route GET /orders/gone'])
  })

  it('checks an app and a router, one run at a time', async () => {
    const router = express.Router().get('/orders/items', guard, answer)
    const app = express().use(router)
    const all = await Promise.all([
      expectSecured(app, { auth }),
      expectSecured(router, { auth }),
      expectSecured(app, { auth }),
    ])
    expect(all.map(({ routes }) => routes)).toEqual(all.map(() => ['GET /orders/items']))
  })

  it('finds many routes secured with fewer than 100 requests each', async () => {
    const router = express.Router()
    const count = IS_LONG_LANE ? 100 : 5
    for (let i = 0; i < count; i += 1) router.get(`/r${i}/:id`, guard, answer).post(`/r${i}`, guard, answer)
    const app = express().use('/orders', router)
    const start = performance.now()
    const { routes, requestCount } = await expectSecured(app, { auth })
    const time = (performance.now() - start) / requestCount
    expect(routes).toHaveLength(2 * count)
    expect(requestCount).toBeLessThan(2 * count * 100)
    if (!IS_LONG_LANE) return
    // So 5,000 requests, which take some seconds, stay below a minute.
    expect(requestCount).toBeGreaterThan(5000)
    const plainStart = performance.now()
    for (let i = 0; i < 2000; i += 1) await fetchFrom(app)('/orders/r1')
    expect(time).toBeLessThan(((performance.now() - plainStart) / 2000) * 5)
  })
})

describe.each(NEWEST_EXPRESS)('expectSecured()', (_name, express) => {
  it('deletes the applications that it has made', async () => {
    const platform = openPlatformAt('http://localhost')
    await expectSecured(express().get('/orders', platform.requireBearer('orders'), answer), { auth: platform })
    expect((await platform.applications.list({ status: 'active' })).items).toEqual([])
    expect((await platform.applications.list({ status: 'suspended' })).items).toEqual([])
  })

  it('accepts what management answers to everybody, mounted as its documents say', async () => {
    const platform = createPlatformAuth({
      baseUrl: 'http://localhost',
      apis: { ...APIS, management: managementApi },
      store: memoryStore(),
      logger: recordingLogger(),
    })
    onTestFinished(() => platform.close())
    const app = express().use(platform.router)
    app.use('/management', management(platform, { api: 'management' }))
    app.get('/orders', platform.requireBearer('orders'), answer)
    expect((await expectSecured(app, { auth: platform })).routes).toEqual(['GET /orders'])
  })

  it('works with a platform that limits requests and failed attempts', async () => {
    const limits = { requests: { limit: 2, window: 60 }, failedAuthentication: { limit: 1, window: 60 } }
    const logger = { debug() {}, info() {}, warn() {}, error() {} }
    const platform = createPlatformAuth({
      baseUrl: 'http://localhost',
      apis: APIS,
      store: memoryStore(),
      rateLimits: limits,
      logger,
    })
    onTestFinished(() => platform.close())
    const app = express()
      .use('/orders', platform.requireBearer('orders'))
      .use('/catalog', platform.requireApiKey('catalog'))
    for (const path of ['a', 'b', 'c']) app.get(`/orders/${path}`, answer).get(`/catalog/${path}`, answer)
    expect((await expectSecured(app, { auth: platform })).routes).toHaveLength(6)
  })

  it.each<[string, object, RegExp]>([
    ['no app', {}, /app is no Express app/],
    ['no platform', { auth: {} }, /auth is no platform/],
    ['an option that does not exist', { documnts: {} }, /documnts is not an option\. Did you mean "documents"\?/],
    ['no reason', { public: { '/health': ' ' } }, /public\["\/health"\] has no reason/],
    ['no path', { public: { health: 'why' } }, /public\["health"\] is no route/],
    ['a list', { public: ['/health'] }, /public\["0"\]|public is no object/],
    ['an unknown API', { documents: { ordres: {} } }, /documents\.ordres names no API/],
    ['a document without paths', { documents: { orders: {} } }, /documents\.orders describes no path/],
    ['a file that is not there', { documents: { orders: 'missing.json' } }, /documents\.orders names .*missing\.json/],
  ])('refuses %s', async (name, options, message) => {
    const app = name === 'no app' ? ({} as never) : express().get('/orders', guard, answer)
    await expect(expectSecured(app, { auth, ...options })).rejects.toThrow(message)
  })

  it('fails if it finds nothing, unless that is allowed with a reason', async () => {
    expect((await fail(express())).problems[0]).toMatchObject({ kind: 'nothing-found' })
    expect((await fail(express(), { allowNoRoutes: ' ' })).problems).toHaveLength(1)
    const allowNoRoutes = 'the routes are in another process'
    expect((await expectSecured(express(), { auth, allowNoRoutes })).routes).toEqual([])
    expect((await expectSecured(express().use('/orders', guard, answer), { auth })).routes).toEqual(['* /orders/*'])
  })

  it('does not take members of Object.prototype for options', async () => {
    const app = express().get('/orders/:id', guard, answer).get('/orders/:constructor/x', guard, answer)
    expect((await expectSecured(app, { auth })).routes).toHaveLength(2)
  })

  it('asks for an example of a path that it cannot make', async () => {
    const app = express().get(/^\/orders\/(?=.*7)(?!.*1)[a-z]\d\/(?<a>x)\k<a>$/, guard, answer)
    const { problems } = await fail(app)
    expect(problems[0]).toMatchObject({ kind: 'no-path' })
    const [, key = ''] = /examples: \{ '(.*)': /.exec(problems[0]!.fix) ?? []
    const { routes } = await expectSecured(app, { auth, examples: { [key]: '/orders/a7/xx' } })
    expect(routes).toHaveLength(1)
  })
})

it('describeGuard() says what guards ask for, and nothing of other functions', () => {
  expect(describeGuard(answer)).toBeUndefined()
  expect(describeGuard('guard')).toBeUndefined()
  const any = auth.requireAny(
    [auth.requireBearer('orders', { anyScope: ['orders:read'] }), auth.requireApiKey('catalog')],
    { optional: true },
  )
  const { optional, accepts } = describeGuard(any)!
  expect(optional).toBe(true)
  expect(accepts.map(({ api, scheme }) => `${api} ${scheme}`)).toEqual(['orders oauth2', 'catalog apiKey'])
  expect(accepts[0]!.scopesFor('GET')).toEqual({ scopes: [], anyScope: ['orders:read'] })
  const perMethod = describeGuard(auth.requireBearer('orders', { scopes: { GET: ['orders:read'] } }))!.accepts[0]!
  expect(perMethod.scopesFor('HEAD')).toEqual({ scopes: ['orders:read'], anyScope: [] })
  expect(perMethod.scopesFor('POST')).toBeUndefined()
})

function openPlatformAt(baseUrl: string) {
  const platform = createPlatformAuth({ baseUrl, apis: APIS, store: memoryStore() })
  onTestFinished(() => platform.close())
  return platform
}

/** An operation that needs the scope of `guard`. */
const READ = { security: [{ oauth2: ['orders:read'] }] }
