import { setTimeout as sleep } from 'node:timers/promises'
import express5 from 'express'
import { beforeAll, describe, expect, it } from 'vitest'
import { createCredentials } from '../../../src/core/applications/credentials/credentials.js'
import { createApplication, exchange, expectRefusal, RETRY_AFTER_SECONDS } from '../../support/http.js'
import { onEveryFailingPlatform } from '../../support/failing-store.js'
import { openPlatform, onEveryPlatform } from '../../support/platform.js'
import { audit } from '../../stores/suite/records.js'
import { request, type Test, type Response } from '../../support/request.js'
import {
  type KnownApplication,
  mountGuardedRoutes,
  sendAuthInfo,
  createApiKeyChallenge,
  KEY_MISSING,
  KEY_INVALID,
} from './guarded-routes.js'

describe('requireApiKey() (docs/http.md G9 to G12, G14 to G16 and G19)', () => {
  onEveryFailingPlatform((host) => {
    let reader: KnownApplication
    const get = (key?: string, path = '/catalog/items'): Test => {
      const test = request(host.app).get(path)
      return key === undefined ? test : test.set('X-Api-Key', key)
    }

    beforeAll(async () => {
      mountGuardedRoutes(host)
      reader = await createApplication(host.auth, ['catalog'], 'Reader')
    })

    it('G9: answers two X-Api-Key headers with 400 invalid_request, whatever their values', async () => {
      const challenge = createApiKeyChallenge('invalid_request', 'There are two X-Api-Key headers')
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

    it('G10: answers a missing or empty key with 401 unauthorized and a challenge without an error code', async () => {
      expectRefusal(await get(), 401, 'unauthorized', KEY_MISSING)
      expectRefusal(await get(''), 401, 'unauthorized', KEY_MISSING)
      expectRefusal(await get('   '), 401, 'unauthorized', KEY_MISSING)
    })

    it('G11: answers unknown, malformed and retired keys, and those of deleted and pending applications, with the same 401 invalid_api_key', async () => {
      const [retired, deleted, pending] = await Promise.all(
        ['retired', 'deleted', 'pending'].map((name) => createApplication(host.auth, ['catalog'], name)),
      )
      for (const { clientId } of [retired!, deleted!]) expect((await get(clientId)).status).toBe(200)
      await host.auth.applications.rotateKey(retired!.id, { overlap: 0 })
      await host.auth.applications.delete(deleted!.id)
      const record = (await host.store.findApplication(pending!.id))!
      await host.store.saveApplication({ ...record, status: 'pending', keys: [], version: 2 }, audit(record.id))
      const stranger = openPlatform()
      const { clientId: unknown } = await createApplication(stranger.auth, ['catalog'])
      await stranger.auth.close()

      const { clientId } = reader
      const bytes = new Set<string>()
      const keys = [
        unknown,
        retired!.clientId,
        deleted!.clientId,
        pending!.clientId,
        'x',
        clientId.toUpperCase(),
        clientId.slice(1),
        clientId.slice(0, -1),
        `${clientId}x`,
        `ApiKey ${clientId}`,
        `${clientId},${clientId}`,
        `"${clientId}"`,
        'x'.repeat(9000),
        '\u00fc',
        '__proto__',
        `epa_key_${'0'.repeat(34)}`,
      ]
      for (const key of keys) {
        const answer = await exchange(host.app, ['GET /catalog/items HTTP/1.1', `X-Api-Key: ${key}`])
        expectRefusal(answer, 401, 'invalid_api_key', KEY_INVALID)
        bytes.add(JSON.stringify([answer.headers['www-authenticate'], answer.text]))
      }
      expect(bytes.size).toBe(1)
    })

    it('G11: refuses a client secret as key', async () => {
      const { clientSecret } = await createApplication(host.auth, ['catalog', 'orders'])
      expectRefusal(await get(clientSecret), 401, 'invalid_api_key', KEY_INVALID)
    })

    it('G14: answers 503 temporarily_unavailable if the store fails and the key is not cached', async () => {
      const { clientId } = await createApplication(host.auth, ['catalog'])
      host.store.fail()
      const answer = await get(clientId)
      host.store.recover()
      expectRefusal(answer, 503, 'temporarily_unavailable', { 'retry-after': RETRY_AFTER_SECONDS })
      expect((await get(clientId)).status).toBe(200)
    })

    it('G15: answers an unexpected error with 500 server_error, and logs the cause', async () => {
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

    it('does not look up the same unknown key for every request', async () => {
      const { plain } = createCredentials('epa', Buffer.alloc(32)).mint('key', 0)
      const before = host.store.calls('findApplicationByKey')
      for (let i = 0; i < 10; i++) expectRefusal(await get(plain), 401, 'invalid_api_key', KEY_INVALID)
      // Once, and once more after each change in the feed.
      expect(host.store.calls('findApplicationByKey') - before).toBeLessThan(5)
    })

    it('G12: refuses a key from the next request on if its application is suspended during its look-up', async () => {
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

    it('G16: authOf(req) has the scheme, API and application, and no token', async () => {
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
      expect({ status, headers }).toMatchObject({ status: 401, headers: KEY_MISSING })
    })

    it("ignores keys in the query string and in the body, and the other scheme's header, even if it occurs twice", async () => {
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
        'GET /catalog/items HTTP/1.1',
        `X-Api-Key: ${clientId}`,
        'Authorization: Bearer a',
        'Authorization: Basic b',
      ])
      expect(status).toBe(200)
    })

    it('G19: answers with Vary and Cache-Control: private, also behind an optional guard without a key', async () => {
      const given = await get(reader.clientId)
      expect(given.headers).toMatchObject({ vary: 'X-Api-Key', 'cache-control': 'private' })
      const app = host.express().use(host.auth.requireApiKey('catalog', { optional: true }), sendAuthInfo)
      const { status, headers, body } = await request(app).get('/')
      expect({ status, body: body as unknown }).toEqual({ status: 200, body: null })
      expect(headers).toMatchObject({ vary: 'X-Api-Key', 'cache-control': 'private' })
    })

    it('G19: adds to the Vary of the host, and keeps the Cache-Control of the handler', async () => {
      const app = host.express().use(
        (_req, res, next) => next(void res.vary('Origin')),
        host.auth.requireApiKey('catalog'),
        (_req, res) => void res.set('Cache-Control', 'public, max-age=60').vary('Accept').end(),
      )
      const { headers } = await request(app).get('/').set('X-Api-Key', reader.clientId)
      expect(headers).toMatchObject({ vary: 'Origin, X-Api-Key, Accept', 'cache-control': 'public, max-age=60' })
    })

    it('G19: uses the methods that the host has put in place of Node’s', async () => {
      const written: string[] = []
      const app = host.express().use(
        (_req, res, next) => {
          const { setHeader } = res
          res.setHeader = (name, value) => setHeader.call(res, name, written.push(`${name}: ${String(value)}`) && value)
          res.getHeader = () => 'Cookie'
          res.hasHeader = () => true
          next()
        },
        host.auth.requireApiKey('catalog'),
        (_req, res) => void res.writeHead(204).end(),
      )
      const { headers } = await request(app).get('/').set('X-Api-Key', reader.clientId)
      expect(headers['vary']).toBe('Cookie, X-Api-Key')
      expect(headers).not.toHaveProperty('cache-control')
      expect(written).toEqual(['Vary: Cookie, X-Api-Key'])
    })

    it('G19: keeps a Cache-Control that was set before the guard', async () => {
      const app = host
        .express()
        .use(
          (_req, res, next) => next(void res.set('Cache-Control', 'no-cache')),
          host.auth.requireApiKey('catalog'),
          sendAuthInfo,
        )
      const { headers } = await request(app).get('/').set('X-Api-Key', reader.clientId)
      expect(headers['cache-control']).toBe('no-cache')
      expect((await request(app).get('/')).headers['cache-control']).toBe('no-store')
    })
  })
})

const LIMIT = 6

onEveryPlatform(
  (host) => {
    it('an imported client id gets the answer and the limit of an unknown text, so that none can be listed', async () => {
      const { app, auth } = host
      app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json({}))
      app.get('/weather/now', auth.requireApiKey('weather'), (_req, res) => void res.json({}))
      const line = (clientId: string, more = {}) => ({ name: clientId, apis: ['catalog'], clientId, ...more })
      const lines = [line('price-watch'), line('halted', { status: 'suspended' })]
      await auth.imports.run(lines, { confirm: true })

      const call = (key: string, path = '/catalog/items'): Promise<Response> =>
        request(app)
          .get(path)
          .set('X-Api-Key', key)
          .then((answer) => answer)
      const strip = ({ status, text, headers }: Response): unknown => {
        const { date: _, ...rest } = headers as Record<string, string>
        return { status, text, ...rest }
      }
      const unknown = strip(await call('price-watcher'))
      expect(unknown).toMatchObject({ status: 401 })
      // Twice: the second is answered from memory.
      expect(strip(await call('price-watch'))).toEqual(unknown)
      expect(strip(await call('price-watch'))).toEqual(unknown)
      expect(strip(await call('halted'))).toEqual(unknown)
      const unknownElsewhere = strip(await call('unknown', '/weather/now'))
      expect(strip(await call('price-watch', '/weather/now'))).toEqual(unknownElsewhere)
      for (const key of ['price-watch', 'halted', 'price-watcher']) {
        const limited = await call(key)
        expect([limited.status, (limited.body as { error: string }).error]).toEqual([429, 'too_many_requests'])
      }
      for (const { id } of (await auth.applications.list()).items) {
        expect((await auth.usage.refusals(id)).items).toEqual([])
      }
    })
  },
  { imports: true, rateLimits: { failedAuthentication: { limit: LIMIT, window: 3600 } } },
)
