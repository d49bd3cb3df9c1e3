import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailableError } from '../../shared/contracts/errors.js'
import type { PostgresQuery, PostgresResult } from './pool.js'

/** A transaction, as another connection to the same server can look it up. */
export interface TransactionId {
  readonly id: string
  /** The start of the server. After a failover the same id may be another transaction's. */
  readonly server: string
}

const SERVER = 'extract(epoch FROM pg_postmaster_start_time())::text'

/** The last statement of those that begin a transaction. */
export const SELECT_TRANSACTION_ID = `SELECT pg_current_xact_id()::text AS id, ${SERVER} AS server`

/** Reads the transaction from the result of several statements, which `pg` returns as a list. */
export function parseTransactionId(results: PostgresResult | readonly PostgresResult[]): TransactionId {
  return [results].flat().at(-1)?.rows[0] as TransactionId
}

const SELECT_OUTCOME = `SELECT CASE WHEN ${SERVER} = $2 THEN pg_xact_status($1::xid8) ELSE 'lost' END AS status`
const OUTCOME_RETRY_INTERVAL_MS = 50

/**
 * Whether a transaction was committed whose COMMIT was not answered. Rejects with `outcome: 'unknown'` if the server was
 * restarted or replaced meanwhile, cannot be reached, or still commits at the deadline (on the monotonic clock). `cause`: why it has to be looked up.
 */
export async function findOutcome(
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
