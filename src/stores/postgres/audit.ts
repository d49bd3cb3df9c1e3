import type { AuditQuery } from '../../contracts/store.js'
import type { AuditRecord } from '../../contracts/store-records.js'
import { parseCursor } from '../sql/cursor.js'
import { parseAuditRecord, type AuditRow } from '../sql/rows.js'
import type { Sql } from './connection.js'

/** Records are written by `publish()`, under the lock that orders them. */
export async function listAudit(
  sql: Sql,
  { after, limit, applicationId }: AuditQuery,
): Promise<readonly AuditRecord[]> {
  // A malformed id is sent as NULL, after which nothing is listed.
  const start = after === undefined ? 0 : parseCursor(after)
  const condition = applicationId === undefined ? '' : 'application_id = $3 AND'
  const text = `SELECT * FROM platform_auth_audit WHERE ${condition} seq > $1 ORDER BY seq LIMIT $2`
  const values = applicationId === undefined ? [start, limit] : [start, limit, applicationId]
  return (await sql.all<AuditRow>(text, ...values)).map(parseAuditRecord)
}
