import type { ReportedCount, ReportedCountQuery } from '../../contracts/reported.js'
import type { UsageBatch } from '../../contracts/usage.js'
import { parseReportedCount, type ReportedRow } from '../sql/reported-rows.js'
import type { Sql } from './connection.js'
import { addBatch } from './usage.js'

/** Must be called in a transaction. */
export function addReported(sql: Sql, batch: UsageBatch, counts: readonly ReportedCount[]): void {
  if (addBatch(sql, batch)) sql.run(ADD_REPORTED, JSON.stringify(counts))
}

/** WHERE true: without it SQLite reads ON CONFLICT as a part of the join. */
const ADD_REPORTED = `
  INSERT INTO platform_auth_reported (application_id, api, route, reason, count, first_at, last_at)
  SELECT value ->> 'applicationId', value ->> 'api', value ->> 'route', value ->> 'reason', value ->> 'count',
    value ->> 'firstAt', value ->> 'lastAt'
  FROM json_each(?1) WHERE true
  ON CONFLICT (application_id, api, route, reason) DO UPDATE SET
    count = platform_auth_reported.count + excluded.count,
    first_at = min(platform_auth_reported.first_at, excluded.first_at),
    last_at = max(platform_auth_reported.last_at, excluded.last_at)`

export function listReported(sql: Sql, query: ReportedCountQuery): readonly ReportedCount[] {
  const { after, applicationId, api, limit } = query
  // Some drivers end a text at NUL, so that it would be another one.
  if ([applicationId, api].some((text) => text?.includes('\0'))) return []
  const text = `
    SELECT * FROM platform_auth_reported WHERE (application_id, api, route, reason) > (?1, ?2, ?3, ?4)
      ${applicationId === undefined ? '' : 'AND application_id = ?6'} ${api === undefined ? '' : 'AND api = ?7'}
    ORDER BY application_id, api, route, reason LIMIT ?5`
  const position = after ? [after.applicationId, after.api, after.route, after.reason] : ['', '', '', '']
  const filters = api === undefined ? (applicationId === undefined ? [] : [applicationId]) : [applicationId, api]
  return sql.all<ReportedRow>(text, ...position, limit, ...filters).map(parseReportedCount)
}
