import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { acquire } from './postgres-pool.js'
import type { PostgresClient, PostgresPool, PostgresQuery, PostgresResult } from './postgres-pool.js'

/** Statements against one database. Values that are undefined go in as NULL; integers come out as numbers. */
export interface Sql {
  /** How many rows it changed. */
  run(statement: Statement, ...values: readonly Bindable[]): Promise<number>
  get<Row>(statement: Statement, ...values: readonly Bindable[]): Promise<Row | undefined>
  all<Row>(statement: Statement, ...values: readonly Bindable[]): Promise<readonly Row[]>
}

type Statement = string | PreparedStatement

/** A statement that each connection parses and plans once. */
export interface PreparedStatement {
  readonly name: string
  readonly text: string
}

type Bindable = string | number | undefined | readonly string[] | readonly number[]

export interface PostgresConnections {
  /** For what is one statement. */
  readonly sql: Sql
  /**
   * Runs `work` in a transaction: all of it is committed, or, when it rejects or resolves false, nothing. It may run more
   * than once. What takes longer than `patience`, in milliseconds, is not committed.
   */
  transaction<T>(work: (sql: Sql) => Promise<T>, patience?: number): Promise<T>
}

export function connectionsOf(pool: PostgresPool, { prepare }: { readonly prepare: boolean }): PostgresConnections {
  async function once<T>(work: (sql: Sql) => Promise<T>, patience: number, deadline: number): Promise<T> {
    const limit = limitOf(patience)
    // Of a loss, the next statement tells too.
    const client = await acquire(pool, ignore)
    let lost = false
    try {
      await client.query({ text: BEGIN, ...limit })
      const result = await work(sqlOf(client, prepare, patience))
      if (performance.now() > deadline) throw new Error('The PostgreSQL transaction took too long.')
      await client.query({ text: result === false ? 'ROLLBACK' : 'COMMIT', ...limit })
      return result
    } catch (error) {
      await client.query({ text: 'ROLLBACK', ...limit }).catch(() => (lost = true))
      throw error
    } finally {
      client.release(lost)
      client.removeListener('error', ignore)
    }
  }

  async function transaction<T>(work: (sql: Sql) => Promise<T>, patience = PATIENCE): Promise<T> {
    const deadline = performance.now() + patience
    for (let attempt = 1; ; attempt++) {
      try {
        return await once(work, patience, deadline)
      } catch (error) {
        if (attempt === ATTEMPTS || !isTransient(error)) throw error
      }
      await sleep(Math.random() * 20 * attempt)
    }
  }

  return { sql: sqlOf(pool, prepare, PATIENCE), transaction }
}

/** A statement worth preparing. Its name tells of its text, so that two versions of this package may share a pool. */
export function prepared(text: string): PreparedStatement {
  const digest = createHash('sha256').update(text).digest('hex')
  return { name: `platform_auth_${digest.slice(0, 16)}`, text }
}

/** Less than the 5 s after which a platform takes an operation for failed, because then it must not happen any more. */
const PATIENCE = 4500

/** For how long a process may stand still in the midst of a transaction, so that those who wait for it can still go on. */
const STANDSTILL = 3000

/** Whatever the host's defaults are. What is committed survives a power cut. */
const BEGIN = `
  BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
  SET LOCAL statement_timeout = ${PATIENCE};
  SET LOCAL idle_in_transaction_session_timeout = ${STANDSTILL};
  SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'`

const ATTEMPTS = 5
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK_DETECTED = '40P01'

function isTransient(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED
}

function ignore(): void {}

interface Queryable {
  query(query: PostgresQuery): Promise<PostgresResult>
}

/**
 * A connection may be lost without anybody noticing, and what waits for its answer would keep its place in the pool for a
 * quarter of an hour: given up, it is closed, and another made.
 */
function limitOf(patience: number): Pick<PostgresQuery, 'query_timeout'> {
  return Number.isFinite(patience) ? { query_timeout: patience } : {}
}

function sqlOf(queryable: Queryable | PostgresClient, prepare: boolean, patience: number): Sql {
  const limit = limitOf(patience)

  function ask(statement: Statement, values: readonly Bindable[]): Promise<PostgresResult> {
    const { text, name } = typeof statement === 'string' ? { text: statement, name: undefined } : statement
    const query = { text, values: values.map((value) => value ?? null), types: TYPES, ...limit }
    return queryable.query(prepare && name !== undefined ? { ...query, name } : query)
  }

  return {
    run: async (statement, ...values) => (await ask(statement, values)).rowCount ?? 0,
    get: async <Row>(statement: Statement, ...values: readonly Bindable[]) =>
      (await ask(statement, values)).rows[0] as Row | undefined,
    all: async <Row>(statement: Statement, ...values: readonly Bindable[]) =>
      (await ask(statement, values)).rows as readonly Row[],
  }
}

const INT8 = 20
const INT4 = 23

/** The host may have changed pg's own parsers, which are global. */
const TYPES: NonNullable<PostgresQuery['types']> = {
  getTypeParser: (oid) => (oid === INT8 || oid === INT4 ? Number : String),
}
