import { type Dialect, MAX_STORED_COUNT, type Work, all, run } from '../sql/work.js'
import type { Sql } from './connection.js'
import { publish } from './feed.js'
import type { UsageCount, UsageCountQuery } from '../../shared/contracts/usage.js'
import { parseUsageCount, type UsageRow } from '../sql/rows.js'
import { hasFewCounts, listFewCounts, listOverall } from '../sql/usage.js'

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
  // sum() fails beyond 64 bits; total() is exact as far as numbers are.
  formatSum: (column) => `CAST(min(total(${column}), ${MAX_STORED_COUNT}) AS INTEGER)`,
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

function* listUsage(query: UsageCountQuery): Work<readonly UsageCount[]> {
  if (query.overall) return yield* listOverall(SQLITE, query)
  if (yield* hasFewCounts(query)) return yield* listFewCounts(SQLITE, query)
  const { after, applicationId, api, by, routes = false, from, to, limit } = query
  // NULL if there is no such application, after which nothing is listed.
  const start = after === undefined ? '?3' : '(SELECT seq FROM platform_auth_applications WHERE id = ?3)'
  const day = by === 'month' ? 'substr(u.day, 1, 7)' : 'u.day'
  const counts = `platform_auth_usage u WHERE u.application_id = a.id AND u.route ${routes ? '>' : '='} '' AND u.day BETWEEN ?1 AND ?2
    AND (a.seq > ${start} OR (u.route, ${day}, u.api, u.outcome) > (?8, ?4, ?5, ?6)) ${api === undefined ? '' : 'AND u.api = ?10'}`
  const [columns, source, order] =
    by === 'month'
      ? formatMonths(counts, routes ? 'u.route, 2, 3, 4' : '2, 3, 4')
      : ['u.*', counts, 'u.route, u.day, u.api, u.outcome']
  const text = `
    SELECT ${columns} FROM platform_auth_applications a CROSS JOIN ${source}
      AND a.seq >= ${start} ${applicationId === undefined ? '' : 'AND a.id = ?9'}
    ORDER BY a.seq, ${order} LIMIT ?7`
  const position = after ? [after.applicationId, after.day, after.api, after.outcome] : [0, '', '', '']
  const filters = api === undefined ? (applicationId === undefined ? [] : [applicationId]) : [applicationId, api]
  const rows = yield* all<UsageRow>(text, from, to, ...position, limit, after?.route ?? '', ...filters)
  return rows.map(parseUsageCount)
}

/** Of one application after another, in JSON: only a function in FROM can depend on the table before it. */
function formatMonths(counts: string, order: string): readonly [string, string, string] {
  return [
    `a.id AS application_id, value ->> 0 AS route, value ->> 1 AS day, value ->> 2 AS api, value ->> 3 AS outcome,
      value ->> 4 AS count`,
    `json_each((
      SELECT json_group_array(json_array(route, month, api, outcome, count))
      FROM (SELECT u.route, substr(u.day, 1, 7) AS month, u.api, u.outcome, ${SQLITE.formatSum('u.count')} AS count FROM ${counts}
        GROUP BY ${order} ORDER BY ${order}))) WHERE TRUE`,
    'key',
  ]
}

function* deleteEarlierRefusals(applicationIds: readonly string[], kept: number): Work<void> {
  const text = `
  DELETE FROM platform_auth_refusals WHERE application_id = ?1 AND seq <= (
    SELECT seq FROM platform_auth_refusals WHERE application_id = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)`
  for (const id of applicationIds) yield* run(text, id, kept)
}
