import type { RequestHandler } from 'express'
import helmet from 'helmet'
import { describe, expect, it } from 'vitest'
import { maybeAuthOf } from '../../src/index.js'
import { onEveryPlatform } from '../support/platform.js'
import { request } from '../support/request.js'
import { prepareHostApp } from './host-app.js'
import { observeGuard, NOTHING_CHANGED } from './observe-guard.js'

onEveryPlatform((host) => {
  const { newApp, bearer, key, tokenForm } = prepareHostApp(host)

  describe('an app with body parsers before the router', () => {
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
