import type { AuditQuery } from '../../contracts/store.js'
import type { AuditRecord, NewAuditRecord } from '../../contracts/store-records.js'
import { parseCursor } from '../sql/cursor.js'
import { listAuditFilters, parseAuditRecord, type AuditRow } from '../sql/rows.js'
import type { Sql } from './connection.js'

/** Writes a record in the transaction that makes the change. */
export function writeAudit(sql: Sql, { at, type, by, applicationId, details }: NewAuditRecord): void {
  const text = 'INSERT INTO platform_auth_audit (at, type, actor, application_id, details) VALUES (?, ?, ?, ?, ?)'
  sql.run(text, at, type, by, applicationId, JSON.stringify(details))
}

export function listAudit(sql: Sql, query: AuditQuery): readonly AuditRecord[] {
  const { after, limit, newestFirst = false } = query
  // A malformed id is bound as NULL, after which nothing is listed.
  const start = after === undefined ? (newestFirst ? Number.MAX_SAFE_INTEGER : 0) : parseCursor(after)
  const filters = listAuditFilters(query, () => '?')
  const conditions = [`seq ${newestFirst ? '<' : '>'} ?`, ...filters.conditions].join(' AND ')
  const order = newestFirst ? 'DESC' : 'ASC'
  const text = `SELECT * FROM platform_auth_audit WHERE ${conditions} ORDER BY seq ${order} LIMIT ?`
  return sql.all<AuditRow>(text, start, ...filters.values, limit).map(parseAuditRecord)
}

/** Must be called in a transaction. */
export function deleteAudit(sql: Sql, before: number, limit: number): number {
  const text = `
    DELETE FROM platform_auth_audit WHERE seq IN (
      SELECT seq FROM platform_auth_audit WHERE at < ? ORDER BY at LIMIT ?)`
  return sql.run(text, before, limit)
}

/** This look-up avoids a write if nothing is to be deleted. */
export function hasAuditBefore(sql: Sql, before: number): boolean {
  return sql.get('SELECT 1 FROM platform_auth_audit WHERE at < ? LIMIT 1', before) !== undefined
}
