import { expect, it, onTestFinished } from 'vitest'
import type { Health } from '../../src/index.js'
import { timeBound } from '../support/time-bound.js'
import { waitUntil } from '../support/wait-until.js'
import { startFleet, type Fleet, type Member, type PlatformPlan } from './fleet.js'
import { freshStores, onEveryWay, type Way } from './stores.js'

type Settings = Omit<PlatformPlan, 'store'>
const plans = (limit: number) => ({ q: { requests: [{ limit, per: 'month' as const }] } })
const orders = { scheme: 'oauth2', scopes: { 'orders:read': 'Read', 'orders:write': 'Write' } } as const

const OLD: Settings = {
  baseUrl: 'https://old.example.com',
  apis: { orders, catalog: { scheme: 'apiKey' }, invoices: { scheme: 'oauth2' } },
  plans: { ...plans(100), former: { requests: [] } },
}
const NEW: Settings = {
  baseUrl: 'https://new.example.com',
  apis: {
    orders: { ...orders, accessTokenLifetime: 60, scopes: { ...orders.scopes, 'orders:all': 'All' } },
    catalog: { scheme: 'apiKey', header: 'X-Catalog-Key', rateLimit: { limit: 7, window: 60 } },
    invoices: { scheme: 'apiKey' },
  },
  plans: { ...plans(40), latest: { requests: [{ limit: 1, window: 1 }] } },
}
/** Other APIs and no plans: nothing that both have differs. */
const OTHER: Settings = {
  baseUrl: OLD.baseUrl!,
  apis: { catalog: { scheme: 'apiKey' }, weather: { scheme: 'apiKey' }, orders },
}

const stores = await freshStores()
const fleets: Fleet[] = []

/** A process with platforms of these settings on each store. */
async function start<Name extends string>(settings: Readonly<Record<Name, Settings>>) {
  const plans = (Object.entries(settings) as [Name, Settings][]).flatMap(([name, each]) =>
    Object.entries(stores.plan(each)).map(([way, plan]) => [`${name} on ${way}`, plan] as const),
  )
  const fleet = await startFleet([Object.fromEntries(plans)])
  fleets.push(fleet)
  return { kill: () => fleet.kill(0), on: (name: Name, way: Way) => fleet.processes[0]![`${name} on ${way}`]! }
}

const ask = async (member: Member): Promise<Health> => (await member.operate<Health>('platform', 'health')).value

/** How long it takes until a platform has or has no problems. */
const waitForProblems = (member: Member, has: boolean): Promise<number> =>
  waitUntil(async () => (await ask(member)).problems.length > 0 === has, { interval: 50 })

it('processes whose limits, APIs or address differ say so within a second, stay ready, and forget one that is gone', async () => {
  onTestFinished(async () => {
    for (const fleet of fleets) await fleet.stop()
    await stores.remove()
  })
  const first = await start({ OLD, OTHER })
  await onEveryWay(async (way) => {
    for (const name of ['OLD', 'OTHER'] as const)
      expect(await ask(first.on(name, way))).toEqual({ ok: true, problems: [] })
  })
  const killed = await start({ NEW })
  await onEveryWay(async (way) => {
    const [before, after] = [first.on('OLD', way), killed.on('NEW', way)]
    expect(await waitForProblems(before, true)).toBeLessThan(timeBound(1000))
    expect(await waitForProblems(after, true)).toBeLessThan(timeBound(1000))
    expect(await waitForProblems(first.on('OTHER', way), true)).toBeLessThan(timeBound(1000))
    const health = await ask(before)
    expect(health.ok).toBe(true)
    expect(health.problems).toEqual([
      'Another platform on this store (this process or another) has other settings: ' +
        'baseUrl is "https://old.example.com" here and "https://new.example.com" there; ' +
        'apis.orders.scopes is "orders:read orders:write" here and "orders:all orders:read orders:write" there; ' +
        'apis.orders.accessTokenLifetime is "3600" here and "60" there; ' +
        'apis.orders.registrationScopes is "orders:read orders:write" here and "orders:all orders:read orders:write" there; ' +
        'apis.catalog.header is "x-api-key" here and "x-catalog-key" there; 4 more.',
    ])
    expect((await ask(after)).ok).toBe(true)
  })
  await killed.kill()
  const CLOSED = { ...OLD, plans: plans(40) }
  const closed = await start({ CLOSED })
  await onEveryWay(async (way) => {
    const before = first.on('OLD', way)
    const message = 'plans.q is "100 in a month" here and "40 in a month" there'
    // The one that was killed has more differences, and is told until its announcement expires.
    await waitUntil(async () => (await ask(before)).problems.some((each) => each.endsWith(`settings: ${message}.`)), {
      interval: 100,
    })
    await closed.on('CLOSED', way).operate('platform', 'close')
    expect(await waitForProblems(before, false)).toBeLessThan(timeBound(1000))
  })
})
