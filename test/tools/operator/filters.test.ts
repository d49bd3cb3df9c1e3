import { afterAll, beforeAll, expect, it } from 'vitest'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { openOperator, type OperatorApp } from './operator-app.js'

const DAY_MS = 86_400_000
/** Filled by the test itself: more would take minutes. */
const APPLICATIONS = IS_LONG_LANE ? 20_000 : 600

let host: OperatorApp
let denied: string | undefined
let at: number
const ids = new Map<string, string>()
/** Rows that the store gave. */
let rows = 0

const day = (back: number): string => new Date(at - back * DAY_MS).toISOString().slice(0, 10)

beforeAll(async () => {
  host = await openOperator({ can: (_, action) => action !== denied })
  at = host.clock.now()
  const { applications, plans } = host.auth
  for (const name of ['Few', 'Most', 'Yesterday', 'Old', 'Fine', 'Suspended', 'Both', 'Half']) {
    const { application } = await applications.create({ name, apis: { catalog: {} } })
    ids.set(name, application.id)
  }
  const count = (name: string, back: number, outcome: string, n: number) => {
    return { day: day(back), applicationId: ids.get(name)!, api: 'catalog', outcome, count: n }
  }
  await host.store.usage.add({ id: 'u', at }, [
    count('Few', 0, 'invalid_token', 3),
    count('Few', 1, 'invalid_token', 900),
    count('Most', 0, 'invalid_token', 70),
    count('Yesterday', 6, 'insufficient_scope', 1),
    count('Old', 7, 'invalid_token', 500),
    count('Fine', 0, 'allowed', 500),
    count('Suspended', 0, 'invalid_token', 1),
    count('Both', 0, 'invalid_token', 2),
  ])
  for (const name of ['Both', 'Half', 'Fine']) await plans.set(ids.get(name)!, 'free')
  await plans.set(ids.get('Few')!, 'gold')
  await host.store.quotas.add({ id: 'q', at }, [
    { day: day(0), applicationId: ids.get('Both')!, count: 1000 },
    { day: day(0), applicationId: ids.get('Half')!, count: 500 },
    { day: day(0), applicationId: ids.get('Fine')!, count: 800 },
  ])
  await applications.suspend(ids.get('Suspended')!)
  // The platform calls its store by these members.
  for (const [part, names] of [
    [host.store, ['listApplications', 'findApplication']],
    [host.store.usage, ['listSums', 'list']],
    [host.store.quotas, ['listUsed', 'list']],
  ] as const)
    for (const name of names) countRows(part, name)
})
afterAll(() => host.auth.close())

function countRows(part: object, name: string): void {
  const calls = part as Record<string, ((...args: unknown[]) => Promise<unknown>) | undefined>
  const call = calls[name]?.bind(part)
  if (call)
    calls[name] = async (...args) => {
      const found = await call(...args)
      rows += Array.isArray(found) ? found.length : 1
      return found
    }
}

async function list(query: string): Promise<string[]> {
  const { status, text } = await host.get(`/applications?${query}`)
  expect(status).toBe(200)
  return [...text.matchAll(/applications\/app_\w+">([^<]*)/g)].map(([, name = '']) => name)
}

it('finds what was refused in the last 7 days, today’s most first, each once, and quotas above 80 %', async () => {
  expect(await list('refused=recent')).toEqual(['Most', 'Few', 'Both', 'Suspended', 'Yesterday'])
  expect(await list('quota=above')).toEqual(['Both', 'Fine'])
  expect(await list('refused=recent&quota=above')).toEqual(['Both'])
  expect(await list('refused=recent&status=suspended')).toEqual(['Suspended'])
  expect(await list('refused=recent&plan=gold&api=catalog&use=never')).toEqual(['Few'])
  expect(await list('refused=recent&api=orders')).toEqual([])
  expect(await list('quota=above&q=fi')).toEqual(['Fine'])
  expect(await list(`refused=recent&q=${ids.get('Old')}`)).toEqual([])
  // Between a day far ahead and today there are more days than a request may look at.
  for (const after of ['never.', '9999-12-31.'])
    expect((await host.get(`/applications?refused=recent&after=${after}`)).status).toBe(400)
})

it('says in which order applications are, and how many filters are set, which are then unfolded', async () => {
  for (const [query, order, filters] of [
    ['', '8 shown, oldest first', '<details>Filters'],
    ['?status=active', '7 found, oldest first', '<details open>Filters (1)'],
    ['?use=never&plan=free', '3 found, oldest first', '<details open>Filters (2)'],
    ['?quota=above', '2 found', '<details open>Filters (1)'],
    ['?q=fi', '1 found', '<details>Filters'],
  ] as const) {
    const { text } = await host.get(`/applications${query}`)
    const [, shown] = /<p class="soft">([^<]* (?:found|shown)[^<]*)</.exec(text) ?? []
    const [, open = '', label = ''] = /<details(| open)>\s*<summary>(Filters[^<]*)</.exec(text) ?? []
    expect([query, shown, `<details${open}>${label}`]).toEqual([query, order, filters])
  }
})

it('offers these filters with the rights that they take', async () => {
  for (const [right, field] of [
    ['usage.totals', 'refused'],
    ['usage.list', 'refused'],
    ['plans.list', 'quota'],
    ['plans.usage', 'quota'],
  ] as const) {
    denied = right
    const { text } = await host.get(`/applications?${field}=recent`)
    expect([right, text.includes(`name="${field}"`), text.includes('>Half<')]).toEqual([right, false, true])
    denied = undefined
    expect((await host.get('/applications')).text).toContain(`name="${field}"`)
  }
})

it(`reads a bounded number of rows among ${APPLICATIONS} applications, says so, and goes on`, async () => {
  const { applications, plans } = host.auth
  const many: string[] = []
  for (let i = 0; i < APPLICATIONS; i++) {
    const { application } = await applications.create({ name: `Many ${i}`, apis: { catalog: {} } })
    many.push(application.id)
    if (i < 300) await plans.set(application.id, 'free')
  }
  const entry = (applicationId: string) => ({ day: day(0), applicationId, count: 950 })
  await host.store.quotas.add({ id: 'q2', at }, many.slice(0, 300).map(entry))
  const refused = { api: 'catalog', outcome: 'invalid_token' }
  await host.store.usage.add(
    { id: 'u2', at },
    many.map((id) => ({ ...entry(id), ...refused })),
  )
  const reads: Record<string, number> = {}
  for (const query of ['refused=recent', 'quota=above', 'refused=recent&status=suspended', 'quota=above&plan=gold']) {
    rows = 0
    const { text } = await host.get(`/applications?${query}`)
    reads[query] = rows
    const isCombined = query.includes('&')
    expect([query, text.includes('applications were searched')]).toEqual([query, isCombined])
    expect(text).toContain('>Show more<')
  }
  // A row of the index, the application, its usage of some days, its quota.
  expect(Math.max(...Object.values(reads))).toBeLessThan(200 * 6)
  expect(Math.min(...Object.values(reads))).toBeGreaterThan(25)
  expect(reads['refused=recent']).toBeLessThan(25 * 12)
  let [query, steps] = ['refused=recent&status=suspended', 0]
  const found: string[] = []
  for (; steps < 1000; steps++) {
    const { text } = await host.get(`/applications?${query}`)
    found.push(...[...text.matchAll(/applications\/app_\w+">([^<]*)/g)].map(([, name = '']) => name))
    const [, next] = /href="[^"]*\?([^"]*)">Show more/.exec(text) ?? []
    if (next === undefined) break
    query = next.replaceAll('&#38;', '&')
  }
  expect(found).toEqual(['Suspended'])
  expect(steps).toBeGreaterThanOrEqual(Math.floor(APPLICATIONS / 225))
}, 600_000)
