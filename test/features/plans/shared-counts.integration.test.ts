import type { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ApplicationRecord } from '../../../src/shared/contracts/application-record.js'
import { createLedger } from '../../../src/features/plans/ledger.js'
import { createLimiter } from '../../../src/features/plans/limiter.js'
import { readPlans } from '../../../src/features/plans/plans-options.js'
import { COUNT_WINDOWS, createCountShared } from '../../../src/features/plans/shared-counts.js'
import { createRateLimits } from '../../../src/core/rate-limits/rate-limits.js'
import { memoryStore } from '../../../src/stores/memory/index.js'
import { recordingLogger } from '../../support/platform.js'
import { openRedis } from '../../support/redis.js'

const NOON = Date.parse('2026-11-25T12:00:00Z')
const FREE = {
  requests: [
    { limit: 3, window: 60 },
    { limit: 5, per: 'day' },
    { limit: 100, per: 'month' },
  ],
} as const

let server: Awaited<ReturnType<typeof openRedis>>
let redis: Redis
let commands: string[] = []
beforeAll(async () => {
  server = await openRedis()
  redis = server.connect()
})
afterAll(() => server.end())

interface StartOptions {
  readonly store?: ReturnType<typeof memoryStore>['quotas']
  readonly time?: { now: number }
  readonly plan?: unknown
}

/** The limiter of one process; all have one Redis, and a store of their own if none is given. */
function start({ store = memoryStore().quotas, time = { now: NOON }, plan = FREE }: StartOptions = {}) {
  const rateLimits = createRateLimits({
    secrets: ['s'],
    baseUrl: 'http://localhost',
    redis,
    headers: true,
    onChange: () => undefined,
  })
  const now = (): number => time.now
  const script = rateLimits.defineScript('plans', COUNT_WINDOWS)!
  const ledger = createLedger({
    store,
    limitLookups: (_, work) => work(),
    accounts: 100,
    onTotals: () => undefined,
    logger: recordingLogger(),
    now,
  })
  const { plans } = readPlans({ free: plan }, undefined)
  const counted: typeof script = (keys, args) => {
    commands.push(keys.join(' '))
    return script(keys, args)
  }
  const limit = createLimiter({
    findPlan: () => plans.get('free'),
    ledger,
    countShared: createCountShared(counted),
    headers: true,
    now,
  })
  return {
    ledger,
    async admit(id: string, count: number, units = 1) {
      const results = await Promise.allSettled(
        Array.from({ length: count }, async () => limit({ id, plan: 'free' } as ApplicationRecord, units)),
      )
      return results.filter(({ status }) => status === 'fulfilled').length
    },
    limit: (id: string) => limit({ id, plan: 'free' } as ApplicationRecord, 1),
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
  const plan = { requests: [{ limit: 5, per: 'day' }] }
  const first = start({ store, plan })
  expect(await first.admit('restarted', 3)).toBe(3)
  await first.ledger.writer.close()
  expect(await store.list('restarted', '2026-11-25', '2026-11-25')).toMatchObject([{ count: 3 }])
  expect(await start({ plan }).admit('restarted', 9)).toBe(2)
})

it('A Redis that has lost its data goes on from what the store has', async () => {
  const store = memoryStore().quotas
  const plan = { requests: [{ limit: 5, per: 'month' }] }
  const first = start({ store, plan })
  await first.admit('lost', 3)
  await first.ledger.writer.close()
  await redis.flushall()
  expect(await start({ store, plan }).admit('lost', 9)).toBe(2)
  // The other process has no such store, and learns it from Redis.
  expect(await start({ plan }).admit('lost', 9)).toBe(0)
})

it('Headers have the counts of all processes, and large costs and limits are exact', async () => {
  const plan = {
    requests: [
      { limit: 4_000_000_000_000_000, per: 'month' },
      { limit: 9, window: 10 },
    ],
  }
  const [one, other] = [start({ plan }), start({ plan })]
  expect(await one.limit('large')).toMatchObject({
    RateLimit: '"plan/month";r=3999999999999999;t=475200, "plan/10s";r=8;t=10',
  })
  expect(await other.limit('large')).toMatchObject({
    RateLimit: expect.stringMatching(/^"plan\/month";r=3999999999999998;t=475200, "plan\/10s";r=7;/),
  })
})
