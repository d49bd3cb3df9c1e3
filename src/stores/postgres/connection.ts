import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { acquire } from './pool.js'
import type { PostgresClient, PostgresPool, PostgresQuery, PostgresResult } from './pool.js'

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
  /** A connection, where there is one while its caller still waits: a queue of those who have gone is soon through. */
  async function connected(deadline: number): Promise<PostgresClient> {
    // Of a loss, the next statement tells too.
    const client = await acquire(pool, ignore)
    if (performance.now() <= deadline) return client
    client.release()
    client.removeListener('error', ignore)
    throw new Error('PostgreSQL had no connection free in time.')
  }

  async function once<T>(work: (sql: Sql) => Promise<T>, deadline: number): Promise<T> {
    const client = await connected(deadline)
    let lost = false
    try {
      await client.query({ text: BEGIN, ...inTime(deadline) })
      const result = await work(sqlOf(client, prepare, deadline))
      await client.query({ text: result === false ? 'ROLLBACK' : 'COMMIT', ...inTime(deadline) })
      return result
    } catch (error) {
      // A connection that is silent ends, and the transaction with it.
      await client.query({ text: 'ROLLBACK', query_timeout: LAST }).catch(() => (lost = true))
      throw error
    } finally {
      client.release(lost)
      client.removeListener('error', ignore)
    }
  }

  /** As the pool's own `query()`, but bounded in time. */
  async function single(query: PostgresQuery): Promise<PostgresResult> {
    const deadline = performance.now() + PATIENCE
    const client = await connected(deadline)
    let failed = true
    try {
      const result = await client.query({ ...query, ...inTime(deadline) })
      failed = false
      return result
    } finally {
      client.release(failed)
      client.removeListener('error', ignore)
    }
  }

  async function transaction<T>(work: (sql: Sql) => Promise<T>, patience = PATIENCE): Promise<T> {
    const deadline = performance.now() + patience
    for (let attempt = 1; ; attempt++) {
      try {
        return await once(work, deadline)
      } catch (error) {
        if (attempt === ATTEMPTS || !isTransient(error)) throw error
      }
      await sleep(Math.random() * 20 * attempt)
    }
  }

  return { sql: sqlOf({ query: single }, prepare), transaction }
}

/** A statement worth preparing. Its name tells of its text, so that two versions of this package may share a pool. */
export function prepared(text: string): PreparedStatement {
  const digest = createHash('sha256').update(text).digest('hex')
  return { name: `platform_auth_${digest.slice(0, 16)}`, text }
}

/** Less than the 5 s after which a platform takes an operation for failed, because then it must not happen any more. */
const PATIENCE = 4500
const AFTERWARDS = 1000
/** Milliseconds for a transaction that failed to be undone, or else to end with its connection. */
const LAST = 500

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
 * So that a connection which has died unnoticed is given up, and the pool makes another: a little after the platform has
 * given up the call, which is how it learns that nobody answers.
 */
function inTime(deadline: number): Pick<PostgresQuery, 'query_timeout'> {
  if (deadline === Infinity) return {}
  const left = deadline - performance.now()
  if (left <= 0) throw new Error('PostgreSQL took too long.')
  return { query_timeout: Math.ceil(left) + AFTERWARDS }
}

function sqlOf(queryable: Queryable | PostgresClient, prepare: boolean, deadline = Infinity): Sql {
  async function ask(statement: Statement, values: readonly Bindable[]): Promise<PostgresResult> {
    const { text, name } = typeof statement === 'string' ? { text: statement, name: undefined } : statement
    const query = { text, values: values.map((value) => value ?? null), types: TYPES, ...inTime(deadline) }
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
