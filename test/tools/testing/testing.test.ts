import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { authOf, type PlatformAuth } from '../../../src/index.js'
import { accessTokenFor, apiKeyFor, callersFor, fakeClock, headersFor } from '../../../src/tools/testing/index.js'
import { onEveryPlatform, usePlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'

onEveryPlatform((host) => {
  describe('accessTokenFor()', () => {
    it('resolves an access token with all scopes that the guard of its API accepts', async () => {
      const app = host.express().get('/', host.auth.requireBearer('orders'), (req, res) => void res.json(authOf(req)))
      const accessToken = await accessTokenFor(host.auth, 'orders')
      const { body } = await request(app).get('/').set('Authorization', `Bearer ${accessToken}`).expect(200)
      expect(body).toMatchObject({ api: 'orders', scopes: ['orders:read', 'orders:write'] })
      expect(await host.auth.verifyAccessToken('orders', accessToken)).toMatchObject({ scheme: 'oauth2' })
    })

    it('creates a new application for each call, so that tests are independent', async () => {
      const [one, other] = await Promise.all([accessTokenFor(host.auth, 'orders'), accessTokenFor(host.auth, 'orders')])
      expect(decodeJwt(one).sub).not.toBe(decodeJwt(other).sub)
      const application = await host.auth.applications.get(decodeJwt(one).sub!)
      expect(application).toMatchObject({ status: 'active', apis: { orders: {} } })
      await host.auth.applications.suspend(application!.id)
      await expect(host.auth.verifyAccessToken('orders', one)).rejects.toMatchObject({ error: 'invalid_token' })
      expect(await host.auth.verifyAccessToken('orders', other)).toMatchObject({ api: 'orders' })
    })

    it('uses the clock of the platform', async () => {
      const accessToken = await accessTokenFor(host.auth, 'orders')
      expect(decodeJwt(accessToken).iat).toBe(Math.floor(host.clock.now() / 1000))
      host.clock.advance(3604)
      expect(await host.auth.verifyAccessToken('orders', accessToken)).toMatchObject({ api: 'orders' })
      host.clock.advance(2)
      await expect(host.auth.verifyAccessToken('orders', accessToken)).rejects.toMatchObject({
        description: 'The access token expired',
      })
    })

    it('rejects an API of another scheme, an unknown API and an unknown scope', async () => {
      const untyped = host.auth as PlatformAuth
      await expect(accessTokenFor(untyped, 'ordres' as never)).rejects.toThrow(/"ordres"\. There are: orders, /)
      await expect(accessTokenFor(untyped, 'catalog' as never)).rejects.toThrow(/"catalog".*"apiKey".*"oauth2"/)
      await expect(apiKeyFor(untyped, 'orders' as never)).rejects.toThrow(/"orders".*"oauth2".*"apiKey"/)
      await expect(apiKeyFor(untyped, 'constructor' as never)).rejects.toThrow(/"constructor"/)
      const unknown = accessTokenFor(untyped, 'orders', { scopes: ['more'] })
      await expect(unknown).rejects.toMatchObject({ code: 'unknown_scope' })
    })
  })

  describe('apiKeyFor()', () => {
    it('resolves a key that only the guard of its API accepts', async () => {
      const app = host.express()
      app.get('/catalog', host.auth.requireApiKey('catalog'), (req, res) => void res.json(authOf(req).api))
      app.get('/weather', host.auth.requireApiKey('weather'), (req, res) => void res.json(authOf(req).api))
      const key = await apiKeyFor(host.auth, 'catalog')
      await request(app).get('/catalog').set('X-Api-Key', key).expect(200, '"catalog"')
      await request(app).get('/weather').set('X-Api-Key', key).expect(403)
      expect(await apiKeyFor(host.auth, 'catalog')).not.toBe(key)
    })
  })
})

it.each([
  ['accessTokenFor()', accessTokenFor as AnyHelper, 'orders'],
  ['apiKeyFor()', apiKeyFor as AnyHelper, 'catalog'],
  ['headersFor()', headersFor as AnyHelper, 'orders'],
  ['callersFor()', callersFor as AnyHelper, 'catalog'],
])(
  '%s refuses options that do not exist, so that no test has a credential with all scopes by mistake',
  async (_name, helper, api) => {
    const { auth } = usePlatform()
    const message = 'scope is not an option. Did you mean "scopes"?'
    await expect(helper(auth, api, { scope: ['orders:read'] })).rejects.toThrow(message)
    await expect(helper(auth, api, ['orders:read'])).rejects.toThrow('options is an array')
    await expect(helper(api, undefined, undefined)).rejects.toThrow('auth is no platform')
  },
)

type AnyHelper = (auth: unknown, api: unknown, options: unknown) => Promise<unknown>

describe('accessTokenFor()', () => {
  it('needs neither ready() nor an app, and works where baseUrl has a path', async () => {
    const { auth } = usePlatform({ baseUrl: 'https://api.example.com/shop/v1' })
    const accessToken = await accessTokenFor(auth, 'orders')
    expect(decodeJwt(accessToken).iss).toBe('https://api.example.com/shop/v1/orders')
  })

  it('rejects with the error of the token endpoint if no token is issued', async () => {
    const { auth } = usePlatform({ rateLimits: { tokenRequests: { limit: 1, window: 60 } } })
    // The helper requests one token per application; the API may have been disallowed before that request.
    auth.events.once(
      'application.registered',
      ({ applicationId }) => void auth.applications.disallow(applicationId!, 'orders'),
    )
    await expect(accessTokenFor(auth, 'orders')).rejects.toThrow(
      /^orders\/token answered 400 unauthorized_client: The application may not use this API$/,
    )
  })

  it('listens on no port', async () => {
    const { auth } = usePlatform()
    const servers = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length
    // A server of the previous test may still be closing.
    await expect.poll(servers).toBe(0)
    const pending = accessTokenFor(auth, 'orders')
    const seen: number[] = []
    const timer = setInterval(() => seen.push(servers()), 1)
    await pending
    clearInterval(timer)
    expect(Math.max(0, ...seen, servers())).toBe(0)
  })
})

it('fakeClock() stands still at the real time until it is advanced, by seconds', async () => {
  const before = Date.now()
  const clock = fakeClock()
  const start = clock.now()
  expect(start).toBeGreaterThanOrEqual(before)
  expect(start).toBeLessThanOrEqual(Date.now())
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(clock.now()).toBe(start)
  clock.advance(1.5)
  clock.advance(60)
  expect(clock.now()).toBe(start + 61_500)
})
