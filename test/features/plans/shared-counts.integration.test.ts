import { afterAll, expect, it } from 'vitest'
import { COUNT_WINDOWS, createCountShared } from '../../../src/features/plans/shared-counts.js'
import { createRateLimits } from '../../../src/core/rate-limits/rate-limits.js'
import { memoryStore } from '../../../src/stores/memory/index.js'
import type { StoreWith } from '../../../src/store.js'
import { openRedis } from '../../support/redis.js'
import { startLimiter } from './start-limiter.js'

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
