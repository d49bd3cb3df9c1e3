import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import express5, { type RequestHandler } from 'express'
import request, { type Test } from 'supertest'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  authOf,
  createPlatformAuth,
  maybeAuthOf,
  memoryStore,
  OAuthError,
  type Denial,
  type OnDenied,
  type PlatformEvent,
} from '../../src/index.js'
import { createCredentials } from '../../src/applications/credentials.js'
import {
  accessToken,
  createApplication,
  exchange,
  expectRefusal,
  formOf,
  listen,
  post,
  SECONDS,
  type ClientCredentials,
} from '../support/http.js'
import { onEveryFailingPlatform, type FailingHost } from '../support/outage.js'
import { onEveryPlatform, platform, STORES } from '../support/platform.js'

type Known = ClientCredentials & { readonly id: string }

const BEARER = 'Bearer realm="orders"'
const METADATA = 'resource_metadata="https://api.example.com/orders/.well-known/oauth-protected-resource"'
const API_KEY = 'ApiKey realm="catalog"'

/** The whole challenge of a bearer guard, to the byte. */
function bearerChallenge(error: string, description: string, more = ''): { 'www-authenticate': string } {
  return { 'www-authenticate': `${BEARER}, error="${error}", error_description="${description}", ${more}${METADATA}` }
}

function keyChallenge(error: string, description: string): { 'www-authenticate': string } {
  return { 'www-authenticate': `${API_KEY}, error="${error}", error_description="${description}", header="X-Api-Key"` }
}

const MISSING = { 'www-authenticate': `${BEARER}, ${METADATA}` }
const MALFORMED = bearerChallenge('invalid_request', 'The Authorization header must be: Bearer <access token>')
const INVALID = bearerChallenge('invalid_token', 'The access token is not valid')
const ENDED = bearerChallenge('invalid_token', 'The access token is no longer valid')
const KEY_MISSING = { 'www-authenticate': `${API_KEY}, header="X-Api-Key"` }
const KEY_INVALID = keyChallenge('invalid_api_key', 'The API key is not valid')
const KEY_REFUSED = keyChallenge('access_denied', 'The application may not use this API')

/** What a handler says that was reached. */
const sayWho: RequestHandler = (req, res) => void res.json(maybeAuthOf(req) ?? null)

function mountRoutes({ app, auth }: FailingHost): void {
  app.all('/orders/items', auth.requireBearer('orders'), sayWho)
  app.all('/orders/read', auth.requireBearer('orders', { scopes: ['orders:read'] }), sayWho)
  app.all('/orders/both', auth.requireBearer('orders', { scopes: ['orders:write', 'orders:read'] }), sayWho)
  app.all('/invoices/items', auth.requireBearer('invoices'), sayWho)
  app.all('/catalog/items', auth.requireApiKey('catalog'), sayWho)
  app.all('/weather/now', auth.requireApiKey('weather'), sayWho)
}

describe('requireBearer(), row by row of contract 3.3,', () => {
  onEveryFailingPlatform((host) => {
    let shop: Known
    let token: string
    const get = (path: string, authorization?: string): Test => {
      const test = request(host.app).get(path)
      return authorization === undefined ? test : test.set('Authorization', authorization)
    }
    const getWith = (bearer: string, path = '/orders/items'): Test => get(path, `Bearer ${bearer}`)

    beforeAll(async () => {
      mountRoutes(host)
      shop = await createApplication(host.auth, ['orders', 'invoices'])
      token = await accessToken(host.app, 'orders', shop)
    })

    it('two Authorization headers: 400 invalid_request, whatever is in them', async () => {
      const pairs = [
        [`Bearer ${token}`, `Bearer ${token}`],
        [`Bearer ${token}`, 'Basic YTpi'],
        ['Basic YTpi', 'Digest x'],
        ['', ''],
      ]
      for (const [one, two] of pairs) {
        const answer = await exchange(host.app, [
          'GET /orders/items HTTP/1.1', `Authorization: ${one}`, `AUTHORIZATION: ${two}`,
        ]) // prettier-ignore
        expectRefusal(
          answer,
          400,
          'invalid_request',
          bearerChallenge('invalid_request', 'There are two Authorization headers'),
        )
      }
    })

    it.each(['', 'Basic YTpi', 'Digest a="b", c="d"', 'Bearerish x', 'Token x', 'DPoP x', '"Bearer x"'])(
      'no credential, empty, or another scheme: "%s" is 401 unauthorized without an error code',
      async (authorization) => {
        expectRefusal(await get('/orders/items', authorization), 401, 'unauthorized', MISSING)
      },
    )

    it('no credential: no Authorization at all is 401 unauthorized without an error code', async () => {
      expectRefusal(await get('/orders/items'), 401, 'unauthorized', MISSING)
    })

    it.each(['Bearer', 'bearer', 'Bearer   ', 'Bearer a b', 'Bearer a  b', 'Bearer\ta', 'Bearer a,b', 'Bearer "a"', 'Bearer a=b',
      'Bearer =', 'Bearer <a>', 'Bearer \u00fc', 'Bearer a, Bearer b', 'Bearer a%20b'])(
      'Bearer with nothing or with two words, illegal characters: "%s" is 400 invalid_request',
      async (authorization) => {
        const answer = await exchange(host.app, [`GET /orders/items HTTP/1.1`, `Authorization: ${authorization}`])
        expectRefusal(answer, 400, 'invalid_request', MALFORMED)
      },
    ) // prettier-ignore

    it('token over 8 KiB is 400 invalid_request, and one of 8 KiB is only not valid', async () => {
      expectRefusal(await getWith('a'.repeat(8193)), 400, 'invalid_request', MALFORMED)
      expectRefusal(await getWith('a'.repeat(8192)), 401, 'invalid_token', INVALID)
    })

    it('not our JWT: 401 invalid_token', async () => {
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
      const other = platform().auth
      const stranger = await createApplication(other, ['orders'])
      forged.push(await accessToken((req, res) => other.router(req, res, () => res.end()), 'orders', stranger))
      await other.close()
      for (const each of forged) expectRefusal(await getWith(each), 401, 'invalid_token', INVALID)
    })

    it('expired: 401 invalid_token, "The access token expired", to the second and the tolerance', async () => {
      const old = await accessToken(host.app, 'orders', shop)
      host.clock.advance(3604)
      expect((await getWith(old)).status).toBe(200)
      host.clock.advance(1)
      const expired = bearerChallenge('invalid_token', 'The access token expired')
      expectRefusal(await getWith(old), 401, 'invalid_token', expired)
      expectRefusal(await getWith(old), 401, 'invalid_token', expired)
      token = await accessToken(host.app, 'orders', shop)
    })

    it('a token of another API: 401 invalid_token, "The access token was issued for another API"', async () => {
      const elsewhere = await accessToken(host.app, 'invoices', shop)
      expect((await getWith(elsewhere, '/invoices/items')).status).toBe(200)
      const challenge = bearerChallenge('invalid_token', 'The access token was issued for another API')
      expectRefusal(await getWith(elsewhere), 401, 'invalid_token', challenge)
    })

    it('revoked: 401 invalid_token', async () => {
      const one = await accessToken(host.app, 'orders', shop)
      expect((await getWith(one)).status).toBe(200)
      await post(host.app, '/orders/revoke', formOf(shop, { token: one }))
      expectRefusal(await getWith(one), 401, 'invalid_token', ENDED)
    })

    it('revoked: revokeTokens ends what was issued up to now, and not what is issued in the same millisecond', async () => {
      const client = await createApplication(host.auth, ['orders'])
      for (let i = 0; i < 3; i++) {
        const before = await accessToken(host.app, 'orders', client)
        expect((await getWith(before)).status).toBe(200)
        await host.auth.applications.revokeTokens(client.id)
        const after = await accessToken(host.app, 'orders', client)
        expectRefusal(await getWith(before), 401, 'invalid_token', ENDED)
        expect((await getWith(after)).status).toBe(200)
      }
    })

    it('application suspended: 401 invalid_token from the next request on, until it is resumed', async () => {
      const client = await createApplication(host.auth, ['orders'])
      const one = await accessToken(host.app, 'orders', client)
      for (let i = 0; i < 2; i++) {
        expect((await getWith(one)).status).toBe(200)
        await host.auth.applications.suspend(client.id)
        expectRefusal(await getWith(one), 401, 'invalid_token', ENDED)
        await host.auth.applications.resume(client.id)
      }
      expect((await getWith(one)).status).toBe(200)
    })

    it('application suspended: resume does not revive what was revoked meanwhile', async () => {
      const client = await createApplication(host.auth, ['orders'])
      const one = await accessToken(host.app, 'orders', client)
      await host.auth.applications.suspend(client.id)
      await host.auth.applications.revokeTokens(client.id)
      await host.auth.applications.resume(client.id)
      expectRefusal(await getWith(one), 401, 'invalid_token', ENDED)
    })

    it('application deleted: 401 invalid_token', async () => {
      const client = await createApplication(host.auth, ['orders'])
      const one = await accessToken(host.app, 'orders', client)
      expect((await getWith(one)).status).toBe(200)
      await host.auth.applications.delete(client.id)
      expectRefusal(await getWith(one), 401, 'invalid_token', ENDED)
    })

    it('application no longer allowed on this API: 401 invalid_token, until it is allowed again', async () => {
      const client = await createApplication(host.auth, ['orders', 'invoices'])
      const one = await accessToken(host.app, 'orders', client)
      await host.auth.applications.disallow(client.id, 'orders')
      expectRefusal(await getWith(one), 401, 'invalid_token', ENDED)
      await host.auth.applications.allow(client.id, 'orders')
      expect((await getWith(one)).status).toBe(200)
    })

    it("a scope missing: 403 insufficient_scope with all of the route's scopes, in its order", async () => {
      const words = 'The access token lacks a scope that this needs'
      const reader = await accessToken(host.app, 'orders', shop, { scope: 'orders:read' })
      const writer = await accessToken(host.app, 'orders', shop, { scope: 'orders:write' })
      const both = bearerChallenge('insufficient_scope', words, 'scope="orders:write orders:read", ')
      const read = bearerChallenge('insufficient_scope', words, 'scope="orders:read", ')
      expect((await getWith(reader, '/orders/items')).status).toBe(200)
      expect((await getWith(reader, '/orders/read')).status).toBe(200)
      expectRefusal(await getWith(reader, '/orders/both'), 403, 'insufficient_scope', both)
      expectRefusal(await getWith(writer, '/orders/both'), 403, 'insufficient_scope', both)
      expectRefusal(await getWith(writer, '/orders/read'), 403, 'insufficient_scope', read)
      expect((await getWith(token, '/orders/both')).status).toBe(200)
    })

    it('a scope missing: what is no longer granted is missing, and is there again when it is granted again', async () => {
      const client = await createApplication(host.auth, ['orders'])
      const one = await accessToken(host.app, 'orders', client)
      await host.auth.applications.allow(client.id, 'orders', { scopes: ['orders:write'] })
      expect((await getWith(one)).body).toMatchObject({ scopes: ['orders:write'] })
      expect((await getWith(one, '/orders/both')).status).toBe(403)
      await host.auth.applications.allow(client.id, 'orders')
      expect((await getWith(one, '/orders/both')).body).toMatchObject({ scopes: ['orders:read', 'orders:write'] })
    })

    it('a scope missing: a token never has more than it was issued with, whatever is granted later', async () => {
      const client = await createApplication(host.auth, { orders: { scopes: ['orders:read'] } })
      const one = await accessToken(host.app, 'orders', client)
      await host.auth.applications.allow(client.id, 'orders')
      expect((await getWith(one, '/orders/both')).status).toBe(403)
    })

    it('store out of reach: 503 temporarily_unavailable for an application that must be looked up', async () => {
      const client = await createApplication(host.auth, ['orders'])
      const one = await accessToken(host.app, 'orders', client)
      await host.auth.applications.update(client.id, { name: 'Forgotten' })
      host.store.fail()
      const answer = await getWith(one)
      host.store.recover()
      expectRefusal(answer, 503, 'temporarily_unavailable', { 'retry-after': SECONDS })
      expect((await getWith(one)).status).toBe(200)
    })

    it('anything unexpected: 500 server_error, the cause only in the log', async () => {
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

    it('lets a good token pass, however the scheme is spelt, and with more than one space', async () => {
      for (const authorization of [`Bearer ${token}`, `bearer ${token}`, `BEARER ${token}`, `Bearer   ${token}`]) {
        expect((await get('/orders/items', authorization)).status).toBe(200)
      }
    })

    it('establishes scheme, API, application, scopes and access token for authOf(req)', async () => {
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
        },
      })
    })

    it('shows an empty list where the API has no scopes', async () => {
      const { body } = await getWith(await accessToken(host.app, 'invoices', shop), '/invoices/items')
      expect(body).toMatchObject({ api: 'invoices', scopes: [] })
    })

    it.each(['OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])('guards %s like GET', async (method) => {
      const preflight = ['Origin: https://evil.example', 'Access-Control-Request-Headers: authorization']
      const bare = await exchange(host.app, [`${method} /orders/items HTTP/1.1`, ...preflight])
      expectRefusal(bare, 401, 'unauthorized', MISSING)
      const good = await exchange(host.app, [`${method} /orders/items HTTP/1.1`, `Authorization: Bearer ${token}`])
      expect(good.status).toBe(200)
    })

    it('guards HEAD, and answers it with headers alone', async () => {
      const { status, headers, text } = await request(host.app).head('/orders/items')
      expect({ status, text }).toEqual({ status: 401, text: undefined })
      expect(headers).toMatchObject(MISSING)
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
        expectRefusal(await attempt, 401, 'unauthorized', MISSING)
      }
      expect((await getWith(token, '/orders/items?access_token=other')).status).toBe(200)
    })

    it("ignores the other scheme's header, even twice", async () => {
      const key = (await createApplication(host.auth, ['catalog'])).clientId
      expectRefusal(await get('/orders/items').set('X-Api-Key', key), 401, 'unauthorized', MISSING)
      const { status } = await exchange(host.app, [
        'GET /orders/items HTTP/1.1', `Authorization: Bearer ${token}`, 'X-Api-Key: a', 'X-Api-Key: b',
      ]) // prettier-ignore
      expect(status).toBe(200)
    })

    it('does not wait for a refused upload, and ends its connection', async () => {
      const answer = await exchange(host.app, ['POST /orders/items HTTP/1.1', 'Content-Length: 900000000'], 'x')
      expectRefusal(answer, 401, 'unauthorized', MISSING)
      expect(answer.headers.connection).toBe('close')
    })

    it('leaves req.user, req.auth, the session and the answer alone', async () => {
      const before = { user: { id: 7 }, auth: 'mine', authInfo: 'mine', account: 'mine', session: { cookie: {} } }
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

describe('requireApiKey(), row by row of contract 3.3,', () => {
  onEveryFailingPlatform((host) => {
    let reader: Known
    const get = (key?: string, path = '/catalog/items'): Test => {
      const test = request(host.app).get(path)
      return key === undefined ? test : test.set('X-Api-Key', key)
    }

    beforeAll(async () => {
      mountRoutes(host)
      reader = await createApplication(host.auth, ['catalog'], 'Reader')
    })

    it('two X-Api-Key headers: 400 invalid_request, whatever is in them', async () => {
      const challenge = keyChallenge('invalid_request', 'There are two X-Api-Key headers')
      for (const [one, two] of [
        [reader.clientId, reader.clientId],
        [reader.clientId, ''],
        ['', ''],
        ['x', 'y'],
      ]) {
        const answer = await exchange(host.app, [
          'GET /catalog/items HTTP/1.1',
          `X-Api-Key: ${one}`,
          `x-api-key: ${two}`,
        ])
        expectRefusal(answer, 400, 'invalid_request', challenge)
      }
    })

    it('key missing or empty: 401 unauthorized without an error code', async () => {
      expectRefusal(await get(), 401, 'unauthorized', KEY_MISSING)
      expectRefusal(await get(''), 401, 'unauthorized', KEY_MISSING)
      expectRefusal(await get('   '), 401, 'unauthorized', KEY_MISSING)
    })

    it('key unknown, malformed, retired; application deleted or pending: 401 invalid_api_key, one answer', async () => {
      const [retired, deleted, pending] = await Promise.all(
        ['retired', 'deleted', 'pending'].map((name) => createApplication(host.auth, ['catalog'], name)),
      )
      for (const { clientId } of [retired!, deleted!]) expect((await get(clientId)).status).toBe(200)
      await host.auth.applications.rotateKey(retired!.id, { overlap: 0 })
      await host.auth.applications.delete(deleted!.id)
      const record = (await host.store.findApplication(pending!.id))!
      const entry = {
        at: 0,
        type: 'application.updated',
        by: undefined,
        applicationId: record.id,
        details: {},
      } as const
      await host.store.saveApplication({ ...record, status: 'pending', keys: [], version: 2 }, entry)
      const stranger = platform()
      const { clientId: unknown } = await createApplication(stranger.auth, ['catalog'])
      await stranger.auth.close()

      const { clientId } = reader
      const bytes = new Set<string>()
      const keys = [
        unknown, retired!.clientId, deleted!.clientId, pending!.clientId, 'x', clientId.toUpperCase(), clientId.slice(1),
        clientId.slice(0, -1), `${clientId}x`, `ApiKey ${clientId}`, `${clientId},${clientId}`, `"${clientId}"`, 'x'.repeat(9000), '\u00fc',
        '__proto__', `epa_key_${'0'.repeat(34)}`,
      ] // prettier-ignore
      for (const key of keys) {
        const answer = await exchange(host.app, ['GET /catalog/items HTTP/1.1', `X-Api-Key: ${key}`])
        expectRefusal(answer, 401, 'invalid_api_key', KEY_INVALID)
        bytes.add(JSON.stringify([answer.headers['www-authenticate'], answer.text]))
      }
      expect(bytes.size).toBe(1)
    })

    it('key retired: valid until its overlap ends, beside the new one', async () => {
      const client = await createApplication(host.auth, ['catalog'])
      const { credentials } = await host.auth.applications.rotateKey(client.id, { overlap: 60 })
      for (const key of [client.clientId, credentials.clientId]) expect((await get(key)).status).toBe(200)
      host.clock.advance(59.999)
      expect((await get(client.clientId)).status).toBe(200)
      host.clock.advance(0.001)
      expectRefusal(await get(client.clientId), 401, 'invalid_api_key', KEY_INVALID)
      expect((await get(credentials.clientId)).status).toBe(200)
    })

    it('good key, application suspended: 403 access_denied, until it is resumed', async () => {
      const client = await createApplication(host.auth, ['catalog'])
      expect((await get(client.clientId)).status).toBe(200)
      await host.auth.applications.suspend(client.id)
      expectRefusal(await get(client.clientId), 403, 'access_denied', KEY_REFUSED)
      await host.auth.applications.resume(client.id)
      expect((await get(client.clientId)).status).toBe(200)
    })

    it('good key, application not allowed on this API: 403 access_denied, until it is', async () => {
      const client = await createApplication(host.auth, ['weather', 'orders'])
      expectRefusal(await get(client.clientId), 403, 'access_denied', KEY_REFUSED)
      await host.auth.applications.allow(client.id, 'catalog')
      expect((await get(client.clientId)).status).toBe(200)
      await host.auth.applications.disallow(client.id, 'catalog')
      expectRefusal(await get(client.clientId), 403, 'access_denied', KEY_REFUSED)
      expect((await get(client.clientId, '/weather/now')).status).toBe(200)
    })

    it('a secret is no key', async () => {
      const { clientSecret } = await createApplication(host.auth, ['catalog', 'orders'])
      expectRefusal(await get(clientSecret), 401, 'invalid_api_key', KEY_INVALID)
    })

    it('store out of reach: 503 temporarily_unavailable for a key that must be looked up', async () => {
      const { clientId } = await createApplication(host.auth, ['catalog'])
      host.store.fail()
      const answer = await get(clientId)
      host.store.recover()
      expectRefusal(answer, 503, 'temporarily_unavailable', { 'retry-after': SECONDS })
      expect((await get(clientId)).status).toBe(200)
    })

    it('anything unexpected: 500 server_error, the cause only in the log', async () => {
      const { clientId } = await createApplication(host.auth, ['catalog'])
      const { findApplicationByKey } = host.store
      host.logger.lines.length = 0
      Object.assign(host.store, { findApplicationByKey: async () => ({}) })
      const answer = await get(clientId)
      Object.assign(host.store, { findApplicationByKey })
      expectRefusal(answer, 500, 'server_error')
      expect(host.logger.lines).toEqual([expect.stringMatching(/^catalog: 500 server_error TypeError/) as string])
      expect((await get(clientId)).status).toBe(200)
    })

    it('does not look the same unknown key up with every request', async () => {
      const { plain } = createCredentials('epa', Buffer.alloc(32)).mint('key', 0)
      const before = host.store.calls('findApplicationByKey')
      for (let i = 0; i < 10; i++) expectRefusal(await get(plain), 401, 'invalid_api_key', KEY_INVALID)
      // Once, and once more after each change that the feed brings.
      expect(host.store.calls('findApplicationByKey') - before).toBeLessThan(5)
    })

    it('good key, application suspended while it was being looked up: refused from the next request on', async () => {
      const client = await createApplication(host.auth, ['catalog'])
      const { findApplicationByKey } = host.store
      let hasRead: (() => void) | undefined
      const read = new Promise<void>((resolve) => (hasRead = resolve))
      Object.assign(host.store, {
        async findApplicationByKey(hash: string) {
          const found = await findApplicationByKey(hash)
          hasRead?.()
          await sleep(30)
          return found
        },
      })
      const underWay = get(client.clientId).then(({ status }) => status)
      await read
      await host.auth.applications.suspend(client.id)
      Object.assign(host.store, { findApplicationByKey })
      expect((await get(client.clientId)).status).toBe(403)
      await underWay
      expect((await get(client.clientId)).status).toBe(403)
    })

    it('establishes scheme, API and application for authOf(req), and no token', async () => {
      expect((await get(reader.clientId)).body).toEqual({
        scheme: 'apiKey',
        api: 'catalog',
        application: { id: reader.id, name: 'Reader' },
        scopes: [],
      })
    })

    it.each(['OPTIONS', 'POST', 'PUT', 'DELETE'])('guards %s like GET', async (method) => {
      expectRefusal(await exchange(host.app, [`${method} /catalog/items HTTP/1.1`]), 401, 'unauthorized', KEY_MISSING)
      const good = await exchange(host.app, [`${method} /catalog/items HTTP/1.1`, `X-Api-Key: ${reader.clientId}`])
      expect(good.status).toBe(200)
    })

    it('guards HEAD', async () => {
      const { status, headers } = await request(host.app).head('/catalog/items')
      expect({ status, challenge: headers['www-authenticate'] }).toEqual({
        status: 401,
        challenge: KEY_MISSING['www-authenticate'],
      })
    })

    it("ignores keys in the query string and in the body, and the other scheme's header, even twice", async () => {
      const app = express5().use(express5.json(), host.app)
      const { clientId } = reader
      for (const attempt of [
        request(app).get(`/catalog/items?x-api-key=${clientId}&api_key=${clientId}&key=${clientId}`),
        request(app).post('/catalog/items').send({ 'x-api-key': clientId }),
        request(app).get('/catalog/items').set('Authorization', `ApiKey ${clientId}`),
        request(app).get('/catalog/items').set('Authorization', `Bearer ${clientId}`),
      ]) {
        expectRefusal(await attempt, 401, 'unauthorized', KEY_MISSING)
      }
      const { status } = await exchange(host.app, [
        'GET /catalog/items HTTP/1.1', `X-Api-Key: ${clientId}`, 'Authorization: Bearer a', 'Authorization: Basic b',
      ]) // prettier-ignore
      expect(status).toBe(200)
    })

    it('keeps answers from shared caches: Vary: X-Api-Key and Cache-Control: private', async () => {
      const { headers } = await get(reader.clientId)
      expect(headers).toMatchObject({ vary: 'X-Api-Key', 'cache-control': 'private' })
    })

    it('keeps what an optional guard let pass without a key from them too', async () => {
      const app = host.express().use(host.auth.requireApiKey('catalog', { optional: true }), sayWho)
      const { status, headers, body } = await request(app).get('/')
      expect({ status, body: body as unknown }).toEqual({ status: 200, body: null })
      expect(headers).toMatchObject({ vary: 'X-Api-Key', 'cache-control': 'private' })
    })

    it("adds to the host's Vary, and leaves Cache-Control to a handler that sets its own", async () => {
      const app = host.express().use(
        (_req, res, next) => next(void res.vary('Origin')),
        host.auth.requireApiKey('catalog'),
        (_req, res) => void res.set('Cache-Control', 'public, max-age=60').vary('Accept').end(),
      )
      const { headers } = await request(app).get('/').set('X-Api-Key', reader.clientId)
      expect(headers).toMatchObject({ vary: 'Origin, X-Api-Key, Accept', 'cache-control': 'public, max-age=60' })
    })

    it('leaves a Cache-Control that was set before it', async () => {
      const app = host
        .express()
        .use(
          (_req, res, next) => next(void res.set('Cache-Control', 'no-cache')),
          host.auth.requireApiKey('catalog'),
          sayWho,
        )
      const { headers } = await request(app).get('/').set('X-Api-Key', reader.clientId)
      expect(headers['cache-control']).toBe('no-cache')
      expect((await request(app).get('/')).headers['cache-control']).toBe('no-store')
    })
  })
})

describe("Over the application's requests limit", () => {
  onEveryPlatform(
    (host) => {
      const limited: PlatformEvent[] = []

      beforeAll(() => {
        const { app, auth } = host
        app.use('/orders/items', auth.requireBearer('orders'))
        app.get('/orders/items', auth.requireBearer('orders', { scopes: ['orders:read'] }), sayWho)
        app.get('/orders/both', auth.requireBearer('orders', { scopes: ['orders:read', 'orders:write'] }), sayWho)
        app.get('/invoices/items', auth.requireBearer('invoices'), sayWho)
        app.get('/catalog/items', auth.requireApiKey('catalog'), auth.requireApiKey('catalog'), sayWho)
        app.get('/weather/now', auth.requireApiKey('weather'), sayWho)
        auth.events.on('request.denied', (event) => void limited.push(event))
      })

      it('is 429 too_many_requests with Retry-After and no challenge, per application and API', async () => {
        const [one, two] = [
          await createApplication(host.auth, ['orders', 'invoices']),
          await createApplication(host.auth, ['orders']),
        ]
        const tokens = {
          one: await accessToken(host.app, 'orders', one),
          again: await accessToken(host.app, 'orders', one),
          elsewhere: await accessToken(host.app, 'invoices', one),
          two: await accessToken(host.app, 'orders', two),
        }
        const get = (path: string, token: string): Test =>
          request(host.app).get(path).set('Authorization', `Bearer ${token}`)
        expect((await get('/orders/items', tokens.one)).status).toBe(200)
        expect((await get('/orders/items', tokens.again)).status).toBe(200)
        limited.length = 0
        const refused = await get('/orders/items', tokens.one)
        expectRefusal(refused, 429, 'too_many_requests', { 'retry-after': SECONDS })
        expect(limited).toEqual([
          expect.objectContaining({ reason: 'too_many_requests', applicationId: one.id, api: 'orders' }) as object,
        ])
        expect((await get('/invoices/items', tokens.elsewhere)).status).toBe(200)
        expect((await get('/orders/items', tokens.two)).status).toBe(200)
        await expect(host.auth.verifyAccessToken('orders', tokens.one)).rejects.toMatchObject({ status: 429 })
      })

      it('is 429 for a key guard likewise, two guards counting once', async () => {
        const { clientId } = await createApplication(host.auth, ['catalog', 'weather'])
        const get = (path: string): Test => request(host.app).get(path).set('X-Api-Key', clientId)
        for (let i = 0; i < 2; i++) expect((await get('/catalog/items')).status).toBe(200)
        expectRefusal(await get('/catalog/items'), 429, 'too_many_requests', { 'retry-after': SECONDS })
        expect((await get('/weather/now')).status).toBe(200)
        await expect(host.auth.verifyApiKey('catalog', clientId)).rejects.toMatchObject({ status: 429 })
      })

      it('does not count what is refused before', async () => {
        const client = await createApplication(host.auth, ['orders'])
        const reader = await accessToken(host.app, 'orders', client, { scope: 'orders:read' })
        const get = (path: string, token: string): Test =>
          request(host.app).get(path).set('Authorization', `Bearer ${token}`)
        for (let i = 0; i < 3; i++) expect((await get('/orders/both', reader)).status).toBe(403)
        for (let i = 0; i < 3; i++) expect((await get('/orders/items', `${reader}x`)).status).toBe(401)
        for (let i = 0; i < 2; i++) expect((await get('/orders/items', reader)).status).toBe(200)
        expect((await get('/orders/items', reader)).status).toBe(429)
      })
    },
    { rateLimits: { requests: { limit: 2, window: 60 } } },
  )
})

describe("An API's rateLimit", () => {
  it('overrides rateLimits.requests, and false lifts it', async () => {
    const auth = createPlatformAuth({
      baseUrl: 'https://api.example.com',
      apis: {
        narrow: { scheme: 'apiKey', rateLimit: { limit: 1, window: 60 } },
        usual: { scheme: 'apiKey' },
        free: { scheme: 'apiKey', rateLimit: false },
      },
      rateLimits: { requests: { limit: 2, window: 60 } },
      store: memoryStore(),
    })
    const { clientId } = await createApplication(auth, ['narrow', 'usual', 'free'])
    const count = async (api: 'narrow' | 'usual' | 'free'): Promise<number> => {
      const answers = Array.from({ length: 5 }, () => auth.verifyApiKey(api, clientId))
      return (await Promise.allSettled(answers)).filter(({ status }) => status === 'fulfilled').length
    }
    expect([await count('narrow'), await count('usual'), await count('free')]).toEqual([1, 2, 5])
    await auth.close()
  })
})

describe('onDenied', () => {
  const seen: Denial[] = []
  const answers: OnDenied = ({ status, error }, _req, res: ServerResponse) => {
    res.statusCode = status
    res.end(`denied: ${error}`)
  }

  onEveryFailingPlatform(
    (host) => {
      let token: string
      let shop: Known
      const reached: RequestHandler = (_req, res) => void res.status(299).send('the handler')
      const appWith = (onDenied: OnDenied | undefined, ...after: RequestHandler[]) => {
        const app = host.express().disable('x-powered-by')
        const options = onDenied ? { onDenied } : {}
        app.get('/', host.auth.requireBearer('orders', options), reached, ...after)
        app.get('/key', host.auth.requireApiKey('catalog', options), reached)
        app.get('/write', host.auth.requireBearer('orders', { ...options, scopes: ['orders:write'] }), reached)
        app.use(((error, _req, res, _next) => void res.status(555).send(String(error))) as express5.ErrorRequestHandler)
        return app.use((_req, res) => void res.status(298).send('the rest of the app'))
      }

      beforeAll(async () => {
        shop = await createApplication(host.auth, ['orders'])
        token = await accessToken(host.app, 'orders', shop, { scope: 'orders:read' })
      })
      beforeEach(() => void (seen.length = 0))

      it('of the platform replaces the answer of every guard', async () => {
        const app = appWith(undefined)
        const { status, text, headers } = await request(app).get('/')
        expect({ status, text }).toEqual({ status: 401, text: 'denied: unauthorized' })
        expect(headers).not.toHaveProperty('www-authenticate')
        expect((await request(app).get('/key')).text).toBe('denied: unauthorized')
      })

      it("of a guard comes before the platform's", async () => {
        const app = appWith((_denial, _req, res) => void res.end('mine'))
        expect((await request(app).get('/')).text).toBe('mine')
      })

      it('is not asked where a request passes', async () => {
        const app = appWith(() => expect.unreachable())
        expect((await request(app).get('/').set('Authorization', `Bearer ${token}`)).status).toBe(299)
      })

      it('sees status, error, description and headers of every refusal: 400, 401, 403, 429, 500 and 503', async () => {
        const app = appWith((denial, _req, _res, next) => {
          seen.push({ ...denial, headers: denial.headers, description: denial.description })
          next()
        })
        const key = (await createApplication(host.auth, ['catalog'])).clientId
        const unseen = (await createApplication(host.auth, ['catalog'])).clientId
        const { findApplicationByKey } = host.store
        const answers = [
          await request(app).get('/').set('Authorization', 'Bearer a b'),
          await request(app).get('/'),
          await request(app).get('/').set('Authorization', 'Bearer x'),
          await request(app).get('/write').set('Authorization', `Bearer ${token}`),
        ]
        for (let i = 0; i < 3; i++) await request(app).get('/key').set('X-Api-Key', key)
        answers.push(await request(app).get('/key').set('X-Api-Key', key))
        host.store.fail()
        answers.push(await request(app).get('/key').set('X-Api-Key', unseen))
        host.store.recover()
        Object.assign(host.store, { findApplicationByKey: async () => ({}) })
        answers.push(await request(app).get('/key').set('X-Api-Key', unseen))
        Object.assign(host.store, { findApplicationByKey })

        expect(seen.map(({ status }) => status)).toEqual([400, 401, 401, 403, 429, 503, 500])
        for (const [i, answer] of answers.entries()) {
          const { status, error, description, headers } = seen[i]!
          // next() without an argument sends the standard refusal.
          expect(answer.status).toBe(status)
          expect(answer.body).toEqual({ error, error_description: description })
          for (const [name, value] of Object.entries(headers)) {
            expect(answer.headers[name.toLowerCase()]).toBe(value)
          }
        }
      })

      it.each<[string, unknown[]]>([
        ['nothing', []],
        ['undefined', [undefined]],
        ['null', [null]],
        ["'route'", ['route']],
        ["'router'", ['router']],
        ['false', [false]],
        ['0', [0]],
        ["''", ['']],
        ['NaN', [Number.NaN]],
      ])('never reaches the handler by next(%s): the standard refusal is sent', async (_, args) => {
        const app = appWith((_denial, _req, _res, next) => next(...(args as [unknown])))
        expectRefusal(await request(app).get('/'), 401, 'unauthorized', MISSING)
        expectRefusal(await request(app).get('/key'), 401, 'unauthorized', KEY_MISSING)
      })

      it('hands an error on to the host with next(error)', async () => {
        const app = appWith((denial, _req, _res, next) => next(new Error(`mine: ${denial.error}`)))
        expect(await request(app).get('/')).toMatchObject({ status: 555, text: 'Error: mine: unauthorized' })
      })

      it.each<[string, OnDenied]>([
        ['throws', () => { throw new Error('of the operator') }],
        ['rejects', async () => { throw new Error('of the operator') }],
        ['rejects later', async () => { await sleep(1); throw new Error('of the operator') }],
        // oxlint-disable-next-line unicorn/no-thenable
        ['returns a thenable that rejects', () => ({ then: (_: unknown, reject: (error: Error) => void) => reject(new Error('of the operator')) })],
      ])('that %s gives 500 server_error, its error in the log alone', async (_, onDenied) => {
        host.logger.lines.length = 0
        expectRefusal(await request(appWith(onDenied)).get('/'), 500, 'server_error')
        expect(host.logger.lines).toContainEqual(expect.stringMatching(/500 server_error Error: of the operator/))
      }) // prettier-ignore

      it('that throws once it has answered leaves its answer whole', async () => {
        const body = 'mine'.repeat(2 ** 20)
        const app = appWith((_denial, _req, res) => {
          res.end(body)
          throw new Error('too late')
        })
        expect((await request(app).get('/')).text).toHaveLength(body.length)
      })

      it('that throws while it answers ends the connection: half an answer is none', async () => {
        const app = appWith((_denial, _req, res) => {
          res.write('half')
          throw new Error('too early')
        })
        await expect(request(app).get('/')).rejects.toThrow(/aborted|hang up/)
      })

      it('can do nothing to the refusals of others', async () => {
        const spoil: OnDenied = (denial, _req, _res, next) => {
          for (const object of [denial, denial.headers]) {
            for (const name of ['status', 'error', 'description', 'WWW-Authenticate', 'Retry-After', 'X-Spoilt']) {
              Reflect.set(object, name, 'spoilt')
            }
          }
          next()
        }
        const app = appWith(spoil)
        const { clientId } = await createApplication(host.auth, ['catalog'])
        host.store.fail()
        await request(app).get('/key').set('X-Api-Key', clientId)
        const unavailable = await request(appWith((_denial, _req, _res, next) => next()))
          .get('/key')
          .set('X-Api-Key', clientId)
        host.store.recover()
        expectRefusal(unavailable, 503, 'temporarily_unavailable', { 'retry-after': SECONDS })
        await request(app).get('/')
        expectRefusal(await request(app).get('/'), 401, 'unauthorized', MISSING)
      })

      it('is not asked by verifyAccessToken', async () => {
        await expect(host.auth.verifyAccessToken('orders', 'x')).rejects.toBeInstanceOf(OAuthError)
      })
    },
    { onDenied: answers, rateLimits: { requests: { limit: 3, window: 60 } } },
  )
})

describe('An optional guard', () => {
  onEveryPlatform((host) => {
    let shop: Known
    let token: string

    beforeAll(async () => {
      const { app, auth } = host
      app.get('/orders/maybe', auth.requireBearer('orders', { optional: true, scopes: ['orders:write'] }), sayWho)
      app.get('/catalog/maybe', auth.requireApiKey('catalog', { optional: true }), sayWho)
      app.get('/strict', auth.requireBearer('orders', { optional: true }), (req, res) => void res.json(authOf(req)))
      app.get('/then', auth.requireBearer('orders', { optional: true }), auth.requireBearer('orders'), sayWho)
      shop = await createApplication(auth, ['orders', 'catalog'])
      token = await accessToken(app, 'orders', shop)
    })

    it.each([undefined, '', 'Basic YTpi', 'Digest x'])(
      'lets an absent credential pass: Authorization: %s',
      async (value) => {
        const test = request(host.app).get('/orders/maybe')
        const { status, body } = await (value === undefined ? test : test.set('Authorization', value))
        expect({ status, body: body as unknown }).toEqual({ status: 200, body: null })
      },
    )

    it.each([
      ['Bearer', 400],
      ['Bearer a b', 400],
      ['Bearer x', 401],
    ])('never lets a bad credential pass: %s', async (value, status) => {
      expect((await request(host.app).get('/orders/maybe').set('Authorization', value)).status).toBe(status)
    })

    it('never lets a token without the scope pass', async () => {
      const reader = await accessToken(host.app, 'orders', shop, { scope: 'orders:read' })
      expect((await request(host.app).get('/orders/maybe').set('Authorization', `Bearer ${reader}`)).status).toBe(403)
    })

    it('establishes who calls where a credential came', async () => {
      const { body } = await request(host.app).get('/orders/maybe').set('Authorization', `Bearer ${token}`)
      expect(body).toMatchObject({ application: { id: shop.id } })
    })

    it('lets an absent key pass, and never a bad one or two', async () => {
      expect((await request(host.app).get('/catalog/maybe')).body).toBeNull()
      expect((await request(host.app).get('/catalog/maybe').set('X-Api-Key', 'x')).status).toBe(401)
      const twice = await exchange(host.app, ['GET /catalog/maybe HTTP/1.1', 'X-Api-Key:', 'X-Api-Key:'])
      expect(twice.status).toBe(400)
      const { body } = await request(host.app).get('/catalog/maybe').set('X-Api-Key', shop.clientId)
      expect(body).toMatchObject({ application: { id: shop.id } })
    })

    it('leaves authOf(req) nothing to say: it throws', async () => {
      expect((await request(host.app).get('/strict')).status).toBe(500)
      expect((await request(host.app).get('/strict').set('Authorization', `Bearer ${token}`)).status).toBe(200)
    })

    it('does not open a strict guard behind it', async () => {
      expectRefusal(await request(host.app).get('/then'), 401, 'unauthorized', MISSING)
      expect((await request(host.app).get('/then').set('Authorization', `Bearer ${token}`)).status).toBe(200)
    })
  })
})

describe('Two guards on one request', () => {
  onEveryFailingPlatform((host) => {
    let shop: Known
    let token: string
    let allowed: PlatformEvent[]
    let denied: PlatformEvent[]

    beforeAll(async () => {
      shop = await createApplication(host.auth, ['orders', 'invoices', 'catalog', 'weather'])
      token = await accessToken(host.app, 'orders', shop)
      host.auth.events.on('request.allowed', (event) => void allowed.push(event))
      host.auth.events.on('request.denied', (event) => void denied.push(event))
    })
    beforeEach(() => {
      allowed = []
      denied = []
    })

    it('of one API verify and count once, in a router and on its route', async () => {
      const { auth } = host
      const router = host.express.Router().use(auth.requireBearer('orders'))
      router.get('/items', auth.requireBearer('orders', { scopes: ['orders:read'] }), sayWho)
      const app = host.express().use('/orders', auth.requireBearer('orders'), router)
      const { status } = await request(app).get('/orders/items').set('Authorization', `Bearer ${token}`)
      expect(status).toBe(200)
      expect(allowed).toEqual([
        expect.objectContaining({ type: 'request.allowed', api: 'orders', applicationId: shop.id }) as object,
      ])
    })

    it('of one API ask for the scopes of each', async () => {
      const reader = await accessToken(host.app, 'orders', shop, { scope: 'orders:read' })
      const app = host
        .express()
        .use(
          host.auth.requireBearer('orders', { scopes: ['orders:read'] }),
          host.auth.requireBearer('orders', { scopes: ['orders:write'] }),
          sayWho,
        )
      const answer = await request(app).get('/').set('Authorization', `Bearer ${reader}`)
      expectRefusal(answer, 403, 'insufficient_scope', {
        'www-authenticate': /scope="orders:write", resource_metadata/,
      })
      expect(denied).toHaveLength(1)
    })

    it('of one API go by the token, not by what a handler made of authOf(req)', async () => {
      const reader = await accessToken(host.app, 'orders', shop, { scope: 'orders:read' })
      const app = host
        .express()
        .use(
          host.auth.requireBearer('orders'),
          (req, _res, next) => next(void authOf(req).scopes.push('orders:write')),
          host.auth.requireBearer('orders', { scopes: ['orders:write'] }),
          sayWho,
        )
      expect((await request(app).get('/').set('Authorization', `Bearer ${reader}`)).status).toBe(403)
    })

    it('of two APIs both must let it pass', async () => {
      const app = host.express().use(host.auth.requireBearer('orders'), host.auth.requireBearer('invoices'), sayWho)
      const answer = await request(app).get('/').set('Authorization', `Bearer ${token}`)
      expectRefusal(answer, 401, 'invalid_token', { 'www-authenticate': /^Bearer realm="invoices"/ })
    })

    it('of both schemes both must let it pass, and authOf(req) shows the last', async () => {
      const app = host.express().use(host.auth.requireBearer('orders'), host.auth.requireApiKey('catalog'), sayWho)
      const withToken = (): Test => request(app).get('/').set('Authorization', `Bearer ${token}`)
      expect((await withToken()).status).toBe(401)
      expect((await request(app).get('/').set('X-Api-Key', shop.clientId)).status).toBe(401)
      expect((await withToken().set('X-Api-Key', shop.clientId)).body).toMatchObject({ api: 'catalog' })
    })

    it('of two platforms know nothing of one another', async () => {
      const other = platform().auth
      const app = host.express().use(host.auth.requireBearer('orders'), other.requireBearer('orders'), sayWho)
      expect((await request(app).get('/').set('Authorization', `Bearer ${token}`)).status).toBe(401)
      await other.close()
    })
  })
})

describe('authOf(req)', () => {
  const { auth } = platform()
  let shop: Known
  let token: string
  const router: RequestHandler = (req, res, next) => auth.router(req, res, next)

  beforeAll(async () => {
    shop = await createApplication(auth, ['orders', 'catalog'])
    token = await accessToken(express5().use(router), 'orders', shop)
  })
  afterAll(() => auth.close())

  it('throws where no guard ran, and says what to do', () => {
    expect(() => authOf({})).toThrow(/requireBearer/)
    expect(maybeAuthOf({})).toBeUndefined()
  })

  it('is the same object for every handler of a request', async () => {
    const app = express5().use(auth.requireBearer('orders'), (req, res) => void res.json(authOf(req) === authOf(req)))
    expect((await request(app).get('/').set('Authorization', `Bearer ${token}`)).body).toBe(true)
  })

  it('gives each request its own: what a handler does to one reaches no other caller', async () => {
    const app = express5().use(auth.requireBearer('orders'), (req, res) => {
      const info = authOf(req)
      res.json(info)
      info.scopes.push('orders:everything')
      info.token!.expiresAt.setFullYear(3000)
      Reflect.set(info.application, 'name', 'Somebody else')
      Reflect.set(info, 'api', 'invoices')
    })
    const answers = []
    for (let i = 0; i < 3; i++) answers.push((await request(app).get('/').set('Authorization', `Bearer ${token}`)).text)
    expect(new Set(answers).size).toBe(1)
    const info = await auth.verifyAccessToken('orders', token)
    info.scopes.length = 0
    expect(JSON.stringify(await auth.verifyAccessToken('orders', token))).toBe(answers[0])
  })

  it("lies under Symbol.for('express-platform-auth'), where a second copy of the package finds it", async () => {
    const app = express5().use(auth.requireApiKey('catalog'), (req, res) => {
      res.json((req as unknown as Record<symbol, unknown>)[Symbol.for('express-platform-auth')] === authOf(req))
    })
    expect((await request(app).get('/').set('X-Api-Key', shop.clientId)).body).toBe(true)
  })

  it('is read from what is made of the request, and is the same each time', async () => {
    const app = express5().use(auth.requireApiKey('catalog'), (req, res) => {
      const derived = Object.create(req) as typeof req
      res.json([authOf(derived).application.id, authOf(derived) === authOf(derived), authOf(req) === authOf(req)])
    })
    expect((await request(app).get('/').set('X-Api-Key', shop.clientId)).body).toEqual([shop.id, true, true])
  })

  it('is read through a Proxy around the request', async () => {
    const app = express5().use(auth.requireApiKey('catalog'), (req, res) => {
      res.json(authOf(new Proxy(req, {})).application.id)
    })
    expect((await request(app).get('/').set('X-Api-Key', shop.clientId)).body).toBe(shop.id)
  })

  it('works for the request that a sub-app sees', async () => {
    const inner = express5().use((req, res) => void res.json(authOf(req).application.id))
    const app = express5().use('/orders', auth.requireBearer('orders'), inner)
    expect((await request(app).get('/orders/x').set('Authorization', `Bearer ${token}`)).body).toBe(shop.id)
  })

  it('is taken from no header, query string or body', async () => {
    const app = express5().use(express5.json(), (req, res) => void res.json(maybeAuthOf(req) ?? null))
    const body = { 'Symbol(express-platform-auth)': { api: 'orders' }, 'express-platform-auth': {} }
    expect((await request(app).post('/?express-platform-auth=x').send(body)).body).toBeNull()
  })
})

describe('auth.verifyAccessToken() and auth.verifyApiKey()', () => {
  onEveryFailingPlatform((host) => {
    let shop: Known
    let token: string

    beforeAll(async () => {
      mountRoutes(host)
      shop = await createApplication(host.auth, ['orders', 'catalog'])
      token = await accessToken(host.app, 'orders', shop)
    })

    it('resolve what a guard establishes', async () => {
      const { body } = await request(host.app).get('/orders/items').set('Authorization', `Bearer ${token}`)
      expect(JSON.parse(JSON.stringify(await host.auth.verifyAccessToken('orders', token)))).toEqual(body)
      expect(await host.auth.verifyApiKey('catalog', shop.clientId)).toEqual({
        scheme: 'apiKey',
        api: 'catalog',
        application: { id: shop.id, name: 'Shop' },
        scopes: [],
      })
    })

    it.each(['', 'x', 'a b', 'a.b.c', 'x'.repeat(9000), '\u00fc', 'x\r\ny: z'])(
      'reject "%s" with the OAuthError that the guard would answer',
      async (credential) => {
        const sendable = /^[\x20-\x7e]*$/.test(credential)
        const rejected = await host.auth.verifyAccessToken('orders', credential).catch((error: unknown) => error)
        expect(rejected).toBeInstanceOf(OAuthError)
        const { status, code, description, headers } = rejected as OAuthError
        expect({ status, code }).toEqual(
          credential === 'x' || credential === 'a.b.c'
            ? { status: 401, code: 'invalid_token' }
            : credential === ''
              ? { status: 401, code: 'unauthorized' }
              : { status: 400, code: 'invalid_request' },
        )
        if (!sendable) return
        const authorization = credential === '' ? '' : `Bearer ${credential}`
        const answer = await request(host.app).get('/orders/items').set('Authorization', authorization)
        expectRefusal(answer, status, code, { 'www-authenticate': headers['WWW-Authenticate']! })
        expect(answer.body).toMatchObject({ error_description: description })
      },
    )

    it.each(['', 'x', 'a b', 'x'.repeat(9000), '\u00fc'])('reject the key "%s" likewise', async (key) => {
      const rejected = await host.auth.verifyApiKey('catalog', key).catch((error: unknown) => error)
      expect(rejected).toMatchObject({
        name: 'OAuthError',
        status: 401,
        code: key === '' ? 'unauthorized' : 'invalid_api_key',
        headers: key === '' ? { 'WWW-Authenticate': KEY_MISSING['www-authenticate'] } : (expect.anything() as object),
      })
    })

    it('reject a header that did not come as the guard would', async () => {
      const absent = undefined as unknown as string
      const refused = { name: 'OAuthError', status: 401, code: 'unauthorized' }
      await expect(host.auth.verifyAccessToken('orders', absent)).rejects.toMatchObject(refused)
      await expect(host.auth.verifyApiKey('catalog', absent)).rejects.toMatchObject(refused)
    })

    it('reject with 503 while the store is out of reach, and with the cause', async () => {
      const { clientId } = await createApplication(host.auth, ['catalog'])
      host.store.fail()
      const rejected = await host.auth.verifyApiKey('catalog', clientId).catch((error: unknown) => error)
      host.store.recover()
      expect(rejected).toMatchObject({ name: 'OAuthError', status: 503, code: 'temporarily_unavailable' })
      expect((rejected as Error).cause).toBeInstanceOf(Error)
    })

    it('reject for an API of the other scheme, or none, with ConfigurationError', async () => {
      for (const api of ['catalog', 'unknown', '__proto__', '']) {
        await expect(host.auth.verifyAccessToken(api as 'orders', token)).rejects.toMatchObject({
          name: 'ConfigurationError',
        })
      }
      await expect(host.auth.verifyApiKey('orders' as 'catalog', shop.clientId)).rejects.toMatchObject({
        name: 'ConfigurationError',
      })
    })
  })
})

describe.each(Object.entries(STORES))('A change in one process, with the %s store,', (_, openStore) => {
  it('holds in another within a second: suspension, rotation, access, deletion', async () => {
    const { store, remove } = await openStore()
    const { auth: here, clock } = platform({ store })
    const { auth: there } = platform({ store, now: clock.now })
    await Promise.all([here.ready(), there.ready()])
    const { applications } = here
    const shop = await createApplication(here, ['orders', 'catalog'])
    const token = await accessToken((req, res) => there.router(req, res, () => res.end()), 'orders', shop)
    const verify = () =>
      Promise.all([there.verifyAccessToken('orders', token), there.verifyApiKey('catalog', shop.clientId)])
    const held = async (ok: boolean): Promise<void> => {
      const since = performance.now()
      const now = (): Promise<boolean> => verify().then(() => true, () => false) // prettier-ignore
      while ((await now()) !== ok && performance.now() - since < 3000) await sleep(10)
      expect(performance.now() - since).toBeLessThan(1000)
    }

    await held(true)
    await applications.suspend(shop.id)
    await held(false)
    await applications.resume(shop.id)
    await held(true)
    await applications.disallow(shop.id, 'orders')
    await held(false)
    await applications.allow(shop.id, 'orders')
    await held(true)
    await applications.revokeTokens(shop.id)
    await held(false)
    await expect(there.verifyApiKey('catalog', shop.clientId)).resolves.toBeDefined()
    const { credentials } = await applications.rotateKey(shop.id, { overlap: 0 })
    const since = performance.now()
    const retired = (): Promise<boolean> => there.verifyApiKey('catalog', shop.clientId).then(() => false, () => true) // prettier-ignore
    while (!(await retired()) && performance.now() - since < 3000) await sleep(10)
    expect(performance.now() - since).toBeLessThan(1000)
    await expect(there.verifyApiKey('catalog', credentials.clientId)).resolves.toBeDefined()
    await Promise.all([here.close(), there.close()])
    await remove()
  })
})

describe('A guard outside of Express', () => {
  it('is middleware for node:http as well, and fits connect', async () => {
    const { auth } = platform()
    const guard = auth.requireApiKey('catalog')
    const { clientId } = await createApplication(auth, ['catalog'])
    const handler = (req: IncomingMessage, res: ServerResponse): void =>
      guard(req, res, () => void res.end(authOf(req).application.name))
    const { port, close } = await listen(handler)
    const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'X-Api-Key': clientId } })
    expect(await answer.text()).toBe('Shop')
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(401)
    await close()
    await auth.close()
  })
})
