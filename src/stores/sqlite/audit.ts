import type { AuditQuery } from '../../contracts/store.js'
import type { AuditRecord, NewAuditRecord } from '../../contracts/store-records.js'
import { parseCursor } from '../sql/cursor.js'
import { parseAuditRecord, type AuditRow } from '../sql/rows.js'
import type { Sql } from './connection.js'

/** Writes a record in the transaction that makes the change. */
export function writeAudit(sql: Sql, { at, type, by, applicationId, details }: NewAuditRecord): void {
  const text = 'INSERT INTO platform_auth_audit (at, type, actor, application_id, details) VALUES (?, ?, ?, ?, ?)'
  sql.run(text, at, type, by, applicationId, JSON.stringify(details))
}

export function listAudit(sql: Sql, { after, limit, applicationId }: AuditQuery): readonly AuditRecord[] {
  // A malformed id is bound as NULL, after which nothing is listed.
  const start = after === undefined ? 0 : parseCursor(after)
  const condition = applicationId === undefined ? '' : 'application_id = ? AND'
  const text = `SELECT * FROM platform_auth_audit WHERE ${condition} seq > ? ORDER BY seq LIMIT ?`
  const values = applicationId === undefined ? [start, limit] : [applicationId, start, limit]
  return sql.all<AuditRow>(text, ...values).map(parseAuditRecord)
}
