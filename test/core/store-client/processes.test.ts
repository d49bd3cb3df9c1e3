import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { memoryStore, type ApisOptions } from '../../../src/index.js'
import { plans } from '../../../src/features/plans/index.js'
import type { StoreWith } from '../../../src/store.js'
import { openPlatform, type TestOptions } from '../../support/platform.js'
import { timeBound } from '../../support/time-bound.js'

type Options = TestOptions & { readonly apis?: ApisOptions }

async function open(options: Options) {
  const opened = openPlatform(options)
  onTestFinished(() => opened.auth.close())
  await opened.auth.ready()
  return opened
}

const withPlan = (...requests: Parameters<typeof plans>[0][string]['requests'][number][]): Options => ({
  features: [plans({ q: { requests } })],
})
const oauth2 = (more: object): Options => ({ apis: { orders: { scheme: 'oauth2', ...more } } })
const apiKey = (more: object): Options => ({ apis: { catalog: { scheme: 'apiKey', ...more } } })

/** What the first of two platforms on one store says of the second. */
const DIFFERENT: readonly (readonly [told: string, first: Options, second: Options])[] = [
  [
    'baseUrl is "https://a.example" here and "https://b.example" there',
    { baseUrl: 'https://a.example' },
    { baseUrl: 'https://b.example' },
  ],
  [
    'plans.q is "100 in a month" here and "40 in a month" there',
    withPlan({ limit: 100, per: 'month' }),
    withPlan({ limit: 40, per: 'month' }),
  ],
  [
    'plans.q is "1 in a second" here and "1 in 60 seconds" there',
    withPlan({ limit: 1, window: 1 }),
    withPlan({ limit: 1, window: 60 }),
  ],
  [
    'plans.q is "1 in a day" here and "1 in a day (soft)" there',
    withPlan({ limit: 1, per: 'day' }),
    withPlan({ limit: 1, per: 'day', soft: true }),
  ],
  ['plans.q is "no limit" here and "1 in a day" there', withPlan(), withPlan({ limit: 1, per: 'day' })],
  [
    'apis.orders.scheme is "oauth2" here and "apiKey" there',
    { apis: { orders: { scheme: 'oauth2' } } },
    { apis: { orders: { scheme: 'apiKey', registration: 'manual' } } },
  ],
  [
    'apis.orders.scopes is "a b" here and "a" there',
    oauth2({ scopes: { a: '', b: '' }, registrationScopes: ['a'] }),
    oauth2({ scopes: { a: '' }, registrationScopes: ['a'] }),
  ],
  ['apis.orders.accessTokenLifetime is "3600" here and "60" there', oauth2({}), oauth2({ accessTokenLifetime: 60 })],
  [
    'apis.orders.accessTokenLifetime is "3600" here and "60" there',
    oauth2({}),
    { ...oauth2({}), tokens: { lifetime: 60 } },
  ],
  [
    'apis.catalog.header is "x-api-key" here and "x-key authorization" there',
    apiKey({}),
    apiKey({ header: ['X-Key', 'Authorization'] }),
  ],
  [
    'apis.catalog.defaultScopes is "none" here and "a" there',
    apiKey({ scopes: { a: '' } }),
    apiKey({ scopes: { a: '' }, defaultScopes: ['a'] }),
  ],
  [
    'apis.catalog.rateLimit is "none" here and "5 in 60 seconds" there',
    apiKey({ rateLimit: false }),
    apiKey({ rateLimit: { limit: 5, window: 60 } }),
  ],
  ['apis.catalog.credentialMaxAge is "none" here and "30" there', apiKey({}), apiKey({ credentialMaxAge: 30 })],
  ['apis.catalog.registration is "automatic" here and "closed" there', apiKey({}), apiKey({ registration: 'closed' })],
]

/** What processes may have differently, or write differently. */
const ALIKE: readonly (readonly [what: string, first: Options, second: Options])[] = [
  ['other APIs', oauth2({}), apiKey({})],
  ['other features', withPlan({ limit: 1, per: 'day' }), {}],
  ['other plans', withPlan({ limit: 1, per: 'day' }), { features: [plans({ gold: { requests: [] } })] }],
  [
    'the order of limits',
    withPlan({ limit: 1, per: 'day' }, { limit: 9, window: 1 }),
    withPlan({ limit: 9, window: 1 }, { limit: 1, per: 'day' }),
  ],
  [
    'the order and words of scopes',
    oauth2({ scopes: { a: 'A', b: 'B' } }),
    oauth2({ scopes: { b: 'Bee', a: 'Ay' }, title: 'Orders' }),
  ],
  ['letter case of a header', apiKey({ header: 'X-Key' }), apiKey({ header: 'x-key' })],
  [
    'a script beside the servers',
    withPlan({ limit: 1, per: 'day' }),
    { ...withPlan({ limit: 2, per: 'day' }), background: false },
  ],
]

describe('Processes on one store', () => {
  it.each(DIFFERENT)('say which value each has: %s', async (told, first, second) => {
    const store = memoryStore()
    const one = await open({ ...first, store })
    const other = await open({ ...second, store })
    const message = `Another platform on this store (this process or another) has other settings: ${told}.`
    await expect.poll(() => one.auth.health()).toEqual({ ok: true, problems: [message] })
    expect(one.logger.lines).toContain(message)
    await expect.poll(() => other.auth.health()).toMatchObject({ ok: true, problems: [expect.any(String)] })
    await other.auth.close()
    await expect.poll(() => one.auth.health()).toEqual({ ok: true, problems: [] })
  })

  it.each(ALIKE)('may have differently: %s', async (_, first, second) => {
    const store = memoryStore()
    const one = await open({ ...first, store })
    await open({ ...second, store })
    // Its announcement is read before this one's.
    const last = await open({ ...first, store, baseUrl: 'https://last.example' })
    await expect.poll(async () => (await one.auth.health()).problems).toHaveLength(1)
    expect((await one.auth.health()).problems).toEqual([expect.stringMatching(/settings: baseUrl is [^;]*\.$/)])
    await last.auth.close()
    await expect.poll(() => one.auth.health()).toEqual({ ok: true, problems: [] })
  })
})

/** Stores that take no announcement. */
const reject = async (): Promise<never> => Promise.reject(new Error('attempt to write a readonly database'))
const hang = (): Promise<never> => new Promise(() => undefined)
const POOR: Readonly<Record<string, (store: StoreWith) => StoreWith['processes'] | undefined>> = {
  'lacks the part': () => undefined,
  'is read-only': ({ processes }) => ({ ...processes, announce: reject, remove: reject }),
  'lacks the table': () => ({ announce: reject, list: reject, remove: reject }),
  'never answers these calls': () => ({ announce: hang, list: hang, remove: hang }),
}

it.each(Object.entries(POOR))('A store that %s delays no start and no end, and is no outage', async (_, change) => {
  const working = memoryStore()
  const { processes: __, ...without } = working
  const processes = change(working)
  const store = { ...without, ...(processes && { processes }) } as StoreWith
  const { auth, logger } = openPlatform({ store })
  const startedAt = performance.now()
  await auth.ready()
  await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
  await sleep(0)
  expect(await auth.health()).toEqual({ ok: true, problems: [] })
  await auth.close()
  expect(performance.now() - startedAt).toBeLessThan(timeBound(1500))
  expect(logger.lines).toEqual([])
})

it('A process whose store is read-only reads what the others have', async () => {
  const working = memoryStore()
  await open({ store: working, baseUrl: 'https://writes.example' })
  const store = { ...working, processes: { ...working.processes, announce: reject } }
  const { auth } = await open({ store, baseUrl: 'https://reads.example' })
  await expect
    .poll(async () => (await auth.health()).problems)
    .toEqual([expect.stringContaining('https://writes.example')])
})
