import express from 'express'
import { afterAll, describe, expect, it } from 'vitest'
import { ApplicationError, memoryStore, OAuthError } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import { accessToken, createApplication } from '../../support/http.js'
import { openPlatform, type TestPlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'

/** What a store of the host's own code rejects with, or throws. */
const FAILURES: Readonly<Record<string, () => unknown>> = {
  'a TypeError of its code': () => new TypeError("Cannot read properties of undefined (reading 'rows')"),
  'a ReferenceError': () => new ReferenceError('rows is not defined'),
  'what fetch() rejects with': () => new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }),
  'an ApplicationError': () => new ApplicationError('application_not_found', 'There is none.'),
  'an OAuthError': () => new OAuthError('invalid_token', 'The token is not valid.'),
  'no error': () => undefined,
  'a text': () => 'connection lost',
}

describe.each(['rejects with', 'throws'] as const)('a store that %s', (way) => {
  it.each(Object.entries(FAILURES))(
    '%s: is an outage for requests: known callers pass, others get 503',
    async (_, create) => {
      const host = await open(way, create)
      const { status, body } = await host.known()
      expect([status, body]).toEqual([200, 'Shop'])
      host.fail()
      expect((await host.known()).status).toBe(200)
      for (const [name, send] of Object.entries(host.unknown)) {
        const response = await send()
        expect([name, response.status, response.body.error]).toEqual([name, 503, 'temporarily_unavailable'])
      }
      await expect(host.platform.auth.applications.get(host.id)).rejects.toMatchObject({ code: 'store_unavailable' })
      await expect(host.platform.auth.verifyApiKey('catalog', host.otherKey)).rejects.toMatchObject({
        code: 'temporarily_unavailable',
      })
    },
  )
})

const opened: TestPlatform[] = []
afterAll(() => Promise.all(opened.map(({ auth }) => auth.close())))

async function open(way: 'rejects with' | 'throws', create: () => unknown) {
  let isFailing = false
  const working = memoryStore()
  const store = new Proxy(working, {
    get(target, name: keyof StoreWith) {
      const value = target[name] as unknown
      if (typeof value !== 'function' || name === 'close' || name === 'changesSince') return value
      return (...args: unknown[]): unknown => {
        if (!isFailing) return Reflect.apply(value, target, args) as unknown
        // oxlint-disable-next-line typescript/only-throw-error -- what a store may throw
        if (way === 'throws') throw create()
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the same
        return Promise.reject(create())
      }
    },
  })
  const platform = openPlatform({ store })
  opened.push(platform)
  const { auth } = platform
  await auth.ready()
  const app = express().use(auth.router)
  app.get('/catalog', auth.requireApiKey('catalog'), (req, res) => void res.json(auth.of(req).application.name))
  app.get('/orders', auth.requireBearer('orders'), (req, res) => void res.json(auth.of(req).application.name))
  const shop = await createApplication(auth, ['orders', 'catalog'])
  // Made by another process, and never seen here.
  const elsewhere = openPlatform({ store: { ...working, close: async () => undefined } })
  opened.push(elsewhere)
  const other = await createApplication(elsewhere.auth, ['orders', 'catalog'])
  const token = await accessToken(express().use(elsewhere.auth.router), 'orders', other)
  const form = { grant_type: 'client_credentials', client_id: other.clientId, client_secret: other.clientSecret }
  return {
    platform,
    id: shop.id,
    otherKey: other.clientId,
    fail: () => void (isFailing = true),
    known: () => request(app).get('/catalog').set('X-Api-Key', shop.clientId),
    unknown: {
      'a key': () => request(app).get('/catalog').set('X-Api-Key', other.clientId),
      'an access token': () => request(app).get('/orders').set('Authorization', `Bearer ${token}`),
      'the token endpoint': () => request(app).post('/orders/token').type('form').send(form),
    },
  }
}
