import type { IncomingMessage } from 'node:http'
import express from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ConfigurationError, memoryStore, type OAuthError } from '../../../src/index.js'
import { guardsFromDocument, type DocumentGuardsOptions } from '../../../src/tools/document-guards/index.js'
import { plans, type PlanOptions } from '../../../src/features/plans/index.js'
import { fakeClock } from '../../../src/tools/testing/index.js'
import { createApplication } from '../../support/http.js'
import { recordingLogger, usePlatform } from '../../support/platform.js'
import { waitUntil } from '../../support/wait-until.js'
import { request } from '../../support/request.js'
import { throwing } from '../../support/throwing.js'

const FREE: Record<string, PlanOptions> = {
  free: {
    requests: [
      { limit: 3, window: 10 },
      { limit: 5, per: 'day' },
    ],
  },
}

interface OpenOptions {
  readonly store?: ReturnType<typeof memoryStore>
  readonly given?: typeof FREE
  readonly headers?: boolean
  readonly requests?: false | { readonly limit: number; readonly window: number }
}

/** A platform with two key APIs, and an application that has a plan. */
async function open({ store = memoryStore(), given = FREE, headers = false, requests = false }: OpenOptions = {}) {
  const clock = fakeClock(Date.parse('2026-11-25T12:00:00Z'))
  const logger = recordingLogger()
  const rateLimits = { headers, requests }
  const { auth } = usePlatform({ store, logger, now: clock.now, rateLimits, plans: plans(given) })
  await auth.ready()
  const { id, clientId: key } = await createApplication(auth, ['catalog', 'weather', 'orders'])
  await auth.plans.set(id, Object.keys(given)[0]!)
  const app = express()
  app.get('/items', auth.requireApiKey('catalog'), (_req, res) => void res.json({}))
  app.get('/weather', auth.requireApiKey('weather', { cost: 2 }), (_req, res) => void res.json({}))
  const call = (path = '/items') => request(app).get(path).set('X-Api-Key', key)
  return { auth, app, call, id, key, store, clock, logger }
}

describe('a guard', () => {
  it('calls neither a handler nor an error handler of a request that the host answered while the quota was read', async () => {
    const { app, auth } = await open()
    const { application, credentials } = await auth.applications.create({ name: 'Slow', apis: ['catalog'] })
    const call = (path: string) => request(app).get(path).set('X-Api-Key', credentials.clientId)
    const called: string[] = []
    const answerFirst: express.RequestHandler = (_req, res, next) => {
      next()
      res.status(503).end()
    }
    app.get('/late', answerFirst, auth.requireApiKey('catalog'), () => void called.push('handler'))
    app.use((_error: unknown, _req: express.Request, _res: express.Response, _next: express.NextFunction) => {
      called.push('error handler')
    })
    app.get('/unlimited', auth.requireApiKey('catalog', { cost: 0 }), (_req, res) => void res.json({}))
    await auth.plans.set(application.id, 'free')
    // The key is known from now on, and how much of the quota is used is not.
    expect((await call('/unlimited')).status).toBe(200)
    expect((await call('/late')).status).toBe(503)
    expect((await call('/items')).status).toBe(200)
    expect(called).toEqual([])
  })

  it('refuses a request above a limit of the plan with 429, which says which limit it was and until when', async () => {
    const { call, clock } = await open()
    for (let i = 0; i < 3; i++) expect((await call()).status).toBe(200)
    const refused = await call()
    expect(refused.status).toBe(429)
    expect(refused.body).toEqual({
      error: 'too_many_requests',
      error_description: 'Too many requests, try again in 10 seconds',
    })
    expect(refused.headers).toMatchObject({
      'retry-after': '10',
      'ratelimit-policy': '"plan/10s";q=3;w=10, "plan/day";q=5;w=86400',
      ratelimit: '"plan/10s";r=0;t=10, "plan/day";r=2;t=43200',
    })
    clock.advance(10)
    for (let i = 0; i < 2; i++) expect((await call()).status).toBe(200)
    const used = await call()
    expect(used.status).toBe(429)
    expect(used.body).toEqual({
      error: 'quota_exceeded',
      error_description: 'The quota of 5 in a day is used up, try again in 12 hours',
    })
    expect(used.headers['retry-after']).toBe(String(12 * 3600 - 10))
  })

  it('counts requests to all APIs together, what they cost, and none without a plan', async () => {
    const { auth, call, id, clock } = await open()
    expect((await call('/weather')).status).toBe(200)
    expect((await call('/weather')).status).toBe(429)
    expect((await call('/items')).status).toBe(200)
    expect((await call('/items')).status).toBe(429)
    expect((await auth.plans.usage(id)).quotas).toMatchObject([{ per: 'day', limit: 5, used: 3, left: 2, soft: false }])
    await auth.plans.set(id, null)
    for (let i = 0; i < 5; i++) expect((await call()).status).toBe(200)
    clock.advance(10)
  })

  it('sends the state of each limit with answers too, beside the one of the API, if headers are on', async () => {
    const { call } = await open({ headers: true, requests: { limit: 100, window: 60 } })
    const answer = await call()
    expect(answer.headers['ratelimit-policy']).toBe('"catalog";q=100;w=60, "plan/10s";q=3;w=10, "plan/day";q=5;w=86400')
    expect(answer.headers['ratelimit']).toBe('"catalog";r=99;t=60, "plan/10s";r=2;t=10, "plan/day";r=4;t=43200')
  })

  it('uses nothing of a quota for a request that scopes or the limit of the API refuse, and judges before allow', async () => {
    const { auth, id, call } = await open({ requests: { limit: 2, window: 10 } })
    for (let i = 0; i < 4; i++) await call()
    expect((await auth.plans.usage(id)).quotas[0]!.used).toBe(2)
    const other = await open()
    let asked = 0
    const guard = other.auth.requireApiKey('catalog', { allow: () => (asked += 1) < 0 })
    other.app.get('/own', guard, (_req, res) => void res.json({}))
    for (const status of [403, 403, 403, 429])
      expect((await request(other.app).get('/own').set('X-Api-Key', other.key)).status).toBe(status)
    expect(asked).toBe(3)
  })

  it('counts once where several guards of an API, or verifiers with the request, judge it', async () => {
    const { auth, app, id, key } = await open()
    const twice = [auth.requireApiKey('catalog'), auth.requireApiKey('catalog', { cost: 3 })] as const
    app.get('/twice', ...twice, (req, res, next) => {
      auth.verifyApiKey('catalog', key, { req }).then(() => res.json({}), next)
    })
    expect((await request(app).get('/twice').set('X-Api-Key', key)).status).toBe(200)
    expect((await auth.plans.usage(id)).quotas[0]!.used).toBe(1)
  })

  it('lets a request pass that a soft limit would refuse, and counts it', async () => {
    const { auth, call, id } = await open({ given: { free: { requests: [{ limit: 1, per: 'month' }], soft: true } } })
    for (let i = 0; i < 3; i++) expect((await call()).status).toBe(200)
    expect((await auth.plans.usage(id)).quotas).toMatchObject([{ per: 'month', used: 3, left: 0, soft: true }])
  })

  it('answers 500, and lets nothing pass uncounted, if the function that tells a cost fails', async () => {
    const { auth, app, key, logger, id } = await open()
    const costs: Record<string, () => number> = {
      throws: throwing(new Error('no cost')),
      none: () => undefined as unknown as number,
      negative: () => -1,
      fraction: () => 1.5,
      infinite: () => Infinity,
      late: () => Promise.resolve(1) as unknown as number,
      lateFailure: () => Promise.reject(new Error('late')) as unknown as number,
      huge: () => 1e9,
    }
    for (const [name, cost] of Object.entries(costs)) {
      app.get(`/${name}`, auth.requireApiKey('catalog', { cost }), (_req, res) => void res.json({}))
      const answer = await request(app).get(`/${name}`).set('X-Api-Key', key)
      expect([name, answer.status, answer.body.error]).toEqual([name, 500, 'server_error'])
    }
    expect(logger.lines.join('\n')).toContain('no cost')
    expect((await auth.plans.usage(id)).quotas[0]!.used).toBe(0)
    app.get('/free', auth.requireApiKey('catalog', { cost: () => 0 }), (_req, res) => void res.json({}))
    for (let i = 0; i < 9; i++) expect((await request(app).get('/free').set('X-Api-Key', key)).status).toBe(200)
  })

  it('refuses a number that a limit of a plan could never let pass when the route is made, and no soft one', async () => {
    const { auth } = await open({
      given: {
        free: { requests: [{ limit: 3, window: 10 }] },
        gold: { requests: [{ limit: 5, per: 'month' }] },
        soft: { requests: [{ limit: 1, per: 'day', soft: true }] },
      },
    })
    const limits =
      'cost is 4, and the plan "free" allows 3 in 10 seconds: no request of such an application could ever pass'
    expect(() => auth.requireApiKey('catalog', { cost: 4 })).toThrow(`requireApiKey("catalog"): ${limits}`)
    expect(() => auth.requireBearer('orders', { cost: 4 })).toThrow(ConfigurationError)
    const operation = { responses: {}, security: [{ apiKey: [] }] }
    const document = { openapi: '3.1.0', info: { title: 'C', version: '1' }, paths: { '/items': { get: operation } } }
    for (const cost of [4, { 'GET /items': 4 }])
      expect(() => guardsFromDocument(auth, 'catalog', document, { cost })).toThrow('allows 3 in 10 seconds')
    for (const cost of [0, 3, () => 4]) expect(() => auth.requireApiKey('catalog', { cost })).not.toThrow()
  })

  it('answers 403, which no wait ends, to a cost that is only known with the request and above a limit', async () => {
    const given = {
      free: {
        requests: [
          { limit: 3, window: 10 },
          { limit: 1, per: 'day', soft: true },
        ],
      },
    } as const
    const { auth, app, key, id, call } = await open({ given })
    app.get('/large', auth.requireApiKey('catalog', { cost: () => 4 }), (_req, res) => void res.json({}))
    const large = () => request(app).get('/large').set('X-Api-Key', key)
    for (const used of [0, 3]) {
      for (let i = 0; i < used; i++) expect((await call()).status).toBe(200)
      const refused = await large()
      expect([refused.status, refused.body]).toEqual([
        403,
        { error: 'cost_above_limit', error_description: 'The request costs 4, and the plan allows 3 in 10 seconds' },
      ])
      expect(refused.headers).not.toHaveProperty('retry-after')
      expect(refused.headers['ratelimit-policy']).toBe('"plan/10s";q=3;w=10, "plan/day";q=1;w=86400')
    }
    await expect(auth.verifyApiKey('catalog', key, { cost: 4 })).rejects.toMatchObject({ error: 'cost_above_limit' })
    expect((await auth.plans.usage(id)).quotas[0]!.used).toBe(3)
    const findFix = async () =>
      (await auth.usage.refusals(id)).items.find(({ error }) => error === 'cost_above_limit')?.fix
    await waitUntil(async () => (await findFix()) !== undefined)
    expect(await findFix()).toContain('It never passes as it is.')
  })

  it('says of several limits that are used up when the last of them ends', async () => {
    const { call } = await open({
      given: {
        free: {
          requests: [
            { limit: 2, window: 10 },
            { limit: 2, per: 'day' },
          ],
        },
      },
    })
    for (let i = 0; i < 2; i++) await call()
    const refused = await call()
    expect([refused.body.error, refused.headers['retry-after']]).toEqual(['quota_exceeded', String(12 * 3600)])
  })

  it('refuses a cost that is neither a number nor a function when the route is made', async () => {
    const { auth } = await open()
    for (const cost of [-1, 1.5, NaN, '5', null, 1e7])
      expect(() => auth.requireApiKey('catalog', { cost: cost as number })).toThrow(ConfigurationError)
  })
})

describe('a verifier', () => {
  it('judges the plan, and rejects with the refusal of a guard', async () => {
    const { auth, key } = await open()
    for (let i = 0; i < 3; i++) await auth.verifyApiKey('catalog', key)
    await expect(auth.verifyApiKey('catalog', key)).rejects.toMatchObject({
      status: 429,
      error: 'too_many_requests',
    } as OAuthError)
    const req = {}
    await expect(auth.verifyApiKey('weather', key, { req })).rejects.toMatchObject({ status: 429 })
  })

  it('counts what a request costs, once with the request, and refuses a wrong cost', async () => {
    const { auth, id, key } = await open({ given: { free: { requests: [{ limit: 100, per: 'day' }] } } })
    const used = async () => (await auth.plans.usage(id)).quotas[0]!.used
    await auth.verifyApiKey('catalog', key, { cost: 5 })
    expect(await used()).toBe(5)
    await auth.verifyApiKey('catalog', key, { cost: 0 })
    const req = { url: '/large' } as IncomingMessage
    for (let i = 0; i < 2; i++) await auth.verifyApiKey('catalog', key, { req, cost: ({ url }) => url!.length })
    expect(await used()).toBe(11)
    await expect(auth.verifyApiKey('catalog', key, { req: {}, cost: () => 1.5 })).rejects.toMatchObject({ status: 500 })
    await expect(auth.verifyApiKey('catalog', key, { cost: -1 })).rejects.toThrow(ConfigurationError)
    await expect(auth.verifyApiKey('catalog', key, { cost: () => 1 })).rejects.toThrow(
      'cost is a function, and there is no request',
    )
    expect(await used()).toBe(11)
  })
})

describe('a guard of a document', () => {
  const operation = { responses: {}, security: [{ apiKey: [] }] }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Catalog', version: '1' },
    paths: { '/v1/items': { get: operation, post: operation }, '/v1/items/{id}': { get: operation } },
  }

  it.each<[string, DocumentGuardsOptions['cost'], number]>([
    ['of all operations', 2, 8],
    ['by a function', (req) => req.url!.split('/').length, 9],
    ['of one operation', { 'GET /v1/items/{id}': 5, 'POST /v1/items': ({ method }) => method!.length }, 11],
    ['of none', undefined, 4],
  ])('counts what requests cost: %s', async (_, cost, sum) => {
    const { auth, app, key, id } = await open({ given: { free: { requests: [{ limit: 100, per: 'day' }] } } })
    app.use('/v1', guardsFromDocument(auth, 'catalog', document, { prefix: '/v1', ...(cost && { cost }) }))
    app.use('/v1', (_req, res) => void res.end())
    for (const [method, path] of [
      ['get', '/items'],
      ['head', '/items'],
      ['post', '/items'],
      ['get', '/items/1'],
    ] as const)
      expect((await request(app)[method](`/v1${path}`).set('X-Api-Key', key)).status).toBe(200)
    expect((await auth.plans.usage(id)).quotas[0]!.used).toBe(sum)
  })

  it('refuses a wrong cost, and an operation that the document lacks', async () => {
    const { auth } = await open()
    const make = (cost: unknown) => () =>
      guardsFromDocument(auth, 'catalog', document, { prefix: '/v1', cost: cost as number })
    expect(make({ 'GET /items': 1 })).toThrow(
      'guardsFromDocument("catalog"): cost has "GET /items", which is no operation of the document. Write the method and the path as the document does: GET /v1/items',
    )
    for (const cost of [-1, 'many', null, [1], { 'GET /v1/items': 1.5 }]) expect(make(cost)).toThrow(ConfigurationError)
    const root = { ...document, paths: { '/v1': { get: operation } } }
    expect(() => guardsFromDocument(auth, 'catalog', root, { prefix: '/v1', cost: { 'GET /v1': 2 } })).not.toThrow()
  })
})

describe('a plan', () => {
  it('that the platform does not have is answered with 500, and named by health()', async () => {
    const store = memoryStore()
    const { auth, call, id } = await open({ store })
    const [record] = await store.listApplications({ after: undefined, limit: 1, api: undefined, status: undefined })
    await store.saveApplication({ ...record!, plan: 'gone', version: record!.version + 1 }, undefined)
    await waitUntil(async () => (await call()).status === 500)
    expect((await auth.health()).problems).toEqual([
      `Application ${id} has the plan "gone", which plans() does not have. Its requests are answered with 500.`,
    ])
    await auth.plans.set(id, 'free')
    expect((await call()).status).toBe(200)
    expect((await auth.health()).problems).toEqual([])
  })

  it('is set to one that exists, or to none', async () => {
    const { auth, id } = await open()
    for (const plan of ['gold', '', undefined, 5, {}])
      await expect(auth.plans.set(id, plan as string)).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(auth.plans.set('app_unknown', 'free')).rejects.toMatchObject({ code: 'application_not_found' })
    await expect(auth.plans.usage('app_unknown')).rejects.toMatchObject({ code: 'application_not_found' })
    expect((await auth.applications.get(id))?.plan).toBe('free')
    const { items } = await auth.audit.list({ applicationId: id })
    expect(items.at(-1)).toMatchObject({ type: 'application.updated', details: { changed: ['plan'], plan: 'free' } })
  })
})

describe('a platform without plans()', () => {
  const start = (store: ReturnType<typeof memoryStore>) => usePlatform({ store, usage: false, now: Date.now })

  it('does not start on a store in which an application has a plan', async () => {
    const { store, id } = await open()
    const { auth } = start(store)
    await expect(auth.ready()).rejects.toThrow(
      `features lacks plans(). Application ${id} has the plan "free", and nothing limits its requests in this process.`,
    )
    const app = express().get('/items', auth.requireApiKey('catalog'), (_req, res) => void res.json({}))
    expect((await request(app).get('/items').set('X-Api-Key', 'epa_key_x')).status).not.toBe(200)
  })

  it('that runs when the first plan is set says so in its log and in health() within a second', async () => {
    const store = memoryStore()
    const { auth, logger } = start(store)
    await auth.ready()
    await auth.applications.create({ name: 'Other', apis: ['catalog'] })
    const other = await open({ store })
    await waitUntil(async () => (await auth.health()).problems.length > 0)
    expect((await auth.health()).problems[0]).toContain(`Application ${other.id} has the plan "free"`)
    expect(logger.lines.filter((line) => line.includes('Add plans()'))).toHaveLength(1)
    await other.auth.plans.set(other.id, null)
    await waitUntil(async () => (await auth.health()).problems.length === 0)
  })

  it('asks a closed store for no plan', async () => {
    const store = memoryStore()
    let asked = 0
    const listApplications: typeof store.listApplications = (query) => {
      if (query.plan) asked += 1
      return store.listApplications(query)
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { auth } = start({ ...store, listApplications })
    await auth.ready()
    await auth.applications.create({ name: 'Other', apis: ['catalog'] })
    // The feed is read, and applications are to be looked at 200 ms later.
    await vi.advanceTimersByTimeAsync(150)
    const before = asked
    await auth.close()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(asked - before).toBe(0)
  })
})
