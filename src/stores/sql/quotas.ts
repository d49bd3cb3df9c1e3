import type { ExpiredQuotas, QuotaCount, QuotaTotals } from '../../shared/contracts/quotas.js'
import type { UsageBatch } from '../../shared/contracts/usage.js'
import { addBatch } from './batches.js'
import type { Dialect } from './dialect.js'
import { all, get, run, type Work } from './work.js'

/** Must be called in a transaction, as `deleteExpiredQuotas`. */
export function* addQuotas(
  dialect: Dialect,
  batch: UsageBatch,
  counts: readonly QuotaCount[],
): Work<readonly QuotaTotals[]> {
  const rows = JSON.stringify(counts)
  if (yield* addBatch(batch)) yield* run(formatAdd(dialect), rows)
  return yield* all<QuotaTotals>(formatTotals(dialect), rows)
}

/**
 * The rows are in one order: two processes that lock the same rows in different orders deadlock. WHERE true: without it SQLite reads
 * ON CONFLICT as a part of a join.
 */
function formatAdd({ formatGiven, binary }: Dialect): string {
  return `
  INSERT INTO platform_auth_quotas AS stored (application_id, day, count)
  SELECT "applicationId", day, count FROM ${formatGiven({ applicationId: 'text', day: 'text', count: 'bigint' })}
  WHERE true ORDER BY "applicationId"${binary}, day${binary}
  ON CONFLICT (application_id, day) DO UPDATE SET count = stored.count + excluded.count`
}

function formatTotals({ formatGiven }: Dialect): string {
  return `
  SELECT CAST(coalesce(sum(q.count) FILTER (WHERE q.day = given.day), 0) AS bigint) AS "ofDay",
    CAST(coalesce(sum(q.count), 0) AS bigint) AS "ofMonth"
  FROM ${formatGiven({ applicationId: 'text', day: 'text' })}
  LEFT JOIN platform_auth_quotas q ON q.application_id = given."applicationId"
    AND q.day BETWEEN substr(given.day, 1, 8) AND substr(given.day, 1, 8) || '31'
  GROUP BY given.position ORDER BY given.position`
}

export function* listQuotas(applicationId: string, from: string, to: string): Work<readonly QuotaCount[]> {
  // PostgreSQL refuses a text with U+0000, and some drivers of SQLite end it there.
  if (applicationId.includes('\0')) return []
  const text = `
    SELECT application_id AS "applicationId", day, count FROM platform_auth_quotas
    WHERE application_id = ?1 AND day BETWEEN ?2 AND ?3 ORDER BY day`
  return yield* all<QuotaCount>(text, applicationId, from, to)
}

/** This look-up avoids a write if nothing has expired. */
export function* hasExpiredQuotas({ countsBefore, batchesBefore }: ExpiredQuotas): Work<boolean> {
  const text = `
    SELECT 1 WHERE EXISTS (SELECT 1 FROM platform_auth_quotas WHERE day < ?1)
      OR EXISTS (SELECT 1 FROM platform_auth_usage_batches WHERE at < ?2)`
  return (yield* get(text, countsBefore, batchesBefore)) !== undefined
}

export function* deleteExpiredQuotas({ formatDelete }: Dialect, expired: ExpiredQuotas): Work<number> {
  const { countsBefore, batchesBefore, limit } = expired
  const counts = yield* run(formatDelete('platform_auth_quotas', 'application_id, day', 'day'), countsBefore, limit)
  return counts + (yield* run(formatDelete('platform_auth_usage_batches', 'id', 'at'), batchesBefore, limit))
}
