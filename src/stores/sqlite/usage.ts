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
export function addUsage(sql: Sql, batch: UsageBatch, counts: readonly UsageCount[]): void {
  if (!addBatch(sql, batch)) return
  const rows = counts.map(({ applicationId, route = '', day, api, outcome, count }) => [
    applicationId,
    route,
    day,
    api,
    outcome,
    count,
  ])
  sql.run(ADD_USAGE, JSON.stringify(rows))
}

const ADD_USAGE = `
  INSERT INTO platform_auth_usage (application_id, route, day, api, outcome, count)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 FROM json_each(?1)
  WHERE EXISTS (SELECT 1 FROM platform_auth_applications WHERE id = value ->> 0)
  ON CONFLICT (application_id, route, day, api, outcome) DO UPDATE SET count = platform_auth_usage.count + excluded.count`

/** Returns false for a batch that was added before. */
function addBatch(sql: Sql, { id, at }: UsageBatch): boolean {
  return (
    sql.run('INSERT INTO platform_auth_usage_batches (id, at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING', id, at) > 0
  )
}

export function listUsage(sql: Sql, query: UsageCountQuery): readonly UsageCount[] {
  const { after, applicationId, api, by, routes = false, from, to, limit } = query
  // NULL if there is no such application, after which nothing is listed.
  const start = after === undefined ? '?3' : '(SELECT seq FROM platform_auth_applications WHERE id = ?3)'
  const day = by === 'month' ? 'substr(u.day, 1, 7)' : 'u.day'
  const counts = `platform_auth_usage u WHERE u.application_id = a.id AND u.route ${routes ? '>' : '='} '' AND u.day BETWEEN ?1 AND ?2
    AND (a.seq > ${start} OR (u.route, ${day}, u.api, u.outcome) > (?8, ?4, ?5, ?6)) ${api === undefined ? '' : 'AND u.api = ?10'}`
  const [columns, source, order] =
    by === 'month' ? formatMonths(counts) : ['u.*', counts, 'u.route, u.day, u.api, u.outcome']
  const text = `
    SELECT ${columns} FROM platform_auth_applications a CROSS JOIN ${source}
      AND a.seq >= ${start} ${applicationId === undefined ? '' : 'AND a.id = ?9'}
    ORDER BY a.seq, ${order} LIMIT ?7`
  const position = after ? [after.applicationId, after.day, after.api, after.outcome] : [0, '', '', '']
  const filters = api === undefined ? (applicationId === undefined ? [] : [applicationId]) : [applicationId, api]
  return sql.all<UsageRow>(text, from, to, ...position, limit, after?.route ?? '', ...filters).map(parseUsageCount)
}

/**
 * The months of one application after another, until there are enough: in JSON, because of what is in FROM only a function can depend
 * on the table before it. Returns columns, source with condition, and order.
 */
function formatMonths(counts: string): readonly [string, string, string] {
  return [
    `a.id AS application_id, value ->> 0 AS route, value ->> 1 AS day, value ->> 2 AS api, value ->> 3 AS outcome,
      value ->> 4 AS count`,
    `json_each((
      SELECT json_group_array(json_array(route, month, api, outcome, count))
      FROM (SELECT u.route, substr(u.day, 1, 7) AS month, u.api, u.outcome, sum(u.count) AS count FROM ${counts}
        GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4))) WHERE TRUE`,
    'key',
  ]
}

export function addRefusals(sql: Sql, batch: UsageBatch, refusals: readonly RefusalRecord[], kept: number): void {
  if (!addBatch(sql, batch)) return
  sql.run(ADD_REFUSALS, formatRefusals(refusals))
  for (const id of listApplicationIds(refusals)) sql.run(DELETE_EARLIER_REFUSALS, id, kept)
}

const ADD_REFUSALS = `
  INSERT INTO platform_auth_refusals (application_id, at, api, error, reason, request_id, address, details)
  SELECT value ->> 'applicationId', value ->> 'at', value ->> 'api', value ->> 'error', value ->> 'reason',
    value ->> 'requestId', value ->> 'address', value ->> 'details'
  FROM json_each(?1)
  WHERE EXISTS (
    SELECT 1 FROM platform_auth_applications WHERE id = value ->> 'applicationId' AND status <> 'deleted')
  ORDER BY key`

const DELETE_EARLIER_REFUSALS = `
  DELETE FROM platform_auth_refusals WHERE application_id = ?1 AND seq <= (
    SELECT seq FROM platform_auth_refusals WHERE application_id = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)`

export function listRefusals(sql: Sql, applicationId: string, after: number): readonly RefusalRecord[] {
  const text = `
    SELECT r.* FROM platform_auth_refusals r JOIN platform_auth_applications a ON a.id = r.application_id
    WHERE r.application_id = ? AND r.at > ? AND a.status <> 'deleted' ORDER BY r.seq DESC`
  return sql.all<RefusalRow>(text, applicationId, after).map(parseRefusal)
}

/** This look-up avoids a write if nothing has expired. */
export function hasExpiredUsage(sql: Sql, expired: ExpiredUsage): boolean {
  const { countsBefore, refusalsBefore, reportedBefore, batchesBefore } = expired
  const text = `
    SELECT 1 WHERE EXISTS (SELECT 1 FROM platform_auth_usage WHERE day < ?)
      OR EXISTS (SELECT 1 FROM platform_auth_refusals WHERE at < ?)
      OR EXISTS (SELECT 1 FROM platform_auth_reported WHERE last_at < ?)
      OR EXISTS (SELECT 1 FROM platform_auth_usage_batches WHERE at < ?)`
  return sql.get(text, countsBefore, refusalsBefore, reportedBefore, batchesBefore) !== undefined
}

export function deleteExpiredUsage(sql: Sql, expired: ExpiredUsage): number {
  const { countsBefore, refusalsBefore, reportedBefore, batchesBefore, limit } = expired
  const deleted = [
    sql.run(DELETE_COUNTS, countsBefore, limit),
    sql.run(DELETE_REFUSALS, refusalsBefore, limit),
    sql.run(DELETE_REPORTED, reportedBefore, limit),
    deleteBatches(sql, batchesBefore, limit),
  ]
  return deleted.reduce((sum, count) => sum + count, 0)
}

const DELETE_COUNTS = `
  DELETE FROM platform_auth_usage WHERE (application_id, route, day, api, outcome) IN (
    SELECT application_id, route, day, api, outcome FROM platform_auth_usage WHERE day < ? ORDER BY day LIMIT ?)`
const DELETE_REFUSALS = `
  DELETE FROM platform_auth_refusals WHERE seq IN (
    SELECT seq FROM platform_auth_refusals WHERE at < ? ORDER BY at LIMIT ?)`
const DELETE_REPORTED = `
  DELETE FROM platform_auth_reported WHERE (application_id, api, route, reason) IN (
    SELECT application_id, api, route, reason FROM platform_auth_reported WHERE last_at < ? ORDER BY last_at LIMIT ?)`
function deleteBatches(sql: Sql, before: number, limit: number): number {
  return sql.run(DELETE_BATCHES, before, limit)
}

const DELETE_BATCHES = `
  DELETE FROM platform_auth_usage_batches WHERE id IN (
    SELECT id FROM platform_auth_usage_batches WHERE at < ? ORDER BY at LIMIT ?)`
