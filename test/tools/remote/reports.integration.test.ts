import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { plans } from '../../../src/features/plans/index.js'
import { accessToken, basic, createApplication } from '../../support/http.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { STORES } from '../../support/platform.js'
import { ask, openSite, startAnswerProxy, startPlatform } from './site.js'

type Site = Awaited<ReturnType<typeof openSite>>

const PLANS = plans({
  day: { requests: [{ limit: 10, per: 'day' }] },
  month: {
    requests: [
      { limit: 2000, per: 'month' },
      { limit: 100_000, window: 60 },
    ],
  },
  short: { requests: [{ limit: 3, window: 3600 }] },
  soft: { requests: [{ limit: 2, per: 'day', soft: true }] },
  wide: { requests: [{ limit: 1_000_000, per: 'month' }] },
})
const POLL = { timeout: 30_000 }
const TODAY = () => new Date().toISOString().slice(0, 10)

/** What the platform has counted of an application, with nothing that differs between two that have done the same. */
async function readCounts({ auth }: Site, applicationId: string) {
  const of = { applicationId, limit: 1000 }
  const { items } = await auth.usage.list(of)
  const routes = await auth.usage.routes(of)
  const refusals = await auth.usage.refusals(applicationId)
  const reported = await auth.usage.reportOnly({ applicationId })
  return {
    counts: items.map(({ applicationId: _id, ...rest }) => rest),
    routes: routes.items.map(({ applicationId: _id, ...rest }) => rest),
    refusals: refusals.items.map(({ api, error, reason, route, address, problem }) => ({
      api,
      error,
      reason,
      route,
      address,
      problem,
    })),
    reported: reported.items.map(({ api, route, reason, count }) => ({ api, route, reason, count })),
  }
}

// What stores count is in their suite.
const FEW = Object.entries(STORES).filter(([name]) => IS_LONG_LANE || name === 'SQLite')

describe.each(FEW)('a service of a platform on %s', (_, openStore) => {
  let site: Site
  beforeAll(async () => {
    site = await openSite({ usage: { routes: true }, plans: PLANS }, openStore)
    site.app.get('/watched', site.auth.requireApiKey('catalog', { scopes: [], allow: () => false, reportOnly: true }))
  })
  afterAll(() => site.close())

  it('has requests, refusals, routes and what report-only guards would refuse counted as the platform counts its own', async () => {
    const service = await site.startService()
    service.app.get(
      '/watched',
      service.auth.requireApiKey('catalog', { scopes: [], allow: () => false, reportOnly: true }),
    )
    await service.auth.ready()
    const call = async (url: string) => {
      const { id, ...client } = await createApplication(site.auth, { orders: { scopes: ['orders:read'] }, catalog: {} })
      const token = await accessToken(site.app, 'orders', client)
      for (const [path, credential, method] of [
        ['/orders/items', token],
        ['/orders/items?page=2', token],
        ['/orders/items', token, 'POST'],
        ['/catalog/items', client.clientId],
        ['/documented/items', token],
        ['/prices', client.clientId],
        ['/watched', client.clientId],
      ] as const)
        await ask(url + path, credential, method).catch(() => undefined)
      await site.auth.applications.disallow(id, 'catalog')
      await expect.poll(() => ask(`${url}/catalog/items`, client.clientId), POLL).toMatch(/^403/)
      return id
    }
    const [there, here] = [await call(site.url), await call(service.url)]
    await service.auth.flush()
    await site.auth.flush()
    const expected = await readCounts(site, there)
    expect(expected.counts).toMatchObject([{ api: 'catalog' }, { api: 'orders' }])
    for (const list of Object.values(expected)) expect(list).not.toEqual([])
    // How often it was asked until the change was felt differs.
    const counted = await readCounts(site, here)
    const withoutPolls = ({ counts, refusals, routes, ...rest }: typeof expected) => ({
      ...rest,
      orders: counts.filter(({ api }) => api === 'orders'),
      routes: routes.filter(({ route }) => route !== 'GET /catalog/items'),
      catalog: refusals.some(({ error }) => error === 'access_denied'),
      refusals: refusals.filter(({ api }) => api === 'orders'),
    })
    expect(withoutPolls(counted)).toEqual(withoutPolls(expected))
    expect(counted.counts[0]!.refused['access_denied']).toBeGreaterThan(0)
  })

  it('refuses what a quota does not allow, whoever has counted', async () => {
    const services = [await site.startService(), await site.startService()]
    for (const { auth } of services) await auth.ready()
    const urls = [site.url, ...services.map(({ url }) => url)]
    const { id, clientId } = await createApplication(site.auth, { catalog: {} })
    await site.auth.plans.set(id, 'day')
    const reached: string[] = []
    site.auth.events.on('quota.reached', ({ reason }) => void reached.push(reason!))
    const answers: string[] = []
    for (let count = 0; count < 21; count++) answers.push(await ask(`${urls[count % 3]}/catalog/items`, clientId))
    const allowed = answers.filter((answer) => answer === '200').length
    // Each process exceeds it by one request at most, and nobody has less.
    expect(allowed).toBeGreaterThanOrEqual(10)
    expect(allowed).toBeLessThanOrEqual(13)
    for (const answer of answers.slice(-3)) expect(answer).toMatch(/^429 quota_exceeded The quota of 10 in a day/)
    for (const { auth } of services) await auth.flush()
    const { quotas } = await site.auth.plans.usage(id)
    expect(quotas).toMatchObject([{ per: 'day', used: allowed }])
    expect(reached.toSorted()).toEqual(['100 % of a day', '80 % of a day'])
    // Another plan, and none, are felt there too.
    await site.auth.plans.set(id, 'wide')
    for (const url of urls) await expect.poll(() => ask(`${url}/catalog/items`, clientId), POLL).toBe('200')
    await site.auth.plans.set(id, null)
    for (const { auth } of services) await auth.flush()
    for (const url of urls) await expect.poll(() => ask(`${url}/catalog/items`, clientId), POLL).toBe('200')
  })

  it('knows a quota that was used before it has started, and the limits of every kind of window', async () => {
    const { id, clientId } = await createApplication(site.auth, { catalog: {}, orders: {} })
    await site.auth.plans.set(id, 'day')
    for (let count = 0; count < 10; count++) expect(await ask(`${site.url}/catalog/items`, clientId)).toBe('200')
    const service = await site.startService({ rateLimits: { headers: true } })
    await service.auth.ready()
    expect(await ask(`${service.url}/catalog/items`, clientId)).toMatch(/^(?:200|429 quota_exceeded)/)
    await site.auth.flush()
    await service.auth.flush()
    const answer = await fetch(`${service.url}/catalog/items`, { headers: { 'X-Api-Key': clientId } })
    expect(answer.status).toBe(429)
    expect(answer.headers.get('ratelimit-policy')).toContain('"plan/day";q=10;w=86400')

    for (const [plan, expected] of [
      ['short', ['200', '200', '200', '429', '429']],
      ['soft', ['200', '200', '200', '200', '200']],
    ] as const) {
      const client = await createApplication(site.auth, { catalog: {} })
      await site.auth.plans.set(client.id, plan)
      const answers: string[] = []
      for (let count = 0; count < 5; count++)
        answers.push((await ask(`${service.url}/catalog/items`, client.clientId)).slice(0, 3))
      expect(answers, plan).toEqual(expected)
    }
  })
})

describe('a report', () => {
  let site: Site
  beforeAll(async () => void (site = await openSite({ usage: { routes: true }, plans: PLANS })))
  afterAll(() => site.close())

  const send = async (
    body: object,
    server: { clientId: string; clientSecret: string } = site.server,
    url = site.url,
  ) => {
    const answer = await fetch(`${url}/_resource-server/source/report`, {
      method: 'POST',
      headers: { Authorization: basic(server.clientId, server.clientSecret), 'Content-Type': 'application/json' },
      body: JSON.stringify({ nonce: 'A'.repeat(22), ...body }),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  const count = async (applicationId: string) =>
    (await site.auth.usage.list({ applicationId })).items.reduce((sum, { allowed }) => sum + allowed, 0)

  it('is added once, however often its answer is lost', async () => {
    let lost = 0
    const address = await startAnswerProxy(site.url, (answer, path) => {
      if (!path.endsWith('/report') || lost === 4) return answer
      lost += 1
      return { ...answer, status: 502 }
    })
    const { auth, url } = await site.openService({ address })
    const { id, clientId } = await createApplication(site.auth, { catalog: {} })
    await site.auth.plans.set(id, 'wide')
    for (let each = 0; each < 5; each++) expect(await ask(`${url}/catalog/items`, clientId)).toBe('200')
    await expect
      .poll(async () => {
        await auth.flush()
        return [lost, await count(id), (await site.auth.plans.usage(id)).quotas[0]!.used]
      }, POLL)
      .toEqual([4, 5, 5])
    await auth.flush()
    expect(await count(id)).toBe(5)
  })

  it('is kept while the platform does not answer', async () => {
    const { auth, url } = await site.openService({ maxStaleness: 60 })
    const { id, clientId } = await createApplication(site.auth, { catalog: {} })
    await site.auth.plans.set(id, 'day')
    expect(await ask(`${url}/catalog/items`, clientId)).toBe('200')
    await auth.flush()
    await site.proxy.refuse()
    const answers: string[] = []
    for (let each = 0; each < 12; each++) answers.push(await ask(`${url}/catalog/items`, clientId))
    // It goes on from what it knows, and exceeds nothing.
    expect(answers.filter((answer) => answer === '200')).toHaveLength(9)
    expect(answers.at(-1)).toMatch(/^429 quota_exceeded/)
    await auth.flush()
    expect(await count(id)).toBe(1)
    await site.proxy.forward()
    await expect
      .poll(async () => {
        await auth.flush()
        return [await count(id), (await site.auth.plans.usage(id)).quotas[0]!.used]
      }, POLL)
      .toEqual([10, 10])
  })

  it('adds to its own APIs, and to applications with access there', async () => {
    const { application, credentials } = await site.auth.applications.create({ name: 'W', resourceServer: ['weather'] })
    const server = { clientId: credentials.clientId, clientSecret: credentials.clientSecret! }
    const own = await createApplication(site.auth, { weather: {}, catalog: {} })
    const foreign = await createApplication(site.auth, { catalog: {} })
    for (const { id } of [own, foreign]) await site.auth.plans.set(id, 'wide')
    const [day, at] = [TODAY(), Date.now()]
    const [ownKey, foreignKey] = await Promise.all(
      [own, foreign].map(async ({ id }) => (await site.auth.applications.get(id))!.keys[0]!.id),
    )
    const use = { api: 'weather', outcome: 'allowed', day, count: 7 }
    const report = (kind: string, batch: string, rows: readonly object[], by = server) =>
      send({ kind, batch, rows }, by)
    const usage = [
      { ...use, applicationId: own.id },
      { ...use, applicationId: own.id, api: 'catalog' },
      { ...use, applicationId: foreign.id },
      { ...use, applicationId: `app_${'1'.repeat(32)}` },
      { ...use, applicationId: application.id },
      { ...use, applicationId: 'none' },
      { ...use, applicationId: own.id, day: '2020-01-01' },
      { ...use, applicationId: own.id, day: '2099-01-01' },
    ]
    for (let twice = 0; twice < 2; twice++) expect((await report('usage', 'one', usage)).status).toBe(200)
    expect(await count(own.id)).toBe(7)
    expect(await count(foreign.id)).toBe(0)
    // The ids of batches are each resource server's own.
    await report('usage', 'one', [{ ...use, api: 'catalog', applicationId: own.id }], site.server)
    expect(await count(own.id)).toBe(14)

    const refusal = { at, api: 'weather', error: 'access_denied', reason: 'notAllowed', details: {} }
    await report(
      'refusals',
      'r',
      [own, foreign].map(({ id }) => ({ ...refusal, applicationId: id })),
    )
    // No store would delete what is of a year to come, and no page could show it.
    for (const [batch, other] of Object.entries({ s: at - 30 * 86_400_000, t: at + 86_400_000, u: 2 ** 53 - 1 }))
      expect((await report('refusals', batch, [{ ...refusal, applicationId: own.id, at: other }])).status).toBe(200)
    expect((await site.auth.usage.refusals(own.id)).items).toHaveLength(1)
    expect((await site.auth.usage.refusals(foreign.id)).items).toHaveLength(0)

    const reported = { api: 'weather', route: 'GET /x', reason: 'noCredential', count: 1, firstAt: at, lastAt: at }
    const rows = [own.id, foreign.id, ''].map((applicationId) => ({ ...reported, applicationId }))
    const late = ['firstAt', 'lastAt'].map((name) => ({ ...rows[0]!, route: name, [name]: 2 ** 53 - 1 }))
    await report('reported', 'o', [...rows, ...late, { ...reported, applicationId: '', api: 'orders' }])
    const listed = (await site.auth.usage.reportOnly()).items.map(({ api, applicationId }) => [api, applicationId])
    expect(listed).toEqual([
      ['weather', undefined],
      ['weather', own.id],
    ])

    const units = { day, count: 5 }
    const quotas = [foreign, own].map(({ id }) => ({ ...units, applicationId: id }))
    for (let twice = 0; twice < 2; twice++)
      expect((await report('quotas', 'q', quotas)).body['totals']).toEqual([
        { ofDay: 0, ofMonth: 0 },
        { ofDay: 5, ofMonth: 5 },
      ])
    expect((await site.auth.plans.usage(own.id)).quotas[0]!.used).toBe(5)
    expect((await site.auth.plans.usage(foreign.id)).quotas[0]!.used).toBe(0)
    // Contacts are told of it by e-mail.
    await site.auth.plans.set(own.id, 'day')
    const reached: string[] = []
    site.auth.events.on('quota.reached', ({ reason }) => void reached.push(reason!))
    for (let twice = 0; twice < 2; twice++) await report('quotas', 'n', [{ ...units, applicationId: own.id }])
    expect(reached).toEqual(['100 % of a day'])

    const { credential: elsewhere } = await site.auth.applications.addKey(own.id, { name: 'E', apis: ['catalog'] })
    await report('credentials', 'c', [
      { applicationId: own.id, credentialId: ownKey, at },
      { applicationId: own.id, credentialId: elsewhere.id, at },
      { applicationId: foreign.id, credentialId: foreignKey, at },
    ])
    const { keys } = (await site.auth.applications.get(own.id))!
    expect(keys.filter(({ lastUsedAt }) => lastUsedAt !== undefined).map(({ id }) => id)).toEqual([ownKey])
    expect((await site.auth.applications.get(foreign.id))!.keys[0]!.lastUsedAt).toBeUndefined()

    const row = { ...use, applicationId: own.id }
    for (const wrong of [
      {},
      { kind: 'usage', batch: 'w', rows: {} },
      { kind: 'toString', batch: 'w', rows: [] },
      { kind: 'usage', batch: 'w', rows: [null] },
      { kind: 'usage', batch: 'w', rows: [{ ...row, count: 1.5 }] },
      { kind: 'usage', batch: 'w', rows: [{ ...row, count: 1e15 }] },
      { kind: 'usage', batch: 'w', rows: [{ ...row, day: 'today' }] },
      { kind: 'usage', batch: 'w', rows: [{ ...row, day: `${day.slice(0, 8)}99` }] },
      { kind: 'usage', batch: 'w', rows: [{ ...row, outcome: 'token' }] },
      { kind: 'usage', batch: 'w', rows: [{ ...row, outcome: 'extra' }] },
      // The refusals of an application at all APIs are summed up: one server would hide those at others.
      { kind: 'usage', batch: 'w', rows: [{ ...row, outcome: 'invalid_token', count: -1 }] },
      { kind: 'reported', batch: 'w', rows: [{ ...reported, applicationId: own.id, count: -1 }] },
      { kind: 'usage', batch: 'w', rows: [{ ...row, outcome: 'a\0' }] },
      { kind: 'usage', batch: 'w', rows: [{ ...row, route: 'x'.repeat(500) }] },
      { kind: 'usage', batch: 'w', rows: [row, { ...row, count: 1 }] },
      { kind: 'quotas', batch: 'w', rows: [{ ...units, count: -1, applicationId: own.id }] },
      { kind: 'refusals', batch: 'w', rows: [{ ...refusal, applicationId: own.id, details: { nested: {} } }] },
    ])
      expect((await send(wrong, server)).status, JSON.stringify(wrong).slice(0, 200)).toBe(400)
    expect(await count(own.id)).toBe(14)
  })

  it('adds no more rows than the platform has names for, whatever a stolen secret reports', async () => {
    const { auth, server, url, close } = await openSite({ usage: { routes: true } })
    onTestFinished(close)
    const { id } = await createApplication(auth, { catalog: {} })
    const [day, at] = [TODAY(), Date.now()]
    const yesterday = new Date(at - 86_400_000).toISOString().slice(0, 10)
    let batch = 0
    const report = async (kind: string, rows: readonly object[]) => {
      const parts = Array.from({ length: Math.ceil(rows.length / 60) }, (_, part) =>
        rows.slice(part * 60, part * 60 + 60),
      )
      for (const part of parts)
        expect((await send({ kind, batch: `names ${batch++}`, rows: part }, server, url)).status).toBe(200)
    }
    const row = { applicationId: id, api: 'catalog', day, count: 1 }
    const of = (length: number, member: (at: number) => object) =>
      Array.from({ length }, (_, each) => ({ ...row, ...member(each) }))
    const usage: [count: number, member: (each: number) => object][] = [
      [300, (each) => ({ outcome: 'allowed', route: `GET /${each}` })],
      [60, (each) => ({ outcome: 'extra', route: `GET /new/${each}` })],
      [60, (each) => ({ outcome: 'allowed', route: `GET /y/${each}`, day: yesterday })],
      [100, (each) => ({ outcome: `code_${each}` })],
      [1, () => ({ outcome: 'invalid_api_key' })],
    ]
    for (const [length, member] of usage) await report('usage', of(length, member))
    const { items: routes } = await auth.usage.routes({ applicationId: id, limit: 1000, from: day, to: day })
    expect(routes).toHaveLength(201)
    expect(routes.reduce((sum, { allowed }) => sum + allowed, 0)).toBe(300)
    expect(routes.find(({ route }) => route === '(other)')).toMatchObject({ allowed: 100, units: 160 })
    expect((await auth.usage.routes({ applicationId: id, from: yesterday, to: yesterday })).items).toHaveLength(60)
    const [{ refused } = { refused: {} }] = (await auth.usage.list({ applicationId: id })).items
    expect(Object.keys(refused)).toHaveLength(22)
    expect(refused).toMatchObject({ code_0: 1, code_19: 1, access_denied: 80, invalid_api_key: 1 })

    const of300 = Array.from({ length: 300 }, (_, each) => ({
      applicationId: id,
      api: 'catalog',
      route: `GET /${each}`,
      reason: each % 2 ? `reason ${each}` : 'no_credential',
      count: 1,
      firstAt: at - each,
      lastAt: at,
    }))
    await report('reported', of300)
    const { items: reported } = await auth.usage.reportOnly({ applicationId: id, limit: 1000 })
    expect(reported).toHaveLength(202)
    expect(reported.reduce((sum, { count: each }) => sum + each, 0)).toBe(300)
    expect(new Set(reported.map(({ reason }) => reason))).toEqual(new Set(['no_credential', 'unknown']))
    const rest = reported.find(({ route, reason }) => route === '(other)' && reason === 'no_credential')
    expect(rest).toMatchObject({ firstAt: new Date(at - 298), lastAt: new Date(at) })

    await report('refusals', [{ ...row, at, error: 'access_denied', reason: 'told by a thief', details: {} }])
    expect((await auth.usage.refusals(id)).items[0]).toMatchObject({ reason: 'unknown' })
    for (const outcome of ['two words', 'größer', 'x'.repeat(65), '', 'token'])
      expect(
        (await send({ kind: 'usage', batch: outcome, rows: [{ ...row, outcome }] }, server, url)).status,
        outcome,
      ).toBe(400)
    const refused400 = { ...row, outcome: 'invalid_token', route: 'GET /' }
    expect((await send({ kind: 'usage', batch: 'routes', rows: [refused400] }, server, url)).status).toBe(400)
  })

  it('counts, or takes back, no more of a day than hosts can answer, so that no figure of others fails', async () => {
    const { auth, server, url, close } = await openSite({ usage: {} })
    onTestFinished(close)
    const { id } = await createApplication(auth, { catalog: {} })
    const row = { applicationId: id, api: 'catalog', day: TODAY(), count: 1e9, outcome: 'access_denied' }
    const report = async (batch: string, rows: readonly object[]) =>
      expect((await send({ kind: 'usage', batch, rows }, server, url)).status).toBe(200)
    const allowed = { ...row, outcome: 'allowed' }
    await report('passed', [{ ...allowed, count: 5 }])
    await report('refused by a later guard', [{ ...allowed, count: -2 }])
    expect((await auth.usage.list({ applicationId: id })).items).toMatchObject([{ allowed: 3 }])
    for (let batch = 0; batch < 12; batch++) await report(`flood ${batch}`, [row])
    await report('taken back', [{ ...allowed, count: -1e9 }])
    const { items } = await auth.usage.list({ applicationId: id })
    expect(items).toMatchObject([{ allowed: 3, refused: { access_denied: 1e10 - 7 } }])
  })

  it('leaves no more ids of batches than a tenth of the requests', async () => {
    const limited = await openSite({}, undefined, { requests: { limit: 40, window: 600 } })
    onTestFinished(limited.close)
    const statuses: number[] = []
    for (let each = 0; each < 6; each++)
      statuses.push((await send({ kind: 'usage', batch: `${each}`, rows: [] }, limited.server, limited.url)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429])
  })

  it('brings no quota beyond twice its limit, and none back', async () => {
    const [day, month, none, soft] = await Promise.all(
      (['day', 'month', null, 'soft'] as const).map(async (plan) => {
        const { id } = await createApplication(site.auth, { catalog: {}, weather: {} })
        await site.auth.plans.set(id, plan)
        return id
      }),
    )
    const days = [0, 1, 2, 3].map((each) => new Date(Date.now() - each * 86_400_000).toISOString().slice(0, 10))
    const row = { day: TODAY(), count: 1_000_000_000 }
    const report = async (batch: string, rows: readonly object[]) =>
      (await send({ kind: 'quotas', batch, rows })).body['totals'] as { ofDay: number; ofMonth: number }[]
    for (const batch of ['much', 'more']) {
      const totals = await report(
        batch,
        [day, none, soft].map((applicationId) => ({ ...row, applicationId })),
      )
      expect(totals[0]).toMatchObject({ ofDay: 20, ofMonth: 20 })
      expect(totals[1]).toEqual({ ofDay: 0, ofMonth: 0 })
    }
    // A process with other plans keeps nobody's units back.
    const record = (await site.store.findApplication(none!))!
    await site.store.saveApplication({ ...record, plan: 'gone', version: record.version + 1 }, undefined)
    expect(
      await report(
        'gone',
        [none, day].map((applicationId) => ({ ...row, applicationId })),
      ),
    ).toMatchObject([{ ofDay: 0 }, { ofDay: 20 }])
    const ofMonth = await report(
      'days',
      days.map((each) => ({ ...row, applicationId: month, day: each })),
    )
    expect(Math.max(...ofMonth.map((each) => each.ofMonth))).toBe(4000)
    // A larger plan goes on from there.
    for (const [id, used] of [
      [day, 20],
      [none, 0],
    ] as const) {
      await site.auth.plans.set(id!, 'wide')
      expect((await site.auth.plans.usage(id!)).quotas).toMatchObject([{ used }])
    }
    expect(
      (await send({ kind: 'quotas', batch: 'back', rows: [{ ...row, applicationId: day, count: -20 }] })).status,
    ).toBe(400)
    expect((await site.auth.plans.usage(day!)).quotas).toMatchObject([{ used: 20 }])
  })

  it('has nothing where the platform counts nothing', async () => {
    const bare = await openSite({ usage: false })
    onTestFinished(bare.close)
    const { auth, url } = await bare.openService()
    const { clientId } = await createApplication(bare.auth, { catalog: {} })
    expect(await ask(`${url}/catalog/items`, clientId)).toBe('200')
    await auth.flush()
    expect(await auth.health()).toEqual({ ok: true, problems: [] })
  })

  it('is taken by the next process of the platform, where one has ended', async () => {
    const next = await startPlatform({ store: site.store, usage: { routes: true }, plans: PLANS })
    onTestFinished(next.close)
    const { auth, url } = await site.openService({ maxStaleness: 60 })
    const { id, clientId } = await createApplication(site.auth, { catalog: {} })
    expect(await ask(`${url}/catalog/items`, clientId)).toBe('200')
    site.proxy.forwardTo(next.url)
    await expect
      .poll(async () => {
        await auth.flush()
        return count(id)
      }, POLL)
      .toBe(1)
    site.proxy.forwardTo(site.url)
  })
})
