import type { ReportedCount, ReportedCountQuery, UsageBatch } from '../../shared/contracts/usage.js'
import { addBatch } from './usage.js'
import type { Dialect } from './dialect.js'
import { all, run, type Work } from './work.js'

/** Must be called in a transaction. */
export function* addReported(dialect: Dialect, batch: UsageBatch, counts: readonly ReportedCount[]): Work<void> {
  if (yield* addBatch(batch)) yield* run(formatAdd(dialect), JSON.stringify(counts))
}

/** The rows are in one order: two processes that lock the same rows in different orders deadlock. */
function formatAdd({ formatGiven, binary, least, greatest }: Dialect): string {
  const given = formatGiven({
    applicationId: 'text',
    api: 'text',
    route: 'text',
    reason: 'text',
    count: 'bigint',
    firstAt: 'bigint',
    lastAt: 'bigint',
  })
  return `
  INSERT INTO platform_auth_reported AS stored (application_id, api, route, reason, count, first_at, last_at)
  SELECT "applicationId", api, route, reason, sum(count), min("firstAt"), max("lastAt") FROM ${given}
  GROUP BY "applicationId", api, route, reason
  ORDER BY "applicationId"${binary}, api${binary}, route${binary}, reason${binary}
  ON CONFLICT (application_id, api, route, reason) DO UPDATE SET
    count = stored.count + excluded.count,
    first_at = ${least}(stored.first_at, excluded.first_at),
    last_at = ${greatest}(stored.last_at, excluded.last_at)`
}

export function* listReported(query: ReportedCountQuery): Work<readonly ReportedCount[]> {
  const { after, applicationId, api, limit } = query
  const position = [after?.applicationId, after?.api, after?.route, after?.reason].map((text) => text ?? '')
  const filters = [
    ['application_id', applicationId],
    ['api', api],
  ].filter(([, value]) => value !== undefined)
  const values = [...position, ...filters.map(([, value]) => value)]
  // PostgreSQL refuses a text with U+0000, and some drivers of SQLite end it there.
  if (values.some((text) => text?.includes('\0'))) return []
  const text = `
    SELECT application_id AS "applicationId", api, route, reason, count, first_at AS "firstAt", last_at AS "lastAt"
    FROM platform_auth_reported WHERE (application_id, api, route, reason) > (?1, ?2, ?3, ?4)
      ${filters.map(([column], i) => `AND ${column} = ?${i + 5}`).join(' ')}
    ORDER BY application_id, api, route, reason LIMIT ?${values.length + 1}`
  return yield* all<ReportedCount>(text, ...values, limit)
}
