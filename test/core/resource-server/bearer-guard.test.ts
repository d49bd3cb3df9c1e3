import express5 from 'express'
import { beforeAll, describe, expect, it } from 'vitest'
import { accessToken, createApplication, exchange, expectRefusal, RETRY_AFTER_SECONDS } from '../../support/http.js'
import { onEveryFailingPlatform } from '../../support/failing-store.js'
import { openPlatform, usePlatform } from '../../support/platform.js'
import { request, type Test } from '../../support/request.js'
import {
  type KnownApplication,
  mountGuardedRoutes,
  createBearerChallenge,
  createMissingTokenChallenge,
  TOKEN_MISSING,
  TOKEN_MALFORMED,
  TOKEN_TOO_LONG,
  TOKEN_INVALID,
  TOKEN_REVOKED,
} from './guarded-routes.js'

describe('requireBearer() (docs/http.md G1 to G8 and G14 to G16)', () => {
  onEveryFailingPlatform((host) => {
    let shop: KnownApplication
    let token: string
    const get = (path: string, authorization?: string): Test => {
      const test = request(host.app).get(path)
      return authorization === undefined ? test : test.set('Authorization', authorization)
    }
    const getWith = (bearer: string, path = '/orders/items'): Test => get(path, `Bearer ${bearer}`)

    beforeAll(async () => {
      mountGuardedRoutes(host)
      shop = await createApplication(host.auth, ['orders', 'invoices'])
      token = await accessToken(host.app, 'orders', shop)
    })

    it('G1: answers two Authorization headers with 400 invalid_request, whatever their values', async () => {
      const pairs = [
        [`Bearer ${token}`, `Bearer ${token}`],
        [`Bearer ${token}`, 'Basic YTpi'],
        ['Basic YTpi', 'Digest x'],
        ['', ''],
      ]
      for (const [one, two] of pairs) {
        const answer = await exchange(host.app, [
          'GET /orders/items HTTP/1.1',
          `Authorization: ${one}`,
          `AUTHORIZATION: ${two}`,
        ])
        expectRefusal(
          answer,
          400,
          'invalid_request',
          createBearerChallenge('invalid_request', 'There are two Authorization headers'),
        )
      }
    })

    it.each(['', 'Basic YTpi', 'Digest a="b", c="d"', 'Bearerish x', 'Token x', 'DPoP x', '"Bearer x"'])(
      'G2: answers Authorization "%s" with 401 unauthorized and a challenge without an error code',
      async (authorization) => {
        expectRefusal(await get('/orders/items', authorization), 401, 'unauthorized', TOKEN_MISSING)
      },
    )

    it('G2: answers a request without Authorization with 401 unauthorized and a challenge without an error code', async () => {
      expectRefusal(await get('/orders/items'), 401, 'unauthorized', TOKEN_MISSING)
    })

    it.each([
      ['/orders/read', 'orders:read'],
      ['/orders/both', 'orders:write orders:read'],
    ])(
      'G2: names the scopes of %s in the challenge, in their order, and only without a credential',
      async (path, scopes) => {
        expectRefusal(await get(path), 401, 'unauthorized', createMissingTokenChallenge(scopes))
        expectRefusal(await get(path, 'Basic YTpi'), 401, 'unauthorized', createMissingTokenChallenge(scopes))
        expectRefusal(await get(path, 'Bearer x'), 401, 'invalid_token', TOKEN_INVALID)
      },
    )

    it.each([
      'Bearer',
      'bearer',
      'Bearer   ',
      'Bearer a b',
      'Bearer a  b',
      'Bearer\ta',
      'Bearer a,b',
      'Bearer "a"',
      'Bearer a=b',
      'Bearer =',
      'Bearer <a>',
      'Bearer \u00fc',
      'Bearer a, Bearer b',
      'Bearer a%20b',
    ])('G3: answers the malformed "%s" with 400 invalid_request', async (authorization) => {
      const answer = await exchange(host.app, [`GET /orders/items HTTP/1.1`, `Authorization: ${authorization}`])
      expectRefusal(answer, 400, 'invalid_request', TOKEN_MALFORMED)
    })

    it('G3: answers a token over 8 KiB with 400 invalid_request, and one of 8 KiB with 401 invalid_token', async () => {
      expectRefusal(await getWith('a'.repeat(8193)), 400, 'invalid_request', TOKEN_TOO_LONG)
      expectRefusal(await getWith('a'.repeat(8192)), 401, 'invalid_token', TOKEN_INVALID)
    })

    it('G4: answers a token that this platform did not issue with 401 invalid_token', async () => {
      const [header = '', payload = '', signature = ''] = token.split('.')
      const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')
      const forged = [
        'x',
        '..',
        'a.b.c',
        `${none}.${payload}.`,
        `${header}.${payload}`,
        `${token}.${signature}`,
        `${token}=`,
      ]
      const other = openPlatform().auth
      const stranger = await createApplication(other, ['orders'])
      forged.push(await accessToken((req, res) => other.router(req, res, () => res.end()), 'orders', stranger))
      await other.close()
      for (const each of forged) expectRefusal(await getWith(each), 401, 'invalid_token', TOKEN_INVALID)
    })

    it('G5: answers an expired token with 401 invalid_token, exactly when its lifetime and clockTolerance are over', async () => {
      const old = await accessToken(host.app, 'orders', shop)
      host.clock.advance(3604)
      expect((await getWith(old)).status).toBe(200)
      host.clock.advance(1)
      const expired = createBearerChallenge('invalid_token', 'The access token expired')
      expectRefusal(await getWith(old), 401, 'invalid_token', expired)
      expectRefusal(await getWith(old), 401, 'invalid_token', expired)
      token = await accessToken(host.app, 'orders', shop)
    })

    it('G7, G23: revokeTokens ends the tokens issued before it, and none issued after it in the same millisecond', async () => {
      const client = await createApplication(host.auth, ['orders'])
      for (let i = 0; i < 3; i++) {
        const before = await accessToken(host.app, 'orders', client)
        expect((await getWith(before)).status).toBe(200)
        await host.auth.applications.revokeTokens(client.id)
        const after = await accessToken(host.app, 'orders', client)
        expectRefusal(await getWith(before), 401, 'invalid_token', TOKEN_REVOKED)
        expect((await getWith(after)).status).toBe(200)
      }
    })

    it("G8: answers a token without a scope of the route with 403 insufficient_scope and the route's scopes in its order", async () => {
      const words = 'The access token lacks a scope that this needs'
      const reader = await accessToken(host.app, 'orders', shop, { scope: 'orders:read' })
      const writer = await accessToken(host.app, 'orders', shop, { scope: 'orders:write' })
      const both = createBearerChallenge('insufficient_scope', words, 'scope="orders:write orders:read", ')
      const read = createBearerChallenge('insufficient_scope', words, 'scope="orders:read", ')
      expect((await getWith(reader, '/orders/items')).status).toBe(200)
      expect((await getWith(reader, '/orders/read')).status).toBe(200)
      expectRefusal(await getWith(reader, '/orders/both'), 403, 'insufficient_scope', both)
      expectRefusal(await getWith(writer, '/orders/both'), 403, 'insufficient_scope', both)
      expectRefusal(await getWith(writer, '/orders/read'), 403, 'insufficient_scope', read)
      expect((await getWith(token, '/orders/both')).status).toBe(200)
    })

    it('G14: answers 503 temporarily_unavailable if the store fails and the application is not cached', async () => {
      const other = usePlatform({ now: host.clock.now, store: { ...host.working, close: async () => undefined } }).auth
      const client = await createApplication(other, ['orders'])
      const one = await accessToken(host.express().use(other.router), 'orders', client)
      host.store.fail()
      const answer = await getWith(one)
      host.store.recover()
      expectRefusal(answer, 503, 'temporarily_unavailable', { 'retry-after': RETRY_AFTER_SECONDS })
      expect((await getWith(one)).status).toBe(200)
    })

    it('G15: answers an unexpected error with 500 server_error, and logs the cause', async () => {
      const client = await createApplication(host.auth, ['orders'])
      const one = await accessToken(host.app, 'orders', client)
      await host.auth.applications.update(client.id, { name: 'Broken' })
      const { findApplication } = host.store
      host.logger.lines.length = 0
      Object.assign(host.store, { findApplication: async () => ({ id: client.id, keys: [] }) })
      const answer = await getWith(one)
      Object.assign(host.store, { findApplication })
      await host.auth.applications.update(client.id, { name: 'Mended' })
      expectRefusal(answer, 500, 'server_error')
      expect(host.logger.lines).toEqual([expect.stringMatching(/^orders: 500 server_error TypeError/) as string])
      expect((await getWith(one)).status).toBe(200)
    })

    it('G16: accepts the scheme in any case and followed by several spaces', async () => {
      for (const authorization of [`Bearer ${token}`, `bearer ${token}`, `BEARER ${token}`, `Bearer   ${token}`]) {
        expect((await get('/orders/items', authorization)).status).toBe(200)
      }
    })

    it('G16: authOf(req) has the scheme, API, application, scopes and access token', async () => {
      const { body } = await getWith(token)
      expect(body).toEqual({
        scheme: 'oauth2',
        api: 'orders',
        application: { id: shop.id, name: 'Shop' },
        scopes: ['orders:read', 'orders:write'],
        token: {
          id: expect.stringMatching(/^[\w-]{32}$/) as string,
          issuedAt: new Date(Math.floor(host.clock.now() / 1000) * 1000).toISOString(),
          expiresAt: new Date((Math.floor(host.clock.now() / 1000) + 3600) * 1000).toISOString(),
          claims: {},
        },
      })
    })

    it('authOf(req) has an empty list of scopes at an API without scopes', async () => {
      const { body } = await getWith(await accessToken(host.app, 'invoices', shop), '/invoices/items')
      expect(body).toMatchObject({ api: 'invoices', scopes: [] })
    })

    it.each(['OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])('guards %s like GET', async (method) => {
      const preflight = ['Origin: https://evil.example', 'Access-Control-Request-Headers: authorization']
      const bare = await exchange(host.app, [`${method} /orders/items HTTP/1.1`, ...preflight])
      expectRefusal(bare, 401, 'unauthorized', TOKEN_MISSING)
      const good = await exchange(host.app, [`${method} /orders/items HTTP/1.1`, `Authorization: Bearer ${token}`])
      expect(good.status).toBe(200)
    })

    it('guards HEAD, and answers it without a body', async () => {
      const { status, headers, text } = await request(host.app).head('/orders/items')
      expect({ status, text }).toEqual({ status: 401, text: undefined })
      expect(headers).toMatchObject(TOKEN_MISSING)
      expect((await request(host.app).head('/orders/items').set('Authorization', `Bearer ${token}`)).status).toBe(200)
    })

    it('ignores tokens in the query string and in the body', async () => {
      const app = express5().use(express5.urlencoded({ extended: true }), express5.json(), host.app)
      for (const attempt of [
        request(app).get(`/orders/items?access_token=${token}`),
        request(app).get(`/orders/items?authorization=Bearer%20${token}`),
        request(app).post('/orders/items').type('form').send({ access_token: token }),
        request(app).post('/orders/items').send({ access_token: token }),
      ]) {
        expectRefusal(await attempt, 401, 'unauthorized', TOKEN_MISSING)
      }
      expect((await getWith(token, '/orders/items?access_token=other')).status).toBe(200)
    })

    it("ignores the other scheme's header, even if it occurs twice", async () => {
      const key = (await createApplication(host.auth, ['catalog'])).clientId
      expectRefusal(await get('/orders/items').set('X-Api-Key', key), 401, 'unauthorized', TOKEN_MISSING)
      const { status } = await exchange(host.app, [
        'GET /orders/items HTTP/1.1',
        `Authorization: Bearer ${token}`,
        'X-Api-Key: a',
        'X-Api-Key: b',
      ])
      expect(status).toBe(200)
    })

    it('C6: answers a refused upload before its body has arrived, with Connection: close', async () => {
      const answer = await exchange(host.app, ['POST /orders/items HTTP/1.1', 'Content-Length: 900000000'], 'x')
      expectRefusal(answer, 401, 'unauthorized', TOKEN_MISSING)
      expect(answer.headers.connection).toBe('close')
    })

    it('does not change req.user, req.auth, the session or the headers of the answer', async () => {
      const before = {
        user: { id: 7 },
        auth: 'of the host',
        authInfo: 'of the host',
        account: 'of the host',
        session: { cookie: {} },
      }
      let after: object = {}
      const app = host.express().use(
        (req, _res, next) => next(void Object.assign(req, structuredClone(before))),
        host.auth.requireBearer('orders'),
        (req, res) => {
          const { user, auth, authInfo, account, session } = req as unknown as typeof before
          after = { user, auth, authInfo, account, session }
          const added = ['logIn', 'login', 'isAuthenticated', '_sessionManager', '_passport'].filter(
            (name) => name in req,
          )
          res.json({ added, headers: res.getHeaderNames() })
        },
      )
      const { body } = await request(app).get('/').set('Authorization', `Bearer ${token}`)
      expect(body).toEqual({ added: [], headers: ['x-powered-by'] })
      expect(after).toEqual(before)
    })
  })
})
