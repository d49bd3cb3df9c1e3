import express, { type Express, type RequestHandler } from 'express'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { describeGuard, maybeAuthOf, memoryStore } from '../../../src/index.js'
import { openAdmin } from '../../../src/tools/admin/index.js'
import { guardsFromDocument } from '../../../src/tools/document-guards/index.js'
import { failingStore } from '../../support/failing-store.js'
import { createApplication } from '../../support/http.js'
import { openPlatform, usePlatform, recordingLogger, type TestOptions, EXPRESSES } from '../../support/platform.js'
import { request } from '../../support/request.js'
import { readReport, compareReportWithRefusals } from './report-only-comparison.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { recordEvents } from '../../support/record-events.js'
import { whilePolluted } from '../../support/while-polluted.js'

/** A day after today. */
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
afterEach(() => void vi.unstubAllEnvs())

/** Answers with the application that `maybeAuthOf(req)` shows. */
const showCaller: RequestHandler = (req, res) => void res.json({ caller: maybeAuthOf(req)?.application.id ?? null })

async function open(options: TestOptions = { reportOnly: true }) {
  const { auth } = usePlatform(options)
  await auth.ready()
  const shop = await createApplication(auth, { orders: { scopes: ['orders:read'] }, catalog: {} })
  const events = recordEvents(auth, 'request.allowed', 'request.denied', 'request.reported')
  return { auth, shop, events }
}

/** The report without times, once everything has been counted. */
async function expectReport(
  auth: Awaited<ReturnType<typeof open>>['auth'],
  expected: readonly object[],
): Promise<void> {
  const strip = ({ applicationId, api, route, reason, count }: Awaited<ReturnType<typeof readReport>>[number]) => ({
    applicationId: applicationId ?? null,
    api,
    route,
    reason,
    count,
  })
  await expect.poll(async () => (await readReport(auth)).map(strip)).toEqual(expected)
}

describe('a guard with reportOnly: true', () => {
  it('lets every request pass, and shows who makes it if the credential is good', async () => {
    const { auth, shop, events } = await open({ reportOnly: true })
    const app = express()
      .get('/catalog', auth.requireApiKey('catalog'), showCaller)
      .get('/catalog/refused', auth.requireApiKey('catalog', { allow: () => false }), showCaller)
      .get('/catalog/failed', auth.requireApiKey('catalog', { allow: () => 'nonsense' as never }), showCaller)
      .get('/weather', auth.requireApiKey('weather'), showCaller)
    const key = { 'X-Api-Key': shop.clientId }
    await request(app).get('/catalog').expect(200, { caller: null })
    await request(app).get('/catalog').set(key).expect(200, { caller: shop.id })
    await request(app).get('/catalog/refused').set(key).expect(200, { caller: shop.id }).expect('Vary', 'X-Api-Key')
    await request(app).get('/catalog/failed').set(key).expect(200, { caller: null })
    await request(app).get('/weather').set(key).expect(200, { caller: null })
    await request(app).get('/weather').set('X-Api-Key', 'wrong').expect(200, { caller: null })
    await auth.applications.suspend(shop.id)
    await request(app).get('/catalog').set(key).expect(200, { caller: null })

    const client = shop.clientId.slice(0, 12)
    const common = { at: expect.any(Date) as Date, address: '127.0.0.1' }
    expect(events).toMatchObject([
      { type: 'request.reported', api: 'catalog', error: 'unauthorized', reason: 'no_credential', ...common },
      { type: 'request.allowed', api: 'catalog', applicationId: shop.id },
      {
        type: 'request.reported',
        api: 'catalog',
        applicationId: shop.id,
        error: 'access_denied',
        reason: 'refused_by_host',
        client,
        ...common,
      },
      { type: 'request.reported', applicationId: shop.id, reason: 'server_error' },
      { type: 'request.reported', api: 'weather', applicationId: shop.id, reason: 'not_allowed' },
      { type: 'request.reported', api: 'weather', reason: 'unknown_client' },
      { type: 'request.reported', api: 'catalog', applicationId: shop.id, reason: 'suspended' },
    ])
    await expectReport(auth, [
      { applicationId: null, api: 'catalog', route: 'GET /catalog', reason: 'no_credential', count: 1 },
      { applicationId: null, api: 'weather', route: 'GET /weather', reason: 'unknown_client', count: 1 },
      { applicationId: shop.id, api: 'catalog', route: 'GET /catalog', reason: 'suspended', count: 1 },
      { applicationId: shop.id, api: 'catalog', route: 'GET /catalog/failed', reason: 'server_error', count: 1 },
      { applicationId: shop.id, api: 'catalog', route: 'GET /catalog/refused', reason: 'refused_by_host', count: 1 },
      { applicationId: shop.id, api: 'weather', route: 'GET /weather', reason: 'not_allowed', count: 1 },
    ])
    // Calls outside of requests refuse.
    await expect(auth.verifyApiKey('catalog', shop.clientId)).rejects.toMatchObject({ error: 'access_denied' })
  })

  it('calls no onDenied, and counts as usage only what it would allow', async () => {
    const onDenied = vi.fn<() => void>()
    const store = memoryStore()
    const { auth, shop } = await open({
      reportOnly: true,
      onDenied,
      store,
      rateLimits: { requests: { limit: 1, window: 60 } },
    })
    const app = express().get('/catalog', auth.requireApiKey('catalog'), auth.requireApiKey('catalog'), showCaller)
    const call = () => request(app).get('/catalog').set('X-Api-Key', shop.clientId).expect(200, { caller: shop.id })
    await call()
    await call()
    await expectReport(auth, [
      { applicationId: shop.id, api: 'catalog', route: 'GET /catalog', reason: 'too_many_requests', count: 1 },
    ])
    expect(onDenied).not.toHaveBeenCalled()
    await auth.close()
    const usage = await (await openAdmin(store)).usage!.list({ from: '2000-01-01' })
    expect(usage.items).toMatchObject([{ applicationId: shop.id, api: 'catalog', allowed: 1, refused: {} }])
  })

  it('lets requests pass during an outage of the store, and authenticates nobody', async () => {
    const store = failingStore(memoryStore())
    const { auth, shop } = await open({ reportOnly: true, store })
    const app = express().get('/catalog', auth.requireApiKey('catalog'), showCaller)
    store.fail()
    await request(app).get('/catalog').set('X-Api-Key', shop.clientId).expect(200, { caller: null })
    store.recover()
    await expectReport(auth, [
      { applicationId: null, api: 'catalog', route: 'GET /catalog', reason: 'temporarily_unavailable', count: 1 },
    ])
  })

  it('leaves what it would refuse to the guard in otherIssuers, which protected the route before', async () => {
    const { auth, shop } = await open({ reportOnly: true })
    const users = vi.fn<RequestHandler>((req, res, next) =>
      req.headers.authorization === 'Bearer of-a-user' ? next() : void res.status(418).end(),
    )
    const guard = auth.requireBearer('orders', { otherIssuers: users })
    const app = express()
      .get('/users', guard, showCaller)
      .get('/any', auth.requireAny([guard, auth.requireApiKey('catalog')]), showCaller)
      .get('/behind', auth.requireApiKey('weather'), guard, showCaller)
    const bearer = async (path: string, headers: Record<string, string>) =>
      (await request(app).get(path).set(headers)).status
    for (const path of ['/users', '/any', '/behind']) {
      expect(await bearer(path, { Authorization: 'Bearer of-a-user' }), path).toBe(200)
      expect(await bearer(path, {}), path).toBe(418)
      expect(await bearer(path, { Authorization: 'Bearer two words' }), path).toBe(418)
    }
    expect(await bearer('/any', { 'X-Api-Key': 'wrong' })).toBe(418)
    expect(await bearer('/any', { 'X-Api-Key': shop.clientId })).toBe(200)
    await expect
      .poll(async () =>
        (await readReport(auth)).map(({ route, reason, count }) => `${route} ${reason} ${count}`).toSorted(),
      )
      .toEqual(
        [
          'GET /behind no_credential 3',
          'GET /any invalid_request 1',
          'GET /any no_credential 1',
          'GET /users invalid_request 1',
          'GET /users no_credential 1',
          'GET /any unknown_client 1',
        ].toSorted(),
      )
  })

  it('refuses from its end on, also if the clock returns no number', async () => {
    let time = Date.parse('2027-01-30T23:59:59.999Z')
    const { auth, shop } = await open({ reportOnly: { until: '2027-01-31' }, now: () => time })
    const guard = auth.requireApiKey('catalog')
    const app = express().get('/catalog', guard, showCaller)
    await request(app).get('/catalog').expect(200)
    expect(describeGuard(guard)?.enforces).toBe(false)
    for (const after of [Date.parse('2027-01-31'), Number.NaN]) {
      time = after
      await request(app).get('/catalog').expect(401)
      expect(describeGuard(guard)?.enforces).toBe(true)
    }
    expect(shop.id).toMatch(/^app_/)
  })
})

describe('reportOnly', () => {
  const status = async (app: Express, path: string, key = ''): Promise<number> =>
    (await request(app).get(path).set('X-Api-Key', key)).status

  it('of a guard counts before that of its API, and that before the platform’s', async () => {
    const apis = {
      catalog: { scheme: 'apiKey', reportOnly: false },
      weather: { scheme: 'apiKey', reportOnly: true },
      news: { scheme: 'apiKey' },
    } as const
    const { auth } = usePlatform({ apis, reportOnly: true })
    await auth.ready()
    const app = express()
    for (const api of ['catalog', 'weather', 'news'] as const) {
      app.get(`/${api}`, auth.requireApiKey(api), showCaller)
      for (const reportOnly of [false, true])
        app.get(`/${api}/${reportOnly}`, auth.requireApiKey(api, { reportOnly }), showCaller)
    }
    const paths = [
      '/catalog',
      '/weather',
      '/news',
      '/catalog/false',
      '/catalog/true',
      '/weather/false',
      '/weather/true',
    ]
    expect(await Promise.all(paths.map((path) => status(app, path)))).toEqual([401, 200, 200, 401, 200, 401, 200])
  })

  it('of requireAny() counts for all its guards; else a request without a credential is refused if one of them refuses', async () => {
    const { auth } = await open({})
    const [loose, strict] = [auth.requireApiKey('catalog', { reportOnly: true }), auth.requireBearer('orders')]
    const looseToo = auth.requireBearer('orders', { reportOnly: true })
    const app = express()
      .get('/mixed', auth.requireAny([loose, strict]), showCaller)
      .get('/loose', auth.requireAny([loose, looseToo]), showCaller)
      .get('/off', auth.requireAny([loose, strict], { reportOnly: true }), showCaller)
      .get('/on', auth.requireAny([loose, looseToo], { reportOnly: false }), showCaller)
    const paths = ['/mixed', '/loose', '/off', '/on']
    expect(await Promise.all(paths.map((path) => status(app, path)))).toEqual([401, 200, 200, 401])
    expect(await Promise.all(paths.map((path) => status(app, path, 'wrong')))).toEqual([200, 200, 200, 401])
  })

  it('of guardsFromDocument() is for its operations and for what is not in the document', async () => {
    const { auth } = await open({})
    const security = [{ key: [] }]
    const document = {
      openapi: '3.1.0',
      info: { title: 'Catalog', version: '1' },
      paths: { '/items': { get: { security } } },
    }
    const app = express()
      .use('/off', guardsFromDocument(auth, 'catalog', document, { reportOnly: true }))
      .use('/on', guardsFromDocument(auth, 'catalog', document))
      .use(showCaller)
    const paths = ['/items', '/nothing', '/items%2F']
    expect(await Promise.all(paths.map((path) => status(app, `/off${path}`)))).toEqual([200, 200, 200])
    expect(await Promise.all(paths.map((path) => status(app, `/on${path}`)))).toEqual([401, 404, 404])
  })

  it('of a later guard is not weakened by an earlier one that only reports, not even its limit', async () => {
    const apis = { catalog: { scheme: 'apiKey', rateLimit: { limit: 1, window: 60 } } } as const
    const { auth } = usePlatform({ apis })
    await auth.ready()
    const { clientId } = await createApplication(auth, ['catalog'])
    const app = express().get(
      '/',
      auth.requireApiKey('catalog', { reportOnly: true }),
      auth.requireApiKey('catalog'),
      showCaller,
    )
    expect(await status(app, '/', clientId)).toBe(200)
    expect(await status(app, '/', clientId)).toBe(429)
    expect(await status(app, '/', 'wrong')).toBe(401)
    expect(await status(app, '/')).toBe(401)
  })

  it.each([
    [{ reportOnly: 'false' }, 'reportOnly is "false". Write true or false.'],
    [{ reportOnly: 0 }, 'reportOnly is 0.'],
    [{ reportOnly: {} }, 'reportOnly.until is missing. Write a day, as YYYY-MM-DD'],
    [{ reportOnly: { until: '2027-01-31', untill: '' } }, 'reportOnly.untill is not an option'],
    [{ reportOnly: { until: '31.01.2027' } }, 'reportOnly.until is "31.01.2027". Write a day, as YYYY-MM-DD'],
    [{ reportOnly: { until: '2027-02-30' } }, 'reportOnly.until is "2027-02-30".'],
    [{ reportOnly: { until: new Date() } }, 'reportOnly.until is '],
    [{ enforced: false }, 'enforced is not an option'],
  ])('%j is a ConfigurationError, of platform, API and guard', async (wrong, message) => {
    expect(() => openPlatform(wrong as never)).toThrow(message)
    expect(() => openPlatform({ apis: { catalog: { scheme: 'apiKey', ...wrong } } as never })).toThrow(
      `apis.catalog.${message}`,
    )
    const { auth } = await open({})
    expect(() => auth.requireApiKey('catalog', wrong as never)).toThrow(`requireApiKey("catalog"): ${message}`)
    expect(() => auth.requireAny([auth.requireApiKey('catalog')], wrong as never)).toThrow(`requireAny: ${message}`)
  })

  it('is not read from a polluted Object.prototype', async () => {
    await whilePolluted({ reportOnly: { until: '2999-01-01' } }, async () => {
      const { auth } = await open({})
      const app = express()
        .get('/key', auth.requireApiKey('catalog'), showCaller)
        .get('/any', auth.requireAny([auth.requireApiKey('catalog')]), showCaller)
        .get('/options', auth.requireApiKey('catalog', {}), showCaller)
      expect(await Promise.all(['/key', '/any', '/options'].map((path) => status(app, path)))).toEqual([401, 401, 401])
    })
  })

  it.each(['production', 'prod', 'Production', 'staging', '', undefined])(
    'needs an end with NODE_ENV=%s, at every level',
    async (environment) => {
      const { auth: elsewhere } = await open({})
      vi.stubEnv('NODE_ENV', environment)
      const message = 'reportOnly is true, and has no end. Give the day'
      expect(() => openPlatform({ reportOnly: true })).toThrow(message)
      expect(() => openPlatform({ apis: { catalog: { scheme: 'apiKey', reportOnly: true } } })).toThrow(
        `apis.catalog.${message}`,
      )
      const { auth } = usePlatform({})
      expect(() => auth.requireApiKey('catalog', { reportOnly: true })).toThrow(`requireApiKey("catalog"): ${message}`)
      expect(() => auth.requireApiKey('catalog', { reportOnly: { until: inDays(30) } })).not.toThrow()
      expect(() => elsewhere.requireApiKey('catalog', { reportOnly: true })).not.toThrow()
    },
  )

  it.each(['development', 'test'])('needs no end with NODE_ENV=%s', (environment) => {
    vi.stubEnv('NODE_ENV', environment)
    usePlatform({ reportOnly: true })
  })

  it('ends at most 90 days after the start; the error has a day that is right, and an end that has passed stops no start', () => {
    const now = () => Date.parse('2030-05-01T12:00:00Z')
    const start = (until: string) => usePlatform({ now, reportOnly: { until } })
    for (const day of ['2000-01-01', '2030-05-01', '2030-07-30']) start(day)
    for (const day of ['2030-07-31', '9999-12-31'])
      expect(() => start(day)).toThrow(
        "reportOnly.until is more than 90 days ahead. Write a day until 2030-07-30: reportOnly: { until: '2030-05-31' }.",
      )
  })

  it('is warned of at start-up: once for the platform, an API, and the guards of one', async () => {
    const logger = recordingLogger()
    const { auth } = usePlatform({ logger, reportOnly: { until: inDays(60) } })
    auth.requireApiKey('catalog')
    const warnings = () => logger.lines.filter((line) => line.includes('reportOnly'))
    expect(warnings()).toEqual([
      expect.stringMatching(
        new RegExp(
          `^reportOnly is set: requests that guards would refuse pass until ${inDays(60)}\\. .*auth\\.usage\\.reportOnly\\(\\)`,
        ),
      ),
    ])
    const other = usePlatform({
      logger,
      apis: { catalog: { scheme: 'apiKey' }, weather: { scheme: 'apiKey', reportOnly: { until: '2000-01-01' } } },
    })
    for (let i = 0; i < 3; i++) other.auth.requireApiKey('catalog', { reportOnly: true })
    expect(warnings().slice(1)).toEqual([
      expect.stringMatching(/^apis\.weather\.reportOnly ended on 2000-01-01, and has no effect any more/),
      expect.stringMatching(/^requireApiKey\("catalog"\): reportOnly is set: .* pass\. /),
    ])
  })
})

/** Most of them are refused. */
const REQUESTS = IS_LONG_LANE ? 1_250_000 : 900

describe.each(Object.entries(EXPRESSES).slice(IS_LONG_LANE ? 0 : -1))(
  '%s: guards with reportOnly: true',
  (_, express) => {
    it('report exactly what guards refuse, for the same random requests', { timeout: 3_600_000 }, async () => {
      const { refused, reported, refusedByReporting } = await compareReportWithRefusals(express, memoryStore(), {
        requestCount: REQUESTS,
        seed: 17,
      })
      expect(reported).toEqual(refused)
      expect(Object.values(reported).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0.8 * REQUESTS)
      expect(refusedByReporting).toBe(0)
      // Otherwise too little would be compared.
      const reasons = new Set(Object.keys(refused).map((name) => name.split(' | ').at(-1)))
      expect(reasons).toEqual(new Set(EVERY_REASON))
    })
  },
)

const EVERY_REASON = [
  'expired_key',
  'expired_token',
  'insufficient_scope',
  'invalid_request',
  'invalid_token',
  'method_not_allowed',
  'no_credential',
  'refused_by_host',
  'revoked_token',
  'server_error',
  'suspended',
  'temporarily_unavailable',
  'token_of_another_api',
  'too_many_requests',
  'undocumented_method',
  'undocumented_path',
  'unknown_client',
]
