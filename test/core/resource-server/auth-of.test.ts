import express5, { type RequestHandler } from 'express'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { ConfigurationError, authOf, maybeAuthOf, OAuthError } from '../../../src/index.js'
import { accessToken, createApplication, expectRefusal } from '../../support/http.js'
import { usePlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'
import { type KnownApplication, mountGuardedRoutes, KEY_MISSING } from './guarded-routes.js'
import { onEveryFailingPlatform } from '../../support/failing-store.js'

describe('authOf(req)', () => {
  const { auth } = usePlatform()
  let shop: KnownApplication
  let token: string
  const router: RequestHandler = (req, res, next) => auth.router(req, res, next)

  beforeAll(async () => {
    shop = await createApplication(auth, ['orders', 'catalog'])
    token = await accessToken(express5().use(router), 'orders', shop)
  })

  it('throws if no guard has run, with a message that names requireBearer()', () => {
    expect(() => authOf({})).toThrow(/requireBearer/)
    expect(() => authOf({}, 'orders')).toThrow(/^No guard of the API "orders"/)
    expect(maybeAuthOf({})).toBeUndefined()
  })

  it.each([undefined, 'orders'])('throws a ConfigurationError with its code and what to do, for the API %s', (api) => {
    let thrown: unknown
    try {
      authOf({}, api)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(ConfigurationError)
    expect(thrown).toMatchObject({ code: 'invalid_configuration', fix: expect.stringContaining('maybeAuthOf(req)') })
  })

  it('is a new object for each call, so that a handler that changes it affects nobody else', async () => {
    const app = express5().use(auth.requireBearer('orders'), (req, res) => {
      const info = authOf(req)
      info.scopes.push('orders:everything')
      info.token!.expiresAt.setFullYear(3000)
      Reflect.set(info.application, 'name', 'Somebody else')
      Reflect.set(info, 'api', 'invoices')
      res.json([authOf(req), authOf(req, 'orders')])
    })
    const answers = []
    for (let i = 0; i < 3; i++) answers.push((await request(app).get('/').set('Authorization', `Bearer ${token}`)).text)
    expect(new Set(answers).size).toBe(1)
    const info = await auth.verifyAccessToken('orders', token)
    info.scopes.length = 0
    const again = JSON.stringify(await auth.verifyAccessToken('orders', token))
    expect(answers[0]).toBe(`[${again},${again}]`)
  })

  it('is found by a second copy of the package', async () => {
    vi.resetModules()
    const copy = await import('../../../src/index.js')
    expect(copy.authOf).not.toBe(authOf)
    const app = express5().use(auth.requireBearer('orders'), auth.requireApiKey('catalog'), (req, res) => {
      res.json([undefined, 'orders', 'catalog'].map((api) => [copy.authOf(req, api), authOf(req, api)]))
    })
    const headers = { Authorization: `Bearer ${token}`, 'X-Api-Key': shop.clientId }
    const { body } = await request(app).get('/').set(headers)
    for (const [one, other] of body as readonly unknown[][]) expect(one).toEqual(other)
    expect((body as readonly { api: string }[][]).map(([{ api } = { api: '' }]) => api)).toEqual([
      'catalog',
      'orders',
      'catalog',
    ])
  })

  it('works for an object whose prototype is the request', async () => {
    const app = express5().use(auth.requireApiKey('catalog'), (req, res) => {
      const derived = Object.create(req) as typeof req
      res.json([authOf(derived).application.id, authOf(req).application.id])
    })
    expect((await request(app).get('/').set('X-Api-Key', shop.clientId)).body).toEqual([shop.id, shop.id])
  })

  it('works for a Proxy of the request in Express', async () => {
    const app = express5().use(auth.requireApiKey('catalog'), (req, res) => {
      res.json(authOf(new Proxy(req, {})).application.id)
    })
    expect((await request(app).get('/').set('X-Api-Key', shop.clientId)).body).toBe(shop.id)
  })

  it('works in an app that is mounted in the app', async () => {
    const inner = express5().use((req, res) => void res.json(authOf(req).application.id))
    const app = express5().use('/orders', auth.requireBearer('orders'), inner)
    expect((await request(app).get('/orders/x').set('Authorization', `Bearer ${token}`)).body).toBe(shop.id)
  })

  it('is never read from a header, the query string or the body', async () => {
    const app = express5().use(express5.json(), (req, res) => void res.json(maybeAuthOf(req) ?? null))
    const body = { 'Symbol(express-platform-auth)': { api: 'orders' }, 'express-platform-auth': {} }
    expect((await request(app).post('/?express-platform-auth=x').send(body)).body).toBeNull()
  })
})

describe('auth.verifyAccessToken() and auth.verifyApiKey()', () => {
  onEveryFailingPlatform((host) => {
    let shop: KnownApplication
    let token: string

    beforeAll(async () => {
      mountGuardedRoutes(host)
      shop = await createApplication(host.auth, ['orders', 'catalog'])
      token = await accessToken(host.app, 'orders', shop)
    })

    it('resolve what authOf(req) returns behind a guard', async () => {
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
      'reject "%s" with the OAuthError of the answer that the guard sends',
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

    it.each(['', 'x', 'a b', 'x'.repeat(9000), '\u00fc'])(
      'reject the key "%s" with the OAuthError of the answer that the guard sends',
      async (key) => {
        const rejected = await host.auth.verifyApiKey('catalog', key).catch((error: unknown) => error)
        expect(rejected).toMatchObject({
          name: 'OAuthError',
          status: 401,
          code: key === '' ? 'unauthorized' : 'invalid_api_key',
          headers: key === '' ? { 'WWW-Authenticate': KEY_MISSING['www-authenticate'] } : (expect.anything() as object),
        })
      },
    )

    it('reject undefined as the guard refuses a missing header', async () => {
      const absent = undefined as unknown as string
      const refused = { name: 'OAuthError', status: 401, code: 'unauthorized' }
      await expect(host.auth.verifyAccessToken('orders', absent)).rejects.toMatchObject(refused)
      await expect(host.auth.verifyApiKey('catalog', absent)).rejects.toMatchObject(refused)
    })

    it('reject with status 503 and the cause while the store fails', async () => {
      const { clientId } = await createApplication(host.auth, ['catalog'])
      host.store.fail()
      const rejected = await host.auth.verifyApiKey('catalog', clientId).catch((error: unknown) => error)
      host.store.recover()
      expect(rejected).toMatchObject({ name: 'OAuthError', status: 503, code: 'temporarily_unavailable' })
      expect((rejected as Error).cause).toBeInstanceOf(Error)
    })

    it('reject an API of the other scheme and an unknown API with ConfigurationError', async () => {
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
