import { mock } from 'node:test'
import express from 'express'
import { decodeJwt } from 'jose'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { emails } from '../../../src/features/emails/index.js'
import { registration } from '../../../src/features/registration/index.js'
import { authOf, createPlatformAuth, memoryStore, type PlatformAuth } from '../../../src/index.js'
import {
  accessTokenFor,
  apiKeyFor,
  callersFor,
  createTestPlatform,
  expectSecured,
  fakeClock,
  fetchFrom,
  headersFor,
  memoryMailer,
} from '../../../src/tools/testing/index.js'
import { onEveryPlatform, usePlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'

const APIS = {
  orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' } },
  catalog: { scheme: 'apiKey', registration: 'automatic' },
  prices: { scheme: 'apiKey', header: 'X-Price-Key' },
} as const

function openApp<Auth extends PlatformAuth<typeof APIS>>(auth: Auth) {
  const app = express().use(auth.router)
  const answer: express.RequestHandler = (req, res) => void res.json(authOf(req))
  app.get('/orders/items', auth.requireBearer('orders', { scopes: ['orders:read'] }), answer)
  app.get('/catalog/items', auth.requireApiKey('catalog'), answer)
  app.get('/prices/items', auth.requireApiKey('prices'), answer)
  onTestFinished(() => auth.close())
  return app
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('createTestPlatform()', () => {
  it('says that APIs are missing', () => {
    expect(() => createTestPlatform(undefined as never)).toThrow('apis is missing. Write createTestPlatform({ apis })')
  })

  it('creates a platform that works at once and prints nothing, not even for refusals', async () => {
    const printed = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name))
    const { auth } = createTestPlatform({ apis: APIS })
    const app = openApp(auth)
    await request(app).get('/orders/items').expect(401)
    await request(app)
      .get('/orders/items')
      .set(await headersFor(auth, 'orders'))
      .expect(200)
    expect(printed.flatMap(({ mock }) => mock.calls)).toEqual([])
  })

  it('logs errors, because an answer 500 tells nobody its cause', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    const { auth } = createTestPlatform({ apis: APIS })
    onTestFinished(() => auth.close())
    const guard = auth.requireApiKey('catalog', {
      allow: () => {
        throw new Error('A mistake in allow')
      },
    })
    const app = express().get('/', guard, (_req, res) => void res.end())
    await request(app)
      .get('/')
      .set(await headersFor(auth, 'catalog'))
      .expect(500)
    expect(String(error.mock.calls.flat())).toContain('A mistake in allow')
  })

  it('has no rate limits, whatever limits the APIs have', async () => {
    const apis = { catalog: { scheme: 'apiKey', rateLimit: { limit: 1, window: 60 } } } as const
    const { auth } = createTestPlatform({ apis })
    const app = express().get('/', auth.requireApiKey('catalog'), (_req, res) => void res.end())
    onTestFinished(() => auth.close())
    const headers = await headersFor(auth, 'catalog')
    for (let i = 0; i < 3; i += 1) await request(app).get('/').set(headers).expect(200)
    const unknown = `${headers['X-Api-Key']!.slice(0, -8)}00000000`
    for (let i = 0; i < 25; i += 1)
      expect((await fetchFrom(app)('/', { headers: { 'X-Api-Key': unknown } })).status).toBe(401)
  })

  it('has the limits of the APIs if a test asks for rate limits', async () => {
    const apis = { catalog: { scheme: 'apiKey', rateLimit: { limit: 1, window: 60 } } } as const
    const { auth } = createTestPlatform({ apis, rateLimits: {} })
    onTestFinished(() => auth.close())
    const app = express().get('/', auth.requireApiKey('catalog'), (_req, res) => void res.end())
    const headers = await headersFor(auth, 'catalog')
    await request(app).get('/').set(headers).expect(200)
    await request(app).get('/').set(headers).expect(429)
  })

  it('has a clock that rules expiry', async () => {
    const { auth, clock } = createTestPlatform({ apis: APIS })
    const app = openApp(auth)
    const headers = await headersFor(auth, 'orders')
    clock.advance(3590)
    await request(app).get('/orders/items').set(headers).expect(200)
    clock.advance(20)
    await request(app)
      .get('/orders/items')
      .set(headers)
      .expect(401, /expired/)
  })

  it('takes every option, and keeps its types', async () => {
    const schema = z.object({ discount: z.number() })
    const { auth } = createTestPlatform({
      apis: APIS,
      metadata: schema,
      baseUrl: 'https://api.example.com/v1',
    })
    onTestFinished(() => auth.close())
    const metadata = { discount: 10 }
    const { application } = await auth.verifyAccessToken('orders', await accessTokenFor(auth, 'orders', { metadata }))
    const discount: number | undefined = application.metadata?.discount
    expect(discount).toBe(10)
    expect(auth.apis[0]!.resource).toBe('https://api.example.com/v1/orders')
    await expect(accessTokenFor(auth, 'orders', { metadata: { discount: 'no' } })).rejects.toThrow()
  })

  it('sends e-mails to a memoryMailer(), from which a test reads the credentials', async () => {
    const mailer = memoryMailer()
    const { auth } = createTestPlatform({ apis: APIS, features: [emails({ mailer }), registration()] })
    const app = openApp(auth)
    expect(() => mailer.last()).toThrow(/No e-mail/)
    await auth.registration.register({ name: 'Acme', contact: 'dev@acme.example', apis: ['catalog'] })
    await mailer.sent()
    const { clientId, clientSecret } = mailer.last().credentials
    expect(clientSecret).toBeUndefined()
    await request(app).get('/catalog/items').set('X-Api-Key', clientId!).expect(200)
  })
})

const NODE_TIMERS = ['Date', 'setTimeout', 'setInterval', 'setImmediate'] as const
const FAKE_TIMERS: readonly [string, (now: number) => void, () => void][] = [
  ['Vitest', (now) => void vi.useFakeTimers({ now }), () => void vi.useRealTimers()],
  ['node:test', (now) => mock.timers.enable({ apis: [...NODE_TIMERS], now }), () => mock.timers.reset()],
]

describe.each(FAKE_TIMERS)('with all fake timers of %s', (_, setTime, restore) => {
  it('callers are made, requests are answered, e-mails are sent and credentials expire', async () => {
    const mailer = memoryMailer()
    const { auth } = createTestPlatform({ apis: APIS, features: [emails({ mailer }), registration()] })
    const call = fetchFrom(openApp(auth))
    onTestFinished(restore)
    setTime(Date.now())
    const callers = await callersFor(auth, 'orders')
    const status = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await call('/orders/items', { headers })).status
    expect(await status(callers.allowed.headers)).toBe(200)
    expect(await status(callers.expired.headers)).toBe(401)
    await auth.registration.register({ name: 'Acme', contact: 'dev@acme.example', apis: ['catalog'] })
    expect(await mailer.sent()).toHaveLength(1)
    restore()
    setTime(Date.now() + 7_200_000)
    expect(await status(callers.allowed.headers)).toBe(401)
  })
})

onEveryPlatform((host) => {
  describe('a given application', () => {
    it('gets access tokens with its scopes or some of them, and no further secret', async () => {
      const { auth } = host
      const { application } = await auth.applications.create({
        name: 'Shop',
        apis: { orders: { scopes: ['orders:read'] } },
      })
      const all = await accessTokenFor(auth, 'orders', { application })
      expect(decodeJwt(all)).toMatchObject({ sub: application.id, scope: 'orders:read' })
      const none = await accessTokenFor(auth, 'orders', { application: application.id, scopes: [] })
      expect(decodeJwt(none)).not.toHaveProperty('scope')
      for (let i = 0; i < 21; i += 1) await accessTokenFor(auth, 'orders', { application })
      expect((await auth.applications.get(application.id))!.secrets).toHaveLength(1)
      expect(await auth.verifyAccessToken('orders', all)).toMatchObject({ application: { id: application.id } })
      const more = accessTokenFor(auth, 'orders', { application, scopes: ['orders:write'] })
      await expect(more).rejects.toMatchObject({ code: 'not_granted' })
    })

    it('gets one further key, however often a test asks for it', async () => {
      const { auth } = host
      const { application, credentials } = await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
      const key = await apiKeyFor(auth, 'catalog', { application })
      expect(key).not.toBe(credentials.clientId)
      expect(await apiKeyFor(auth, 'catalog', { application })).toBe(key)
      expect(await auth.verifyApiKey('catalog', key)).toMatchObject({ application: { id: application.id } })
      expect(await auth.verifyApiKey('catalog', credentials.clientId)).toMatchObject({ api: 'catalog' })
      const { keys } = (await auth.applications.get(application.id))!
      for (const { id } of keys.slice(0, 1)) await auth.applications.endCredential(application.id, id)
      const next = await apiKeyFor(auth, 'catalog', { application })
      expect(await auth.verifyApiKey('catalog', next)).toMatchObject({ api: 'catalog' })
    })
  })

  describe('a new application', () => {
    it('has the name, the external id and the metadata that a test gives', async () => {
      const { auth } = host
      const options = { name: 'Acme', metadata: { discount: 10 } }
      const token = await accessTokenFor(auth, 'orders', { ...options, externalId: `t-${host.clock.now()}` })
      const { application } = await auth.verifyAccessToken('orders', token)
      expect(application).toMatchObject({ ...options, externalId: `t-${host.clock.now()}` })
      const key = await apiKeyFor(auth, 'catalog', options)
      expect((await auth.verifyApiKey('catalog', key)).application).toMatchObject(options)
    })
  })

  describe('callersFor()', () => {
    it.each(['orders', 'catalog'] as const)(
      'makes callers of %s that are accepted or refused as named',
      async (api) => {
        const { auth, express } = host
        const guard = api === 'orders' ? auth.requireBearer('orders') : auth.requireApiKey('catalog')
        const app = express().get('/', guard, (req, res) => void res.json(authOf(req).application.id))
        const { allowed, suspended, expired, revoked } = await callersFor(auth, api)
        await request(app).get('/').set(allowed.headers).expect(200, `"${allowed.applicationId}"`)
        await request(app)
          .get('/')
          .set(suspended.headers)
          .expect(api === 'orders' ? 401 : 403)
        await request(app).get('/').set(expired.headers).expect(401)
        await request(app).get('/').set(revoked.headers).expect(401)
        expect(Object.values(allowed.headers).join('')).toContain(allowed.credential)
      },
    )
  })
})

describe.each([
  [['private_key_jwt']],
  [['client_secret_basic']],
  [['client_secret_post']],
  [['client_secret_basic', 'private_key_jwt']],
] as const)('at an API whose clients authenticate with %j alone', (clientAuthentication) => {
  async function open() {
    const scopes = { 'pay:read': 'Read', 'pay:write': 'Pay' }
    const apis = { payments: { scheme: 'oauth2', clientAuthentication, scopes } } as const
    const { auth, clock } = createTestPlatform({ apis, baseUrl: 'https://api.example.com/v1' })
    const guard = auth.requireBearer('payments', { scopes: ['pay:read'] })
    const app = express().use('/v1', auth.router)
    app.get('/payments/items', guard, (req, res) => void res.json(authOf(req).scopes))
    onTestFinished(() => auth.close())
    return { auth, clock, app }
  }

  it('an application gets access tokens, also a given one, with other scopes and later, and keeps nothing of it', async () => {
    const { auth, clock, app } = await open()
    const fetchApp = fetchFrom(app)
    const read = async (headers: Record<string, string>) => {
      const response = await fetchApp('/payments/items', { headers })
      return response.status === 200 ? ((await response.json()) as string[]) : response.status
    }
    expect(await read(await headersFor(auth, 'payments'))).toEqual(['pay:read', 'pay:write'])
    clock.advance(3 * 86_400)
    const { application } = await auth.applications.create({ name: 'Given', apis: ['payments'] })
    const { secrets } = application
    const answers = [['pay:read'], ['pay:write']] as const
    const given = answers.map((scopes) => headersFor(auth, 'payments', { application, scopes }))
    expect(await Promise.all(given.map(async (headers) => read(await headers)))).toEqual([['pay:read'], 403])
    const left = (await auth.applications.get(application.id))!.secrets
    expect(left.map(({ id }) => id)).toEqual(secrets.map(({ id }) => id))
    const { allowed, ...others } = await callersFor(auth, 'payments')
    expect(await read(allowed.headers)).toEqual(['pay:read', 'pay:write'])
    for (const { headers } of Object.values(others)) expect(await read(headers)).toBe(401)
  })

  it('expectSecured() makes its callers', async () => {
    const { auth, app } = await open()
    expect(await expectSecured(app, { auth })).toMatchObject({ routes: ['GET /payments/items'] })
  })
})

describe('callersFor()', () => {
  it('works with the real time, and leaves Date.now() as it was', async () => {
    const { now } = Date
    const { auth } = usePlatform({ now: undefined })
    const [one, other] = await Promise.all([callersFor(auth, 'orders'), callersFor(auth, 'catalog')])
    expect(Date.now).toBe(now)
    await expect(auth.verifyAccessToken('orders', one.expired.credential)).rejects.toMatchObject({
      description: 'The access token expired',
    })
    await expect(auth.verifyApiKey('catalog', other.expired.credential)).rejects.toMatchObject({ status: 401 })
    expect(await auth.verifyAccessToken('orders', one.allowed.credential)).toMatchObject({ api: 'orders' })
  })

  it('says what to do about a clock that it cannot set back', async () => {
    const started = Date.now()
    const auth = createPlatformAuth({
      baseUrl: 'http://localhost',
      apis: APIS,
      store: memoryStore(),
      now: () => started,
    })
    onTestFinished(() => auth.close())
    await expect(callersFor(auth, 'orders')).rejects.toThrow(/`now`.*fakeClock/)
    await expect(callersFor(auth, 'catalog')).rejects.toThrow(/`now`.*fakeClock/)
  })
})

it('headersFor() gives the header that the API reads', async () => {
  const { auth } = createTestPlatform({ apis: APIS })
  onTestFinished(() => auth.close())
  expect(Object.keys(await headersFor(auth, 'orders'))).toEqual(['Authorization'])
  expect(Object.keys(await headersFor(auth, 'prices'))).toEqual(['X-Price-Key'])
  await expect(headersFor(auth as PlatformAuth, 'ordres')).rejects.toThrow(/"ordres"/)
})

describe('fetchFrom()', () => {
  const app = express()
    .use(express.text())
    .all('/echo/:id', (req, res) => {
      res.cookie('a', '1').cookie('b', '2')
      res
        .status(201)
        .json({ method: req.method, url: req.originalUrl, body: req.body as unknown, host: req.headers.host })
    })

  it('sends method, query, headers and body, and resolves the whole answer', async () => {
    const response = await fetchFrom(app)('/echo/1?a=b', { method: 'POST', body: 'Hello' })
    expect(response.status).toBe(201)
    expect(await response.json()).toEqual({ method: 'POST', url: '/echo/1?a=b', body: 'Hello', host: 'localhost' })
    expect(response.headers.getSetCookie()).toHaveLength(2)
    const request = new Request('https://api.example.com/echo/2', { method: 'DELETE' })
    expect(await (await fetchFrom(app)(request)).json()).toMatchObject({ method: 'DELETE', host: 'api.example.com' })
  })
})

it('memoryMailer() reads credentials with another prefix, and claim links', async () => {
  const mailer = memoryMailer()
  const { auth } = usePlatform({
    mailer,
    now: fakeClock().now,
    credentials: { prefix: 'my_shop' },
    delivery: 'claim-link',
    developersUrl: 'https://example.com/d',
  })
  const { application } = await auth.applications.create({ name: 'A', contact: 'dev@a.example', apis: ['orders'] })
  await auth.applications.rotateSecret(application.id, { deliver: 'email' })
  const [email] = await mailer.sent()
  expect(email!.credentials).toEqual({
    clientId: undefined,
    clientSecret: undefined,
    claimLink: expect.stringMatching(/^https:\/\/example\.com\/d\/register\/claim#[\w-]{43}$/) as unknown,
  })
  const inline = memoryMailer()
  const other = usePlatform({ mailer: inline, credentials: { prefix: 'my_shop' } })
  await other.auth.registration.register({ name: 'B', contact: 'dev@b.example', apis: ['invoices', 'catalog'] })
  const { items } = await other.auth.applications.list()
  await other.auth.applications.approve(items[0]!.id)
  await inline.sent()
  const { clientId, clientSecret } = inline.last().credentials
  expect(clientId).toMatch(/^my_shop_key_/)
  expect(clientSecret).toMatch(/^my_shop_sec_/)
  const { application: found } = await other.auth.verifyApiKey('catalog', clientId!)
  expect(found.name).toBe('B')
})
