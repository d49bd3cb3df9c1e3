import type { ExpiredUsage, RefusalRecord, UsageBatch, UsageCount, UsageCountQuery } from '../../contracts/usage.js'
import {
  formatRefusals,
  listApplicationIds,
  parseRefusal,
  parseUsageCount,
  type RefusalRow,
  type UsageRow,
} from '../sql/usage-rows.js'
import type { Sql } from './connection.js'

/** Must be called in a transaction, as `addRefusals` and `deleteExpiredUsage`. */
export async function addUsage(sql: Sql, batch: UsageBatch, counts: readonly UsageCount[]): Promise<void> {
  if (await addBatch(sql, batch)) await sql.run(ADD_USAGE, JSON.stringify(counts))
}

/** The rows are in one order: two processes that lock the same rows in different orders deadlock. */
const ADD_USAGE = `
  INSERT INTO platform_auth_usage AS stored (application_id, route, day, api, outcome, count)
  SELECT a.id, coalesce(route, ''), day, api, outcome, sum(count)
  FROM json_to_recordset($1) AS given
    ("applicationId" text, route text, day text, api text, outcome text, count bigint)
  JOIN platform_auth_applications a ON a.id = given."applicationId"
  GROUP BY 1, 2, day, api, outcome
  ORDER BY a.id COLLATE "C", coalesce(route, '') COLLATE "C", day COLLATE "C", api COLLATE "C", outcome COLLATE "C"
  ON CONFLICT (application_id, route, day, api, outcome) DO UPDATE SET count = stored.count + excluded.count`

/** Resolves false for a batch that was added before. Waits for a transaction that is adding it. */
async function addBatch(sql: Sql, { id, at }: UsageBatch): Promise<boolean> {
  const text = 'INSERT INTO platform_auth_usage_batches (id, at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING'
  return (await sql.run(text, id, at)) > 0
}

export async function listUsage(sql: Sql, query: UsageCountQuery): Promise<readonly UsageCount[]> {
  const { after, applicationId, api, by, routes, from, to, limit } = query
  const texts = [after?.applicationId, after?.api, after?.outcome, after?.route, applicationId, api]
  if (texts.some((text) => text?.includes('\0'))) return []
  const lists = routes ? LISTS_BY_ROUTE : LISTS
  const rows = await sql.all<UsageRow>(
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

const LISTS = formatLists("route = ''")
const LISTS_BY_ROUTE = formatLists("route > ''")

function formatLists(condition: string): Record<'day' | 'month', string> {
  return {
    day: formatList(condition, 'day', 'count', ''),
    month: formatList(condition, 'substr(day, 1, 7)', 'sum(count)::bigint', 'GROUP BY 1, 2, 3, 4, 5'),
  }
}

/** LATERAL reads the index by one application after another, until there are enough. */
function formatList(condition: string, period: string, count: string, grouping: string): string {
  return `
  SELECT period AS day, application_id, api, outcome, route, count FROM platform_auth_applications a
  CROSS JOIN (SELECT CASE WHEN $3::text IS NULL THEN 0
    ELSE (SELECT seq FROM platform_auth_applications WHERE id = $3) END AS seq) AS start
  CROSS JOIN LATERAL (
    SELECT ${period} AS period, application_id, api, outcome, route, ${count} AS count FROM platform_auth_usage
    WHERE application_id = a.id AND ${condition} AND day BETWEEN $1 AND $2 AND ($9::text IS NULL OR api = $9)
      AND (a.seq > start.seq OR (route, ${period}, api, outcome) > ($10, $4, $5, $6))
    ${grouping} ORDER BY route, period, api, outcome LIMIT $7
  ) AS u
  WHERE a.seq >= start.seq AND ($8::text IS NULL OR a.id = $8)
  ORDER BY a.seq, u.route, u.period, u.api, u.outcome LIMIT $7`
}

export async function addRefusals(
  sql: Sql,
  batch: UsageBatch,
  refusals: readonly RefusalRecord[],
  kept: number,
): Promise<void> {
  if (!(await addBatch(sql, batch))) return
  await sql.run(ADD_REFUSALS, formatRefusals(refusals))
  await sql.run(DELETE_EARLIER_REFUSALS, listApplicationIds(refusals), kept)
}

const ADD_REFUSALS = `
  INSERT INTO platform_auth_refusals (application_id, at, api, error, reason, request_id, address, details)
  SELECT a.id, at, api, error, reason, "requestId", address, details
  FROM ROWS FROM (json_to_recordset($1) AS ("applicationId" text, at bigint, api text, error text, reason text,
    "requestId" text, address text, details text)) WITH ORDINALITY AS given
    ("applicationId", at, api, error, reason, "requestId", address, details, position)
  JOIN platform_auth_applications a ON a.id = given."applicationId" AND a.status <> 'deleted'
  ORDER BY position`

/** Deletes by a sorted list of their numbers, for the same reason as above. */
const DELETE_EARLIER_REFUSALS = `
  DELETE FROM platform_auth_refusals WHERE seq = ANY (ARRAY(
    SELECT earlier.seq FROM unnest($1::text[]) AS given (application_id)
    CROSS JOIN LATERAL (
      SELECT seq FROM platform_auth_refusals r WHERE r.application_id = given.application_id
      ORDER BY seq DESC OFFSET $2
    ) AS earlier ORDER BY earlier.seq))`

export async function listRefusals(sql: Sql, applicationId: string, after: number): Promise<readonly RefusalRecord[]> {
  if (applicationId.includes('\0')) return []
  const text = `
    SELECT r.* FROM platform_auth_refusals r JOIN platform_auth_applications a ON a.id = r.application_id
    WHERE r.application_id = $1 AND r.at > $2 AND a.status <> 'deleted' ORDER BY r.seq DESC`
  return (await sql.all<RefusalRow>(text, applicationId, after)).map(parseRefusal)
}

/** This look-up avoids a write if nothing has expired. */
export async function hasExpiredUsage(sql: Sql, expired: ExpiredUsage): Promise<boolean> {
  const { countsBefore, refusalsBefore, reportedBefore, batchesBefore } = expired
  const text = `
    SELECT 1 WHERE EXISTS (SELECT 1 FROM platform_auth_usage WHERE day < $1)
      OR EXISTS (SELECT 1 FROM platform_auth_refusals WHERE at < $2)
      OR EXISTS (SELECT 1 FROM platform_auth_reported WHERE last_at < $3)
      OR EXISTS (SELECT 1 FROM platform_auth_usage_batches WHERE at < $4)`
  return (await sql.get(text, countsBefore, refusalsBefore, reportedBefore, batchesBefore)) !== undefined
}

export async function deleteExpiredUsage(sql: Sql, expired: ExpiredUsage): Promise<number> {
  const { countsBefore, refusalsBefore, reportedBefore, batchesBefore, limit } = expired
  const deleted = [
    await sql.run(formatDelete('platform_auth_usage', 'day'), countsBefore, limit),
    await sql.run(formatDelete('platform_auth_refusals', 'at'), refusalsBefore, limit),
    await sql.run(formatDelete('platform_auth_reported', 'last_at'), reportedBefore, limit),
    await sql.run(formatDelete('platform_auth_usage_batches', 'at'), batchesBefore, limit),
  ]
  return deleted.reduce((sum, count) => sum + count, 0)
}

/** Rows that another process is deleting are skipped: there is no need to wait for them. */
function formatDelete(table: string, column: string): string {
  return `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${table} WHERE ${column} < $1 ORDER BY ${column} LIMIT $2 FOR UPDATE SKIP LOCKED))`
}
