import { ConfigurationError } from '../../shared/contracts/errors.js'
import type { SchemaMigration, StoreWith } from '../../store.js'
import { createSharedCalls } from '../sql/shared-calls.js'
import { createPostgresConnections, type Sql } from './connection.js'
import { diagnose, addGrant } from './diagnose.js'
import { POSTGRES, runWork } from './dialect.js'
import { createFeedReader } from './feed.js'
import { createPostgresListener } from './listener.js'
import { migrate } from './migrate.js'
import { MIGRATIONS } from './migrations/index.js'
import type { PostgresPool } from './pool.js'

export type { PostgresClient, PostgresPool, PostgresQuery, PostgresResult } from './pool.js'

/** Options of `postgresStore()`. */
export interface PostgresStoreOptions {
  /**
   * A `Pool` of the package `pg`. It stays the host's: close the platform first, then end the pool. Set its
   * `connectionTimeoutMillis`; without it the pool never gives up a connection attempt.
   */
  readonly pool: PostgresPool
  /**
   * Whether to learn of other processes' changes by LISTEN, which holds one connection of the pool. Default: true. With
   * false the store polls every 75 ms, and uses nothing that PgBouncer in transaction mode does not support.
   */
  readonly listen?: boolean | undefined
}

/**
 * A store in PostgreSQL, which any number of processes may share. Its tables are named `platform_auth_*` and are found by
 * the search path of the pool's connections; missing tables are created in the first schema of that path.
 *
 * @example
 * ```ts
 * import pg from 'pg'
 * import { createPlatformAuth } from 'express-platform-auth'
 * import { postgresStore } from 'express-platform-auth/stores/postgres'
 *
 * const auth = createPlatformAuth({
 *   baseUrl: 'https://api.example.com',
 *   apis: { catalog: { scheme: 'apiKey' } },
 *   store: postgresStore({
 *     pool: new pg.Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 }),
 *   }),
 *   secret: process.env.PLATFORM_AUTH_SECRET,
 * })
 * ```
 */
export function postgresStore(options: PostgresStoreOptions): StoreWith {
  const { pool, listen } = checkOptions(options)
  const { sql, transaction } = createPostgresConnections(pool, { prepare: listen })
  const { clock, readChangesSince } = createFeedReader()
  const listener = listen ? createPostgresListener(pool) : undefined
  let opening: Promise<SchemaMigration | undefined> | undefined
  let closed = false

  async function open({ migrate: mayMigrate = true } = {}): Promise<SchemaMigration | undefined> {
    if (closed) throw new Error('The PostgreSQL store is closed.')
    ignoreLostConnections(pool)
    if (opening) return opening.then(() => undefined)
    opening = migrate({ sql, transaction }, { migrations: MIGRATIONS, mayMigrate }).catch(async (error: unknown) => {
      opening = undefined
      throw await addGrant(sql, error)
    })
    return opening
  }

  async function close(): Promise<void> {
    closed = true
    listener?.close()
  }

  async function requireOpen(): Promise<void> {
    if (closed) throw new Error('The PostgreSQL store is closed.')
    if (!opening) throw new Error('The PostgreSQL store is not open: await store.open() first.')
    await opening
  }

  async function read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    await requireOpen()
    return work(sql)
  }

  const shared = createSharedCalls(
    {
      read: (start) => read((db) => runWork(db, start())),
      async write(start) {
        await requireOpen()
        return transaction((db) => runWork(db, start()))
      },
    },
    POSTGRES,
  )
  return {
    ...shared,
    kind: 'postgres',
    // While a connection listens, polling only covers a loss of that connection that has not been noticed yet.
    get pollInterval() {
      return listener?.isListening() ? 500 : 75
    },
    clock,
    concurrentCalls: countConnections(pool) - (listen ? 1 : 0),
    open,
    close,

    diagnose: () => requireOpen().then(() => diagnose({ sql, transaction, pool, listen })),

    saveApplication: (...args) => shared.saveApplication(...args).catch(recognizeTakenId),

    changesSince: (cursor) => read((db) => readChangesSince(db, cursor)),
    ...(listener && { watch: listener.watch }),
  }
}

/** Another application with the external id is being committed: only this error shows it. Returns the outcome of the call. */
function recognizeTakenId(error: unknown): false {
  const { constraint } = Object(error) as { constraint?: unknown }
  if (constraint === 'platform_auth_applications_by_external_id') return false
  throw error
}

function checkOptions(options: PostgresStoreOptions | undefined): { pool: PostgresPool; listen: boolean } {
  const { pool, listen = true }: Partial<PostgresStoreOptions> = options ?? {}
  // A pg.Client connects too, but is one connection.
  if (typeof pool?.connect !== 'function' || ('connectionParameters' in pool && !('totalCount' in pool)))
    throw new ConfigurationError({
      problem: 'postgresStore() was given no pool of the package pg',
      fix: "Write postgresStore({ pool: new pg.Pool({ connectionString: '...' }) }). Of drizzle take db.$client; knex and Prisma have no such pool.",
    })
  if (listen && countConnections(pool) === 1)
    throw new ConfigurationError({
      problem: "postgresStore()'s LISTEN holds one connection of its pool, which has no other (max: 1)",
      fix: 'Give the pool more connections, or the store listen: false.',
    })
  return { pool, listen }
}

function countConnections({ options }: PostgresPool): number {
  return options?.max ?? 10
}

const poolsWithListener = new WeakSet<PostgresPool>()

/** Without a listener its `error` would end the process. Never removed: connections that are being closed emit it too. */
function ignoreLostConnections(pool: PostgresPool): void {
  if (!poolsWithListener.has(pool)) pool.on('error', () => undefined)
  poolsWithListener.add(pool)
}
