import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Pool } from 'pg'
import { beforeEach, describe, expect, it } from 'vitest'
import { postgresStore } from '../../../src/stores/postgres/index.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { startPostgres } from '../../support/postgres.js'
import { CALLS } from '../calls.js'
import { application, audit } from '../suite/records.js'
import { usePostgres, watchChanges } from './databases.js'

const db = usePostgres()

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
