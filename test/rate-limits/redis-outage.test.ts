import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import express from 'express'
import { Redis } from 'ioredis'
import request, { type Response } from 'supertest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PlatformEvent } from '../../src/index.js'
import { createRateLimits } from '../../src/rate-limits/create.js'
import { createApplication, formOf, listen, post } from '../support/http.js'
import { platform } from '../support/platform.js'
import { connectTo, startRedis, until, type RedisServer } from '../support/redis.js'

const LIMIT = 40

let server: RedisServer
const closings: (() => unknown)[] = []
beforeEach(async () => void (server = await startRedis()))
afterEach(async () => {
  for (const close of closings.splice(0).toReversed()) await close()
  await server.end()
})

/** A platform that counts in that Redis, and an application that may call it `LIMIT` times. */
async function open(redis = connectTo(server.url), window = 60) {
  closings.push(() => redis.disconnect())
  const baseUrl = `https://${randomBytes(8).toString('hex')}.example.com`
  const requests = { limit: LIMIT, window }
  const made = platform({ baseUrl, rateLimits: { requests, failedAuthentication: { limit: 5, window }, redis } })
  const { auth } = made
  closings.push(auth.close)
  const events: PlatformEvent[] = []
  for (const type of ['limits.unavailable', 'limits.available'] as const)
    auth.events.on(type, (e) => void events.push(e))
  const app = express().use(auth.router)
  app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
  await auth.ready()
  const { port, close } = await listen(app)
  closings.push(close)
  const newcomer = () => createApplication(auth, ['catalog', 'orders'])
  const call = ({ clientId }: { clientId: string }): Promise<Response> =>
    request(`http://127.0.0.1:${port}`)
      .get('/catalog/items')
      .set('X-Api-Key', clientId)
      .then((answer) => answer)
  return { ...made, app, redis, events, types: () => events.map(({ type }) => type), newcomer, call }
}

/** How many of so many calls at once passed; the others were refused, and nothing else happened. */
async function passed(asked: Promise<Response>[]): Promise<number> {
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
  return statuses.filter((status) => status === 200).length
}

const times = <Made>(count: number, make: () => Made): Made[] => Array.from({ length: count }, make)

/** What an ioredis instance may be told, from patient to impatient. */
const WAYS = {
  'as ioredis is by default': {},
  'keeping commands for ever': { enableOfflineQueue: true, maxRetriesPerRequest: null },
  'keeping no command': { enableOfflineQueue: false, maxRetriesPerRequest: 1 },
}

const MISDEEDS = {
  'is killed': [(redis: RedisServer) => redis.kill(), (redis: RedisServer) => redis.start()],
  hangs: [async (redis: RedisServer) => redis.freeze(), async (redis: RedisServer) => redis.thaw()],
} as const

describe.each(Object.entries(MISDEEDS))('When Redis %s under load,', (_, [harm, heal]) => {
  it.each(Object.entries(WAYS))(
    '%s: limits hold in this process, nobody waits, nothing fails',
    async (_way, options) => {
      const { call, newcomer, auth, app, redis, events, types, logger } = await open(connectTo(server.url, options))
      const [busy, fresh, late] = [await newcomer(), await newcomer(), await newcomer()]
      await until(() => redis.status === 'ready')

      // Some calls are on their way when it happens.
      const before = times(LIMIT / 2, () => call(busy))
      await Promise.race(before)
      const during = times(LIMIT, () => call(busy))
      await harm(server)
      const after = times(LIMIT * 3, () => call(busy))
      // Once in Redis, once in memory: no more than that can be known.
      const all = await passed([...before, ...during, ...after])
      expect(all).toBeGreaterThanOrEqual(LIMIT)
      expect(all).toBeLessThanOrEqual(2 * LIMIT)

      expect(await passed(times(LIMIT * 3, () => call(fresh)))).toBe(LIMIT)
      expect(types()).toEqual(['limits.unavailable'])
      expect(events[0]!.reason).toBeTruthy()
      const refused = await call(fresh)
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, expect.stringMatching(/^[1-6]\d?$/)])

      // Guesses are counted as well, and the right secret passes.
      const wrong = formOf({ ...fresh, clientSecret: 'wrong' })
      const guesses = await Promise.all(times(8, () => post(app, '/orders/token', wrong)))
      expect(guesses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        401, 401, 401, 401, 401, 429, 429, 429,
      ])
      expect((await post(app, '/orders/token', formOf(fresh))).status).toBe(200)

      // After the first ones nobody has to wait to find out.
      const since = performance.now()
      for (let i = 0; i < 10; i++) await auth.verifyApiKey('catalog', late.clientId)
      expect(performance.now() - since).toBeLessThan(200)

      await heal(server)
      const healed = performance.now()
      await until(() => types().length === 2)
      expect(performance.now() - healed).toBeLessThan(1000)
      expect(types()).toEqual(['limits.unavailable', 'limits.available'])
      // Shared again: another instance sees what this one counts.
      const next = await newcomer()
      expect(await passed(times(LIMIT * 2, () => call(next)))).toBe(LIMIT)
      expect(await redis.keys(`*:requests:catalog:${next.id}`)).toHaveLength(1)

      const said = logger.lines.filter((line) => line.includes('Redis'))
      expect(said).toEqual([
        expect.stringMatching(/^Redis is out of reach: each process counts its own rate limits until it answers\./),
        'Redis answers again: rate limits are shared.',
      ])
    },
  )
})

describe('Redis', () => {
  it('that is not there at the start is waited for by nobody, and counts from when it comes', async () => {
    await server.kill()
    const { call, newcomer, types } = await open()
    const client = await newcomer()
    const since = performance.now()
    expect((await call(client)).status).toBe(200)
    expect(performance.now() - since).toBeLessThan(2000)
    expect(types()).toEqual(['limits.unavailable'])
    await server.start()
    await until(() => types().length === 2)
    expect(types()[1]).toBe('limits.available')
  })

  it.each(Object.entries(WAYS))(
    '%s, that is just being connected counts from the first request on',
    async (_, options) => {
      const { auth, newcomer, types, redis } = await open(connectTo(server.url, { ...options, lazyConnect: true }))
      const client = await newcomer()
      const connecting = redis.connect()
      expect(redis.status).toBe('connecting')
      await auth.verifyApiKey('catalog', client.clientId)
      await connecting
      expect(types()).toEqual([])
      expect(await redis.keys(`*:${client.id}`)).toHaveLength(1)
    },
  )

  it('that connects when it is first asked (lazyConnect) is asked', async () => {
    const redis = connectTo(server.url, { lazyConnect: true })
    const { call, newcomer, types } = await open(redis)
    const client = await newcomer()
    expect((await call(client)).status).toBe(200)
    expect([types(), redis.status]).toEqual([[], 'ready'])
    expect(await redis.keys(`*:${client.id}`)).toHaveLength(1)
  })

  it('that takes no writes is as good as gone, whatever it answers to PING, and is told of once', async () => {
    const { call, newcomer, types, events } = await open()
    const admin = connectTo(server.url)
    closings.push(() => admin.disconnect())
    await admin.config('SET', 'maxmemory', '1')
    const client = await newcomer()
    expect(await passed(times(LIMIT * 2, () => call(client)))).toBe(LIMIT)
    await sleep(500)
    expect(types()).toEqual(['limits.unavailable'])
    expect(events[0]!.reason).toMatch(/OOM/)
    await admin.config('SET', 'maxmemory', '0')
    await until(() => types().length === 2)
  })

  it('that its owner has closed leaves limits in this process', async () => {
    const { call, newcomer, types, redis } = await open()
    await redis.quit()
    const client = await newcomer()
    expect(await passed(times(LIMIT * 2, () => call(client)))).toBe(LIMIT)
    expect(types()).toEqual(['limits.unavailable'])
  })

  it('that has forgotten everything, scripts too, is no outage', async () => {
    const { call, newcomer, types, redis } = await open()
    const client = await newcomer()
    expect((await call(client)).status).toBe(200)
    await redis.script('FLUSH')
    await redis.flushall()
    expect(await passed(times(LIMIT * 2, () => call(client)))).toBe(LIMIT)
    expect(types()).toEqual([])
  })

  it('is a problem that operators can read of, for as long as it lasts', async () => {
    const redis = connectTo(server.url)
    closings.push(() => redis.disconnect())
    const limits = createRateLimits({
      secret: 'any',
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
    expect(limits.problem()).toBe('Redis is out of reach: each process counts its own rate limits.')
    await server.start()
    await until(() => limits.problem() === undefined)
  })

  it('that answered in time is not gone where this process had no time to listen', async () => {
    const { auth, newcomer, types } = await open()
    const client = await newcomer()
    await auth.verifyApiKey('catalog', client.clientId)
    const asked = auth.verifyApiKey('catalog', client.clientId)
    await new Promise((turn) => setImmediate(turn))
    const since = performance.now()
    while (performance.now() - since < 400);
    await asked
    expect(types()).toEqual([])
  })

  it('of which a key has used up its limit is not asked about it again', async () => {
    const { call, newcomer } = await open()
    const client = await newcomer()
    await passed(times(LIMIT, () => call(client)))
    const admin = new Redis(server.url)
    closings.push(() => admin.disconnect())
    const before = await commands(admin)
    expect(await passed(times(LIMIT, () => call(client)))).toBe(0)
    expect(await commands(admin)).toBe(before)
  })
})

/** How many scripts a Redis has run. */
async function commands(redis: Redis): Promise<number> {
  const stats = await redis.info('commandstats')
  return [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)].reduce((sum, [, calls]) => sum + Number(calls), 0)
}
