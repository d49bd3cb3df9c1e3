import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConfigurationProblem } from '../../shared/contracts/errors.js'
import { createProbeValue } from '../sql/probe-value.js'
import type { PostgresConnections, Sql } from './connection.js'
import { acquire, type PostgresPool } from './pool.js'

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

const INSUFFICIENT_PRIVILEGE = '42501'
/** No schema of the search path exists, or the role may use none. */
const NO_SCHEMA = '3F000'

/** The error of a failed start; one for a missing right gets a `grant`, the SQL that cures it. */
export async function addGrant(sql: Sql, error: unknown): Promise<unknown> {
  const { code } = Object(error) as { code?: unknown }
  if (code !== INSUFFICIENT_PRIVILEGE && code !== NO_SCHEMA) return error
  // A role that may not even connect cannot ask.
  const grant = await describeGrant(sql).catch(() => undefined)
  return grant === undefined ? error : Object.assign(error as Error, { grant })
}

async function describeGrant(sql: Sql): Promise<string | undefined> {
  const tables = await findMissingPrivileges(sql)
  if (tables) return tables.fix
  const found = await sql.get<{ role: string; schema: string; exists: 't' | 'f' }>(FIRST_SCHEMA)
  const { role, schema, exists } = found ?? {}
  if (role === undefined || schema === undefined) return undefined
  return exists === 't'
    ? `As the owner of the schema: GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role};`
    : `CREATE SCHEMA ${schema} AUTHORIZATION ${role};`
}

/** The schema in which the tables would be: the first of the search path that exists, or else the last that it names. */
const FIRST_SCHEMA = `
  SELECT quote_ident(current_user) AS role, quote_ident(found.name) AS schema, found.exists
  FROM (SELECT replace(btrim(name, ' "'), '$user', current_user) AS name, position,
      EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = replace(btrim(name, ' "'), '$user', current_user)) AS exists
    FROM unnest(string_to_array(current_setting('search_path'), ',')) WITH ORDINALITY AS path (name, position)) AS found
  ORDER BY found.exists DESC, CASE WHEN found.exists THEN found.position ELSE -found.position END LIMIT 1`

/** The rights that the role lacks on the tables that it finds. */
async function findMissingPrivileges(sql: Sql): Promise<ConfigurationProblem | undefined> {
  const missing = await sql.get<{ role: string; privileges: string; tables: string }>(MISSING_PRIVILEGES)
  if (!missing) return undefined
  const { role, privileges, tables } = missing
  return {
    problem: `The role ${role} lacks rights (${privileges}) on tables of the store`,
    fix: `As the owner of the tables: GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables} TO ${role};`,
  }
}

const MISSING_PRIVILEGES = `
  SELECT quote_ident(current_user) AS role, string_agg(DISTINCT privilege, ', ') AS privileges,
    string_agg(DISTINCT relname, ', ') AS tables
  FROM pg_catalog.pg_class, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege
  WHERE starts_with(relname, 'platform_auth_') AND relkind IN ('r', 'p') AND pg_table_is_visible(oid)
    AND NOT has_table_privilege(oid, privilege)
  HAVING count(*) > 0`
