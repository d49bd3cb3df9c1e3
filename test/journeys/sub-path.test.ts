import type { Express, RequestHandler } from 'express'
import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { authOf, type IssuedCredentials } from '../../src/index.js'
import { createCaller } from '../support/caller.js'
import { onEveryPlatform } from '../support/platform.js'
import { request } from '../support/request.js'
import { observeGuard, NOTHING_CHANGED } from './observe-guard.js'

const BASE = 'https://api.example.com/shop/v1'

onEveryPlatform(
  (host) => {
    let credentials: IssuedCredentials

    beforeAll(async () => {
      ;({ credentials } = await host.auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] }))
    })

    const newApp = (): Express => host.express().disable('x-powered-by')
    const hosts404: RequestHandler = (req, res) => void res.status(404).json({ host: req.originalUrl })

    /** Guarded routes behind the platform's router. */
    function routes() {
      const router = host.express.Router()
      const guard = observeGuard(host.auth.requireBearer('orders', { scopes: ['orders:read'] }))
      router.get('/orders/items/:id', guard.guard, (req, res) => {
        const { originalUrl, baseUrl, url, params } = req
        res.json({ originalUrl, baseUrl, url, id: params['id'], api: authOf(req).api })
      })
      router.get('/catalog/items', host.auth.requireApiKey('catalog'), (req, res) => void res.json(authOf(req).api))
      return { router, guard }
    }

    const MOUNTS: readonly (readonly [string, string, (router: RequestHandler) => Express])[] = [
      ['app.use(path, auth.router)', '/shop/v1', (router) => newApp().use('/shop/v1', host.auth.router, router)],
      [
        'a Router in a Router',
        '/shop/v1',
        (router) => {
          const version = host.express.Router({ mergeParams: true }).use(host.auth.router).use(router)
          return newApp().use('/shop', host.express.Router().use('/v1', version))
        },
      ],
      [
        'an app in an app',
        '/shop/v1',
        (router) => newApp().use('/shop', newApp().use('/v1', host.auth.router, router)),
      ],
      ['a path with a parameter', '/shop/v1', (router) => newApp().use('/:name/v1', host.auth.router, router)],
      ['/ behind a proxy that strips the path', '', (router) => newApp().use(host.auth.router, router)],
    ]

    describe.each(MOUNTS)('mounted by %s', (_, mount, mountOn) => {
      function mounted() {
        const { router, guard } = routes()
        const app = mountOn(router).use(hosts404)
        return { app, guard, caller: createCaller({ app }, mount) }
      }

      it('issues access tokens that its guards accept, and does not change req.url or req.baseUrl', async () => {
        const { caller, guard } = mounted()
        const accessToken = await caller.accessToken('orders', credentials)
        const claims = decodeJwt(accessToken)
        expect(claims).toMatchObject({ iss: `${BASE}/orders`, aud: `${BASE}/orders` })
        const { body } = await caller.bearer('/orders/items/7?a=1', accessToken).expect(200)
        expect(body).toEqual({
          originalUrl: `${mount}/orders/items/7?a=1`,
          baseUrl: mount,
          url: '/orders/items/7?a=1',
          id: '7',
          api: 'orders',
        })
        await caller.key('/catalog/items', credentials.clientId).expect(200, '"catalog"')
        expect(guard.seen).toEqual([NOTHING_CHANGED])
      })

      it('uses baseUrl, not its mount path, in challenges and metadata', async () => {
        const { app } = mounted()
        const { headers } = await request(app).get(`${mount}/orders/items/7`).expect(401)
        expect(headers['www-authenticate']).toBe(
          `Bearer realm="orders", scope="orders:read", resource_metadata="${BASE}/orders/.well-known/oauth-protected-resource"`,
        )
        const server = await request(app).get(`${mount}/orders/.well-known/oauth-authorization-server`).expect(200)
        expect(server.body).toMatchObject({
          issuer: `${BASE}/orders`,
          token_endpoint: `${BASE}/orders/token`,
          jwks_uri: `${BASE}/orders/.well-known/jwks.json`,
          revocation_endpoint: `${BASE}/orders/revoke`,
          introspection_endpoint: `${BASE}/orders/introspect`,
        })
        const resource = await request(app).get(`${mount}/orders/.well-known/oauth-protected-resource`).expect(200)
        expect(resource.body).toMatchObject({ resource: `${BASE}/orders`, authorization_servers: [`${BASE}/orders`] })
        for (const path of ['/.well-known/jwks.json', '/orders/.well-known/jwks.json']) {
          const keys = await request(app).get(`${mount}${path}`).expect(200)
          expect(keys.body).toMatchObject({ keys: [{ kty: 'EC' }] })
        }
      })
    })
  },
  { baseUrl: `${BASE}/` },
)
