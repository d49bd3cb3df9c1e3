import type { Dialect } from '../sql/dialect.js'
import type { Work } from '../sql/work.js'
import type { Sql } from './connection.js'
import { publish } from './feed.js'
import { deleteEarlierRefusals, listUsage } from './usage.js'

/** One row per application, with its APIs and credentials as JSON: a single statement reads one consistent snapshot. */
const SELECT_APPLICATION = `
  SELECT a.id, a.name, a.contact, a.status, a.created_at, a.tokens_revoked_at, a.version, a.metadata, a.external_id,
    a.language, a.invitations, a.access_requests, a.withheld, a.decided, a.ends_at, a.plan, a.agreed, a.unconfirmed,
    (SELECT used_at FROM platform_auth_last_uses WHERE application_seq = a.seq) AS used_at,
    (SELECT json_group_array(address ORDER BY position)
      FROM platform_auth_contacts WHERE application_seq = a.seq) AS other_contacts,
    (SELECT json_group_array(json_array(api, json(scopes)) ORDER BY position)
      FROM platform_auth_grants WHERE application_seq = a.seq) AS apis,
    (SELECT json_group_array(json_object('kind', kind, 'id', id, 'name', name, 'hash', hash, 'prefix', prefix,
        'createdAt', created_at, 'expiresAt', expires_at, 'lastUsedAt', last_used_at, 'apis', json(apis),
        'networks', json(networks), 'isImported', imported, 'remindedDays', reminded_days,
        'keySet', json(key_set)) ORDER BY position)
      FROM platform_auth_credentials WHERE application_seq = a.seq) AS credentials
  FROM platform_auth_applications a`

export const SQLITE: Dialect = {
  // A transaction has the file to itself.
  skipLocked: '',
  lockRows: '',
  binary: '',
  least: 'min',
  greatest: 'max',
  now: "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
  formatGiven(columns) {
    const members = Object.keys(columns).map((name) => `value ->> '${name}' AS "${name}"`)
    return `(SELECT ${members.join()}, key AS position FROM json_each(?1)) AS given`
  },
  formatDelete: (table, key, column) => `
    DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${column} < ?1 ORDER BY ${column} LIMIT ?2)`,
  *lockSigningKeys() {},
  publish,
  listUsage,
  deleteEarlierRefusals,
  selectApplication: SELECT_APPLICATION,
  formatLower: (column) => `lower(${column})`,
}

export function runWork<Result>(sql: Sql, work: Work<Result>): Result {
  let step = work.next()
  while (!step.done) {
    const { call, text, values } = step.value
    step = work.next(sql[call](text, ...values))
  }
  return step.value
}
