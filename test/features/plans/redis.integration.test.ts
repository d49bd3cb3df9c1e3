import express from 'express'
import { expect, it, onTestFinished, afterAll } from 'vitest'
import { usePostgres } from '../../stores/postgres/databases.js'
import { useServer } from '../../support/http.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { recordingLogger } from '../../support/platform.js'
import { connectRedis, startRedis, type RedisServer, openRedis } from '../../support/redis.js'
import { waitUntil } from '../../support/wait-until.js'
import {
  COST,
  createSubscriber,
  LIMIT,
  openPostgres,
  openQuotaPlatform,
  openSqlite,
  type QuotaDatabase,
} from './quota-site.js'
import { COUNT_WINDOWS, createCountShared } from '../../../src/features/plans/shared-counts.js'
import { createRateLimits } from '../../../src/core/rate-limits/rate-limits.js'
import { memoryStore } from '../../../src/stores/memory/index.js'
import type { StoreWith } from '../../../src/store.js'
import { startLimiter } from './start-limiter.js'

const PLATFORMS = IS_LONG_LANE ? 3 : 2
/** 1 % of the quota at each platform, and a request that was on its way when it was reached. */
const BEYOND = PLATFORMS * (LIMIT / 100 + COST)

const postgres = usePostgres()

const OUTAGES = {
  'is killed, and comes back empty': [(redis: RedisServer) => redis.kill(), (redis: RedisServer) => redis.start()],
  'hangs, and goes on': [async (redis: RedisServer) => redis.freeze(), async (redis: RedisServer) => redis.thaw()],
} as const
const DATABASES = { SQLite: openSqlite, PostgreSQL: async () => openPostgres(postgres) } as const
const ALL = Object.keys(OUTAGES).flatMap((outage) => Object.keys(DATABASES).map((kind) => [outage, kind] as const))
/** Each outage, and each database, once. */
const CASES = IS_LONG_LANE ? ALL : ALL.filter((_, at) => at === 0 || at === ALL.length - 1)

it.each(CASES as [keyof typeof OUTAGES, keyof typeof DATABASES][])(
  'A quota holds its bound when Redis %s, on %s, and who has used it up stays refused by every platform',
  async (outage, kind) => {
    const [fail, recover] = OUTAGES[outage]
    const database = await DATABASES[kind]()
    const redis = await startRedis()
    onTestFinished(() => redis.end())
    const auth = await openQuotaPlatform(database.createStore())
    const { id, key } = await createSubscriber(auth)
    const open = () => openCaller(database, key, redis.url)
    const callers = await Promise.all(Array.from({ length: PLATFORMS }, open))
    const [idle, ...busy] = callers as [Caller, ...Caller[]]
    const count = (): number => callers.reduce((sum, { passed }) => sum + passed(), 0) * COST

    // What one platform knows of the quota is old when Redis fails, and the others have not yet written what they know.
    await idle.call(() => false)
    await Promise.all(busy.map(({ call }) => call(() => count() < LIMIT / 2)))
    await fail(redis)
    await useUp([idle, ...busy])
    expect(count()).toBeGreaterThanOrEqual(LIMIT - COST * PLATFORMS)
    expect(count()).toBeLessThanOrEqual(LIMIT + BEYOND)

    const used = count()
    await waitUntil(async () => (await auth.plans.usage(id)).quotas[0]!.used >= used - COST)
    await useUp(callers)
    await recover(redis)
    await waitUntil(() => callers.every(({ isShared }) => isShared()))
    await useUp(callers)
    // One that has nothing in memory learns it from the store, and not from a Redis that has nothing.
    const fresh = await open()
    await useUp([fresh])
    expect(count() + fresh.passed() * COST).toBe(used)
  },
  90_000,
)

/** All call until they are refused: at once, if the quota is used up. */
async function useUp(callers: readonly Caller[]): Promise<void> {
  expect(await Promise.all(callers.map(({ call }) => call()))).toEqual(callers.map(() => 429))
}

type Caller = Awaited<ReturnType<typeof openCaller>>

/** A platform with connections of its own to the database and to Redis, and a client that calls its route. */
async function openCaller(database: QuotaDatabase, key: string, redisUrl: string) {
  const redis = connectRedis(redisUrl)
  onTestFinished(() => redis.disconnect())
  const logger = recordingLogger()
  const auth = await openQuotaPlatform(database.createStore(), redis, logger)
  const guard = auth.requireApiKey('catalog', { cost: COST })
  const { url } = await useServer(express().get('/items', guard, (_req, res) => void res.end()))
  let passed = 0
  return {
    passed: () => passed,
    /** Redis answers again. */
    isShared: () => logger.lines.some((line) => line.startsWith('Redis answers again')),
    /** Calls again and again; resolves the status of the refusal, or of the last answer. */
    async call(goesOn = () => true): Promise<number> {
      for (;;) {
        const { status } = await fetch(`${url}/items`, { headers: { 'X-Api-Key': key } })
        if (status === 200) passed += 1
        if (status !== 200 || !goesOn()) return status
      }
    },
  }
}

const FREE = [
  { limit: 3, window: 60 },
  { limit: 5, per: 'day' },
  { limit: 100, per: 'month' },
] as const

let commands: string[] = []
const server = await openRedis()
const redis = server.connect()
afterAll(() => server.end())

/** The limiter of one process; all have one Redis, and a store of their own if none is given. */
function start(requests: Parameters<typeof startLimiter>[0] = FREE, store?: StoreWith['quotas']) {
  const rateLimits = createRateLimits({
    secrets: ['s'],
    baseUrl: 'http://localhost',
    redis,
    headers: true,
    onChange: () => undefined,
  })
  const script = rateLimits.defineScript('plans', COUNT_WINDOWS)!
  const counted: typeof script = (keys, args) => {
    commands.push(keys.join(' '))
    return script(keys, args)
  }
  const { limit, ledger } = startLimiter(requests, { countShared: createCountShared(counted), ...(store && { store }) })
  return {
    ledger,
    limit,
    async admit(id: string, count: number) {
      const results = await Promise.allSettled(Array.from({ length: count }, () => limit(id)))
      return results.filter(({ status }) => status === 'fulfilled').length
    },
  }
}

it('Processes that share a Redis admit exactly the limit, of concurrent requests too, and ask it once for each', async () => {
  const processes = [start(), start(), start()]
  commands = []
  const admitted = await Promise.all(processes.map(({ admit }) => admit('exact', 5)))
  expect(admitted.reduce((one, other) => one + other)).toBe(3)
  expect(new Set(commands)).toEqual(new Set(['{exact}:60s {exact}:2026-11-25 {exact}:2026-11']))
  expect(commands.length).toBeLessThanOrEqual(15)
  commands = []
  expect(await processes[0]!.admit('exact', 50)).toBe(0)
  expect(commands).toEqual([])
})

it('A quota in Redis survives a restart, and is counted in the store too', async () => {
  const store = memoryStore().quotas
  const plan = [{ limit: 5, per: 'day' }] as const
  const first = start(plan, store)
  expect(await first.admit('restarted', 3)).toBe(3)
  await first.ledger.writer.close()
  expect(await store.list('restarted', '2026-11-25', '2026-11-25')).toMatchObject([{ count: 3 }])
  expect(await start(plan).admit('restarted', 9)).toBe(2)
})

it('A Redis that has lost its data goes on from what the store has', async () => {
  const store = memoryStore().quotas
  const plan = [{ limit: 5, per: 'month' }] as const
  const first = start(plan, store)
  await first.admit('lost', 3)
  await first.ledger.writer.close()
  await redis.flushall()
  expect(await start(plan, store).admit('lost', 9)).toBe(2)
  // The other process has no such store, and learns it from Redis.
  expect(await start(plan).admit('lost', 9)).toBe(0)
})

it('Headers have the counts of all processes, and large costs and limits are exact', async () => {
  const plan = [
    { limit: 4_000_000_000_000_000, per: 'month' },
    { limit: 9, window: 10 },
  ] as const
  const [one, other] = [start(plan), start(plan)]
  expect(await one.limit('large')).toMatchObject({
    RateLimit: '"plan/month";r=3999999999999999;t=475200, "plan/10s";r=8;t=10',
  })
  expect(await other.limit('large')).toMatchObject({
    RateLimit: expect.stringMatching(/^"plan\/month";r=3999999999999998;t=475200, "plan\/10s";r=7;/),
  })
})
