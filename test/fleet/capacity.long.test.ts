import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPlatformAuth } from '../../src/index.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { accessToken, createApplication } from '../support/http.js'
import { APIS, recordingLogger, SECRET } from '../support/platform.js'
import { connectTo, startRedis } from '../support/redis.js'
import { asOftenAsPossible, nowAndThen, often, openPlatform, print } from './capacity.js'
import { addApplications } from './many-applications.js'
import { startGaugedPostgres, type PostgresGauge } from './postgres-gauge.js'

// Prints the figures of docs/scaling.md.

let postgres: PostgresGauge

/** Statements a second, statements, and microseconds of processor time: what the table at the end is made of. */
const measured = { idle: 0, changing: 0, reading: 0, lookUp: 0, change: 0, wakeUp: 0 }

beforeAll(async () => {
  postgres = await startGaugedPostgres()
})
afterAll(() => postgres?.end())

describe('what one process asks of PostgreSQL', () => {
  it.each([true, false])('by the clock, listen: %s', { timeout: 60_000 }, async (listen) => {
    const SECONDS = listen ? 10 : 5
    const { auth, key } = await openPlatform(postgres.countedUrl, { listen })
    const { clientId } = await createApplication(auth, ['catalog'])
    // What a pool doesn't need it keeps for 10 s.
    await sleep(2000)
    const idle = (await postgres.statements(() => sleep(SECONDS * 1000))) / SECONDS
    const connections = await postgres.connections()
    print(`one process by the clock, listen: ${listen}`, { 'statements a second': idle, connections })
    expect(idle).toBeLessThan(20)
    if (!listen) return
    measured.idle = idle
    const used = await postgres.statements(() => nowAndThen(1, SECONDS + 1, 20, () => key(clientId)))
    print('one process, for lastUsedAt', { 'statements every 10 seconds': used - idle * (SECONDS + 1) })
  })

  it('for requests, for what it has not seen before, and for changes', { timeout: 60_000 }, async () => {
    const { auth, app, bearer, key, token } = await openPlatform(postgres.countedUrl)
    const { auth: other } = await openPlatform(postgres.countedUrl)

    /** Statements for each, those by the clock left out. */
    async function forEach(times: number, atOnce: number, ask: (i: number) => Promise<unknown>): Promise<number> {
      const began = performance.now()
      const all = await postgres.statements(() => often(times, atOnce, ask))
      const byTheClock = (2 * measured.idle * (performance.now() - began)) / 1000
      return Math.max(0, all - byTheClock) / times
    }

    const shop = await createApplication(auth, ['orders', 'catalog'])
    const bought = await accessToken(app, 'orders', shop)
    await key(shop.clientId)
    await bearer(bought)
    const newcomers = await Promise.all(Array.from({ length: 60 }, () => createApplication(other, ['catalog'])))
    const guarded = await forEach(3000, 10, (i) => (i % 2 === 0 ? key(shop.clientId) : bearer(bought)))
    const alone = await forEach(300, 1, () => token(shop))
    const together = await forEach(600, 20, () => token(shop))
    const firstSight = await forEach(60, 1, (i) => key(newcomers[i]!.clientId))
    const change = await forEach(60, 1, (i) => other.applications.update(newcomers[i]!.id, { name: `Renamed ${i}` }))
    const afterChange = await forEach(60, 1, (i) => key(newcomers[i]!.clientId))
    print('statements for each', {
      'guarded request': guarded,
      'token request alone': alone,
      'token request, 20 at once': together,
      'first sight of a key': firstSight,
      'change that two processes hear of': change,
      'first request after it': afterChange,
    })
    measured.changing = change
    expect(guarded).toBeLessThan(0.05)
    expect(alone).toBeLessThan(1.5)
    expect(together).toBeLessThan(alone)
    expect(firstSight).toBeLessThan(1.5)
    expect(afterChange).toBeLessThan(1.5)
  })
})

describe('what that costs', () => {
  it('in PostgreSQL', { timeout: 60_000 }, async () => {
    const { auth } = await openPlatform(postgres.url)
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

    /** Microseconds for each, by workers who wait for nothing but their answers. */
    async function costOf(name: string, ask: (worker: number) => Promise<unknown>): Promise<number> {
      await asOftenAsPossible(4, 0.5, ask)
      let done = { times: 0, seconds: 0 }
      const spent = await postgres.processorTime(async () => {
        done = await asOftenAsPossible(4, 2.5, ask)
      })
      const each = (spent * 1000) / done.times
      const figures = { 'us of processor time': each, 'a second by one core': 1e6 / each }
      print(`PostgreSQL, ${name}`, { ...figures, 'a second, by four at once here': done.times / done.seconds })
      return each
    }

    const read = () => store.changesSince(cursor)
    measured.reading = await costOf('reading of the feed', read)
    measured.lookUp = await costOf('look-up by key', (worker) => store.findApplicationByKey(hashes[worker]!))
    measured.change = await costOf('change with audit, feed and NOTIFY', save)

    // Where it is asked now and then, it wakes up for each.
    const { cursor: end } = await store.changesSince(undefined)
    const nothing = await postgres.processorTime(() => sleep(3000))
    let done = { times: 0, seconds: 0 }
    const some = await postgres.processorTime(async () => {
      done = await nowAndThen(16, 4, 10, () => store.changesSince(end))
    })
    const each = ((some - (nothing / 3) * done.seconds) * 1000) / done.times
    measured.wakeUp = Math.max(0, each - measured.reading)
    print('PostgreSQL, reading of the feed now and then', {
      'a second': done.times / done.seconds,
      'us of processor time': each,
      'percent of one core while nobody asks': nothing / 30,
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
    const redis = connectTo(server.url)
    const gauge = connectTo(server.url)
    const told = async (section: string, name: RegExp): Promise<number> =>
      [...(await gauge.info(section)).matchAll(name)].reduce((sum, [, figure]) => sum + Number(figure), 0)
    const spent = () => told('cpu', /used_cpu_(?:user|sys):([\d.]+)/g)
    const commands = () => told('commandstats', /cmdstat_(?:eval|evalsha):calls=(\d+)/g)
    try {
      const requests = { limit: 1_000_000_000, window: 3600 }
      const { auth } = await openPlatform(postgres.url, { rateLimits: { requests, redis } })
      const { clientId } = await createApplication(auth, ['catalog'])
      const ask = () => auth.verifyApiKey('catalog', clientId)
      await often(2000, 50, ask)
      const [spentBefore, asked] = [await spent(), await commands()]
      const began = performance.now()
      await often(COUNTS, 50, ask)
      const seconds = (performance.now() - began) / 1000
      const each = ((await spent()) - spentBefore) / COUNTS
      const all = (await commands()) - asked
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

  it('in a process: memory, and the time to start', { timeout: 120_000 }, async () => {
    const { auth } = await openPlatform(postgres.url)
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
    print('megabytes of a process that has just started', memory)
    print('megabytes with 1,000 applications in use', await verify(keys.slice(0, 1000), []))
    const full = await verify(keys, [])
    print('megabytes with 20,000 applications in use', full)
    const fuller = await verify(
      [],
      callers.map(({ token }) => token),
    )
    print('megabytes with an access token of each besides', fuller)
    await end()
    expect(fuller.heap - memory.heap).toBeLessThan(200)
  })

  it('in SQLite: changes one after another, each on disk', { timeout: 60_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'capacity-'))
    const auth = createPlatformAuth({
      baseUrl: 'https://api.example.com',
      apis: APIS,
      store: sqliteStore(join(folder, 'platform.sqlite')),
      secret: SECRET,
      logger: recordingLogger(),
    })
    const { id } = await createApplication(auth, ['catalog'])
    const { times, seconds } = await asOftenAsPossible(1, 2, () => auth.applications.update(id, { name: 'Renamed' }))
    print('SQLite, changes', { 'a second': times / seconds })
    await auth.close()
    await rm(folder, { recursive: true })
  })
})

describe('how far one database carries it', () => {
  interface Load {
    readonly processes: number
    /** A second, of each process. */
    readonly tokenRequests: number
    /** A second, of all together. */
    readonly changes: number
  }

  /** Of one core: where PostgreSQL is always at it, and where it wakes up for each statement. */
  function computed({ processes, tokenRequests, changes }: Load) {
    // Alone, a token request costs a reading of its own; a change costs one in each process.
    const readings = processes * (measured.idle + tokenRequests + changes)
    // A newcomer a second, in each.
    const lookUps = processes
    const inChanges = changes * (measured.changing - 2)
    const statements = readings + lookUps + inChanges
    const busy = readings * measured.reading + lookUps * measured.lookUp + changes * measured.change
    return { statements, busy: busy / 10_000, waking: (busy + statements * measured.wakeUp) / 10_000 }
  }

  it('as computed from what was measured', () => {
    for (const processes of [1, 4, 16, 64, 256]) {
      const { statements, busy, waking } = computed({ processes, tokenRequests: 20, changes: 1 })
      print(`computed for ${processes} processes`, {
        'guarded requests a second': String(processes * 5000),
        'token requests a second': String(processes * 20),
        'statements a second': statements,
        'percent of one core, if busy': busy,
        'if it wakes up for each': waking,
      })
    }
    expect(computed({ processes: 16, tokenRequests: 20, changes: 1 }).busy).toBeLessThan(100)
  })

  it('as sixteen platforms measure it', { timeout: 60_000 }, async () => {
    const platforms = await Promise.all(Array.from({ length: 16 }, () => openPlatform(postgres.url)))
    const shops = await Promise.all(platforms.map(({ auth }) => createApplication(auth, ['orders'])))
    const ask = (i: number) => platforms[i]!.token(shops[i]!)
    await nowAndThen(16, 2, 20, ask)
    let done = { times: 0, seconds: 0 }
    const spent = await postgres.processorTime(async () => {
      done = await nowAndThen(16, 8, 20, ask)
    })
    const rate = done.times / done.seconds
    const { busy, waking } = computed({ processes: 16, tokenRequests: rate / 16, changes: 0 })
    const percent = spent / 10 / done.seconds
    const figures = { 'percent of one core': percent, 'computed, if busy': busy, 'if it wakes up for each': waking }
    print('sixteen platforms on one PostgreSQL', { 'token requests a second': rate, ...figures })
    expect(percent).toBeLessThan(100)
  })
})

type Memory = Readonly<Record<'rss' | 'heap', number>>

/** A process of its own with a platform on the database, and nothing of ours in it. */
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
