import type { NewAuditRecord, AuditQuery, AuditRecord } from '../../contracts/store.js'
import { auditFrom } from '../sql/rows.js'
import type { AuditRow } from '../sql/rows.js'
import type { Sql } from './connection.js'

/** To be called in the transaction that makes the change. */
export function writeAudit(sql: Sql, { at, type, by, applicationId, details }: NewAuditRecord): void {
  const text = 'INSERT INTO platform_auth_audit (at, type, actor, application_id, details) VALUES (?, ?, ?, ?, ?)'
  sql.run(text, at, type, by, applicationId, JSON.stringify(details))
}

export function listAudit(sql: Sql, { after, limit, applicationId }: AuditQuery): readonly AuditRecord[] {
  // What is no number becomes NULL, after which nothing comes.
  const start = after === undefined ? 0 : Number.parseInt(after, 10)
  const ofOne = applicationId === undefined ? '' : 'application_id = ? AND'
  const text = `SELECT * FROM platform_auth_audit WHERE ${ofOne} seq > ? ORDER BY seq LIMIT ?`
  const values = applicationId === undefined ? [start, limit] : [applicationId, start, limit]
  return sql.all<AuditRow>(text, ...values).map(auditFrom)
}
