import { all, hasNul, MAX_STORED_COUNT, run, type Dialect, type Work } from '../sql/work.js'
import { takeAdvisoryLock } from './advisory-locks.js'
import { prepareStatement, type PreparedStatement, type Sql } from './connection.js'
import { publish } from './feed.js'
import type { UsageCount, UsageCountQuery } from '../../shared/contracts/usage.js'
import { parseUsageCount, type UsageRow } from '../sql/rows.js'
import { hasFewCounts, listFewCounts, listOverall } from '../sql/usage.js'

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
  formatSum,
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

function* listUsage(query: UsageCountQuery): Work<readonly UsageCount[]> {
  if (query.overall) return yield* listOverall(POSTGRES, query)
  const { after, applicationId, api, by, routes, from, to, limit } = query
  if (hasNul([...Object.values(after ?? {}), applicationId, api])) return []
  if (yield* hasFewCounts(query)) return yield* listFewCounts(POSTGRES, query)
  const lists = routes ? LISTS_BY_ROUTE : LISTS
  const rows = yield* all<UsageRow>(
    lists[by ?? 'day'],
    from,
    to,
    after?.applicationId,
    after?.day ?? '',
    after?.api ?? '',
    after?.outcome ?? '',
    limit,
    applicationId,
    api,
    after?.route ?? '',
  )
  return rows.map(parseUsageCount)
}

function formatSum(column: string): string {
  return `CAST(least(coalesce(sum(${column}), 0), ${MAX_STORED_COUNT}) AS bigint)`
}

const LISTS = formatLists("route = ''")
const LISTS_BY_ROUTE = formatLists("route > ''")

function formatLists(condition: string): Record<'day' | 'month', string> {
  return {
    day: formatList(condition, 'day', 'count', ''),
    month: formatList(condition, 'substr(day, 1, 7)', formatSum('count'), 'GROUP BY 1, 2, 3, 4, 5'),
  }
}

/** LATERAL reads the index by one application after another, until there are enough. */
function formatList(condition: string, period: string, count: string, grouping: string): string {
  return `
  SELECT period AS day, application_id, api, outcome, route, count FROM platform_auth_applications a
  CROSS JOIN (SELECT CASE WHEN ?3::text IS NULL THEN 0
    ELSE (SELECT seq FROM platform_auth_applications WHERE id = ?3) END AS seq) AS start
  CROSS JOIN LATERAL (
    SELECT ${period} AS period, application_id, api, outcome, route, ${count} AS count FROM platform_auth_usage
    WHERE application_id = a.id AND ${condition} AND day BETWEEN ?1 AND ?2 AND (?9::text IS NULL OR api = ?9)
      AND (a.seq > start.seq OR (route, ${period}, api, outcome) > (?10, ?4, ?5, ?6))
    ${grouping} ORDER BY route, period, api, outcome LIMIT ?7
  ) AS u
  WHERE a.seq >= start.seq AND (?8::text IS NULL OR a.id = ?8)
  ORDER BY a.seq, u.route, u.period, u.api, u.outcome LIMIT ?7`
}

/** Deletes by a sorted list of their numbers: two processes that lock the same rows in different orders deadlock. */
function* deleteEarlierRefusals(applicationIds: readonly string[], kept: number): Work<void> {
  const text = `
  DELETE FROM platform_auth_refusals WHERE seq = ANY (ARRAY(
    SELECT earlier.seq FROM json_array_elements_text(?1) AS given (application_id)
    CROSS JOIN LATERAL (
      SELECT seq FROM platform_auth_refusals r WHERE r.application_id = given.application_id
      ORDER BY seq DESC OFFSET ?2
    ) AS earlier ORDER BY earlier.seq))`
  yield* run(text, JSON.stringify(applicationIds), kept)
}
