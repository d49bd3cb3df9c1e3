import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConfigurationProblem } from '../../shared/contracts/errors.js'
import { createProbeValue } from '../sql/probe-value.js'
import type { PostgresConnections, Sql } from './connection.js'
import { acquire, type PostgresPool } from './pool.js'
import { findMissingPrivileges } from './rights.js'

/** `Store.diagnose()`. Rejects with PostgreSQL's error if it rejects a write; commits nothing. */
export async function diagnose(
  options: PostgresConnections & {
    readonly pool: PostgresPool
    /** Whether the store listens for changes. */
    readonly listen: boolean
  },
): Promise<ConfigurationProblem[]> {
  const { sql, transaction, pool, listen } = options
  // The change feed's read rejects on a replica, which has a check of its own.
  if (await sql.get('SELECT 1 WHERE pg_catalog.pg_is_in_recovery()')) return []
  const problem = await findMissingPrivileges(sql)
  if (problem) return [problem]
  await transaction(writeAndRollBack)
  return listen && !(await receivesNotifications(pool, sql)) ? [LISTEN_FAILS] : []
}

async function writeAndRollBack(sql: Sql): Promise<false> {
  await sql.run(`INSERT INTO platform_auth_meta (key, value) VALUES ('doctor', $1)`, createProbeValue())
  return false
}

const LISTEN_FAILS: ConfigurationProblem = {
  problem: 'LISTEN does not work through this pool, as behind PgBouncer in transaction mode',
  fix: 'Set listen: false in postgresStore({ pool, listen: false }), or connect without the pooler.',
}

const NOTIFICATION_TIMEOUT_MS = 2000

/** Whether a connection of the pool receives what another one sends: a pooler may give both to other clients. */
async function receivesNotifications(pool: PostgresPool, sql: Sql): Promise<boolean> {
  const channel = `platform_auth_doctor_${randomBytes(8).toString('hex')}`
  const client = await acquire(pool, () => undefined)
  try {
    const received = new Promise<true>((resolve) => client.on('notification', () => resolve(true)))
    await client.query({ text: `LISTEN ${channel}`, query_timeout: NOTIFICATION_TIMEOUT_MS })
    await sql.get(`SELECT pg_notify($1, '')`, channel)
    return await Promise.race([received, sleep(NOTIFICATION_TIMEOUT_MS, false)])
  } finally {
    // The connection is closed, not returned to the pool, where it would still listen.
    client.release(true)
  }
}
