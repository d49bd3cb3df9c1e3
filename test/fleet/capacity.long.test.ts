import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Pool } from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { accessToken, createApplication } from '../support/http.js'
import { APIS, openPlatform, SECRET } from '../support/platform.js'
import { connectRedis, startRedis } from '../support/redis.js'
import { loadAtRate, loadWithoutDelay, openPostgresPlatform, print, repeat } from './capacity.js'
import { addApplications } from './many-applications.js'
import { startGaugedPostgres } from './postgres-gauge.js'

// Prints the figures of docs/scaling.md.

/** For the computation at the end: statements a second (`idle`), statements (`changing`), microseconds of processor time. */
const measured = { idle: 0, changing: 0, reading: 0, lookUp: 0, change: 0, wakeUp: 0 }

const postgres = await startGaugedPostgres()
afterAll(() => postgres?.end())

describe('statements of one process in PostgreSQL', () => {
  it.each([true, false])('at regular intervals, listen: %s', { timeout: 60_000 }, async (listen) => {
    const SECONDS = listen ? 10 : 5
    const { auth, key } = await openPostgresPlatform(postgres.countedUrl, { listen })
    const { clientId } = await createApplication(auth, ['catalog'])
    // The statements of the start are over.
    await sleep(2000)
    const idle = (await postgres.statements(() => sleep(SECONDS * 1000))) / SECONDS
    const connections = await postgres.connections()
    print(`one process at regular intervals, listen: ${listen}`, { 'statements a second': idle, connections })
    expect(idle).toBeLessThan(20)
    if (!listen) return
    measured.idle = idle
    const used = await postgres.statements(() => loadAtRate(1, SECONDS + 1, 20, () => key(clientId)))
    print('one process, for lastUsedAt', { 'statements every 10 seconds': used - idle * (SECONDS + 1) })
  })

  it('for requests, for uncached API keys and for changes', { timeout: 60_000 }, async () => {
    const { auth, app, bearer, key, token } = await openPostgresPlatform(postgres.countedUrl)
    const { auth: other } = await openPostgresPlatform(postgres.countedUrl)

    /** Statements for each request, without the ones at regular intervals. */
    async function countPerRequest(
      times: number,
      atOnce: number,
      ask: (i: number) => Promise<unknown>,
    ): Promise<number> {
      const startedAt = performance.now()
      const all = await postgres.statements(() => repeat(times, atOnce, ask))
      const regular = (2 * measured.idle * (performance.now() - startedAt)) / 1000
      return Math.max(0, all - regular) / times
    }

    const shop = await createApplication(auth, ['orders', 'catalog'])
    const accessTokenOfShop = await accessToken(app, 'orders', shop)
    await key(shop.clientId)
    await bearer(accessTokenOfShop)
    const uncached = await Promise.all(Array.from({ length: 60 }, () => createApplication(other, ['catalog'])))
    const guarded = await countPerRequest(3000, 10, (i) =>
      i % 2 === 0 ? key(shop.clientId) : bearer(accessTokenOfShop),
    )
    const alone = await countPerRequest(300, 1, () => token(shop))
    const together = await countPerRequest(600, 20, () => token(shop))
    const lookUp = await countPerRequest(60, 1, (i) => key(uncached[i]!.clientId))
    const change = await countPerRequest(60, 1, (i) =>
      other.applications.update(uncached[i]!.id, { name: `Renamed ${i}` }),
    )
    const afterChange = await countPerRequest(60, 1, (i) => key(uncached[i]!.clientId))
    print('statements for each request', {
      'guarded request': guarded,
      'token request alone': alone,
      'token request, 20 at once': together,
      'uncached API key': lookUp,
      'change that two processes follow': change,
      'first request after it': afterChange,
    })
    measured.changing = change
    expect(guarded).toBeLessThan(0.05)
    expect(alone).toBeLessThan(1.5)
    expect(together).toBeLessThan(alone)
    expect(lookUp).toBeLessThan(1.5)
    expect(afterChange).toBeLessThan(1.5)
  })
})

describe('costs', () => {
  it('in PostgreSQL', { timeout: 60_000 }, async () => {
    const { auth } = await openPostgresPlatform(postgres.url)
    await auth.close()
    const callers = await addApplications(postgres.url, SECRET, 1000)
    const pool = new Pool({ connectionString: postgres.url, max: 16 })
    const store = postgresStore({ pool })
    await store.open()
    const { cursor } = await store.changesSince(undefined)
    const records = await Promise.all(callers.slice(0, 16).map(({ id }) => store.findApplication(id)))
    const hashes = records.map((record) => record!.keys[0]!.hash)
    const versions = records.map((record) => record!.version)

    async function save(worker: number): Promise<void> {
      const record = { ...records[worker]!, version: (versions[worker]! += 1) }
      const entry = {
        at: 1,
        type: 'application.updated',
        by: undefined,
        applicationId: record.id,
        details: {},
      } as const
      await store.saveApplication(record, entry)
    }

    /** Microseconds of processor time for each call. */
    async function measureCost(name: string, ask: (worker: number) => Promise<unknown>): Promise<number> {
      await loadWithoutDelay(4, 0.5, ask)
      let load = { times: 0, seconds: 0 }
      const spent = await postgres.processorTime(async () => {
        load = await loadWithoutDelay(4, 2.5, ask)
      })
      const each = (spent * 1000) / load.times
      const figures = { 'us of processor time': each, 'a second by one core': 1e6 / each }
      print(`PostgreSQL, ${name}`, { ...figures, 'a second, by four at once here': load.times / load.seconds })
      return each
    }

    const readFeed = () => store.changesSince(cursor)
    measured.reading = await measureCost('read of the change feed', readFeed)
    measured.lookUp = await measureCost('look-up by key', (worker) => store.findApplicationByKey(hashes[worker]!))
    measured.change = await measureCost('change with audit, feed and NOTIFY', save)

    // At a low rate PostgreSQL also has to wake up for each statement.
    const { cursor: end } = await store.changesSince(undefined)
    const idle = await postgres.processorTime(() => sleep(3000))
    let load = { times: 0, seconds: 0 }
    const spent = await postgres.processorTime(async () => {
      load = await loadAtRate(16, 4, 10, () => store.changesSince(end))
    })
    const each = ((spent - (idle / 3) * load.seconds) * 1000) / load.times
    measured.wakeUp = Math.max(0, each - measured.reading)
    print('PostgreSQL, reads of the change feed at a low rate', {
      'a second': load.times / load.seconds,
      'us of processor time': each,
      'percent of one core while idle': idle / 30,
    })
    await store.close()
    await pool.end()
    for (const cost of [measured.reading, measured.lookUp, measured.change]) {
      expect(cost).toBeGreaterThan(1)
      expect(cost).toBeLessThan(20_000)
    }
  })

  it('in Redis', { timeout: 60_000 }, async () => {
    const COUNTS = 40_000
    const server = await startRedis()
    const redis = connectRedis(server.url)
    const gauge = connectRedis(server.url)
    const sumInfo = async (section: string, name: RegExp): Promise<number> =>
      [...(await gauge.info(section)).matchAll(name)].reduce((sum, [, figure]) => sum + Number(figure), 0)
    const spent = () => sumInfo('cpu', /used_cpu_(?:user|sys):([\d.]+)/g)
    const commands = () => sumInfo('commandstats', /cmdstat_(?:eval|evalsha):calls=(\d+)/g)
    try {
      const requests = { limit: 1_000_000_000, window: 3600 }
      const { auth } = await openPostgresPlatform(postgres.url, { rateLimits: { requests, redis } })
      const { clientId } = await createApplication(auth, ['catalog'])
      const ask = () => auth.verifyApiKey('catalog', clientId)
      await repeat(2000, 50, ask)
      const [spentBefore, commandsBefore] = [await spent(), await commands()]
      const startedAt = performance.now()
      await repeat(COUNTS, 50, ask)
      const seconds = (performance.now() - startedAt) / 1000
      const each = ((await spent()) - spentBefore) / COUNTS
      const all = (await commands()) - commandsBefore
      print('Redis, one counted request', {
        commands: all / COUNTS,
        'us of processor time': each * 1e6,
        'a second by one core': 1 / each,
        'a second, by one process here': COUNTS / seconds,
      })
      expect(all).toBe(COUNTS)
      expect(await auth.health()).toEqual({ ok: true, problems: [] })
    } finally {
      redis.disconnect()
      gauge.disconnect()
      await server.end()
    }
  })

  it('memory and start-up time of a process', { timeout: 120_000 }, async () => {
    const { auth } = await openPostgresPlatform(postgres.url)
    await auth.close()
    const callers = await addApplications(postgres.url, SECRET, 20_000)
    const keys = callers.map(({ key }) => key)
    const starts: number[] = []
    for (let i = 0; i < 5; i++) {
      const { ready, end } = await startProcess()
      starts.push(ready)
      await end()
    }
    starts.sort((a, b) => a - b)
    print('milliseconds from createPlatformAuth() to ready()', { median: starts[2]!, longest: starts[4]! })

    const { memory, verify, end } = await startProcess()
    print('megabytes of a process after its start', memory)
    print('megabytes with 1,000 applications in use', await verify(keys.slice(0, 1000), []))
    const full = await verify(keys, [])
    print('megabytes with 20,000 applications in use', full)
    const fuller = await verify(
      [],
      callers.map(({ token }) => token),
    )
    print('megabytes with an access token of each as well', fuller)
    await end()
    expect(fuller.heap - memory.heap).toBeLessThan(200)
  })

  it('changes in SQLite, one after another', { timeout: 60_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'capacity-'))
    const { auth } = openPlatform({ apis: APIS, now: Date.now, store: sqliteStore(join(folder, 'platform.sqlite')) })
    const { id } = await createApplication(auth, ['catalog'])
    const { times, seconds } = await loadWithoutDelay(1, 2, () => auth.applications.update(id, { name: 'Renamed' }))
    print('SQLite, changes', { 'a second': times / seconds })
    await auth.close()
    await rm(folder, { recursive: true })
  })
})

describe('load of one database', () => {
  interface Load {
    readonly processes: number
    /** A second, in each process. */
    readonly tokenRequests: number
    /** A second, in all processes together. */
    readonly changes: number
  }

  /** Percent of one core: if PostgreSQL is always busy, and if it wakes up for each statement. */
  function computeLoad({ processes, tokenRequests, changes }: Load) {
    // A token request costs one read of the change feed if it does not share one; a change costs one in each process.
    const reads = processes * (measured.idle + tokenRequests + changes)
    // One uncached API key a second in each process.
    const lookUps = processes
    const inChanges = changes * (measured.changing - 2)
    const statements = reads + lookUps + inChanges
    const busy = reads * measured.reading + lookUps * measured.lookUp + changes * measured.change
    return { statements, busy: busy / 10_000, waking: (busy + statements * measured.wakeUp) / 10_000 }
  }

  it('computed from the measurements', () => {
    for (const processes of [1, 4, 16, 64, 256]) {
      const { statements, busy, waking } = computeLoad({ processes, tokenRequests: 20, changes: 1 })
      print(`computed for ${processes} processes`, {
        'guarded requests a second': String(processes * 5000),
        'token requests a second': String(processes * 20),
        'statements a second': statements,
        'percent of one core, if busy': busy,
        'if it wakes up for each statement': waking,
      })
    }
    expect(computeLoad({ processes: 16, tokenRequests: 20, changes: 1 }).busy).toBeLessThan(100)
  })

  it('measured with sixteen platforms', { timeout: 60_000 }, async () => {
    const platforms = await Promise.all(Array.from({ length: 16 }, () => openPostgresPlatform(postgres.url)))
    const shops = await Promise.all(platforms.map(({ auth }) => createApplication(auth, ['orders'])))
    const ask = (i: number) => platforms[i]!.token(shops[i]!)
    await loadAtRate(16, 2, 20, ask)
    let load = { times: 0, seconds: 0 }
    const spent = await postgres.processorTime(async () => {
      load = await loadAtRate(16, 8, 20, ask)
    })
    const rate = load.times / load.seconds
    const { busy, waking } = computeLoad({ processes: 16, tokenRequests: rate / 16, changes: 0 })
    const percent = spent / 10 / load.seconds
    const figures = {
      'percent of one core': percent,
      'computed, if busy': busy,
      'if it wakes up for each statement': waking,
    }
    print('sixteen platforms on one PostgreSQL', { 'token requests a second': rate, ...figures })
    expect(percent).toBeLessThan(100)
  })
})

type Memory = Readonly<Record<'rss' | 'heap', number>>

/** A process with a platform on the database, without Vitest. */
async function startProcess() {
  const program = fileURLToPath(new URL('capacity-process.mjs', import.meta.url))
  const child = fork(program, [postgres.url, SECRET], { execArgv: ['--expose-gc'] })
  const [first] = (await once(child, 'message')) as [{ ready: number; memory: Memory }]
  return {
    ...first,
    async verify(keys: readonly string[], tokens: readonly string[]): Promise<Memory> {
      child.send({ keys, tokens })
      const [{ memory }] = (await once(child, 'message')) as [{ memory: Memory }]
      return memory
    },
    async end(): Promise<void> {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
