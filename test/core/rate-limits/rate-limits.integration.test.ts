import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import express, { type Express } from 'express'
import type { Redis } from 'ioredis'
import type supertest from 'supertest'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import {
  accessToken,
  createApplication,
  expectRefusal,
  createTokenForm,
  GRANT,
  post,
  RETRY_AFTER_SECONDS,
} from '../../support/http.js'
import { openPlatform, type TestOptions, type TestPlatform } from '../../support/platform.js'
import { openRedis } from '../../support/redis.js'
import { request, type Test } from '../../support/request.js'

const TOKEN = '/orders/token'
const MINUTE = { window: 60 }
const closings: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closings.splice(0)) await close()
})

/** A platform with a random `baseUrl`, so that it shares no limits with other tests. */
function openApp(
  rateLimits: NonNullable<TestOptions['rateLimits']>,
  options: TestOptions = {},
): TestPlatform & { app: Express } {
  const baseUrl = `https://${randomBytes(8).toString('hex')}.example.com`
  const made = openPlatform({ baseUrl, mailer: memoryMailer(), rateLimits, ...options })
  closings.push(made.auth.close)
  const app = express().disable('x-powered-by').set('trust proxy', true).use(made.auth.router)
  app.use('/register', made.auth.registration.router)
  app.use('/orders/items', made.auth.requireBearer('orders'))
  app.get('/orders/items', made.auth.requireBearer('orders'), (_req, res) => void res.json([]))
  app.get('/catalog/items', made.auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
  return { ...made, app }
}

const from = (address: string) => ({ 'X-Forwarded-For': address })
const byKey = (app: Express, clientId: string): Test => request(app).get('/catalog/items').set('X-Api-Key', clientId)

describe.each(['memory', 'Redis'] as const)('rate limits counted in %s', (counter) => {
  let shared: Awaited<ReturnType<typeof openRedis>> | undefined
  let redis: Redis | undefined
  beforeAll(async () => {
    if (counter === 'memory') return
    shared = await openRedis()
    redis = shared.connect()
  })
  afterAll(() => shared?.end())

  /** `limit` requests are answered with `good`, further ones with 429 and Retry-After. */
  async function expectLimit(limit: number, good: number, ask: () => PromiseLike<supertest.Response>): Promise<void> {
    for (let i = 0; i < limit; i++) expect((await ask()).status).toBe(good)
    for (let i = 0; i < 2; i++) {
      const refused = await ask()
      expectRefusal(refused, 429, 'too_many_requests', { 'retry-after': RETRY_AFTER_SECONDS })
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
      expect(refused.headers).not.toHaveProperty('ratelimit')
    }
  }

  it('refuse with 429 and Retry-After: requests, token requests, failed authentications, registrations', async () => {
    const limit = { limit: 2, ...MINUTE }
    const { app, auth } = openApp({
      requests: limit,
      tokenRequests: limit,
      failedAuthentication: limit,
      registration: limit,
      redis,
    })
    const shop = await createApplication(auth, ['orders', 'catalog'])
    const wrong = createTokenForm({ ...shop, clientSecret: 'wrong' })
    await expectLimit(2, 200, () => byKey(app, shop.clientId))
    await expectLimit(2, 200, () => post(app, TOKEN, createTokenForm(shop)))
    await expectLimit(2, 401, () => post(app, TOKEN, wrong))
    let contact = 0
    const register = (): Test =>
      request(app)
        .post('/register')
        .send({ name: 'Shop', contact: `dev${contact++}@shop.example`, apis: ['catalog'] })
    await expectLimit(2, 202, register)
  })

  it('count per application and API', async () => {
    const { app, auth } = openApp({ requests: { limit: 1, ...MINUTE }, redis })
    const [one, two] = [
      await createApplication(auth, ['orders', 'catalog']),
      await createApplication(auth, ['catalog']),
    ]
    const token = await accessToken(app, 'orders', one)
    const bearer = (): Test => request(app).get('/orders/items').set('Authorization', `Bearer ${token}`)
    expect((await byKey(app, one.clientId)).status).toBe(200)
    expect((await byKey(app, one.clientId)).status).toBe(429)
    expect((await byKey(app, two.clientId)).status).toBe(200)
    // Two guards of the same API count a request once.
    expect((await bearer()).status).toBe(200)
    expect((await bearer()).status).toBe(429)
  })

  it('allow requests again after the window', async () => {
    const { app, auth } = openApp({ requests: { limit: 1, window: 1 }, redis })
    const { clientId } = await createApplication(auth, ['catalog'])
    expect((await byKey(app, clientId)).status).toBe(200)
    const refused = await byKey(app, clientId)
    expect(refused.headers['retry-after']).toBe('1')
    await expect.poll(async () => (await byKey(app, clientId)).status).toBe(200)
  })

  it('accept the right secret from every address, after any number of guesses', async () => {
    const { app, auth } = openApp({ failedAuthentication: { limit: 3, ...MINUTE }, redis })
    const shop = await createApplication(auth, ['orders'])
    const wrong = createTokenForm({ ...shop, clientSecret: 'wrong' })
    const statuses = new Set<number>()
    for (let guess = 0; guess < 12; guess++) {
      for (const address of ['192.0.2.1', '192.0.2.2', `2001:db8::${guess}`]) {
        statuses.add((await post(app, TOKEN, wrong, from(address))).status)
        statuses.add(
          (await post(app, TOKEN, createTokenForm({ clientId: `x${guess}`, clientSecret: 'x' }), from(address))).status,
        )
        expect((await post(app, TOKEN, createTokenForm(shop), from(address))).status).toBe(200)
      }
      expect((await post(app, TOKEN, createTokenForm(shop), from('192.0.2.99'))).status).toBe(200)
    }
    expect([...statuses].toSorted((a, b) => a - b)).toEqual([401, 429])
  })

  it('count failed authentications of unknown clients per address, and of a known client separately', async () => {
    const { app, auth } = openApp({ failedAuthentication: { limit: 2, ...MINUTE }, redis })
    const shop = await createApplication(auth, ['orders'])
    const status = async (clientId: string): Promise<number> =>
      (await post(app, TOKEN, { ...GRANT, client_id: clientId, client_secret: 'wrong' }, from('192.0.2.1'))).status
    expect([await status('a'), await status('b'), await status('c'), await status(shop.clientId)]).toEqual([
      401, 401, 429, 401,
    ])
  })

  describe('with headers', () => {
    const POLICY = { limit: 3, window: 60 }

    it('are on allowed and on refused answers', async () => {
      const { app, auth } = openApp({ requests: POLICY, redis, headers: true })
      const { clientId } = await createApplication(auth, ['catalog'])
      for (const [status, remaining] of [
        [200, 2],
        [200, 1],
        [200, 0],
        [429, 0],
        [429, 0],
      ]) {
        const answer = await byKey(app, clientId)
        expect(answer.status).toBe(status)
        expect(answer.headers['ratelimit-policy']).toBe('"catalog";q=3;w=60')
        expect(answer.headers['ratelimit']).toMatch(new RegExp(`^"catalog";r=${remaining};t=(?:60|5\\d)$`))
        // The draft, section 6: Retry-After is not earlier.
        if (status === 429) expect(answer.headers['ratelimit']).toBe(`"catalog";r=0;t=${answer.headers['retry-after']}`)
      }
    })

    it("are added once by two guards, after the host app's own values", async () => {
      const { app, auth } = openApp({ requests: POLICY, redis, headers: true })
      const shop = await createApplication(auth, ['orders'])
      const token = await accessToken(app, 'orders', shop)
      const host = express().use((_req, res, next) => {
        res.set({ RateLimit: '"site";r=9;t=1', 'RateLimit-Policy': '"site";q=10' })
        next()
      }, app)
      const { headers } = await request(host).get('/orders/items').set('Authorization', `Bearer ${token}`).expect(200)
      expect(headers['ratelimit-policy']).toBe('"site";q=10, "orders";q=3;w=60')
      expect(headers['ratelimit']).toMatch(/^"site";r=9;t=1, "orders";r=2;t=\d+$/)
    })

    it('are on token answers, with a policy of their own, and readable for browsers (CORS)', async () => {
      const { app, auth } = openApp({ tokenRequests: POLICY, redis, headers: true }, { cors: { origin: '*' } })
      const shop = await createApplication(auth, ['orders'])
      const ask = () => post(app, TOKEN, createTokenForm(shop), { Origin: 'https://page.example' })
      for (const remaining of [2, 1, 0]) {
        const { status, headers } = await ask()
        expect([status, headers['ratelimit-policy']]).toEqual([200, '"orders/token";q=3;w=60'])
        expect(headers['ratelimit']).toMatch(new RegExp(`^"orders/token";r=${remaining};t=\\d+$`))
        expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' })
      }
      const { status, headers } = await ask()
      expect([status, headers['ratelimit']]).toEqual([429, `"orders/token";r=0;t=${headers['retry-after']}`])
      expect(headers['access-control-expose-headers']).toBe(
        'WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy',
      )
    })

    it('are absent without a limit, for failed authentications, and on requests that are refused before counting', async () => {
      const { app, auth } = openApp({ failedAuthentication: POLICY, redis, headers: true })
      const shop = await createApplication(auth, ['orders', 'catalog'])
      const answers = [
        await byKey(app, shop.clientId),
        await byKey(app, 'x'),
        await post(app, TOKEN, createTokenForm(shop)),
        ...(await Promise.all(
          Array.from({ length: 5 }, () => post(app, TOKEN, createTokenForm({ ...shop, clientSecret: 'x' }))),
        )),
      ]
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        200, 200, 401, 401, 401, 401, 429, 429,
      ])
      for (const { headers } of answers) expect(Object.keys(headers).join()).not.toContain('ratelimit')
    })

    it('are passed to onDenied', async () => {
      const onDenied = ({ headers }: { headers: object }, _req: unknown, res: ServerResponse) =>
        res.end(JSON.stringify(headers))
      const { app, auth } = openApp({ requests: { limit: 1, ...MINUTE }, redis, headers: true }, { onDenied })
      const { clientId } = await createApplication(auth, ['catalog'])
      await byKey(app, clientId)
      const shown = JSON.parse((await byKey(app, clientId)).text) as Record<string, string>
      expect(Object.keys(shown)).toEqual(expect.arrayContaining(['Retry-After', 'RateLimit-Policy', 'RateLimit']))
    })
  })
})

describe('rate limits in Redis', () => {
  let shared: Awaited<ReturnType<typeof openRedis>>
  beforeAll(async () => void (shared = await openRedis()))
  afterAll(() => shared.end())

  it('are shared by the platforms of one baseUrl, and not with another baseUrl', async () => {
    const rateLimits = { registration: { limit: 3, ...MINUTE } }
    const baseUrl = `https://${randomBytes(8).toString('hex')}.example.com`
    const twins = [0, 1].map(() => openApp({ ...rateLimits, redis: shared.connect() }, { baseUrl }))
    const other = openApp({ ...rateLimits, redis: shared.connect() })
    let contact = 0
    const register = async ({ app }: { app: Express }): Promise<number> =>
      (
        await request(app)
          .post('/register')
          .send({ name: 'Shop', contact: `dev${contact++}@shop.example`, apis: ['catalog'] })
      ).status
    const statuses = []
    for (const i of [0, 1, 1, 0, 1]) statuses.push(await register(twins[i]!))
    expect(statuses).toEqual([202, 202, 202, 429, 429])
    expect(await register(other)).toBe(202)
  })

  it('count anew where the window has been made shorter, and go on where only the limit is another', async () => {
    const [baseUrl, store] = [`https://${randomBytes(8).toString('hex')}.example.com`, memoryStore()]
    const open = (requests: { limit: number; window: number }) =>
      openApp({ requests, redis: shared.connect() }, { baseUrl, store })
    const before = open({ limit: 2, window: 3600 })
    const { clientId } = await createApplication(before.auth, ['catalog'])
    const ask = async ({ app }: { app: Express }) => (await byKey(app, clientId)).status
    for (const status of [200, 200, 429]) expect(await ask(before)).toBe(status)
    const larger = open({ limit: 5, window: 3600 })
    for (const status of [200, 200, 200, 429]) expect(await ask(larger)).toBe(status)
    const shorter = open({ limit: 2, window: 60 })
    for (const status of [200, 200, 429]) expect(await ask(shorter)).toBe(status)
    expect(Number((await byKey(shorter.app, clientId)).headers['retry-after'])).toBeLessThanOrEqual(60)
  })

  it('leave only keys that expire and that name neither addresses nor contacts nor API keys', async () => {
    const redis = shared.connect()
    const limit = { limit: 1, ...MINUTE }
    const { app, auth } = openApp({
      requests: limit,
      tokenRequests: limit,
      failedAuthentication: limit,
      registration: limit,
      redis,
    })
    const shop = await createApplication(auth, ['orders', 'catalog'])
    const before = new Set(await redis.keys('*'))
    await byKey(app, shop.clientId)
    await post(app, TOKEN, createTokenForm(shop))
    await post(app, TOKEN, createTokenForm({ ...shop, clientSecret: 'wrong' }), from('192.0.2.1'))
    await request(app)
      .post('/register')
      .send({ name: 'Shop', contact: 'dev@shop.example', apis: ['catalog'] })
    const keys = (await redis.keys('*')).filter((key) => !before.has(key))
    const names = keys.map(
      (key) => /^platform_auth:[\w-]{8}:(requests:catalog|tokenRequests:orders|\w+):[\w-]+$/.exec(key)?.[1],
    )
    expect(names.map(String).toSorted()).toEqual([
      'allRegistrations',
      'failedAuthentication',
      'registration',
      'registration',
      'requests:catalog',
      'tokenRequests:orders',
    ])
    expect(keys.join(' ')).not.toMatch(/192\.0|shop|@|epa_/)
    for (const key of keys) expect(await redis.pttl(key)).toBeGreaterThan(0)
  })

  it('neither connect nor close the client, and add no listeners', async () => {
    const redis = shared.connect()
    await redis.ping()
    const listeners = () => redis.eventNames().map((name) => [name, redis.listenerCount(name)])
    const before = listeners()
    const { app, auth } = openApp({ requests: { limit: 5, ...MINUTE }, redis })
    await byKey(app, (await createApplication(auth, ['catalog'])).clientId)
    await auth.close()
    expect(listeners()).toEqual(before)
    expect(await redis.ping()).toBe('PONG')
  })
})
