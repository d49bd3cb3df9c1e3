import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import express from 'express'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRateLimits } from '../../../src/core/rate-limits/rate-limits.js'
import { createApplication, createTokenForm, listen, post } from '../../support/http.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { openPlatform } from '../../support/platform.js'
import { connectRedis, startRedis, type RedisServer } from '../../support/redis.js'
import { timeBound } from '../../support/time-bound.js'
import { waitUntil } from '../../support/wait-until.js'
import { request, type Response } from '../../support/request.js'
import { recordEvents } from '../../support/record-events.js'

const LIMIT = IS_LONG_LANE ? 40 : 20

let server: RedisServer
const closings: (() => unknown)[] = []
beforeEach(async () => void (server = await startRedis()))
afterEach(async () => {
  for (const close of closings.splice(0).toReversed()) await close()
  await server.end()
})

/** A platform that counts in that Redis, where each application may call an API `LIMIT` times. */
async function openApp(redis = connectRedis(server.url), window = 60) {
  closings.push(() => redis.disconnect())
  const baseUrl = `https://${randomBytes(8).toString('hex')}.example.com`
  const requests = { limit: LIMIT, window }
  const made = openPlatform({ baseUrl, rateLimits: { requests, failedAuthentication: { limit: 5, window }, redis } })
  const { auth } = made
  closings.push(auth.close)
  const events = recordEvents(auth, 'limits.unavailable', 'limits.available')
  const app = express().use(auth.router)
  app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
  await auth.ready()
  const { port, close } = await listen(app)
  closings.push(close)
  const newClient = () => createApplication(auth, ['catalog', 'orders'])
  const call = ({ clientId }: { clientId: string }): Promise<Response> =>
    request(`http://127.0.0.1:${port}`)
      .get('/catalog/items')
      .set('X-Api-Key', clientId)
      .then((answer) => answer)
  return { ...made, app, redis, events, types: () => events.map(({ type }) => type), newClient, call }
}

/** How many of the calls were answered with 200; the others must have been refused with 429. */
async function countPassed(calls: Promise<Response>[]): Promise<number> {
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
  return statuses.filter((status) => status === 200).length
}

const repeat = <Result>(count: number, call: () => Result): Result[] => Array.from({ length: count }, call)

/** Options of ioredis for commands that it cannot send at once. */
const CLIENT_OPTIONS = {
  'the default options': {},
  'an unlimited offline queue': { enableOfflineQueue: true, maxRetriesPerRequest: null },
  'no offline queue': { enableOfflineQueue: false, maxRetriesPerRequest: 1 },
}

const FAILURES = {
  'is killed': [(redis: RedisServer) => redis.kill(), (redis: RedisServer) => redis.start()],
  hangs: [async (redis: RedisServer) => redis.freeze(), async (redis: RedisServer) => redis.thaw()],
} as const

describe.each(Object.entries(FAILURES))('when Redis %s under load', (failure, [fail, recover]) => {
  // A Redis that hangs keeps the connection, so that the client's queue is not used: all options in the long lane.
  it.each(Object.entries(CLIENT_OPTIONS).slice(0, IS_LONG_LANE || failure === 'is killed' ? 3 : 1))(
    'each process keeps the limits without delays or errors, and shares them again afterwards, with %s',
    async (_options, options) => {
      const { call, newClient, auth, app, redis, events, types, logger } = await openApp(
        connectRedis(server.url, options),
      )
      const [busy, quiet, other] = [await newClient(), await newClient(), await newClient()]
      await waitUntil(() => redis.status === 'ready')

      // Some calls are being answered when Redis fails.
      const before = repeat(LIMIT / 2, () => call(busy))
      await Promise.race(before)
      const during = repeat(LIMIT, () => call(busy))
      await fail(server)
      const after = repeat(LIMIT * 3, () => call(busy))
      // A client can use its limit twice: once in Redis, once in memory.
      const all = await countPassed([...before, ...during, ...after])
      expect(all).toBeGreaterThanOrEqual(LIMIT)
      expect(all).toBeLessThanOrEqual(2 * LIMIT)

      expect(await countPassed(repeat(LIMIT * 3, () => call(quiet)))).toBe(LIMIT)
      expect(types()).toEqual(['limits.unavailable'])
      expect(events[0]!.reason).toBeTruthy()
      const refused = await call(quiet)
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, expect.stringMatching(/^[1-6]\d?$/)])

      // Failed authentications are limited too, and the right secret is accepted.
      const wrong = createTokenForm({ ...quiet, clientSecret: 'wrong' })
      const guesses = await Promise.all(repeat(8, () => post(app, '/orders/token', wrong)))
      expect(guesses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        401, 401, 401, 401, 401, 429, 429, 429,
      ])
      expect((await post(app, '/orders/token', createTokenForm(quiet))).status).toBe(200)

      // While the circuit is open, no call waits for Redis.
      const startedAt = performance.now()
      for (let i = 0; i < 10; i++) await auth.verifyApiKey('catalog', other.clientId)
      expect(performance.now() - startedAt).toBeLessThan(timeBound(200))

      await recover(server)
      const recoveredAt = performance.now()
      await waitUntil(() => types().length === 2)
      expect(performance.now() - recoveredAt).toBeLessThan(timeBound(1000))
      expect(types()).toEqual(['limits.unavailable', 'limits.available'])
      // Shared again: the count is in Redis.
      const next = await newClient()
      expect(await countPassed(repeat(LIMIT * 2, () => call(next)))).toBe(LIMIT)
      expect(await redis.keys(`*:requests:catalog:${next.id}`)).toHaveLength(1)

      const logged = logger.lines.filter((line) => line.includes('Redis'))
      expect(logged).toEqual([
        expect.stringMatching(/^Redis is unavailable: each process counts its own rate limits until it answers\./),
        'Redis answers again: rate limits are shared.',
      ])
    },
  )
})

describe('rate limits in Redis', () => {
  it('delay no request while Redis is not running at the start, and are shared once it is', async () => {
    await server.kill()
    const { call, newClient, types } = await openApp()
    const client = await newClient()
    const startedAt = performance.now()
    expect((await call(client)).status).toBe(200)
    expect(performance.now() - startedAt).toBeLessThan(timeBound(2000))
    expect(types()).toEqual(['limits.unavailable'])
    await server.start()
    await waitUntil(() => types().length === 2)
    expect(types()[1]).toBe('limits.available')
  })

  it.each(Object.entries(CLIENT_OPTIONS))(
    'count the first request in Redis while the client is connecting, with %s',
    async (_, options) => {
      const { auth, newClient, types, redis } = await openApp(
        connectRedis(server.url, { ...options, lazyConnect: true }),
      )
      const client = await newClient()
      const connecting = redis.connect()
      expect(redis.status).toBe('connecting')
      await auth.verifyApiKey('catalog', client.clientId)
      await connecting
      expect(types()).toEqual([])
      expect(await redis.keys(`*:${client.id}`)).toHaveLength(1)
    },
  )

  it('connect a client with lazyConnect', async () => {
    const redis = connectRedis(server.url, { lazyConnect: true })
    const { call, newClient, types } = await openApp(redis)
    const client = await newClient()
    expect((await call(client)).status).toBe(200)
    expect([types(), redis.status]).toEqual([[], 'ready'])
    expect(await redis.keys(`*:${client.id}`)).toHaveLength(1)
  })

  it('treat a Redis that rejects writes as unavailable, and emit one event', async () => {
    const { call, newClient, types, events } = await openApp()
    const admin = connectRedis(server.url)
    closings.push(() => admin.disconnect())
    await admin.config('SET', 'maxmemory', '1')
    const client = await newClient()
    expect(await countPassed(repeat(LIMIT * 2, () => call(client)))).toBe(LIMIT)
    await sleep(500)
    expect(types()).toEqual(['limits.unavailable'])
    expect(events[0]!.reason).toMatch(/OOM/)
    await admin.config('SET', 'maxmemory', '0')
    await waitUntil(() => types().length === 2)
  })

  it('are counted in the process after the host app has closed the client', async () => {
    const { call, newClient, types, redis } = await openApp()
    await redis.quit()
    const client = await newClient()
    expect(await countPassed(repeat(LIMIT * 2, () => call(client)))).toBe(LIMIT)
    expect(types()).toEqual(['limits.unavailable'])
  })

  it('continue after Redis has lost its data and scripts', async () => {
    const { call, newClient, types, redis } = await openApp()
    const client = await newClient()
    expect((await call(client)).status).toBe(200)
    await redis.script('FLUSH')
    await redis.flushall()
    expect(await countPassed(repeat(LIMIT * 2, () => call(client)))).toBe(LIMIT)
    expect(types()).toEqual([])
  })

  it('report a problem while Redis is unavailable', async () => {
    const redis = connectRedis(server.url)
    closings.push(() => redis.disconnect())
    const limits = createRateLimits({
      secrets: ['any'],
      baseUrl: 'https://api.example.com',
      redis,
      headers: false,
      onChange: () => undefined,
    })
    closings.push(limits.close)
    const count = limits.create('requests:orders', { limit: 1, window: 60 })!
    await count('one')
    expect(limits.problem()).toBe(undefined)
    await server.kill()
    await count('two')
    expect(limits.problem()).toBe('Redis is unavailable: each process counts its own rate limits.')
    await server.start()
    await waitUntil(() => limits.problem() === undefined)
  })

  it('do not take a blocked event loop for an outage of Redis', async () => {
    const { auth, newClient, types } = await openApp()
    const client = await newClient()
    await auth.verifyApiKey('catalog', client.clientId)
    const verification = auth.verifyApiKey('catalog', client.clientId)
    await new Promise((resolve) => setImmediate(resolve))
    const blockedAt = performance.now()
    while (performance.now() - blockedAt < 400);
    await verification
    expect(types()).toEqual([])
  })

  it('send nothing to Redis for a client that has used up its limit', async () => {
    const { call, newClient } = await openApp()
    const client = await newClient()
    await countPassed(repeat(LIMIT, () => call(client)))
    const admin = new Redis(server.url)
    closings.push(() => admin.disconnect())
    const before = await countScripts(admin)
    expect(await countPassed(repeat(LIMIT, () => call(client)))).toBe(0)
    expect(await countScripts(admin)).toBe(before)
  })
})

/** How many scripts the server has run. */
async function countScripts(redis: Redis): Promise<number> {
  const stats = await redis.info('commandstats')
  return [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)].reduce((sum, [, calls]) => sum + Number(calls), 0)
}
