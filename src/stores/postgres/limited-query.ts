import type { PostgresClient, PostgresQuery, PostgresResult } from './pool.js'
import { createWireQuery, findWire } from './wire-query.js'

/** The time limit of the ROLLBACK after a failed statement. */
const ROLLBACK_TIMEOUT_MS = 500
/** Waiting for a lock ends first, so that the error names the lock. */
const LOCK_MARGIN_MS = 100

/**
 * Runs one statement, which PostgreSQL itself ends after that many milliseconds. A limit that only the client knows would
 * leave a server process behind: one that waits for a lock does not notice that its client has gone. The limit does not
 * outlive the statement, because the host may use the same connection, and PgBouncer gives it to other clients.
 *
 * Limit and statement are sent at once and take one round trip. Clients that cannot do that (`pg-native`, one with
 * `pipeline`, a wrapper) run a transaction of three.
 */
export async function queryWithin(
  client: PostgresClient,
  query: PostgresQuery,
  milliseconds: number,
): Promise<PostgresResult> {
  if (!findWire(client)) return queryInTransaction(client, query, milliseconds)
  return new Promise((resolve, reject) => {
    const [statement, lock] = readLimits(milliseconds)
    const prefix = { ...LIMIT, ...(query.name === undefined && { name: undefined }), values: [statement, lock] }
    const callback = (error: unknown, result?: PostgresResult): void => (result ? resolve(result) : reject(error))
    void client.query(createWireQuery([prefix, query], callback))
  })
}

/** `true`: until the end of the transaction, which is that of both statements. */
const LIMIT = {
  name: 'platform_auth_limit',
  text: `SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true)`,
}

async function queryInTransaction(
  client: PostgresClient,
  query: PostgresQuery,
  milliseconds: number,
): Promise<PostgresResult> {
  const { query_timeout } = query
  await client.query({ text: `BEGIN; ${setLocalLimits(milliseconds)}`, query_timeout })
  try {
    const result = await client.query(query)
    await client.query({ text: 'COMMIT', query_timeout })
    return result
  } catch (error) {
    // Its failure takes the place of the first one, after which the connection could be used further.
    await client.query({ text: 'ROLLBACK', query_timeout: ROLLBACK_TIMEOUT_MS })
    throw error
  }
}

/** Statements that limit each of those that follow in their transaction. */
export function setLocalLimits(milliseconds: number): string {
  const [statement, lock] = readLimits(milliseconds)
  return `SET LOCAL statement_timeout = ${statement}; SET LOCAL lock_timeout = ${lock};`
}

/** Whole milliseconds, of which 0 would be no limit. */
function readLimits(milliseconds: number): readonly [statement: string, lock: string] {
  const limit = Math.max(2, Math.ceil(milliseconds))
  return [String(limit), String(Math.max(1, limit - LOCK_MARGIN_MS))]
}

/** Whether PostgreSQL has ended a statement because of a limit. The connection can be used further. */
export function isEndedByLimit(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown }
  return code === QUERY_CANCELED || code === LOCK_NOT_AVAILABLE
}

const QUERY_CANCELED = '57014'
const LOCK_NOT_AVAILABLE = '55P03'
