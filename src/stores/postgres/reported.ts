import type { ReportedCount, ReportedCountQuery } from '../../contracts/reported.js'
import type { UsageBatch } from '../../contracts/usage.js'
import { parseReportedCount, type ReportedRow } from '../sql/reported-rows.js'
import type { Sql } from './connection.js'
import { addBatch } from './usage.js'

/** Must be called in a transaction. */
export async function addReported(sql: Sql, batch: UsageBatch, counts: readonly ReportedCount[]): Promise<void> {
  if (await addBatch(sql, batch)) await sql.run(ADD_REPORTED, JSON.stringify(counts))
}

/** The rows are in one order: two processes that lock the same rows in different orders deadlock. */
const ADD_REPORTED = `
  INSERT INTO platform_auth_reported AS stored (application_id, api, route, reason, count, first_at, last_at)
  SELECT "applicationId", api, route, reason, sum(count), min("firstAt"), max("lastAt")
  FROM json_to_recordset($1) AS given
    ("applicationId" text, api text, route text, reason text, count bigint, "firstAt" bigint, "lastAt" bigint)
  GROUP BY "applicationId", api, route, reason
  ORDER BY "applicationId" COLLATE "C", api COLLATE "C", route COLLATE "C", reason COLLATE "C"
  ON CONFLICT (application_id, api, route, reason) DO UPDATE SET
    count = stored.count + excluded.count,
    first_at = least(stored.first_at, excluded.first_at),
    last_at = greatest(stored.last_at, excluded.last_at)`

export async function listReported(sql: Sql, query: ReportedCountQuery): Promise<readonly ReportedCount[]> {
  const { after, applicationId, api, limit } = query
  const given = [after?.applicationId, after?.api, after?.route, after?.reason]
  if ([...given, applicationId, api].some((text) => text?.includes('\0'))) return []
  const position = given.map((text) => text ?? '')
  return (await sql.all<ReportedRow>(LIST_REPORTED, ...position, limit, applicationId, api)).map(parseReportedCount)
}

const LIST_REPORTED = `
  SELECT application_id, api, route, reason, count, first_at, last_at FROM platform_auth_reported
  WHERE (application_id, api, route, reason) > ($1, $2, $3, $4)
    AND ($6::text IS NULL OR application_id = $6) AND ($7::text IS NULL OR api = $7)
  ORDER BY application_id, api, route, reason LIMIT $5`
