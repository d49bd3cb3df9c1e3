import type { RequestHandler } from 'express'
import { decodeJwt } from 'jose'
import { expect, it } from 'vitest'
import { createCaller } from '../support/caller.js'
import { onEveryPlatform } from '../support/platform.js'
import { request } from '../support/request.js'
import { observeGuard, NOTHING_CHANGED } from './observe-guard.js'

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
