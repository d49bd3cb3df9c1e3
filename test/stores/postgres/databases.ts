import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client, Pool, type PoolClient, type PoolConfig, type QueryConfig } from 'pg'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { StoreWith } from '../../../src/shared/contracts/store.js'
import { postgresStore } from '../../../src/stores/postgres/index.js'
import type { PostgresClient, PostgresPool, PostgresQuery } from '../../../src/stores/postgres/index.js'
import { freshDatabase, type TestDatabase } from '../../support/postgres.js'

const PROCESS = fileURLToPath(new URL('../../support/postgres-process.mjs', import.meta.url))

/** The connections that listen, for the end of a SELECT. */
export const LISTENERS = `FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`

interface StoreOptions {
  readonly pool?: PostgresPool
  readonly listen?: boolean
}

/** One database for the tests of a file, with a schema that each test can replace. Whatever a test opens is closed after it. */
export function usePostgres() {
  const cleanups: (() => unknown)[] = []
  let database: TestDatabase
  let schemaNumber = 0

  beforeAll(async () => {
    database = await freshDatabase()
    await makeSchema()
  })
  afterAll(() => database?.remove())
  afterEach(async () => {
    for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
  })

  async function makeSchema(): Promise<void> {
    schemaNumber += 1
    await ask(`CREATE SCHEMA s${schemaNumber}`)
  }

  function poolConfig({ options = '', ...rest }: PoolConfig = {}): PoolConfig {
    return { connectionString: database.url, options: `-c search_path=s${schemaNumber} ${options}`, ...rest }
  }

  function openPool(config: PoolConfig = {}): Pool {
    const pool = new Pool(poolConfig(config))
    cleanups.push(() => pool.end())
    return pool
  }

  function createStore({ pool = openPool(), listen = true }: StoreOptions = {}): StoreWith {
    const store = postgresStore({ pool, listen })
    cleanups.push(() => store.close())
    return store
  }

  async function openStore(options?: StoreOptions): Promise<StoreWith> {
    const store = createStore(options)
    await store.open()
    return store
  }

  /** Runs a statement on a connection of its own. */
  async function ask(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new Client(poolConfig())
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(text, values)).rows
    } finally {
      await client.end()
    }
  }

  return {
    get url(): string {
      return database.url
    },
    get schema(): string {
      return `s${schemaNumber}`
    },
    /** Creates an empty schema, which pools that are opened from now on use. */
    makeSchema,
    poolConfig,
    openPool,
    createStore,
    openStore,
    ask,
    countListeners: async () => Number((await ask(`SELECT count(*) AS n ${LISTENERS}`))[0]?.['n']),
    /** Calls back after the test, in reverse order. */
    onEnd: (cleanUp: () => unknown) => void cleanups.push(cleanUp),
  }
}

/** Runs a command of `postgres-process.mjs` in a process of its own; resolves its output. */
export async function runPostgresProcess(
  { url, schema }: { readonly url: string; readonly schema: string },
  ...command: readonly string[]
): Promise<string> {
  const args = [PROCESS, url, schema, ...command]
  return (await promisify(execFile)(process.execPath, args, { timeout: 60_000 })).stdout
}

/** For the next test of a suite: faster than new tables. */
export async function emptyTables(pool: Pool): Promise<void> {
  const deletions = TABLES.map((table) => `DELETE FROM platform_auth_${table};`)
  // A feed without changes begins with its first number.
  await pool.query(`DELETE FROM platform_auth_meta WHERE key <> 'schema'; ${deletions.join(' ')}
    TRUNCATE platform_auth_changes RESTART IDENTITY`)
}

/** Emptied by DELETE: TRUNCATE makes new files for each table and index, which takes ten times as long. */
const TABLES =
  `grants credentials contacts ended_keys last_uses applications signing_keys email_claim_links emails revoked_access_tokens audit
  usage usage_sums usage_batches quotas refusals reported sign_ins sign_outs processes assertions`.split(/\s+/)

/** The ids of the changes since now, read only when the store wakes its watcher. */
export async function watchChanges(store: StoreWith): Promise<() => readonly string[]> {
  const { cursor } = await store.changesSince(undefined)
  let ids: readonly string[] = []
  store.watch!(() => {
    const reading = store.changesSince(cursor).then(({ changes }) => {
      ids = changes.map((change) => ('id' in change ? change.id : change.kind))
    })
    // The connection that reads may be lost too; another wake-up follows.
    reading.catch(() => undefined)
  })
  return () => ids
}

/**
 * The same pool; `onQuery` is awaited before each query. `errorCodes` collects the codes of failed queries in transactions.
 * An `opaque` one hides all that `pg` does not document.
 */
export function spyOnQueries(
  pool: Pool,
  onQuery: (query: PostgresQuery) => unknown,
  { errorCodes = [], opaque = false }: { errorCodes?: unknown[]; opaque?: boolean } = {},
): PostgresPool {
  function spyOnClient(client: PoolClient): PostgresClient['query'] {
    return async function query(query) {
      await onQuery(query)
      try {
        return await client.query(query as QueryConfig)
      } catch (error) {
        errorCodes.push((error as { code?: unknown }).code)
        throw error
      }
    }
  }

  return {
    connect: (callback) =>
      pool.connect((error, client) =>
        callback(
          error,
          client && {
            ...(!opaque && { connection: (client as unknown as { connection: object }).connection }),
            query: spyOnClient(client),
            release: (destroy) => client.release(destroy),
            on: (event, listener) => client.on(event, listener),
            removeListener: (event, listener) => client.removeListener(event, listener),
          },
        ),
      ),
    on: (event, listener) => pool.on(event, listener),
  }
}
