import type { AuditQuery, AuditRecord } from '../../contracts/store.js'
import type { Sql } from './connection.js'
import { auditFrom } from '../sql/rows.js'
import type { AuditRow } from '../sql/rows.js'

export async function listAudit(
  sql: Sql,
  { after, limit, applicationId }: AuditQuery,
): Promise<readonly AuditRecord[]> {
  // After what is no place, NULL, nothing comes.
  const start = after === undefined ? 0 : /^\d{1,15}$/.test(after) ? Number(after) : undefined
  const ofOne = applicationId === undefined ? '' : 'application_id = $3 AND'
  const text = `SELECT * FROM platform_auth_audit WHERE ${ofOne} seq > $1 ORDER BY seq LIMIT $2`
  const values = applicationId === undefined ? [start, limit] : [start, limit, applicationId]
  return (await sql.all<AuditRow>(text, ...values)).map(auditFrom)
}
