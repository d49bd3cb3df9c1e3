import { describe, expect, it } from 'vitest'
import { createSite, expectRefused, runInProcess } from '../command-line.js'
import { openAdmin } from '../../../../src/tools/admin/index.js'
import { formatDay } from '../../../../src/shared/lib/day.js'
import { sqliteStore } from '../../../../src/stores/sqlite/index.js'

let [id, other, deleted] = ['', '', '']
const site = await createSite(async (auth) => {
  const create = async (name: string, externalId: string): Promise<string> =>
    (await auth.applications.create({ name, externalId, apis: ['orders', 'catalog'] })).application.id
  id = await create('Shop, "No. 1"', 'customer-1')
  other = await create('=Other', '+49')
  deleted = await create('Deleted', 'customer-3')
  await auth.applications.delete(deleted)
})
const store = sqliteStore(site.file)
const admin = await openAdmin(store)
await admin.plans!.set(id, 'gold')
const count = { day: '2026-10-31', applicationId: id, api: 'orders', outcome: 'allowed', count: 12 }
await store.usage.add({ id: '1', at: 0 }, [
  count,
  { ...count, day: '2026-10-01', outcome: 'token', count: 2 },
  { ...count, outcome: 'invalid_token', count: 1 },
  { ...count, api: 'catalog', applicationId: other },
  { ...count, route: 'GET /orders/:id', count: 8 },
  { ...count, day: '2026-10-02', route: 'GET /orders/:id', count: 2 },
  { ...count, route: 'GET /orders/:id', outcome: 'extra', count: 40 },
  { ...count, route: '(other)', count: 4 },
  { ...count, day: '2026-09-30', applicationId: deleted, count: 3 },
])
const refusal = { applicationId: id, at: Date.now() - 1000, api: 'orders', error: 'invalid_token' }
const origin = { requestId: '=1+1', address: '192.0.2.1' }
const details = { expiredAt: Date.now() - 7300_000, route: 'GET /orders/:id' }
await store.usage.addRefusals({ id: '2', at: 0 }, [{ ...refusal, ...origin, reason: 'expired_token', details }], 50)
const times = { firstAt: Date.parse('2026-11-01'), lastAt: Date.parse('2026-11-22T18:00:00Z') }
const reported = {
  applicationId: id,
  api: 'orders',
  route: 'GET /orders/items/:id',
  reason: 'suspended',
  count: 7,
  ...times,
}
await store.usage.addReported({ id: '3', at: 0 }, [
  reported,
  { ...reported, applicationId: '', api: 'catalog', count: 2 },
])
await store.close()

async function runLines(...args: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runInProcess([...args, '--db', site.file])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.split('\n').slice(0, -1)
}

/** The columns of an invoice that say whose it is. */
const SHOP = '"Shop, ""No. 1""",customer-1,gold'
const OCTOBER = ['--by', 'month', '--from', '2026-10', '--to', '2026-10']

describe('usage --overall', () => {
  const month = ['--from', '2026-10', '--to', '2026-10', '--by', 'month']
  const run = async (...args: readonly string[]) => runInProcess(['usage', '--overall', ...args, '--db', site.file])

  it('sums up all applications, also by route, in pages and as CSV', async () => {
    const { stdout } = await run(...month)
    expect(stdout.replaceAll(/ +/g, ' ')).toBe(
      'PERIOD API ALLOWED TOKENS REFUSED\n2026-10 catalog 12 0 -\n2026-10 orders 12 2 invalid_token=1\n',
    )
    expect((await run(...month, '--format', 'csv')).stdout.split(/\r?\n/).slice(0, 3)).toEqual([
      'period,api,outcome,count',
      '2026-10,catalog,allowed,12',
      '2026-10,orders,allowed,12',
    ])
    expect((await run('--routes', ...month)).stdout.replaceAll(/ +/g, ' ')).toBe(
      'PERIOD API ROUTE ALLOWED UNITS\n2026-10 orders (other) 4 4\n2026-10 orders GET /orders/:id 10 50\n',
    )
    const days = ['--from', '2026-09-01', '--to', '2026-10-31', '--limit', '1', '--json']
    const first = JSON.parse((await run(...days)).stdout) as { items: object[]; next: string }
    expect(first.items).toEqual([{ period: '2026-09-30', api: 'orders', allowed: 3, accessTokens: 0, refused: {} }])
    const second = JSON.parse((await run(...days, '--after', first.next)).stdout) as typeof first
    expect(second.items).toMatchObject([{ period: '2026-10-01', accessTokens: 2 }])
  })

  it('is of no single application, and no list of totals', async () => {
    expect((await run(id)).stderr).toContain('--overall is of all applications')
    expect((await run('--total')).stderr).toContain('--total goes with --period and --sort')
  })
})

describe('usage', () => {
  it('lists the usage of all applications, or of one, as a table', async () => {
    const lines = await runLines('usage', ...OCTOBER)
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ['PERIOD', 'APPLICATION', 'API', 'ALLOWED', 'TOKENS', 'REFUSED'],
      ['2026-10', id, 'orders', '12', '2', 'invalid_token=1'],
      ['2026-10', other, 'catalog', '12', '0', '-'],
    ])
    expect(await runLines('usage', other, '--api', 'orders', ...OCTOBER)).toEqual([
      'No usage is stored: only servers with usage() count it, and they store it once a minute.',
    ])
    expect(await runLines('usage', id, '--from', '2026-10-31', '--to', '2026-10-31')).toHaveLength(2)
  })

  it('has a line for each application with --total, most refused first, with names', async () => {
    const total = ['usage', '--total', '--period', '2026-10']
    const lines = await runLines(...total)
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ['APPLICATION', 'NAME', 'ALLOWED', 'TOKENS', 'REFUSED', 'PERCENT', '7 DAYS BEFORE', 'ERRORS'],
      [id, 'Shop, "No. 1"', '12', '2', '1', '7.7', '-', 'invalid_token=1'],
    ])
    expect(await runLines(...total, '--format', 'csv')).toEqual([
      'period,application,name,allowed,tokens,refused,errors',
      `2026-10,${id},"Shop, ""No. 1""",12,2,1,invalid_token=1`,
    ])
    const most = await runLines(...total, '--sort', 'allowed', '--limit', '1')
    expect(most.length).toBe(4)
    expect(most.at(-1)).toMatch(/^There are more: --after 12\/app_/)
    expect(await runLines('usage', '--total')).toEqual([expect.stringContaining('None is stored of that time')])
    for (const wrong of [
      ['--total', '--routes'],
      ['--total', '--by', 'day'],
      ['--sort', 'refused'],
      ['--total', id],
    ])
      await expectRefused(['usage', ...wrong, '--db', site.file], 2, '--total goes with --period and --sort')
  })

  it('prints CSV, NDJSON and JSON', async () => {
    expect(await runLines('usage', ...OCTOBER, '--format', 'csv')).toEqual([
      'period,application,api,outcome,count,name,externalId,plan',
      `2026-10,${id},orders,allowed,12,${SHOP}`,
      `2026-10,${id},orders,token,2,${SHOP}`,
      `2026-10,${id},orders,invalid_token,1,${SHOP}`,
      `2026-10,${other},catalog,allowed,12,'=Other,'+49,`,
    ])
    const entries = (await runLines('usage', ...OCTOBER, '--format', 'ndjson')).map(
      (line) => JSON.parse(line) as object,
    )
    expect(entries).toMatchObject([{ applicationId: id, allowed: 12 }, { applicationId: other }])
    const json = await runLines('usage', ...OCTOBER, '--json', '--limit', '1')
    expect(JSON.parse(json.join('\n'))).toEqual({ items: [entries[0]], next: `${id}/2026-10/orders` })
  })

  it('leaves name, external id and plan empty for an application that was deleted', async () => {
    const september = ['--from', '2026-09-30', '--to', '2026-09-30']
    expect(await runLines('usage', ...september, '--format', 'csv')).toEqual([
      'period,application,api,outcome,count,name,externalId,plan',
      `2026-09-30,${deleted},orders,allowed,3,,,`,
    ])
  })

  it('lists routes as a table, as CSV, NDJSON and JSON', async () => {
    const rows = [
      ['2026-10', id, 'orders', '(other)', '4', '4'],
      ['2026-10', id, 'orders', 'GET /orders/:id', '10', '50'],
    ]
    const table = (await runLines('usage', '--routes', ...OCTOBER)).map((line) => line.split(/ {2,}/))
    expect(table).toEqual([['PERIOD', 'APPLICATION', 'API', 'ROUTE', 'ALLOWED', 'UNITS'], ...rows])
    expect(await runLines('usage', '--routes', ...OCTOBER, '--format', 'csv')).toEqual([
      'period,application,api,route,allowed,units,name,externalId,plan',
      ...rows.map((row) => `${row.join(',')},${SHOP}`),
    ])
    const [entry = '', ...others] = await runLines('usage', '--routes', ...OCTOBER, '--format', 'ndjson')
    expect(others).toHaveLength(1)
    const json = JSON.parse((await runLines('usage', '--routes', ...OCTOBER, '--json', '--limit', '1')).join('\n'))
    expect(json).toEqual({ items: [JSON.parse(entry)], next: expect.any(String) as string })
    expect(await runLines('usage', '--routes', ...OCTOBER, '--after', json.next as string)).toHaveLength(2)
    expect(await runLines('usage', other, '--routes', ...OCTOBER)).toEqual([
      'No usage is stored by route: only servers with usage({ routes: true }) count it, and they store it once a minute.',
    ])
  })

  it.each([
    [['--format', 'xml'], 'csv or ndjson'],
    [['--by', 'week'], 'by must be one of day, month'],
    [['--from', 'yesterday'], 'from must be'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await runInProcess(['usage', ...args, '--db', site.file])
    expect(code).not.toBe(0)
    expect(stderr).toContain(message)
  })
})

describe('refusals', () => {
  it('lists why requests were refused, and what to do', async () => {
    const [, row = ''] = await runLines('refusals', id)
    expect(row).toContain('Expired access token. Request a new access token:')
    expect(row).toMatch(/orders +invalid_token +GET \/orders\/:id +192\.0\.2\.1/)
    expect(await runLines('refusals', other)).toEqual(['No refusals.'])
  })

  it('lists the applications that were refused most today, without an id', async () => {
    expect(await runLines('refusals')).toEqual([expect.stringContaining('None is stored of that time')])
    const store = sqliteStore(site.file)
    await store.open()
    const today = { day: formatDay(Date.now()), api: 'orders', outcome: 'insufficient_scope' }
    await store.usage.add({ id: 'today', at: 0 }, [
      { ...today, applicationId: id, count: 3 },
      { ...today, applicationId: other, count: 4 },
    ])
    await store.close()
    const [, ...lines] = await runLines('refusals')
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      [other, '=Other', '0', '0', '4', '100', '0 a day', 'insufficient_scope=4'],
      [id, 'Shop, "No. 1"', '0', '0', '3', '100', '0 a day', 'insufficient_scope=3'],
    ])
    expect(await runLines('refusals', '--limit', '1')).toHaveLength(4)
  })

  it('prints CSV without formulas, NDJSON and JSON', async () => {
    const [columns, row] = await runLines('refusals', id, '--format', 'csv')
    expect(columns).toBe('at,api,error,reason,problem,fix,address,requestId,route')
    expect(row).toMatch(
      /,orders,invalid_token,expired_token,Expired access token,.*,192\.0\.2\.1,'=1\+1,GET \/orders\/:id$/,
    )
    const [entry = ''] = await runLines('refusals', id, '--format', 'ndjson')
    expect(JSON.parse(entry)).toMatchObject({ api: 'orders', reason: 'expired_token', requestId: '=1+1' })
    const json = (await runLines('refusals', id, '--json')).join('\n')
    expect(JSON.parse(json)).toEqual({ items: [JSON.parse(entry)] })
  })
})

describe('report-only', () => {
  it('lists what guards would refuse, of all applications, of one, or of an API', async () => {
    const lines = await runLines('report-only')
    const row = ['GET /orders/items/:id', 'suspended']
    const times = ['2026-11-01 00:00:00Z', '2026-11-22 18:00:00Z']
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ['APPLICATION', 'API', 'ROUTE', 'REASON', 'COUNT', 'SINCE', 'LAST'],
      ['-', 'catalog', ...row, '2', ...times],
      [id, 'orders', ...row, '7', ...times],
    ])
    expect(await runLines('report-only', '--api', 'catalog')).toHaveLength(2)
    expect(await runLines('report-only', id)).toHaveLength(2)
    expect(await runLines('report-only', other)).toEqual([
      'No requests that would have been refused are stored: only servers with usage() count them, and they store them once a minute.',
    ])
  })

  it('prints CSV, NDJSON and JSON', async () => {
    const times = '2026-11-01T00:00:00.000Z,2026-11-22T18:00:00.000Z'
    expect(await runLines('report-only', '--format', 'csv')).toEqual([
      'application,api,route,reason,count,firstAt,lastAt',
      `,catalog,GET /orders/items/:id,suspended,2,${times}`,
      `${id},orders,GET /orders/items/:id,suspended,7,${times}`,
    ])
    const entries = (await runLines('report-only', '--format', 'ndjson')).map((line) => JSON.parse(line) as object)
    expect(entries).toMatchObject([
      { api: 'catalog', count: 2 },
      { applicationId: id, count: 7 },
    ])
    const first = JSON.parse((await runLines('report-only', '--json', '--limit', '1')).join('')) as { next: string }
    expect(await runLines('report-only', '--after', first.next)).toHaveLength(2)
  })
})
