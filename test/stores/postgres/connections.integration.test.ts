import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { application, audit } from '../suite/records.js'
import { timeBound } from '../../support/time-bound.js'
import { LISTENERS, runPostgresProcess, spyOnQueries, usePostgres, watchChanges } from './databases.js'
import { Client, Pool } from 'pg'
import { postgresStore } from '../../../src/stores/postgres/index.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { startPostgres } from '../../support/postgres.js'
import { CALLS } from '../calls.js'

const db = usePostgres()

describe('postgresStore, listening,', () => {
  beforeEach(db.makeSchema)

  it('wakes a watcher within 100 ms of a commit', async () => {
    const [store, other] = [await db.openStore(), await db.openStore()]
    let wokenAt = 0
    other.watch!(() => (wokenAt = performance.now()))
    await expect.poll(() => wokenAt).toBeGreaterThan(0)
    const delays: number[] = []
    for (let i = 0; i < 5; i++) {
      wokenAt = 0
      await store.saveApplication(application(`${i}`), audit())
      const saved = performance.now()
      await expect.poll(() => wokenAt, { interval: 5 }).toBeGreaterThan(0)
      delays.push(wokenAt - saved)
    }
    expect(median(delays)).toBeLessThan(timeBound(100))
  })

  it('lists what was committed while its listening connection was lost', async () => {
    const [store, other] = [await db.openStore(), await db.openStore()]
    const readIds = await watchChanges(other)
    await expect.poll(db.countListeners).toBe(1)
    const delays: number[] = []
    for (let i = 0; i < 3; i++) {
      await db.ask(`SELECT pg_terminate_backend(pid) ${LISTENERS}`)
      await store.saveApplication(application(`${i}`), audit())
      const saved = performance.now()
      await expect.poll(() => readIds().length).toBe(i + 1)
      delays.push(performance.now() - saved)
      await expect.poll(db.countListeners).toBe(1)
    }
    expect(median(delays)).toBeLessThan(timeBound(1000))
    expect(readIds()).toEqual(['0', '1', '2'])
  })

  it('listens with one connection, also after losing it at the start', async () => {
    const pool = db.openPool({ application_name: 'lost' })
    let losses = 3
    const failing = spyOnQueries(pool, async ({ text }) => {
      if (!text.startsWith('LISTEN') || losses === 0) return
      losses -= 1
      // Both the query and the connection's event report this loss.
      await db.ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lost'`)
    })
    const store = await db.openStore({ pool: failing })
    let woken = 0
    store.watch!(() => (woken += 1))
    await expect.poll(db.countListeners).toBe(1)
    await sleep(500)
    expect({ losses, woken, busy: pool.totalCount - pool.idleCount }).toEqual({ losses: 0, woken: 1, busy: 1 })
    await store.close()
    await expect.poll(db.countListeners).toBe(0)
    expect(pool.totalCount - pool.idleCount).toBe(0)
  })

  it('polls every 500 ms while it listens, and every 75 ms while it cannot', async () => {
    const store = await db.openStore()
    expect(store.pollInterval).toBe(75)
    let woken = 0
    store.watch!(() => (woken += 1))
    await expect.poll(() => store.pollInterval).toBe(500)
    expect(woken).toBe(1)
    await db.ask(`SELECT pg_terminate_backend(pid) ${LISTENERS}`)
    await expect.poll(() => store.pollInterval, { interval: 1 }).toBe(75)
    await expect.poll(() => store.pollInterval).toBe(500)
    expect(woken).toBe(2)
  })

  it('polls every 75 ms with listen: false, and holds no connection', async () => {
    const pool = db.openPool()
    const [store, other] = [await db.openStore(), await db.openStore({ pool, listen: false })]
    expect(other.watch).toBeUndefined()
    expect(other.pollInterval).toBe(75)
    const { cursor } = await other.changesSince(undefined)
    expect(pool.totalCount).toBe(pool.idleCount)
    await store.saveApplication(application('a'), audit())
    expect((await other.changesSince(cursor)).changes).toEqual([{ kind: 'application', id: 'a' }])
    expect(await db.countListeners()).toBe(0)
  })

  it('does not keep an idle process alive', async () => {
    expect(await runPostgresProcess(db, 'watch')).toBe('watching\n')
  })
})

/** The median, because a busy machine may delay one of the measurements. */
function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}

describe('postgresStore, when connections are lost,', () => {
  beforeEach(db.makeSchema)

  it('returns every connection to the pool, and the listening one on close()', async () => {
    const pool = db.openPool()
    const store = await db.openStore({ pool })
    store.watch!(() => undefined)
    await Promise.all(CALLS.map(([, call]) => call(store).catch(() => undefined)))
    const bad = store.saveApplication(application('b'), audit('b', { details: { big: 1n } }))
    await expect(bad).rejects.toThrow('BigInt')
    await expect.poll(db.countListeners).toBe(1)
    await expect.poll(() => pool.totalCount - pool.idleCount).toBe(1)
    await store.close()
    expect(pool.totalCount - pool.idleCount).toBe(0)
    await expect.poll(db.countListeners).toBe(0)
    expect((await pool.query('SELECT 1 FROM platform_auth_applications')).rows).toBeInstanceOf(Array)
  })

  it('works again after every connection was terminated, busy and new ones included', async () => {
    const stores = [await db.openStore(), await db.openStore({ listen: false })] as const
    stores[0].watch!(() => undefined)
    let [answered, rejected] = [0, 0]
    const stopping = new AbortController()
    const callers = Array.from({ length: 20 }, async (_, worker) => {
      const store = stores[worker % 2]!
      for (let i = 0; !stopping.signal.aborted; i++) {
        const call =
          i % 2 ? store.revokeAccessToken({ id: `${worker}-${i}`, expiresAt: 2 }, 1) : store.findApplication('a')
        await call.then(
          () => (answered += 1),
          () => (rejected += 1),
        )
      }
    })
    const killer = new Client(db.poolConfig({ application_name: 'killer' }))
    await killer.connect()
    // Each round starts a server process for every connection.
    for (let i = 0; i < (IS_LONG_LANE ? 60 : 20); i++) {
      await killer.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name <> 'killer'`)
      await sleep(Math.random() * 10)
      // Blocked, the process reads the start and the loss of a connection from the socket at once.
      for (const until = performance.now() + Math.random() * 25; performance.now() < until;);
    }
    stopping.abort()
    await Promise.all([...callers, killer.end()])
    expect(answered).toBeGreaterThan(0)
    expect(rejected).toBeGreaterThan(0)
    expect(await stores[0].saveApplication(application('after'), audit())).toBe(true)
    expect(await stores[1].saveApplication(application('after that'), audit())).toBe(true)
  })

  it('rejects calls while the server is down, and loses nothing afterwards', async () => {
    const server = await startPostgres()
    db.onEnd(() => server.end())
    const pools = [new Pool({ connectionString: server.url }), new Pool({ connectionString: server.url })] as const
    db.onEnd(() => Promise.all(pools.map((pool) => pool.end())))
    const [store, other] = [await db.openStore({ pool: pools[0] }), await db.openStore({ pool: pools[1] })]
    await store.saveApplication(application('before'), audit())
    const readIds = await watchChanges(other)

    for (const round of ['first', 'second']) {
      await server.stop()
      for (const [, call] of CALLS) await expect(call(store)).rejects.toBeInstanceOf(Error)
      const late = postgresStore({ pool: pools[0], listen: false })
      db.onEnd(() => late.close())
      await expect(late.open()).rejects.toBeInstanceOf(Error)
      // Long enough for several failed attempts to listen again.
      await sleep(500)
      await server.start()
      expect(await store.saveApplication(application(round), audit())).toBe(true)
      await expect.poll(() => readIds().at(-1)).toBe(round)
      await late.open()
      expect(await late.findApplication('before')).toStrictEqual(application('before'))
    }
    expect(readIds()).toEqual(['first', 'second'])
  })
})
