import type { NextFunction, Request, Response, RequestHandler, Express } from 'express'
import { describe, expect, it, beforeAll } from 'vitest'
import { authOf, type IssuedCredentials } from '../../src/index.js'
import { createCaller } from '../support/caller.js'
import { onEveryPlatform } from '../support/platform.js'
import { request } from '../support/request.js'
import { prepareHostApp } from './host-app.js'
import { observeGuard, NOTHING_CHANGED } from './observe-guard.js'
import { decodeJwt } from 'jose'
import { throwing } from '../support/throwing.js'

onEveryPlatform((host) => {
  const { newApp, credentials, bearer, tokenForm } = prepareHostApp(host)

  describe("an app with routes that look like the platform's", () => {
    it.each([{}, { strict: true, caseSensitive: true }])(
      'matches case and trailing slash exactly, with the routing options %j of the app',
      async (routing) => {
        const app = newApp()
        if ('strict' in routing) app.enable('strict routing').enable('case sensitive routing')
        app.use(host.auth.router)
        app.use((req, res) => void res.status(404).json({ host: req.originalUrl }))
        await request(app).post('/orders/token').type('form').send(tokenForm()).expect(200)
        for (const path of [
          '/orders/token/',
          '/Orders/token',
          '/orders/TOKEN',
          '//orders/token',
          '/orders//token',
          '/ordersX/token',
          '/orders%2Ftoken',
          '/orders/./token',
        ]) {
          await request(app).post(path).type('form').send(tokenForm()).expect(404)
        }
      },
    )
  })

  describe('an app with its own error middleware, 404 and parameters', () => {
    function ownApp() {
      const seen = { errors: [] as string[], notFound: 0, params: [] as string[] }
      const app = newApp().use(host.auth.router)
      app.param('id', (_req, _res, next, id: string) => {
        seen.params.push(id)
        next()
      })
      const guard = observeGuard(host.auth.requireBearer('orders', { scopes: ['orders:read'] }))
      const guarded = guard.guard
      app.get('/orders/items/:id', guarded, (req, res) => void res.json({ id: req.params['id'], query: req.query }))
      app.get('/orders/sync/:id', guarded, throwing(new Error('sync')))
      app.get('/orders/next/:id', guarded, (_req, _res, next) => next(new Error('next')))
      app.get('/orders/skip/:id', guarded, (_req, _res, next) => next('route'))
      app.get('/orders/skip/:id', (_req, res) => void res.json({ skipped: true }))
      app.use((_req, res) => {
        seen.notFound += 1
        res.status(404).type('text').send('not found by the host')
      })
      app.use((error: Error, _req: Request, res: Response, _next: NextFunction) => {
        seen.errors.push(error.message)
        res.status(418).type('text').send(`host: ${error.message}`)
      })
      return { app, seen, guard }
    }

    it('gets no refusals of the platform there, and handles all other requests', async () => {
      const { app, seen } = ownApp()
      await request(app).get('/orders/items/7').expect(401)
      await request(app).get('/orders/items/7').set('Authorization', 'Bearer').expect(400)
      await request(app).get('/orders/items/7').set('Authorization', 'Bearer no.jwt.atall').expect(401)
      await request(app).post('/orders/token').type('form').send({}).expect(400)
      expect(seen).toEqual({ errors: [], notFound: 0, params: ['7', '7', '7'] })
      await request(app).get('/nowhere').expect(404, 'not found by the host')
      await request(app).get('/orders/').set(bearer()).expect(404, 'not found by the host')
      expect(seen).toEqual({ errors: [], notFound: 2, params: ['7', '7', '7'] })
    })

    it('gets its parameters and query behind a guard', async () => {
      const { app, seen, guard } = ownApp()
      await request(app)
        .get('/orders/items/a%20b?sort=up')
        .set(bearer())
        .expect(200, { id: 'a b', query: { sort: 'up' } })
      expect(seen.params).toEqual(['a b'])
      expect(guard.seen).toEqual([NOTHING_CHANGED])
    })

    it('gets the errors of handlers behind a guard, for new and cached tokens', async () => {
      const { app, seen } = ownApp()
      const fresh = await createCaller(host).accessToken('orders', credentials())
      // The first round reads the store and verifies the signature, the second uses the caches.
      for (let round = 0; round < 2; round++) {
        const authorization = { Authorization: `Bearer ${fresh}` }
        await request(app).get('/orders/sync/1').set(authorization).expect(418, 'host: sync')
        await request(app).get('/orders/next/1').set(authorization).expect(418, 'host: next')
        await request(app).get('/orders/skip/1').set(authorization).expect(200, { skipped: true })
      }
      expect(seen.errors).toEqual(['sync', 'next', 'sync', 'next'])
    })
  })

  it('an app can destructure the platform', async () => {
    const { router, requireBearer, requireApiKey, applications, verifyApiKey } = host.auth
    const app = newApp().use(router)
    app.get('/orders/items', requireBearer('orders'), (req, res) => void res.json(authOf(req).api))
    app.get('/catalog/items', requireApiKey('catalog'), (req, res) => void res.json(authOf(req).api))
    const { create } = applications
    const made = await create({ name: 'Taken apart', apis: ['orders', 'catalog'] })
    const token = await createCaller({ app }).accessToken('orders', made.credentials)
    await createCaller({ app }).bearer('/orders/items', token).expect(200, '"orders"')
    await createCaller({ app }).key('/catalog/items', made.credentials.clientId).expect(200, '"catalog"')
    expect(await verifyApiKey('catalog', made.credentials.clientId)).toMatchObject({
      application: { name: 'Taken apart' },
    })
  })
})

const BASE = 'https://api.example.com/shop/v1'

onEveryPlatform(
  (host) => {
    it.each([
      ['/:name/v1', '/shop/v1'],
      ['/', ''],
    ])(
      'mounted at %s, guards accept the tokens of baseUrl, name its path in challenges, and leave the request as it was',
      async (mount, prefix) => {
        const { credentials } = await host.auth.applications.create({ name: 'Shop', apis: ['orders'] })
        const router = host.express.Router()
        const { guard, seen } = observeGuard(host.auth.requireBearer('orders', { scopes: ['orders:read'] }))
        const show: RequestHandler = ({ originalUrl, baseUrl, url, params }, res) =>
          void res.json({ originalUrl, baseUrl, url, id: params['id'] })
        router.get('/orders/items/:id', guard, show)
        const app = host.express().use(mount, host.auth.router, router)
        const caller = createCaller({ app }, prefix)

        const accessToken = await caller.accessToken('orders', credentials)
        expect(decodeJwt(accessToken)).toMatchObject({ iss: `${BASE}/orders`, aud: `${BASE}/orders` })
        const { body } = await caller.bearer('/orders/items/7?a=1', accessToken).expect(200)
        const url = '/orders/items/7?a=1'
        expect(body).toEqual({ originalUrl: prefix + url, baseUrl: prefix, url, id: '7' })
        expect(seen).toEqual([NOTHING_CHANGED])
        const { headers } = await request(app).get(`${prefix}/orders/items/7`).expect(401)
        expect(headers['www-authenticate']).toBe(
          `Bearer realm="orders", scope="orders:read", resource_metadata="${BASE}/orders/.well-known/oauth-protected-resource"`,
        )
      },
    )
  },
  { baseUrl: `${BASE}/` },
)

/** Headers of a client that claims another host and address. */
const HOSTILE = {
  Host: 'evil.example',
  'X-Forwarded-Host': 'evil.example',
  'X-Forwarded-Proto': 'http',
  'X-Forwarded-Port': '8080',
  'X-Forwarded-Prefix': '/evil',
  'X-Forwarded-For': '6.6.6.6',
  'X-Original-URL': '/catalog/token',
  'X-Rewrite-URL': '/catalog/token',
  'X-HTTP-Method-Override': 'GET',
  Forwarded: 'for=6.6.6.6;host=evil.example;proto=http',
}

/** The failedAuthentication limit. */
const FAILURES = 3

onEveryPlatform(
  (host) => {
    let credentials: IssuedCredentials
    let accessToken: string

    beforeAll(async () => {
      ;({ credentials } = await host.auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] }))
      accessToken = await createCaller(host).accessToken('orders', credentials)
    })

    function appBehind(trust: unknown): Express {
      const app = host.express().disable('x-powered-by')
      app.set('trust proxy', trust)
      app.use(host.auth.router)
      app.get(
        '/orders/items',
        host.auth.requireBearer('orders'),
        (req, res) => void res.json([req.hostname, authOf(req).api]),
      )
      app.get('/catalog/items', host.auth.requireApiKey('catalog'), (req, res) => void res.json(authOf(req).api))
      return app
    }

    describe.each([[true], [1], [false]])('trust proxy %j', (trust) => {
      it('does not let headers change the issuer, audience, realm or links', async () => {
        const app = appBehind(trust)
        const issued = await createCaller({ app }).token('orders', credentials).set(HOSTILE).expect(200)
        const claims = decodeJwt((issued.body as { access_token: string }).access_token)
        expect(claims).toMatchObject({ iss: 'https://api.example.com/orders', aud: 'https://api.example.com/orders' })

        const answers = [
          await request(app).get('/orders/items').set(HOSTILE).expect(401),
          await request(app).get('/catalog/items').set(HOSTILE).expect(401),
          await createCaller({ app }).token('orders', {}).set(HOSTILE).expect(401),
          await request(app).get('/orders/.well-known/oauth-authorization-server').set(HOSTILE).expect(200),
          await request(app).get('/.well-known/oauth-protected-resource/orders').set(HOSTILE).expect(200),
          await request(app).get('/.well-known/jwks.json').set(HOSTILE).expect(200),
        ]
        for (const { headers, text } of answers)
          expect(JSON.stringify(headers) + text).not.toMatch(/evil|6\.6\.6\.6|8080|http:/)
        expect(answers.slice(0, 3).map(({ headers }) => headers['www-authenticate'])).toEqual([
          'Bearer realm="orders", resource_metadata="https://api.example.com/orders/.well-known/oauth-protected-resource"',
          'ApiKey realm="catalog", header="X-Api-Key"',
          'Basic realm="orders", charset="UTF-8", error="invalid_client"',
        ])
        expect(answers[3]!.body).toMatchObject({ issuer: 'https://api.example.com/orders' })
      })

      it('accepts requests with these headers', async () => {
        const app = appBehind(trust)
        const { body } = await createCaller({ app }).bearer('/orders/items', accessToken).set(HOSTILE).expect(200)
        // req.hostname follows the host's own setting.
        expect(body).toEqual(['evil.example', 'orders'])
        await createCaller({ app }).key('/catalog/items', credentials.clientId).set(HOSTILE).expect(200, '"catalog"')
      })
    })

    describe('failed authentication is counted', () => {
      /** The statuses of wrong secrets for a new application, one from each of these claimed addresses. */
      async function failures(trust: unknown, addresses: readonly string[]) {
        const app = appBehind(trust)
        const other = await host.auth.applications.create({ name: 'Guessed', apis: ['orders'] })
        const statuses: number[] = []
        for (const address of addresses) {
          const wrong = { ...other.credentials, clientSecret: 'a guess' }
          const { status } = await createCaller({ app }).token('orders', wrong).set('X-Forwarded-For', address)
          statuses.push(status)
        }
        return { statuses, app, credentials: other.credentials }
      }

      it('by the hop before the proxy, not by the address that the client added', async () => {
        const claimed = ['1.1.1.1', '2.2.2.2', '3.3.3.3', '4.4.4.4'].map((address) => `${address}, 9.9.9.9`)
        const { statuses } = await failures(1, claimed)
        expect(statuses).toEqual([401, 401, 401, 429])
      })

      it('for invalid addresses too', async () => {
        const { statuses } = await failures(1, ['<script>', '::', 'x'.repeat(2000), '%', 'unknown', '::1%eth0'])
        for (const status of statuses) expect([401, 429]).toContain(status)
      })
    })
  },
  { rateLimits: { failedAuthentication: { limit: FAILURES, window: 600 } } },
)
