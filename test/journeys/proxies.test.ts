import type { Express } from 'express'
import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { authOf, type IssuedCredentials } from '../../src/index.js'
import { createCaller } from '../support/caller.js'
import { onEveryPlatform } from '../support/platform.js'
import { request } from '../support/request.js'

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
