import express, { type Express } from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../../src/index.js'
import {
  guardsFromDocument,
  type DocumentGuard,
  type DocumentGuardsOptions,
} from '../../../src/tools/document-guards/index.js'
import { accessToken, createApplication, exchange, expectRefusal, type Answer } from '../../support/http.js'
import { openPlatform, PLATFORMS, usePlatform } from '../../support/platform.js'
import { request, type Response } from '../../support/request.js'
import { createMissingTokenChallenge, sendAuthInfo } from './guarded-routes.js'
import { recordEvents } from '../../support/record-events.js'

const { auth, logger } = usePlatform()
const tokens = { none: '', read: '', write: '' }
let key: string

beforeAll(async () => {
  const app = express().use(auth.router)
  const shop = await createApplication(auth, ['orders', 'catalog'])
  key = shop.clientId
  tokens.read = await accessToken(app, 'orders', shop, { scope: 'orders:read' })
  tokens.write = await accessToken(app, 'orders', shop, { scope: 'orders:write' })
  const scopeless = await createApplication(auth, { orders: { scopes: [] } })
  tokens.none = await accessToken(app, 'orders', scopeless)
})

type Security = readonly Readonly<Record<string, readonly string[]>>[]

const READ: Security = [{ oauth2: ['orders:read'] }]
const WRITE: Security = [{ oauth2: ['orders:write'] }]

function documentOf(paths: Readonly<Record<string, object>>, more: object = {}): object {
  return { openapi: '3.1.0', info: { title: 'Orders', version: '1.0.0' }, paths, ...more }
}

function secured(security: unknown): object {
  return { security, responses: {} }
}

const PATHS = {
  '/items': { get: secured(READ), post: secured(WRITE), options: secured([]) },
  '/items/{id}': { get: secured(READ), head: secured(WRITE), delete: secured([...READ, ...WRITE]) },
  '/items/search': { get: secured([]) },
  '/all': { get: {} },
  '/either': {
    get: secured([{ oauth2: ['orders:read', 'orders:write'] }, { oauth2: [] }]),
    put: secured([{}, ...READ]),
  },
  '/shared': { $ref: '#/components/pathItems/shared' },
  '/files/{name}.json': { get: secured(READ) },
}
const SHARED = { components: { pathItems: { shared: { get: secured(WRITE) } } } }

describe.each(PLATFORMS)('guards of a document: %s', (_name, createApp) => {
  function open(document: object, options: DocumentGuardsOptions = {}): Express {
    const router = createApp.Router().use(sendAuthInfo)
    return createApp().use('/orders', guardsFromDocument(auth, 'orders', document, options), router)
  }
  const app = open(documentOf(PATHS, SHARED))

  async function send(method: string, path: string, token?: string, to = app): Promise<Response> {
    const test = request(to)[method.toLowerCase() as 'get'](`/orders${path}`)
    return token === undefined ? test : test.set('Authorization', `Bearer ${token}`)
  }

  it.each<[string, string, keyof typeof tokens, number]>([
    ['GET', '/items', 'read', 200],
    ['GET', '/items', 'write', 403],
    ['POST', '/items', 'write', 200],
    ['POST', '/items', 'read', 403],
    ['GET', '/items/7', 'read', 200],
    ['GET', '/items/7?a=/%2F', 'read', 200],
    ['GET', '/items/a%20b', 'read', 200],
    ['HEAD', '/items', 'read', 200],
    ['HEAD', '/items/7', 'read', 403],
    ['HEAD', '/items/7', 'write', 200],
    ['DELETE', '/items/7', 'write', 200],
    ['DELETE', '/items/7', 'none', 403],
    ['GET', '/all', 'read', 403],
    ['GET', '/either', 'none', 200],
    ['PUT', '/either', 'none', 403],
    ['GET', '/shared', 'write', 200],
    ['GET', '/shared', 'read', 403],
    ['GET', '/files/a.b.json', 'read', 200],
    ['GET', '/files/a.b.json', 'none', 403],
  ])('%s %s with the token %s: %i (G60)', async (method, path, token, status) => {
    const answer = await send(method, path, tokens[token])
    expect(answer.status).toBe(status)
    if (status === 200 && method !== 'HEAD') expect(answer.body).toMatchObject({ api: 'orders', scheme: 'oauth2' })
  })

  it('requires a credential for every operation that is not open, and names its scopes (G60)', async () => {
    expectRefusal(await send('GET', '/items'), 401, 'unauthorized', createMissingTokenChallenge('orders:read'))
    expectRefusal(await send('POST', '/items'), 401, 'unauthorized', createMissingTokenChallenge('orders:write'))
    expectRefusal(
      await send('DELETE', '/items/7'),
      401,
      'unauthorized',
      createMissingTokenChallenge('orders:read orders:write'),
    )
    expect((await send('GET', '/items/8', 'forged')).status).toBe(401)
  })

  it('lets a request of an open operation pass, and does not read its credential (G61)', async () => {
    for (const token of [undefined, 'forged', tokens.read]) {
      const answer = await send('GET', '/items/search', token)
      expect([answer.status, answer.body]).toEqual([200, null])
    }
    expect((await send('OPTIONS', '/items')).status).toBe(200)
  })

  it('makes a credential optional where {} is an alternative, and still refuses a bad one (G61)', async () => {
    expect([(await send('PUT', '/either')).status, (await send('PUT', '/either', 'forged')).status]).toEqual([200, 401])
    expect((await send('PUT', '/either', tokens.read)).body).toMatchObject({ api: 'orders' })
  })

  it.each([
    ['GET', '/unknown'],
    ['GET', '/'],
    ['GET', ''],
    ['GET', '/items/7/parts'],
    ['GET', '/ITEMS'],
    ['GET', '/items/'],
    ['GET', '/%69tems'],
    ['GET', '/items//7'],
    ['GET', '/items/7%2F8'],
    ['GET', '/items/7%5c8'],
    ['GET', '/items/..'],
    ['GET', '/items/%2e%2e'],
    ['GET', '/items/%'],
    ['GET', '/items/%00'],
    ['GET', '/items/SEARCH'],
    ['GET', '/items/se%61rch'],
    ['GET', '/items/search/'],
    ['GET', '/files/.json'],
    ['GET', '/files/a.jsonx'],
  ])('%s %s is refused with 404, with and without a token (G62)', async (method, path) => {
    for (const token of [undefined, tokens.read]) expectNotFound(await sendRaw(app, method, `/orders${path}`, token))
  })

  it('a path that is sent in the absolute form is read too', async () => {
    const answer = await sendRaw(app, 'GET', 'http://localhost/orders/items', tokens.read)
    expect([answer.status, (await sendRaw(app, 'GET', 'http://localhost/orders/nothing')).status]).toEqual([200, 404])
  })

  it.each([
    ['PUT', '/items', 'GET, HEAD, POST, OPTIONS'],
    ['OPTIONS', '/items/7', 'GET, HEAD, DELETE'],
    ['POST', '/items/search', 'GET, HEAD, DELETE'],
    ['TRACE', '/shared', 'GET, HEAD'],
  ])('%s %s is refused with 405 and Allow (G63)', async (method, path, allow) => {
    const answer = await send(method, path, tokens.read)
    expectRefusal(answer, 405, 'method_not_allowed', { allow })
  })

  it('leaves what is not in the document to a guard, or lets it pass, but nothing that could be an operation (G64)', async () => {
    const other = open(documentOf(PATHS, SHARED), {
      undocumented: auth.requireBearer('orders', { scopes: ['orders:write'] }),
    })
    expect((await send('GET', '/unknown', tokens.write, other)).status).toBe(200)
    expect((await send('GET', '/unknown', tokens.read, other)).status).toBe(403)
    expect((await send('PATCH', '/items', undefined, other)).status).toBe(401)
    const passing = open(documentOf(PATHS, SHARED), { undocumented: 'pass' })
    expect((await send('GET', '/unknown', undefined, passing)).status).toBe(200)
    expect((await send('PATCH', '/items', undefined, passing)).status).toBe(200)
    for (const path of ['/ITEMS', '/items/', '/%69tems', '/items/7%2F8', '/items//7', '/Items/7', '/all/'])
      expectNotFound(await sendRaw(passing, 'GET', `/orders${path}`))
  })

  it('asks allow and onDenied of all operations', async () => {
    const asked: unknown[] = []
    const other = open(documentOf(PATHS, SHARED), {
      allow: ({ application }) => application.name !== 'Shop',
      onDenied(denial, _req, res) {
        asked.push([denial.status, denial.error])
        res.statusCode = 418
        res.end()
      },
    })
    for (const path of ['/items', '/nothing']) expect((await send('GET', path, tokens.read, other)).status).toBe(418)
    expect((await send('PUT', '/items', tokens.read, other)).status).toBe(418)
    expect(asked).toEqual([
      [403, 'access_denied'],
      [404, 'not_found'],
      [405, 'method_not_allowed'],
    ])
  })

  it('guards a key API', async () => {
    const document = documentOf({ '/items': { get: {} }, '/open': { get: secured([]) } })
    const catalog = createApp().use('/catalog', guardsFromDocument(auth, 'catalog', document), sendAuthInfo)
    expect((await request(catalog).get('/catalog/items').set('X-Api-Key', key)).body).toMatchObject({ api: 'catalog' })
    expect((await request(catalog).get('/catalog/items')).status).toBe(401)
    expect((await request(catalog).get('/catalog/open')).status).toBe(200)
  })

  it('reports the operations without a route: by a call, and in the log of the first request', async () => {
    const paths = {
      '/items': { get: {}, post: {} },
      '/items/{id}': { get: {}, delete: {} },
      '/n/{n}': { put: {}, options: {} },
    }
    const guard: DocumentGuard = guardsFromDocument(auth, 'orders', documentOf(paths))
    const nested = createApp.Router().get('/:id', sendAuthInfo)
    const routes = createApp.Router().get('/items', sendAuthInfo).use('/items', nested)
    const other = createApp().use('/orders', guard, routes)
    const missing = 'POST /items, DELETE /items/{id}, PUT /n/{n}'
    expect(() => guard.checkRoutes(other, '/orders')).toThrow(ConfigurationError)
    expect(() => guard.checkRoutes(routes)).toThrow(
      `guardsFromDocument("orders"): there is no route for ${missing}. Add`,
    )
    logger.lines.length = 0
    for (let at = 0; at < 2; at++) await request(other).get('/orders/items')
    const warning = `guardsFromDocument("orders"): the app has no route for ${missing}.`
    expect(logger.lines.filter((line) => line.includes('no route'))).toEqual([warning])
    routes.post('/items', sendAuthInfo).all('/n/:n', sendAuthInfo).route('/items/:id').delete(sendAuthInfo)
    guard.checkRoutes(routes)
    guard.checkRoutes(other, '/orders')
    guard.checkRoutes(createApp().use('/v1', other), '/v1/orders')
    expect(() => guard.checkRoutes(createApp())).toThrow(/there is no route for GET \/items, POST/)
  })
})

describe('a refusal of what is not in the document', () => {
  it('is an event with the reason, and a log line', async () => {
    const app = express().use('/orders', guardsFromDocument(auth, 'orders', documentOf(PATHS, SHARED)))
    const events = recordEvents(auth, 'request.denied')
    await request(app).get('/orders/nothing')
    await request(app).put('/orders/items')
    expect(events).toMatchObject([
      { api: 'orders', error: 'not_found', reason: 'undocumented_path' },
      { api: 'orders', error: 'method_not_allowed', reason: 'undocumented_method' },
    ])
  })
})

describe('guards of a key API start', () => {
  const { auth: named } = openPlatform({
    apis: { weather: { scheme: 'apiKey', header: ['X-Weather-Key', 'X-Old-Key'] } },
  })
  const { auth: asBearer } = openPlatform({
    apis: { weather: { scheme: 'apiKey', header: ['X-Weather-Key', 'Authorization'] } },
  })
  afterAll(() => Promise.all([named.close(), asBearer.close()]))
  const declare = (key: object): object =>
    documentOf(
      { '/a': { get: secured([{ key: [] }]) } },
      { components: { securitySchemes: { key, other: { $ref: '#/components/securitySchemes/key' } } } },
    )

  it.each<[string, object]>([
    ['X-Weather-Key', { in: 'header', name: 'X-Weather-Key' }],
    ['x-old-key', { in: 'header', name: 'x-old-key' }],
  ])('with a document that declares a header of the API: %s', (_name, key) => {
    expect(() => guardsFromDocument(named, 'weather', declare({ type: 'apiKey', ...key }))).not.toThrow()
  })

  it.each<[string, object, RegExp]>([
    [
      'another header',
      { in: 'header', name: 'X-Api-Key' },
      /"key", which is a key in the header "X-Api-Key", and the API "weather" takes keys in the header X-Weather-Key or X-Old-Key\. Write "in": "header" and "name": "X-Weather-Key".*, or add/,
    ],
    ['the query', { in: 'query', name: 'X-Weather-Key' }, /a key in the query "X-Weather-Key".*Write "in": "header"/],
    ['a cookie', { in: 'cookie', name: 'key' }, /a key in the cookie "key"/],
    ['a member of Object.prototype', { in: 'header', name: 'constructor' }, /a key in the header "constructor"/],
    ['no name', { in: 'header' }, /a key in the header/],
    ['no place', { name: 'X-Weather-Key' }, /a key in the request "X-Weather-Key"/],
  ])('and not with one that declares %s', (_what, key, message) => {
    expect(() => guardsFromDocument(named, 'weather', declare({ type: 'apiKey', ...key }))).toThrow(message)
  })

  it.each(['Authorization', 'authorization'])('and not with one whose tools send the bare key in %s', (name) => {
    const start = (key: object) => (): unknown => guardsFromDocument(asBearer, 'weather', declare(key))
    expect(start({ type: 'apiKey', in: 'header', name })).toThrow(
      /"key", which is the bare key in Authorization: .*Write { "type": "http", "scheme": "bearer" } .*, or "name": "X-Weather-Key"/,
    )
    expect(start({ type: 'http', scheme: 'bearer' })).not.toThrow()
    expect(start({ type: 'http', scheme: 'Basic' })).not.toThrow()
  })
})

describe('start-up refuses a document that guards cannot enforce:', () => {
  const make =
    (paths: Record<string, object>, more: object = {}, options: object = {}) =>
    (): unknown =>
      guardsFromDocument(auth, 'orders', documentOf(paths, more), options)
  const withSchemes = (securitySchemes: object): object => ({ components: { securitySchemes } })
  const oauth2 = { type: 'oauth2', flows: {} }

  const get = (...security: readonly unknown[]): object => ({ get: secured(security) })
  it.each<[RegExp, () => unknown]>([
    [
      /guardsFromDocument\("orders"\): document has a "security" of GET \/a with the scope "admin", which apis\.orders\.scopes does not have/,
      make({ '/a': get({ oauth2: ['admin'] }) }),
    ],
    [
      /has 3 mistakes\. \(1\).*GET \/a[^]*\(2\).*GET \/b that is null.*\n\(3\).*PUT \/b that is \["y"\]/,
      make({ '/a': get({ oauth2: ['x'] }), '/b': { get: secured(null), put: secured(['y']) } }),
    ],
    [
      /GET \/a with "mtls", which is not of the scheme of the API "orders" \(oauth2\)\. Guards do not check it/,
      make({ '/a': get({ oauth2: [] }, { mtls: [] }) }, withSchemes({ oauth2, mtls: { type: 'mutualTLS' } })),
    ],
    [
      /has a "security" of GET \/a that is \["oauth2"\]/,
      make({ '/a': { $ref: '#/x-shared' } }, { 'x-shared': get('oauth2') }),
    ],
    [
      /"other", which components\.securitySchemes does not/,
      make({ '/a': get({ other: [] }) }, withSchemes({ oauth2 })),
    ],
    [
      /names the security schemes "oauth2", "internal" without declaring them/,
      make({ '/a': get({ oauth2: ['orders:read'] }, { internal: [] }) }),
    ],
    [
      /GET \/a\/\{x\} and GET \/a\/\{y\}, which can match the same path/,
      make({ '/a/{x}': { get: secured(READ) }, '/a/{y}': { get: secured(WRITE) } }),
    ],
    [/GET \/a and GET \/A\/, which can/, make({ '/a': { get: secured(READ) }, '/A/': get() })],
    [/GET \/a\/\{x\} and GET \/\{y\}\/b, which can/, make({ '/a/{x}': { get: secured(READ) }, '/{y}/b': get() })],
    [
      /has 3 mistakes.*"\/a\/\/b", which no request can have/,
      make({ '/a//b': { get: {} }, '/a?b': { get: {} }, '/é': { get: {} } }),
    ],
    [/"\/a" with both a \$ref and operations/, make({ '/a': { $ref: '#/paths/~1b', get: {} }, '/b': { put: {} } })],
    [/guardsFromDocument\("orders"\): optional is not an option/, make({ '/a': { get: {} } }, {}, { optional: true })],
    [/undocumented is no guard of this platform/, make({ '/a': { get: {} } }, {}, { undocumented: () => undefined })],
    [/undocumented is "open"\. Write 'refuse'/, make({ '/a': { get: {} } }, {}, { undocumented: 'open' })],
    [/there is no API "ordres"\. There are: orders, invoices/, () => guardsFromDocument(auth, 'ordres', {})],
    [
      /the scope "x", and API keys have no scopes/,
      () => guardsFromDocument(auth, 'catalog', documentOf({ '/a': get({ k: ['x'] }) })),
    ],
  ])('%s', (message, create) => {
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(message)
  })

  it('accepts oauth2 and apiKey schemes, and paths that differ in security only if one is more concrete', () => {
    const schemes = {
      a: oauth2,
      b: { type: 'openIdConnect' },
      c: { type: 'http', scheme: 'Bearer' },
      d: { $ref: '#/components/securitySchemes/a' },
    }
    make({ '/x': { get: secured([{ a: [] }, { b: [] }, { c: [] }, { d: [] }]) } }, withSchemes(schemes))()
    make({ '/{a}': { get: secured(READ) }, '/b': { get: secured([]) }, '/{x}.json': { get: secured(WRITE) } })()
    make({
      '/i/{a}:cancel': { put: secured(READ) },
      '/i/{a}:approve': { put: secured(WRITE) },
      '/i/{a}': { put: secured([]) },
    })()
    make({ '/a/{x}': { get: secured(READ) }, '/{y}/b': { get: secured(READ), put: secured([]) } })()
  })
})

function sendRaw(app: Express, method: string, target: string, token?: string): Promise<Answer> {
  const authorization = token === undefined ? [] : [`Authorization: Bearer ${token}`]
  return exchange(app, [`${method} ${target} HTTP/1.1`, ...authorization])
}

function expectNotFound(answer: Answer): void {
  expectRefusal(answer, 404, 'not_found')
  expect(answer.body).toMatchObject({ error_description: 'This path is not in the document of this API' })
}
