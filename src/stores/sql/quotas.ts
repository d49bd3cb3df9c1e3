import type { ExpiredQuotas, QuotaCount, QuotaTotals, QuotaUse, QuotaUseQuery } from '../../shared/contracts/quotas.js'
import type { UsageBatch } from '../../shared/contracts/usage.js'
import { addBatch } from './usage.js'
import { type Dialect, all, get, run, hasNul, MAX_STORED_COUNT, type Work } from './work.js'

/** Must be called in a transaction, as `deleteExpiredQuotas`. */
export function* addQuotas(dialect: Dialect, batch: UsageBatch, counts: readonly QuotaCount[]) {
  const rows = JSON.stringify(counts)
  if (yield* addBatch(batch)) yield* run(formatAdd(dialect), rows)
  return yield* all<QuotaTotals>(formatTotals(dialect), rows)
}

/** In one order, or two processes deadlock. WHERE true: without it SQLite reads ON CONFLICT as a part of a join. */
function formatAdd({ formatGiven, formatSum, binary, least }: Dialect): string {
  return `
  INSERT INTO platform_auth_quotas AS stored (application_id, day, count, plan)
  SELECT "applicationId", substr(day, 1, size), ${formatSum('count')},
    (SELECT plan FROM platform_auth_applications WHERE id = "applicationId")
  FROM ${formatGiven({ applicationId: 'text', day: 'text', count: 'bigint' })}
  CROSS JOIN (SELECT 10 AS size UNION ALL SELECT 7) AS periods
  WHERE true GROUP BY 1, 2 ORDER BY "applicationId"${binary}, substr(day, 1, size)${binary}
  ON CONFLICT (application_id, day) DO UPDATE SET count = ${least}(stored.count + excluded.count, ${MAX_STORED_COUNT}), plan = excluded.plan`
}

/** Called when an application is saved, in its transaction. Locks the rows in the order of `formatAdd`. */
export function* writePlanOfQuotas({ lockRows }: Dialect, applicationId: string, plan: string | undefined): Work<void> {
  const text = `
    WITH locked AS MATERIALIZED (
      SELECT day FROM platform_auth_quotas WHERE application_id = ?1 AND plan IS DISTINCT FROM ?2 ORDER BY day ${lockRows}
    )
    UPDATE platform_auth_quotas SET plan = ?2 WHERE application_id = ?1 AND day IN (SELECT day FROM locked)`
  yield* run(text, applicationId, plan)
}

/** CROSS JOIN keeps SQLite from reading the applications first. */
export function* listUsed({ plan, period, atLeast, after, limit }: QuotaUseQuery): Work<readonly QuotaUse[]> {
  const text = `
    SELECT q.application_id AS "applicationId", a.name, q.count
    FROM platform_auth_quotas q CROSS JOIN platform_auth_applications a
    WHERE q.plan = ?1 AND q.day = ?2 AND q.count >= ?3 ${after ? 'AND (q.count, q.application_id) < (?5, ?6)' : ''} AND a.id = q.application_id
    ORDER BY q.count DESC, q.application_id DESC LIMIT ?4`
  return yield* all<QuotaUse>(text, plan, period, atLeast, limit, ...(after ? [after.count, after.applicationId] : []))
}

function formatTotals({ formatGiven, formatSum }: Dialect): string {
  return `
  SELECT ${formatSum('CASE WHEN q.day = given.day THEN q.count END')} AS "ofDay",
    ${formatSum('q.count')} AS "ofMonth"
  FROM ${formatGiven({ applicationId: 'text', day: 'text' })}
  LEFT JOIN platform_auth_quotas q ON q.application_id = given."applicationId"
    AND q.day BETWEEN substr(given.day, 1, 8) AND substr(given.day, 1, 8) || '31'
  GROUP BY given.position ORDER BY given.position`
}

export function* listQuotas(applicationId: string, from: string, to: string): Work<readonly QuotaCount[]> {
  if (hasNul([applicationId])) return []
  const text = `
    SELECT application_id AS "applicationId", day, count FROM platform_auth_quotas
    WHERE application_id = ?1 AND day BETWEEN ?2 AND ?3 AND length(day) > 7 ORDER BY day`
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
