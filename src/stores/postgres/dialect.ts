import type { Dialect } from '../sql/dialect.js'
import type { Work } from '../sql/work.js'
import { takeAdvisoryLock } from './advisory-locks.js'
import { prepareStatement, type PreparedStatement, type Sql } from './connection.js'
import { publish } from './feed.js'
import { deleteEarlierRefusals, listUsage } from './usage.js'

/** One row per application, with its APIs and credentials as JSON: a single statement reads one consistent snapshot. */
const SELECT_APPLICATION = `
  SELECT a.id, a.name, a.contact, a.status, a.created_at, a.tokens_revoked_at, a.version, a.metadata, a.external_id,
    a.language, a.invitations, a.access_requests, a.withheld, a.decided, a.ends_at, a.plan, a.agreed, a.unconfirmed::int,
    (SELECT used_at FROM platform_auth_last_uses WHERE application_seq = a.seq) AS used_at,
    coalesce((SELECT json_agg(address ORDER BY position)
      FROM platform_auth_contacts WHERE application_seq = a.seq), '[]')::text AS other_contacts,
    coalesce((SELECT json_agg(json_build_array(api, scopes::json) ORDER BY position)
      FROM platform_auth_grants WHERE application_seq = a.seq), '[]')::text AS apis,
    coalesce((SELECT json_agg(json_build_object('kind', kind, 'id', id, 'name', name, 'hash', hash, 'prefix', prefix,
        'createdAt', created_at, 'expiresAt', expires_at, 'lastUsedAt', last_used_at, 'apis', apis::json,
        'networks', networks::json, 'isImported', imported, 'remindedDays', reminded_days,
        'keySet', key_set::json) ORDER BY position)
      FROM platform_auth_credentials WHERE application_seq = a.seq), '[]')::text AS credentials
  FROM platform_auth_applications a`

export const POSTGRES: Dialect = {
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  lockRows: 'FOR UPDATE',
  binary: ' COLLATE "C"',
  least: 'least',
  greatest: 'greatest',
  // Stable within a statement, so that an index can be compared with it.
  now: '(extract(epoch FROM statement_timestamp()) * 1000)::bigint',
  formatGiven(columns) {
    const types = Object.entries(columns).map(([name, type]) => `"${name}" ${type}`)
    const names = Object.keys(columns).map((name) => `"${name}"`)
    return `ROWS FROM (json_to_recordset(?1) AS (${types.join()})) WITH ORDINALITY AS given (${names.join()}, position)`
  },
  formatDelete: (table, _, column) => `
    DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${table} WHERE ${column} < ?1 ORDER BY ${column} LIMIT ?2 FOR UPDATE SKIP LOCKED))`,
  lockSigningKeys: () => takeAdvisoryLock('signingKeys'),
  publish,
  listUsage,
  deleteEarlierRefusals,
  selectApplication: SELECT_APPLICATION,
  formatLower: (column) => `lower(${column} COLLATE "C")`,
}

export async function runWork<Result>(sql: Sql, work: Work<Result>): Promise<Result> {
  let step = work.next()
  while (!step.done) {
    const { call, text, values, isFrequent } = step.value
    step = work.next(await sql[call](isFrequent ? prepareOnce(text) : toNative(text), ...values))
  }
  return step.value
}

function toNative(text: string): string {
  return text.replaceAll(/\?(?=\d)/g, '$')
}

const prepared = new Map<string, PreparedStatement>()

function prepareOnce(text: string): PreparedStatement {
  const known = prepared.get(text) ?? prepareStatement(toNative(text))
  prepared.set(text, known)
  return known
}
