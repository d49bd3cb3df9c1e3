import { createRequire } from 'node:module'
import type { RequestHandler } from 'express'
import helmet from 'helmet'
import { describe, expect, it } from 'vitest'
import { maybeAuthOf } from '../../src/index.js'
import { onEveryPlatform } from '../support/platform.js'
import { request } from '../support/request.js'
import { prepareHostApp } from './host-app.js'
import { observeGuard, NOTHING_CHANGED } from './observe-guard.js'

// The package has no types.
const require = createRequire(import.meta.url)
const cors = require('cors') as (options?: object) => RequestHandler

onEveryPlatform((host) => {
  const { newApp, bearer, key, tokenForm } = prepareHostApp(host)

  describe('an app with body parsers before the router', () => {
    it.each([
      ['express.json()', () => [host.express.json()]],
      ['express.urlencoded()', () => [host.express.urlencoded({ extended: true })]],
      ['both', () => [host.express.json(), host.express.urlencoded({ extended: false })]],
      ['none', () => []],
    ])('%s: issues access tokens, and keeps the parsed body', async (_, parsers) => {
      const app = newApp()
      for (const parser of parsers()) app.use(parser)
      app.use(host.auth.router)
      const guard = observeGuard(host.auth.requireBearer('orders'))
      app.post('/orders/items', guard.guard, (req, res) => void res.json(req.body ?? null))
      const { body } = await request(app).post('/orders/token').type('form').send(tokenForm()).expect(200)
      expect(body).toMatchObject({ token_type: 'bearer' })
      const parsed = await request(app)
        .post('/orders/items')
        .set(bearer())
        .send({ item: { name: 'bread' } })
        .expect(200)
      const json = parsers().some((parser) => parser.name === 'jsonParser')
      if (json) expect(parsed.body).toEqual({ item: { name: 'bread' } })
      await request(app).post('/orders/items').send({ item: 'bread' }).expect(401)
      expect(guard.seen).toEqual([NOTHING_CHANGED])
    })

    it('leaves an unread body to the parser behind the guard', async () => {
      const app = newApp().use(host.auth.router)
      app.post(
        '/orders/items',
        host.auth.requireBearer('orders'),
        host.express.json({ limit: '2mb' }),
        (req, res) => void res.json(req.body),
      )
      const big = { text: 'x'.repeat(500_000) }
      await request(app).post('/orders/items').set(bearer()).send(big).expect(200, big)
    })
  })

  describe('an app with helmet', () => {
    it("has helmet's headers and the platform's headers on the platform's answers", async () => {
      const app = newApp().use(helmet(), host.auth.router)
      app.get('/catalog/items', host.auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
      const answers = [
        await request(app).post('/orders/token').type('form').send(tokenForm()).expect(200),
        await request(app).get('/catalog/items').expect(401),
        await request(app).get('/catalog/items').set(key()).expect(200),
      ]
      for (const { headers } of answers) {
        expect(headers).toMatchObject({
          'content-security-policy': expect.stringContaining("default-src 'self'"),
          'strict-transport-security': expect.any(String),
          'x-content-type-options': 'nosniff',
          'content-type': 'application/json; charset=utf-8',
        })
      }
      expect(answers[0]!.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' })
      expect(answers[1]!.headers).toMatchObject({
        'cache-control': 'no-store',
        'www-authenticate': 'ApiKey realm="catalog", header="X-Api-Key"',
      })
      expect(answers[2]!.headers).toMatchObject({ 'cache-control': 'private', vary: 'X-Api-Key' })
    })
  })

  describe('an app with cors()', () => {
    const preflight = {
      Origin: 'https://shop.example',
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'authorization',
    }

    it('before the guards answers their preflights, and lets pages read refusals', async () => {
      let reached = 0
      const app = newApp().use(cors({ exposedHeaders: ['WWW-Authenticate'] }), host.auth.router)
      app.all('/orders/items', host.auth.requireBearer('orders'), (_req, res) => {
        reached += 1
        res.json([])
      })
      const { headers } = await request(app).options('/orders/items').set(preflight).expect(204)
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-headers': 'authorization',
      })
      expect(reached).toBe(0)

      const refused = await request(app).get('/orders/items').set('Origin', 'https://shop.example').expect(401)
      expect(refused.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'WWW-Authenticate',
        'www-authenticate': expect.stringMatching(/^Bearer realm="orders"/),
      })
      const allowed = await request(app)
        .get('/orders/items')
        .set('Origin', 'https://shop.example')
        .set(bearer())
        .expect(200)
      expect(allowed.headers).toMatchObject({ 'access-control-allow-origin': '*' })
      expect(reached).toBe(1)
    })

    it('keeps Vary: Origin beside X-Api-Key', async () => {
      const app = newApp().use(cors({ origin: 'https://shop.example' }))
      app.get('/catalog/items', host.auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
      const { headers } = await request(app).get('/catalog/items').set(key()).expect(200)
      expect(headers).toMatchObject({
        vary: 'Origin, X-Api-Key',
        'access-control-allow-origin': 'https://shop.example',
      })
    })
  })

  describe('an app with its own req.auth', () => {
    it('keeps it behind guards, also optional ones', async () => {
      const app = newApp()
      const own = { sub: 'ann', token: 'of express-jwt' }
      app.use((req, _res, next) => {
        Object.assign(req, { auth: own, authInfo: own, user: own })
        next()
      })
      const guards = [
        observeGuard(host.auth.requireBearer('orders')),
        observeGuard(host.auth.requireApiKey('catalog')),
        observeGuard(host.auth.requireBearer('orders', { optional: true })),
      ] as const
      const show: RequestHandler = (req, res) => {
        const { auth, authInfo, user } = req as { auth?: unknown; authInfo?: unknown; user?: unknown }
        res.json({ same: auth === own && authInfo === own && user === own, api: maybeAuthOf(req)?.api ?? null })
      }
      app.get('/orders/items', guards[0].guard, show)
      app.get('/catalog/items', guards[1].guard, show)
      app.get('/optional', guards[2].guard, show)
      await request(app).get('/orders/items').set(bearer()).expect(200, { same: true, api: 'orders' })
      await request(app).get('/catalog/items').set(key()).expect(200, { same: true, api: 'catalog' })
      await request(app).get('/optional').expect(200, { same: true, api: null })
      expect(guards.map(({ seen }) => seen)).toEqual([
        [NOTHING_CHANGED],
        [NOTHING_CHANGED],
        [{ added: [], changed: [] }],
      ])
    })
  })
})
