import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isEndedByLimit, queryWithin, ROLLBACK_TIMEOUT_MS, setLocalLimits } from './limited-query.js'
import { acquire, type PostgresClient, type PostgresPool, type PostgresQuery, type PostgresResult } from './pool.js'
import { isFromReplica } from './replica.js'
import { StoreUnavailableError } from '../../shared/contracts/errors.js'

/** Runs statements. A value that is undefined is sent as NULL; integers are returned as numbers. */
export interface Sql {
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

type Bindable = string | number | boolean | undefined | readonly string[] | readonly number[]

export type PostgresConnections = ReturnType<typeof createPostgresConnections>

/** This limit is less than the 5 s after which a platform counts an operation as failed, because it must not take effect after that. */
const TRANSACTION_TIMEOUT_MS = 4500
/** A connection that does not answer is closed this long after the operation's deadline. */
const SILENT_CONNECTION_MARGIN_MS = 1000
/** After this time, the outcome of a COMMIT without an answer is asked for on another connection. */
const COMMIT_TIMEOUT_MS = 2000
/** A stopped process may hold the locks of an open transaction this long: other transactions still get them in time. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 3000
/** PostgreSQL 14 and later can notice that the client of a waiting statement has gone. */
const CLIENT_CHECK_INTERVAL_MS = 2000
const MAX_ATTEMPTS = 5

/** Overrides the defaults that the host may have set, so that a commit survives a power failure. */
function begin(deadline: number): string {
  return `
    BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
    ${deadline === Infinity ? NO_LIMITS : setLocalLimits(remainingTime(deadline))}
    SET LOCAL idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_TIMEOUT_MS};
    SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off';
    ${SELECT_TRANSACTION_ID}`
}

/** A migration may wait for another's, or for a lock. If its process ends meanwhile, the server process ends too. */
const NO_LIMITS = `
  SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;
  SELECT set_config('client_connection_check_interval', '${CLIENT_CHECK_INTERVAL_MS}', true)
    WHERE current_setting('client_connection_check_interval', true) IS NOT NULL;`

export function createPostgresConnections(pool: PostgresPool, { prepare }: { readonly prepare: boolean }) {
  /** Rejects after the deadline: a queue of operations whose callers have timed out must empty quickly. */
  async function acquireBefore(deadline: number): Promise<PostgresClient> {
    // The loss of the connection also rejects the next statement, so the event itself needs no handling.
    const client = await acquire(pool, ignore)
    if (performance.now() <= deadline) return client
    client.release()
    client.removeListener('error', ignore)
    throw new Error('PostgreSQL had no connection free in time.')
  }

  async function runOnce<T>(work: (sql: Sql) => Promise<T>, deadline: number): Promise<T> {
    const client = await acquireBefore(deadline)
    let isLost = false
    try {
      const id = parseTransactionId(await client.query({ text: begin(deadline), types: TYPES, ...limitTime(deadline) }))
      const result = await work(createSql(client, prepare, deadline))
      if (result === false) await client.query({ text: 'ROLLBACK', ...limitTime(deadline) })
      else await commit(client, id, result, deadline)
      return result
    } catch (error) {
      // If the connection does not answer, closing it ends the transaction.
      await client.query({ text: 'ROLLBACK', query_timeout: ROLLBACK_TIMEOUT_MS }).catch(() => (isLost = true))
      throw error
    } finally {
      client.release(isLost)
      client.removeListener('error', ignore)
    }
  }

  /** A transaction whose COMMIT failed may have been committed nevertheless, so its outcome is looked up. */
  async function runToOutcome<T>(work: (sql: Sql) => Promise<T>, deadline: number): Promise<T> {
    try {
      return await runOnce(work, deadline)
    } catch (error) {
      if (!(error instanceof FailedCommit)) throw error
      const { id, result, cause } = error
      const checkDeadline = Math.min(deadline, performance.now() + TRANSACTION_TIMEOUT_MS)
      const ask: typeof query = (statement, ...rest) => query({ ...statement, types: TYPES }, ...rest)
      if (await findOutcome(ask, id, { deadline: checkDeadline, cause })) return result as T
      throw cause
    }
  }

  /** Like the pool's `query()`, but limited in time. Repeated if its connection was lost: a read changes nothing. */
  async function query(
    statement: PostgresQuery,
    deadline: number = performance.now() + TRANSACTION_TIMEOUT_MS,
  ): Promise<PostgresResult> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await queryOnce(statement, deadline)
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isLost(error) || performance.now() > deadline) throw error
      }
    }
  }

  async function queryOnce(statement: PostgresQuery, deadline: number): Promise<PostgresResult> {
    const client = await acquireBefore(deadline)
    let isUsable = false
    try {
      const limited = { ...statement, ...limitTime(deadline) }
      const result = await queryWithin(client, limited, remainingTime(deadline))
      // A connection to a replica is closed: the address may lead to the primary by now.
      isUsable = !isFromReplica(result)
      return result
    } catch (error) {
      isUsable = isEndedByLimit(error)
      throw addCode(error, deadline)
    } finally {
      client.release(!isUsable)
      client.removeListener('error', ignore)
    }
  }

  /** Rolled back if `work` rejects or resolves false. It may run more than once. After `timeoutMs` nothing is committed. */
  async function transaction<T>(work: (sql: Sql) => Promise<T>, timeoutMs: number = TRANSACTION_TIMEOUT_MS) {
    const deadline = performance.now() + timeoutMs
    for (let attempt = 1; ; attempt++) {
      try {
        return await runToOutcome(work, deadline)
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isTransient(error)) throw error
      }
      await sleep(Math.random() * 20 * attempt)
    }
  }

  /** `sql` runs each statement outside a transaction. */
  return { sql: createSql({ query: (statement) => query(statement) }, prepare), transaction }
}

async function commit(client: PostgresClient, id: TransactionId, result: unknown, deadline: number): Promise<void> {
  const limit = limitTime(deadline)
  try {
    await client.query({ text: 'COMMIT', ...limit, query_timeout: COMMIT_TIMEOUT_MS })
  } catch (cause) {
    throw new FailedCommit(id, result, cause)
  }
}

class FailedCommit extends Error {
  readonly id: TransactionId
  readonly result: unknown

  constructor(id: TransactionId, result: unknown, cause: unknown) {
    super('COMMIT failed.', { cause })
    this.id = id
    this.result = result
  }
}

/** Prepares a statement. Its name is a hash of the text, so that two versions of this package can share a pool. */
export function prepareStatement(text: string): PreparedStatement {
  const digest = createHash('sha256').update(text).digest('hex')
  return { name: `platform_auth_${digest.slice(0, 16)}`, text }
}

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK_DETECTED = '40P01'

function isTransient(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED
}

const LOST_CONNECTION: ReadonlySet<unknown> = new Set(['57P01', '57P05', 'ECONNRESET', 'EPIPE'])

function isLost(error: unknown): boolean {
  return LOST_CONNECTION.has((Object(error) as { code?: unknown }).code)
}

/** `pg` gives no code to the errors of a time-out and of a connection that has ended. */
function addCode(error: unknown, deadline: number): unknown {
  if (!(error instanceof Error) || error.name !== 'Error' || Object.hasOwn(error, 'code')) return error
  return Object.assign(error, { code: performance.now() > deadline ? 'ETIMEDOUT' : 'ECONNRESET' })
}

function ignore(): void {}

/** The pool replaces a connection whose query timed out, a little after the platform's own time-out of the call. */
function limitTime(deadline: number): Pick<PostgresQuery, 'query_timeout'> {
  if (deadline === Infinity) return {}
  return { query_timeout: Math.ceil(remainingTime(deadline)) + SILENT_CONNECTION_MARGIN_MS }
}

function remainingTime(deadline: number): number {
  const remaining = deadline - performance.now()
  if (remaining <= 0) throw new Error('PostgreSQL took too long.')
  return remaining
}

function createSql(queryable: Pick<PostgresClient, 'query'>, prepare: boolean, deadline = Infinity): Sql {
  async function send(statement: Statement, values: readonly Bindable[]): Promise<PostgresResult> {
    const { text, name } = typeof statement === 'string' ? { text: statement, name: undefined } : statement
    const query = { text, values: values.map((value) => value ?? null), types: TYPES, ...limitTime(deadline) }
    return queryable.query(prepare && name !== undefined ? { ...query, name } : query)
  }

  return {
    run: async (statement, ...values) => (await send(statement, values)).rowCount ?? 0,
    get: async <Row>(statement: Statement, ...values: readonly Bindable[]) =>
      (await send(statement, values)).rows[0] as Row | undefined,
    all: async <Row>(statement: Statement, ...values: readonly Bindable[]) =>
      (await send(statement, values)).rows as readonly Row[],
  }
}

const INT8 = 20
const INT4 = 23

/** Parsers are given per query, because the host may have replaced pg's own, which are global. */
const TYPES: NonNullable<PostgresQuery['types']> = {
  getTypeParser: (oid) => (oid === INT8 || oid === INT4 ? Number : String),
}

/** A transaction, as another connection to the same server can look it up. */
interface TransactionId {
  readonly id: string
  /** The start of the server. After a failover the same id may be another transaction's. */
  readonly server: string
}

const SERVER = 'extract(epoch FROM pg_postmaster_start_time())::text'

/** The last statement of those that begin a transaction. */
const SELECT_TRANSACTION_ID = `SELECT pg_current_xact_id()::text AS id, ${SERVER} AS server`

function parseTransactionId(results: PostgresResult | readonly PostgresResult[]): TransactionId {
  return [results].flat().at(-1)?.rows[0] as TransactionId
}

const SELECT_OUTCOME = `SELECT CASE WHEN ${SERVER} = $2 THEN pg_xact_status($1::xid8) ELSE 'lost' END AS status`
const OUTCOME_RETRY_INTERVAL_MS = 50

/** Rejects with `outcome: 'unknown'` if the server is another one, cannot be reached, or still commits at the deadline. */
async function findOutcome(
  query: (statement: PostgresQuery, deadline: number) => Promise<PostgresResult>,
  { id, server }: TransactionId,
  { deadline, cause }: { readonly deadline: number; readonly cause: unknown },
): Promise<boolean> {
  do {
    const result = await query({ text: SELECT_OUTCOME, values: [id, server] }, deadline).catch(() => undefined)
    const { status } = (result?.rows[0] ?? { status: 'in progress' }) as { status: string | null }
    if (status === 'committed' || status === 'aborted') return status === 'committed'
    if (status !== 'in progress') break
    await sleep(OUTCOME_RETRY_INTERVAL_MS)
  } while (performance.now() < deadline)
  throw new StoreUnavailableError('The connection broke while a change was committed.', { outcome: 'unknown', cause })
}
