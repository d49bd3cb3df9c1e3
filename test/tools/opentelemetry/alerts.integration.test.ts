import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import express from 'express'
import { expect, it, onTestFinished, vi } from 'vitest'
import { parse, stringify } from 'yaml'
import { memoryStore } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import { plans } from '../../../src/features/plans/index.js'
import { smtpMailer } from '../../../src/features/emails/smtp.js'
import { observe } from '../../../src/tools/opentelemetry/index.js'
import { failingStore } from '../../support/failing-store.js'
import { freePort } from '../../support/free-port.js'
import { listen } from '../../support/http.js'
import { openPlatform } from '../../support/platform.js'
import { transportTo } from '../../support/smtp.js'
import { createTemporaryFolder } from '../../support/temporary-folder.js'
import { readSeries } from './observed.js'

const RULES = 'docs/prometheus-rules.yml'
const DASHBOARD = 'docs/grafana-dashboard.json'
const run = promisify(execFile)

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
}

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
}

/** The series of a scrape. */
type Scrape = ReadonlyMap<string, number>

/** A platform in which each fault of the alerts can be made. */
async function openSite() {
  const exporter = new PrometheusExporter({ preventServerStart: true, withoutScopeInfo: true })
  const working = failingStore(memoryStore())
  let [clockOffset, rejectsWrites] = [0, false]
  let mailFault: Error | undefined
  // Time passes fast, so that the attempts do not take minutes.
  let ahead = 0
  const store: StoreWith = {
    ...working,
    clock: {
      get time() {
        return Date.now() + ahead + clockOffset
      },
    },
    saveApplication: async (...args) => {
      if (rejectsWrites) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
      return working.saveApplication(...args)
    },
  }
  const dead = smtpMailer({ transport: transportTo({ port: await freePort() }), from: 'api@example.com' })
  const { auth } = openPlatform({
    store,
    maxStaleness: 1,
    now: () => Date.now() + ahead,
    mailer: { send: async (email) => (mailFault ? Promise.reject(mailFault) : dead.send(email)) },
    apis: { orders: { scheme: 'oauth2' }, catalog: { scheme: 'apiKey', registration: 'automatic' } },
    rateLimits: { failedAuthentication: false },
    plans: plans({ free: { requests: [{ limit: 5, per: 'day', soft: true }] } }, { notify: true }),
  })
  observe(auth, { meterProvider: new MeterProvider({ readers: [exporter] }) })
  await auth.ready()
  onTestFinished(async () => {
    working.recover()
    await auth.close()
  })
  const app = express().use(auth.router)
  app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.end())
  const { port, close } = await listen(app)
  onTestFinished(close)
  const metrics = await listen((req, res) => exporter.getMetricsRequestHandler(req, res))
  onTestFinished(metrics.close)
  return {
    auth,
    ask: (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init),
    failStore: working.fail,
    recoverStore: working.recover,
    rejectWrites: (rejects: boolean) => void (rejectsWrites = rejects),
    setClockOffset: (offset: number) => void (clockOffset = offset),
    refuseMail: (fault: Error) => void (mailFault = fault),
    advance: (milliseconds: number) => void (ahead += milliseconds),
    async scrape(): Promise<Scrape> {
      const text = await (await fetch(`http://127.0.0.1:${metrics.port}/metrics`)).text()
      return readSeries(text)
    },
  }
}

it(
  'every alert of docs/prometheus-rules.yml is valid, fires when its fault is made, and not before',
  { timeout: 120_000 },
  async () => {
    await run('promtool', ['check', 'rules', RULES])
    const site = await openSite()
    const healthy = await site.scrape()
    const faults: Record<string, Scrape> = {}
    const eventually = (check: () => Promise<void>, interval = 50): Promise<void> =>
      vi.waitFor(check, { timeout: 60_000, interval })
    const gauge = async (name: string, value: number): Promise<Scrape> => {
      await eventually(async () => expect((await site.scrape()).get(name)).toBe(value))
      return site.scrape()
    }

    const ask = (key: string) => site.ask('/catalog/items', { headers: { 'X-Api-Key': key } })
    for (let i = 0; i < 200; i++)
      await (
        await site.ask('/orders/token', {
          method: 'POST',
          body: new URLSearchParams({ grant_type: 'client_credentials', client_id: 'a', client_secret: 'b' }),
        })
      ).text()
    faults['PlatformAuthManyWrongSecrets'] = await site.scrape()

    for (let i = 0; i < 150; i++) await (await ask('epa_key_unknown')).text()
    faults['PlatformAuthRefusalsRise'] = await site.scrape()

    const { application, credentials } = await site.auth.applications.create({ name: 'Shop', apis: ['catalog'] })
    await site.auth.plans.set(application.id, 'free')
    for (let i = 0; i < 5; i++) expect((await ask(credentials.clientId)).status).toBe(200)
    await site.auth.flush()
    await vi.waitFor(async () => expect([...(await site.scrape()).keys()].join()).toContain('"quota_reached"'))
    faults['PlatformAuthQuotaReached'] = await site.scrape()

    site.setClockOffset(90_000)
    faults['PlatformAuthClockDeviates'] = await gauge('platform_auth_clock_available', 0)
    expect((await site.auth.health()).problems.join()).toMatch(/clock of this process is 90 seconds behind/)
    site.setClockOffset(0)
    await gauge('platform_auth_clock_available', 1)

    await site.auth.registration.register({ name: 'Shop', contact: 'dev@example.com', apis: ['catalog'] })
    await eventually(async () => {
      site.advance(5000)
      expect((await site.scrape()).get('platform_auth_mail_available')).toBe(0)
    }, 500)
    const { ok, problems } = await site.auth.health()
    expect({ ok, problems: problems.join() }).toEqual({
      ok: true,
      problems: expect.stringMatching(/No e-mail has been delivered since .*ESOCKET|ECONNREFUSED/),
    })
    expect(await site.auth.emails.status()).toMatchObject({ waiting: 1, deferred: 1 })
    faults['PlatformAuthMailUnavailable'] = await site.scrape()
    faults['PlatformAuthMailWaits'] = new Map([...(await site.scrape()), ['platform_auth_email_oldest_age', 1000]])
    site.refuseMail(
      Object.assign(new Error('550'), { code: 'EENVELOPE', responseCode: 550, refused: true, permanent: true }),
    )
    await eventually(async () => {
      site.advance(3_600_000)
      expect([...(await site.scrape()).keys()].join()).toContain('deliveries_total{error_type')
    }, 500)
    faults['PlatformAuthMailFailed'] = await site.scrape()
    await gauge('platform_auth_mail_available', 1)

    site.rejectWrites(true)
    await site.auth.applications.create({ name: 'Full', apis: ['catalog'] }).catch(() => undefined)
    faults['PlatformAuthStoreRejectsWrites'] = await gauge('platform_auth_store_writes_available', 0)
    site.rejectWrites(false)

    site.failStore()
    faults['PlatformAuthStoreUnavailable'] = await gauge('platform_auth_store_available', 0)
    await eventually(async () => expect((await ask('x')).status).toBe(503))
    faults['PlatformAuthRequestsFail'] = await site.scrape()
    site.recoverStore()
    // Redis has tests of its own: here its event is enough.
    site.auth.events.emit('limits.unavailable', { type: 'limits.unavailable', at: new Date() })
    faults['PlatformAuthLimitsNotShared'] = await gauge('platform_auth_limits_available', 0)

    for (const type of ['limits.available', 'request.reported'] as const)
      site.auth.events.emit(type, { type, at: new Date(), api: 'catalog', error: 'invalid_api_key' })
    await gauge('platform_auth_store_available', 1)
    const everything = new Map(
      [healthy, ...Object.values(faults), await site.scrape()].flatMap((scrape) => [...scrape]),
    )
    const rules = parse(await readFile(RULES, 'utf8')) as Rules
    const alerts = rules.groups.flatMap((group) => group.rules)
    expect(Object.keys(faults).toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted())
    const folder = await createTemporaryFolder()
    const check = async (name: string, interval: string, tests: readonly object[]): Promise<void> => {
      const file = join(folder, name)
      const rule_files = [join(process.cwd(), RULES)]
      await writeFile(file, stringify({ rule_files, evaluation_interval: interval, tests }))
      await run('promtool', ['test', 'rules', file])
    }
    await check('faults.yml', '1m', [
      ...alerts.map(({ alert }) => createTest(alert, healthy, faults[alert]!)),
      createQueryTest(await readQueries(), healthy, everything),
    ])
    await check('steady.yml', '1h', [STEADY_REFUSALS])
  },
)

/** An API that refuses a third of its requests, as it did for a week: that is no news. */
const STEADY_REFUSALS = {
  interval: '10m',
  input_series: ['', ',error_type="invalid_token"'].map((error, i) => ({
    series: `platform_auth_requests_total{platform_auth_api_name="orders"${error}}`,
    values: `0+${200 / (i + 1)}x1200`,
  })),
  promql_expr_test: [
    { expr: 'count(ALERTS{alertname="PlatformAuthRefusalsRise"})', eval_time: '8d', exp_samples: [] },
    {
      expr: 'clamp_max(count(platform_auth_requests_total{error_type!=""}), 1)',
      eval_time: '8d',
      exp_samples: [{ labels: '{}', value: 1 }],
    },
  ],
}

/** The queries of the dashboard, with what Grafana puts in place of its variables. */
async function readQueries(): Promise<string[]> {
  const { panels } = JSON.parse(await readFile(DASHBOARD, 'utf8')) as Dashboard
  const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  return queries.map((query) => query.replaceAll('$__rate_interval', '5m').replaceAll('$api', '.*'))
}

/** Each query finds something when all faults are there. */
function createQueryTest(queries: readonly string[], healthy: Scrape, faulty: Scrape): object {
  return {
    interval: '1m',
    input_series: createSeries(healthy, faulty),
    promql_expr_test: queries.map((query) => ({
      expr: `clamp_max(count(${query}), 1)`,
      eval_time: '29m',
      exp_samples: [{ labels: '{}', value: 1 }],
    })),
  }
}

/** Twenty minutes of health, then ten with the fault. Counters go on growing as they grew by the fault. */
function createSeries(healthy: Scrape, faulty: Scrape): readonly object[] {
  return [...faulty].map(([series, value]) => {
    const before = healthy.get(series)
    const steps = Array.from({ length: 11 }, (_, i) => (/_total|_sum/.test(series) ? value * (i + 1) : value))
    return { series, values: `${before === undefined ? '_' : before}x20 ${steps.join(' ')}` }
  })
}

function createTest(alert: string, healthy: Scrape, faulty: Scrape): object {
  const fires = (at: string, expected: boolean): object => ({
    expr: `count(ALERTS{alertname="${alert}", alertstate="firing"}) > 0`,
    eval_time: at,
    exp_samples: expected ? [{ labels: '{}', value: 1 }] : [],
  })
  return {
    interval: '1m',
    input_series: createSeries(healthy, faulty),
    promql_expr_test: [fires('19m', false), fires('29m', true)],
  }
}
