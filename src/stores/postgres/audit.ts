import type { AuditQuery } from '../../contracts/store.js'
import type { AuditRecord } from '../../contracts/store-records.js'
import { parseCursor } from '../sql/cursor.js'
import { listAuditFilters, parseAuditRecord, type AuditRow } from '../sql/rows.js'
import type { Sql } from './connection.js'

/** Records are written by `publish()`, under the lock that orders them. */
export async function listAudit(sql: Sql, query: AuditQuery): Promise<readonly AuditRecord[]> {
  const { after, limit, newestFirst = false } = query
  if ([query.applicationId, query.by, ...(query.types ?? [])].some((text) => text?.includes('\0'))) return []
  // A malformed id is sent as NULL, after which nothing is listed.
  const start = after === undefined ? (newestFirst ? Number.MAX_SAFE_INTEGER : 0) : parseCursor(after)
  const filters = listAuditFilters(query, (index) => `$${index + 3}`)
  const conditions = [`seq ${newestFirst ? '<' : '>'} $1`, ...filters.conditions].join(' AND ')
  const order = newestFirst ? 'DESC' : 'ASC'
  const text = `SELECT * FROM platform_auth_audit WHERE ${conditions} ORDER BY seq ${order} LIMIT $2`
  return (await sql.all<AuditRow>(text, start, limit, ...filters.values)).map(parseAuditRecord)
}

export function deleteAudit(sql: Sql, before: number, limit: number): Promise<number> {
  const text = `
    DELETE FROM platform_auth_audit WHERE seq IN (
      SELECT seq FROM platform_auth_audit WHERE at < $1 ORDER BY at LIMIT $2)`
  return sql.run(text, before, limit)
}
