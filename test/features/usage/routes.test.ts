import type { Express } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { useServer } from '../../support/http.js'
import { openAdmin } from '../../../src/tools/admin/index.js'
import { guardsFromDocument } from '../../../src/tools/document-guards/index.js'
import { createCounts } from '../../../src/features/usage/counts.js'
import { usage } from '../../../src/features/usage/index.js'
import { createRouteCounts } from '../../../src/features/usage/route-counts.js'
import { createPlatformAuth, memoryStore } from '../../../src/index.js'
import { EXPRESSES, recordingLogger, SECRET } from '../../support/platform.js'
import { request } from '../../support/request.js'

async function open({ routes = true, requests = 1000 } = {}) {
  const store = memoryStore()
  const auth = createPlatformAuth({
    baseUrl: 'https://api.example.com',
    apis: { catalog: { scheme: 'apiKey' }, weather: { scheme: 'apiKey' } },
    secret: SECRET,
    store,
    logger: recordingLogger(),
    rateLimits: { requests: { limit: requests, window: 60 } },
    features: [usage({ routes })],
  })
  onTestFinished(() => auth.close())
  await auth.ready()
  const { credentials } = await auth.applications.create({ name: 'Shop', apis: ['catalog', 'weather'] })
  const { clientId: key } = credentials
  return {
    auth,
    key,
    call: async (app: Express, method: string, path: string): Promise<number> =>
      (await request(app)[method as 'get'](path).set('X-Api-Key', key)).status,
    /** Closes the platform. Requests and units by API and route; those to all routes have none. */
    async readCounts(): Promise<Record<string, string>> {
      await auth.close()
      const { usage: stored } = await openAdmin(store)
      const totals = (await stored!.list()).items.map(({ api, allowed }) => [api, String(allowed)])
      const byRoute = (await stored!.routes()).items.map(({ api, route, allowed, units }) => [
        `${api} ${route}`,
        `${allowed} for ${units}`,
      ])
      return Object.fromEntries([...totals, ...byRoute]) as Record<string, string>
    },
  }
}

describe.each(Object.entries(EXPRESSES))('%s: usage by route', (_, anyExpress) => {
  const { Router } = anyExpress
  const end = (_req: unknown, res: { end(): unknown }): void => void res.end()

  it('has the pattern that Express has matched, with the paths of routers, and nothing that a client has sent', async () => {
    const { auth, key, call, readCounts } = await open()
    const guard = auth.requireApiKey('catalog')
    const items = Router({ mergeParams: true }).get('/items/:id', end).get(['/list', '/all'], end)
    const app = anyExpress()
      .get('/own/:id', guard, end)
      .get(/^\/exp\/(\d+)$/, guard, end)
      .all('/any/:id', guard, end)
      .use(
        '/v1',
        guard,
        Router()
          .use('/shops/:shop', items)
          .use(/\/x[^/]+/, Router().get('/last', end)),
      )
      .use('/app', anyExpress().use(guard).use('/inner', items))
      .use('/proxied', guard, end)
    const secrets = [key, 'Secret-1', 'a'.repeat(300), '%C3%BC', '%00', "';--", '..%2f']
    for (const secret of secrets) {
      const paths = [
        '/own/#',
        '/v1/shops/#/items/#',
        '/V1/shops/#/all',
        '/v1/shops/#/list',
        '/app/inner/items/#',
        '/proxied/#',
      ]
      for (const path of paths) expect(await call(app, 'get', `${path.replaceAll('#', secret)}?q=${secret}`)).toBe(200)
    }
    for (const method of ['get', 'head', 'put', 'propfind', 'm-search', 'options'])
      await request(app)[method as 'get'](`/any/${method}`).set('X-Api-Key', key).expect(200)
    expect(await call(app, 'head', '/own/1')).toBe(200)
    expect(await call(app, 'get', '/exp/17')).toBe(200)
    expect(await call(app, 'get', `/v1/x${key}/last`)).toBe(200)
    expect(await call(app, 'get', '/v1/unknown')).toBe(404)
    expect(await call(app, 'post', '/v1/shops/1/items/2')).toBe(404)
    expect(await readCounts()).toEqual({
      catalog: '53',
      'catalog (other)': '9 for 9',
      'catalog ALL /any/:id': '6 for 6',
      'catalog GET /app/inner/items/:id': '7 for 7',
      'catalog GET /^\\/exp\\/(\\d+)$/': '1 for 1',
      'catalog GET /own/:id': '8 for 8',
      'catalog GET /v1/*/items/:id': '7 for 7',
      'catalog GET /v1/*/last': '1 for 1',
      'catalog GET /v1/*/list,/all': '14 for 14',
    })
  })

  it('has the operation of a document, also in front of a proxy', async () => {
    const { auth, call, readCounts } = await open()
    const operation = { responses: {}, security: [{ apiKey: [] }] }
    const document = {
      openapi: '3.1.0',
      info: { title: 'Catalogue', version: '1' },
      paths: {
        '/v2/sheds/{id}': { get: operation, put: operation },
        '/v2/open': { get: { responses: {}, security: [] } },
      },
    }
    const app = anyExpress().use('/v2', guardsFromDocument(auth, 'catalog', document, { prefix: '/v2' }), end)
    expect(await call(app, 'get', '/v2/sheds/secret')).toBe(200)
    expect(await call(app, 'head', '/v2/sheds/Secret')).toBe(200)
    expect(await call(app, 'put', '/v2/sheds/a%20b')).toBe(200)
    expect(await call(app, 'get', '/v2/open')).toBe(200)
    expect(await call(app, 'get', '/v2/unknown')).toBe(404)
    expect(await readCounts()).toEqual({
      catalog: '3',
      'catalog GET /v2/sheds/{id}': '2 for 2',
      'catalog PUT /v2/sheds/{id}': '1 for 1',
    })
  })

  it('has what requests cost, and counts once what several guards and verifiers judge, and not what one of them refuses', async () => {
    const { auth, key, call, readCounts } = await open({ requests: 8 })
    let isAllowed = true
    const app = anyExpress()
      .get('/cost', auth.requireApiKey('catalog', { cost: 5 }), end)
      .get('/free', auth.requireApiKey('catalog', { cost: 0 }), end)
      .get(
        '/twice',
        auth.requireApiKey('catalog', { cost: (req) => req.url!.length }),
        auth.requireApiKey('catalog', { cost: 70, allow: async () => isAllowed }),
        auth.requireApiKey('weather'),
        (req, res, next) => void auth.verifyApiKey('catalog', key, { req }).then(() => res.end(), next),
      )
    expect(await call(app, 'get', '/cost')).toBe(200)
    expect(await call(app, 'get', '/free')).toBe(200)
    expect(await call(app, 'get', '/twice')).toBe(200)
    expect(await call(app, 'get', '/twice?q=1')).toBe(200)
    isAllowed = false
    expect(await call(app, 'get', '/twice')).toBe(403)
    isAllowed = true
    for (let i = 0; i < 3; i++) expect(await call(app, 'get', '/cost')).toBe(200)
    expect(await call(app, 'get', '/cost')).toBe(429)
    await request(app).get('/cost').expect(401)
    expect(await readCounts()).toEqual({
      catalog: '7',
      weather: '2',
      'catalog GET /cost': '4 for 20',
      'catalog GET /free': '1 for 0',
      'catalog GET /twice': '2 for 16',
      'weather GET /twice': '2 for 2',
    })
  })

  it('has answers that have not ended, and those whose connection was lost', async () => {
    const { auth, key, call, readCounts } = await open()
    let reached = 0
    const app = anyExpress()
      .use(auth.requireApiKey('catalog'))
      .get('/stream', (_req, res) => {
        reached++
        res.write('event')
      })
      .get('/items', end)
    const { url } = await useServer(app)
    const controllers = [new AbortController(), new AbortController()] as const
    const headers = { 'X-Api-Key': key }
    await Promise.all(controllers.map(({ signal }) => fetch(`${url}/stream`, { headers, signal })))
    controllers[0].abort()
    expect(await call(app, 'get', '/items')).toBe(200)
    expect(reached).toBe(2)
    expect(await readCounts()).toEqual({
      catalog: '3',
      'catalog GET /items': '1 for 1',
      'catalog GET /stream': '2 for 2',
    })
    controllers[1].abort()
  })

  it('is not counted without the option', async () => {
    const { auth, call, readCounts } = await open({ routes: false })
    const app = anyExpress().get('/items', auth.requireApiKey('catalog', { cost: 3 }), end)
    expect(await call(app, 'get', '/items')).toBe(200)
    expect(await readCounts()).toEqual({ catalog: '1' })
  })
})

it('Nothing observes units and operations, and no list of routes is kept, without the option', () => {
  const part = (routes: boolean) =>
    usage({ routes }).prepare(
      {} as never,
      () => undefined,
    )({ store: memoryStore(), now: Date.now, opened: async () => undefined } as never)
  const [without, withRoutes] = [part(false), part(true)].map((each) => each.observe!({ name: 'catalog' }))
  expect([without!.noted, without!.allowed?.length]).toEqual([undefined, 1])
  expect(withRoutes!.noted).toBeTypeOf('function')
})

it('There are at most 200 names of an API, and a row for the others, of which none is lost', () => {
  const counts = createCounts(Date.now, 10_000, () => undefined)
  const routes = createRouteCounts(counts)
  const { allowed } = routes.observe('catalog', () => undefined)
  for (let i = 0; i < 500; i++) {
    const route = { path: `/${'very-long'.repeat(100)}`.slice(0, 200) + (i % 250), methods: { get: true } }
    allowed!('a', 1, { method: 'GET', url: '/', route } as never, { writableFinished: true } as never)
  }
  const taken = counts.takeAll()
  expect(taken).toHaveLength(201)
  expect(taken.find(({ route }) => route === '(other)')).toMatchObject({ count: 100 })
  expect(taken.reduce((sum, { count }) => sum + count, 0)).toBe(500)
})

it('A route that the host has set itself is named by its path, whatever else it has', () => {
  const counts = createCounts(Date.now, 10, () => undefined)
  const { allowed } = createRouteCounts(counts).observe('catalog', () => undefined)
  for (const route of [{ path: '/x', methods: null }, { path: '/x' }, { path: 17 }, {}, 'text']) {
    const req = { method: 'GET', url: '/secret', route }
    allowed!('a', 1, req as never, { writableFinished: true } as never)
  }
  expect(counts.takeAll().map(({ route, count }) => [route, count])).toEqual([
    ['GET /x', 2],
    ['(other)', 3],
  ])
})

it('A request that is judged again after it was counted is taken back from its route', () => {
  const counts = createCounts(Date.now, 10, () => undefined)
  const routes = createRouteCounts(counts)
  const { allowed, noted } = routes.observe('catalog', () => undefined)
  const [req, res] = [{}, { on: () => res, off: () => res }] as never[]
  noted!({ units: 3 }, req!)
  allowed!('a', 1, req!, res!)
  routes.countUnanswered()
  routes.countUnanswered()
  allowed!('a', -1, req!, res!)
  expect(counts.takeAll()).toEqual([])
  allowed!('a', 1, req!, res!)
  expect(counts.takeAll()).toMatchObject([
    { outcome: 'allowed', route: '(other)', count: 1 },
    { outcome: 'extra', route: '(other)', count: 2 },
  ])
})
