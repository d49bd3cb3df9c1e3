import type { NextFunction, Request, Response } from 'express'
import { describe, expect, it } from 'vitest'
import { authOf } from '../../src/index.js'
import { createCaller } from '../support/caller.js'
import { onEveryPlatform } from '../support/platform.js'
import { request } from '../support/request.js'
import { prepareHostApp } from './host-app.js'
import { observeGuard, NOTHING_CHANGED } from './observe-guard.js'

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
      app.get('/orders/sync/:id', guarded, () => {
        throw new Error('sync')
      })
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
