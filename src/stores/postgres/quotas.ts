import type { ExpiredQuotas, QuotaCount, QuotaStore, QuotaTotals } from '../../contracts/quotas.js'
import type { UsageBatch } from '../../contracts/usage.js'
import type { Sql } from './connection.js'
import { addBatch, formatDelete } from './usage.js'

/** `read` and `write` run their work on the open database, `write` in a transaction. */
export function createQuotaCalls({ read, write }: Record<'read' | 'write', Run>): QuotaStore {
  return {
    add: (batch, counts) => write((sql) => addQuotas(sql, batch, counts)),
    list: (applicationId, from, to) => read((sql) => listQuotas(sql, applicationId, from, to)),
    deleteExpired: async (expired) =>
      (await read((sql) => hasExpiredQuotas(sql, expired))) ? write((sql) => deleteExpiredQuotas(sql, expired)) : 0,
  }
}

type Run = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>

async function addQuotas(sql: Sql, batch: UsageBatch, counts: readonly QuotaCount[]): Promise<readonly QuotaTotals[]> {
  const rows = JSON.stringify(counts)
  if (await addBatch(sql, batch)) await sql.run(ADD_QUOTAS, rows)
  return sql.all<QuotaTotals>(READ_TOTALS, rows)
}

/** The rows are in one order: two processes that lock the same rows in different orders deadlock. */
const ADD_QUOTAS = `
  INSERT INTO platform_auth_quotas AS stored (application_id, day, count)
  SELECT "applicationId", day, count
  FROM json_to_recordset($1) AS given ("applicationId" text, day text, count bigint)
  ORDER BY "applicationId" COLLATE "C", day COLLATE "C"
  ON CONFLICT (application_id, day) DO UPDATE SET count = stored.count + excluded.count`

const READ_TOTALS = `
  SELECT coalesce(sum(q.count) FILTER (WHERE q.day = given.day), 0)::bigint AS "ofDay",
    coalesce(sum(q.count), 0)::bigint AS "ofMonth"
  FROM ROWS FROM (json_to_recordset($1) AS ("applicationId" text, day text)) WITH ORDINALITY
    AS given ("applicationId", day, position)
  LEFT JOIN platform_auth_quotas q ON q.application_id = given."applicationId"
    AND q.day BETWEEN left(given.day, 8) AND left(given.day, 8) || '31'
  GROUP BY given.position ORDER BY given.position`

async function listQuotas(sql: Sql, applicationId: string, from: string, to: string): Promise<readonly QuotaCount[]> {
  if (applicationId.includes('\0')) return []
  const text = `
    SELECT application_id AS "applicationId", day, count FROM platform_auth_quotas
    WHERE application_id = $1 AND day BETWEEN $2 AND $3 ORDER BY day`
  return sql.all<QuotaCount>(text, applicationId, from, to)
}

/** This look-up avoids a write if nothing has expired. */
async function hasExpiredQuotas(sql: Sql, { countsBefore, batchesBefore }: ExpiredQuotas): Promise<boolean> {
  const text = `
    SELECT 1 WHERE EXISTS (SELECT 1 FROM platform_auth_quotas WHERE day < $1)
      OR EXISTS (SELECT 1 FROM platform_auth_usage_batches WHERE at < $2)`
  return (await sql.get(text, countsBefore, batchesBefore)) !== undefined
}

async function deleteExpiredQuotas(sql: Sql, expired: ExpiredQuotas): Promise<number> {
  const { countsBefore, batchesBefore, limit } = expired
  const counts = await sql.run(formatDelete('platform_auth_quotas', 'day'), countsBefore, limit)
  return counts + (await sql.run(formatDelete('platform_auth_usage_batches', 'at'), batchesBefore, limit))
}
