import { createServer, type RequestListener } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, afterEach, beforeEach, onTestFinished, vi } from 'vitest'
import {
  accessToken,
  createApplication,
  exchange,
  expectRefusal,
  createTokenForm,
  GRANT,
  post,
} from '../../support/http.js'
import { EXPRESSES, onEveryPlatform, openPlatform, usePlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'
import express from 'express'

/** The host's answer to a request that the router does not handle. */
const HOST = { status: 299, text: 'the host' }

describe('auth.router (docs/http.md P1 to P12)', () => {
  onEveryPlatform((host) => {
    beforeAll(() => {
      host.app.use((_req, res) => void res.status(299).send('the host'))
    })

    it.each([
      ['the exact case', '/Orders/token /orders/Token /ORDERS/TOKEN /orders/TOKEN'],
      ['no path with a trailing slash', '/orders/token/ /orders/token// /orders/'],
      ['no path of other length', '/orders /token /orders/token/x /x/orders/token /orders//token //orders/token /'],
      ['no other encoding', '/%6Frders/token /orders/%74oken /orders/token%20 /orders/token;x=1 /orders%2Ftoken'],
      ['no unknown API', '/unknown/token /orders2/token /__proto__/token /constructor/token /undefined/token'],
      ['no key API', '/catalog/token /weather/token /catalog/revoke /catalog/introspect /catalog/authorize'],
      ['no other path', '/orders/items /orders/authorise /orders/jwks.json /catalog/.well-known/jwks.json'],
    ])('P11, P12: matches %s', async (_, paths) => {
      for (const path of paths.split(' ')) {
        const { status, text } = await post(host.app, path, GRANT)
        expect({ path, status, text }).toEqual({ path, ...HOST })
      }
    })

    it.each([
      ['/orders/revoke', ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']],
      ['/orders/introspect', ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']],
      ['/orders/authorize', ['POST', 'PUT', 'DELETE', 'OPTIONS']],
      ['/.well-known/jwks.json', ['POST', 'PUT', 'DELETE', 'OPTIONS']],
      ['/orders/.well-known/jwks.json', ['POST', 'PUT', 'DELETE', 'OPTIONS']],
      ['/orders/.well-known/oauth-authorization-server', ['POST', 'PUT', 'DELETE', 'OPTIONS']],
      ['/.well-known/oauth-protected-resource/orders', ['POST', 'PUT', 'DELETE', 'OPTIONS']],
    ])('P11: passes other methods of %s on to the host', async (path, methods) => {
      for (const method of methods) {
        const { status, text } = await exchange(host.app, [`${method} ${path} HTTP/1.1`])
        expect({ method, status, text }).toEqual({ method, ...HOST })
      }
    })

    it('P12: ignores the query string', async () => {
      for (const query of ['?', '?a=b', '?/x', '?a=/orders/items', '??']) {
        const answer = await post(host.app, `/orders/token${query}`, GRANT)
        expectRefusal(answer, 401, 'invalid_client', { 'www-authenticate': /^Basic realm="orders"/ })
      }
    })

    it('P12: accepts a request target in absolute form (RFC 9112 3.2.2)', async () => {
      const answer = await exchange(host.app, ['GET http://localhost/orders/token?a=b HTTP/1.1'])
      expectRefusal(answer, 405, 'invalid_request', { allow: 'POST' })
      const refused = await exchange(
        host.app,
        [
          'POST http://localhost/orders/token?client_secret=b HTTP/1.1',
          'Content-Type: application/x-www-form-urlencoded',
          'Content-Length: 29',
        ],
        'grant_type=client_credentials',
      )
      expectRefusal(refused, 400, 'invalid_request')
    })

    it.each(['GET http:///x HTTP/1.1', 'GET * HTTP/1.1', 'OPTIONS * HTTP/1.1', 'GET x HTTP/1.1', 'GET /%ZZ HTTP/1.1'])(
      'does not answer 500 to %s, and goes on answering',
      async (line) => {
        const { status } = await exchange(host.app, [line]).catch(() => ({ status: 0 }))
        expect(status).not.toBe(500)
        expect((await request(host.app).get('/.well-known/jwks.json')).status).toBe(200)
      },
    )
  })
})

describe.each(Object.entries(EXPRESSES))('In an %s app', (_, express) => {
  const { auth } = openPlatform({ baseUrl: 'https://example.com/v1', rateLimits: { failedAuthentication: false } })
  const root = openPlatform({ rateLimits: { failedAuthentication: false } }).auth
  let shop: Awaited<ReturnType<typeof createApplication>>

  beforeAll(async () => {
    shop = await createApplication(auth, ['orders'])
  })
  afterAll(() => Promise.all([auth.close(), root.close()]))

  it("the router mounted at baseUrl's path answers there, and at no other path", async () => {
    const app = express().use('/v1', auth.router)
    expect((await post(app, '/v1/orders/token', createTokenForm(shop))).status).toBe(200)
    for (const path of ['/orders/token', '/v1/v1/orders/token', '/v1/orders/token/', '/v1//orders/token']) {
      expect((await post(app, path, createTokenForm(shop))).status).toBe(404)
    }
  })

  it("the router at / answers behind a proxy that strips baseUrl's path", async () => {
    const app = express().use(auth.router)
    const token = await accessToken(app, 'orders', shop)
    expect((await auth.verifyAccessToken('orders', token)).application.id).toBe(shop.id)
  })

  it.each(['/V1', '/a/b', '/:tenant'])('the router answers below %s', async (path) => {
    const app = express().use(path, auth.router)
    expect((await post(app, `${path}/orders/token`, createTokenForm(shop))).status).toBe(200)
  })

  it('the router answers in a Router in an app in an app', async () => {
    const inner = express().use('/v1', express.Router().use(auth.router))
    const app = express().use('/outer', inner)
    expect((await post(app, '/outer/v1/orders/token', createTokenForm(shop))).status).toBe(200)
    expect((await post(app, '/outer/orders/token', createTokenForm(shop))).status).toBe(404)
  })

  it('the router leaves the root documents to auth.wellKnownRouter where baseUrl has a path', async () => {
    const path = '/.well-known/oauth-authorization-server/v1/orders'
    expect((await request(express().use('/v1', auth.router)).get(path)).status).toBe(404)
    const both = express().use('/v1', auth.router).use(auth.wellKnownRouter)
    expect((await request(both).get(path)).status).toBe(200)
    expect((await post(express().use(auth.wellKnownRouter), '/orders/token', createTokenForm(shop))).status).toBe(404)
  })

  it('auth.wellKnownRouter serves the same documents where baseUrl has no path', async () => {
    const path = '/.well-known/oauth-protected-resource/orders'
    const alone = await request(express().use(root.wellKnownRouter)).get(path)
    const together = await request(express().use(root.router)).get(path)
    expect(alone.status).toBe(200)
    expect(alone.text).toBe(together.text)
  })

  it("requests to the host's own POST /something/token reach it behind the router", async () => {
    const app = express().use(root.router)
    app.post('/:anything/token', (req, res) => void res.json(req.params))
    expect((await post(app, '/something/token')).body).toEqual({ anything: 'something' })
    expect((await post(app, '/catalog/token')).body).toEqual({ anything: 'catalog' })
    expect((await post(app, '/orders/token')).body).toMatchObject({ error: 'invalid_request' })
  })

  it('requests that the router answers do not reach the middleware behind it', async () => {
    const seen: string[] = []
    const app = express().use(root.router, (req, res) => void res.end(seen.push(req.url).toString()))
    for (const path of ['/orders/token', '/orders/revoke', '/orders/introspect']) await post(app, path)
    await request(app).get('/orders/authorize')
    expect(seen).toEqual([])
  })
})

describe('Without Express', () => {
  it('auth.router works as middleware for node:http', async () => {
    const { auth } = usePlatform()
    const app = createServer((req, res) => auth.router(req, res, () => res.writeHead(299).end('the host')))
    const listener: RequestListener = (req, res) => void app.emit('request', req, res)
    const shop = await createApplication(auth, ['orders'])
    expect((await post(listener, '/orders/token', createTokenForm(shop))).status).toBe(200)
    expect((await post(listener, '/orders/items')).status).toBe(299)
  })
})

beforeEach(() => void vi.stubEnv('NODE_ENV', 'development'))
afterEach(() => void vi.unstubAllEnvs())

interface Case {
  readonly baseUrl: string
  readonly mount: string
  readonly path: string
  /** The `Host` header; that of `baseUrl` if left out, as without a proxy. */
  readonly host?: string
  readonly express?: typeof express
}

/** Sends the request three times; returns the lines about the mount. */
async function findReports({ baseUrl, mount, path, host = new URL(baseUrl).host, ...options }: Case) {
  const { auth, logger } = openPlatform({ baseUrl })
  onTestFinished(() => auth.close())
  const app = (options.express ?? express)().use(mount, auth.router)
  for (let i = 0; i < 3; i++) await request(app).get(path).set('Host', host)
  return logger.lines.filter((line) => line.includes('mounted'))
}

it.each<[string, Case, string]>([
  [
    'the path of baseUrl is missing in the mount',
    { baseUrl: 'http://shop.test/v1', mount: '/', path: '/v1/orders/token' },
    "app.use('/v1', auth.router)",
  ],
  [
    'the key set is not where baseUrl leads',
    { baseUrl: 'http://shop.test/v1', mount: '/', path: '/v1/.well-known/jwks.json?x=1' },
    "app.use('/v1', auth.router)",
  ],
  [
    'the mount has another path',
    { baseUrl: 'http://shop.test/v1', mount: '/api', path: '/api/orders/token' },
    "app.use('/v1', auth.router)",
  ],
  [
    'baseUrl has no path',
    { baseUrl: 'http://shop.test', mount: '/api', path: '/api/orders/token' },
    'app.use(auth.router)',
  ],
])('reports once that %s, with the fix', async (_, wrong, fix) => {
  expect(await findReports(wrong)).toEqual([expect.stringContaining(fix)])
})

it.each<[string, Case]>([
  ['the mount is right', { baseUrl: 'http://shop.test/v1', mount: '/v1', path: '/v1/orders/token' }],
  ['there is no path', { baseUrl: 'http://shop.test', mount: '/', path: '/orders/token' }],
  ['a proxy strips the path', { baseUrl: 'http://shop.test/v1', mount: '/', path: '/orders/token' }],
  ['a proxy strips a part of the path', { baseUrl: 'http://shop.test/a/v1', mount: '/v1', path: '/v1/orders/token' }],
  ['a proxy adds a path', { baseUrl: 'http://shop.test', mount: '/app', path: '/app/orders/token', host: 'app:3000' }],
  [
    'the path has two slashes, of which Express 4 takes one',
    { baseUrl: 'http://shop.test/v1', mount: '/v1', path: '/v1//orders/token', express: Object.values(EXPRESSES)[0]! },
  ],
  ['another route is called', { baseUrl: 'http://shop.test/v1', mount: '/', path: '/v1/orders/items' }],
])('does not report anything if %s', async (_, right) => {
  expect(await findReports(right)).toEqual([])
})

it.each(['production', 'test'])('reports nothing with NODE_ENV=%s', async (environment) => {
  vi.stubEnv('NODE_ENV', environment)
  expect(await findReports({ baseUrl: 'http://shop.test/v1', mount: '/', path: '/v1/orders/token' })).toEqual([])
})

it('reports a wrong mount inside a router of the host', async () => {
  const { auth, logger } = usePlatform({ baseUrl: 'http://shop.test/api/v1' })
  const app = express().use('/api', express.Router().use('/v2', auth.router))
  await request(app).get('/api/v2/orders/token').set('Host', 'shop.test')
  expect(logger.lines.filter((line) => line.includes('"/api/v2"'))).toHaveLength(1)
})
