import express from 'express'
import { expect, it, onTestFinished } from 'vitest'
import { usePostgres } from '../../stores/postgres/databases.js'
import { useServer } from '../../support/http.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { recordingLogger } from '../../support/platform.js'
import { connectRedis, startRedis, type RedisServer } from '../../support/redis.js'
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
