import { Client, Pool, type PoolConfig } from 'pg'
import { Pool as OldestPool } from 'pg8-0'
import { describe, expect, it } from 'vitest'
import { postgresStore, type PostgresPool } from '../../src/stores/postgres/index.js'
import { acquire } from '../../src/stores/postgres/pool.js'
import { application, audit } from '../stores/suite/records.js'
import { spyOnQueries } from '../stores/postgres/databases.js'
import type { AtEnd } from '../support/outage-host.js'
import { startPgBouncer } from '../support/pgbouncer.js'
import { freshDatabase } from '../support/postgres.js'

const MAX_CONNECTIONS = 3

interface Way {
  readonly listen?: boolean
  readonly throughPgBouncer?: boolean
  openPool(config: PoolConfig): { readonly pool: PostgresPool; end(): Promise<void> }
}

const openPool: Way['openPool'] = (config) => {
  const pool = new Pool(config)
  return { pool, end: () => pool.end() }
}

/** How a store may reach PostgreSQL. */
const WAYS: Readonly<Record<string, Way>> = {
  pg: { openPool },
  'pg, through PgBouncer in transaction mode': { openPool, listen: false, throughPgBouncer: true },
  'pg 8.0.3': {
    openPool(config) {
      const pool = new OldestPool(config)
      return { pool, end: () => pool.end() }
    },
  },
  'pg in pipeline mode': { openPool: (config) => openPool({ ...config, pipeline: true }) },
  'a pool that wraps that of pg, as instrumentation does': {
    openPool(config) {
      const pool = new Pool(config)
      return { pool: spyOnQueries(pool, () => undefined, { opaque: true }), end: () => pool.end() }
    },
  },
}

/** A store with one application, and a connection of somebody else to the same database. */
async function open(atEnd: AtEnd, { listen = true, throughPgBouncer = false, ...way }: Way) {
  const database = await freshDatabase()
  atEnd(database.remove)
  let url = database.url
  if (throughPgBouncer) {
    const bouncer = await startPgBouncer(url)
    atEnd(bouncer.end)
    url = bouncer.url
  }
  const { pool, end } = way.openPool({ connectionString: url, max: MAX_CONNECTIONS, connectionTimeoutMillis: 5000 })
  atEnd(end)
  const clients: { connection: { stream: { destroy(): void } } }[] = []
  if (pool instanceof Pool) pool.on('connect', (client) => void clients.push(client as unknown as (typeof clients)[0]))
  const store = postgresStore({ pool, listen })
  await store.open()
  await store.saveApplication(application('a'), audit())
  const other = new Client(database.url)
  await other.connect()
  atEnd(() => other.end())
  const count = async (condition: string): Promise<number> => {
    const text = `SELECT count(*) AS count FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND ${condition}`
    return Number((await other.query<{ count: string }>(text)).rows[0]!.count)
  }
  return {
    store,
    pool,
    other,
    /** Server processes that wait for a lock. */
    countWaiting: () => count(`wait_event_type = 'Lock'`),
    countConnections: () => count('true'),
    /** As the kernel does for a process that was killed. */
    vanish: () => clients.forEach(({ connection }) => connection.stream.destroy()),
  }
}

const LOCK =
  'BEGIN; LOCK platform_auth_applications, platform_auth_changes, platform_auth_audit IN ACCESS EXCLUSIVE MODE'

describe.concurrent.each(Object.entries(WAYS))('A locked table, with %s,', (_, way) => {
  it('leaves no server process behind when a call is given up, and the connections can be used again', async ({
    onTestFinished: atEnd,
  }) => {
    const { store, other, countWaiting, countConnections } = await open(atEnd, way)
    await other.query(LOCK)
    const calls = [
      store.findApplication('a'),
      store.findApplicationByKey('k'),
      store.changesSince(undefined),
      store.listAudit({ after: undefined, limit: 1, applicationId: undefined }),
      store.saveApplication(application('b'), audit()),
    ].map(async (call) => expect(await call.catch((error: unknown) => error)).toBeInstanceOf(Error))
    let most = 0
    const watching = setInterval(() => void countConnections().then((count) => (most = Math.max(most, count))), 100)
    await Promise.all(calls)
    clearInterval(watching)
    expect(await countWaiting()).toBe(0)
    expect(most).toBeLessThanOrEqual(MAX_CONNECTIONS)
    await other.query('ROLLBACK')
    expect(await store.findApplication('a')).toStrictEqual(application('a'))
    expect(await store.saveApplication(application('b'), audit())).toBe(true)
  })

  it('is not waited for by the connection of the next query: no limit outlives a read', async ({
    onTestFinished: atEnd,
  }) => {
    const { store, pool } = await open(atEnd, way)
    await Promise.all(Array.from({ length: 2 * MAX_CONNECTIONS }, () => store.findApplication('a')))
    await store.changesSince(undefined)
    for (let i = 0; i < MAX_CONNECTIONS; i++) expect(await readLimits(pool)).toEqual({ statement: '0', lock: '0' })
  })
})

it('A locked table is not waited for on behalf of a process that has gone', async ({ onTestFinished: atEnd }) => {
  const { store, other, countWaiting, vanish } = await open(atEnd, WAYS['pg']!)
  await other.query(LOCK)
  const reading = store.findApplication('a').catch((error: unknown) => error)
  await expect.poll(countWaiting).toBe(1)
  vanish()
  expect(await reading).toBeInstanceOf(Error)
  await expect.poll(countWaiting).toBe(0)
})

it('A locked table is not waited for by the migration of a process that has gone', async ({
  onTestFinished: atEnd,
}) => {
  const { pool, other, countWaiting, vanish } = await open(atEnd, WAYS['pg']!)
  await other.query('DELETE FROM platform_auth_meta')
  await other.query('BEGIN; SELECT pg_advisory_xact_lock(6023885187240)')
  const opening = postgresStore({ pool })
    .open()
    .catch((error: unknown) => error)
  await expect.poll(countWaiting).toBe(1)
  vanish()
  expect(await opening).toBeInstanceOf(Error)
  await expect.poll(countWaiting).toBe(0)
})

/** What a query of the host gets on the pool that it shares. */
async function readLimits(pool: PostgresPool): Promise<unknown> {
  const client = await acquire(pool, () => undefined)
  const text = `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock`
  const { rows } = await client.query({ text })
  client.release()
  return rows[0]
}
