import type { ExpiredQuotas, QuotaCount, QuotaStore, QuotaTotals } from '../../contracts/quotas.js'
import type { UsageBatch } from '../../contracts/usage.js'
import type { Sql } from './connection.js'
import { addBatch, deleteBatches } from './usage.js'

/** `read` and `write` run their work on the open database, `write` in a transaction. */
export function createQuotaCalls({ read, write }: Record<'read' | 'write', Run>): QuotaStore {
  return {
    add: (batch, counts) => write((sql) => addQuotas(sql, batch, counts)),
    list: (applicationId, from, to) => read((sql) => listQuotas(sql, applicationId, from, to)),
    deleteExpired: async (expired) =>
      (await read((sql) => hasExpiredQuotas(sql, expired))) ? write((sql) => deleteExpiredQuotas(sql, expired)) : 0,
  }
}

type Run = <T>(work: (sql: Sql) => T) => Promise<T>

function addQuotas(sql: Sql, batch: UsageBatch, counts: readonly QuotaCount[]): readonly QuotaTotals[] {
  const rows = JSON.stringify(counts)
  if (addBatch(sql, batch)) sql.run(ADD_QUOTAS, rows)
  return sql.all<QuotaTotals>(READ_TOTALS, rows)
}

/** WHERE true: without it SQLite reads ON CONFLICT as a part of the join. */
const ADD_QUOTAS = `
  INSERT INTO platform_auth_quotas (application_id, day, count)
  SELECT value ->> 'applicationId', value ->> 'day', value ->> 'count' FROM json_each(?1) WHERE true
  ON CONFLICT (application_id, day) DO UPDATE SET count = platform_auth_quotas.count + excluded.count`

const READ_TOTALS = `
  SELECT coalesce(sum(q.count) FILTER (WHERE q.day = used.value ->> 'day'), 0) AS ofDay,
    coalesce(sum(q.count), 0) AS ofMonth
  FROM json_each(?1) AS used LEFT JOIN platform_auth_quotas q ON q.application_id = used.value ->> 'applicationId'
    AND q.day BETWEEN substr(used.value ->> 'day', 1, 8) AND substr(used.value ->> 'day', 1, 8) || '31'
  GROUP BY used.key ORDER BY used.key`

function listQuotas(sql: Sql, applicationId: string, from: string, to: string): readonly QuotaCount[] {
  // Some drivers end a text at NUL, so that it would be another one.
  if (applicationId.includes('\0')) return []
  const text = `
    SELECT application_id AS applicationId, day, count FROM platform_auth_quotas
    WHERE application_id = ? AND day BETWEEN ? AND ? ORDER BY day`
  return sql.all<QuotaCount>(text, applicationId, from, to)
}

/** This look-up avoids a write if nothing has expired. */
function hasExpiredQuotas(sql: Sql, { countsBefore, batchesBefore }: ExpiredQuotas): boolean {
  const text = `
    SELECT 1 WHERE EXISTS (SELECT 1 FROM platform_auth_quotas WHERE day < ?)
      OR EXISTS (SELECT 1 FROM platform_auth_usage_batches WHERE at < ?)`
  return sql.get(text, countsBefore, batchesBefore) !== undefined
}

function deleteExpiredQuotas(sql: Sql, { countsBefore, batchesBefore, limit }: ExpiredQuotas): number {
  const text = `
    DELETE FROM platform_auth_quotas WHERE (application_id, day) IN (
      SELECT application_id, day FROM platform_auth_quotas WHERE day < ? ORDER BY day LIMIT ?)`
  return sql.run(text, countsBefore, limit) + deleteBatches(sql, batchesBefore, limit)
}
