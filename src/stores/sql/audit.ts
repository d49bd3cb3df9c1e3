import type { AuditQuery } from '../../contracts/store.js'
import type { AuditRecord } from '../../contracts/store-records.js'
import { parseCursor } from './cursor.js'
import { listAuditFilters, parseAuditRecord, type AuditRow } from './rows.js'
import { all, get, run, type Work } from './work.js'

/** Records are written by `publish()`. */
export function* listAudit(query: AuditQuery): Work<readonly AuditRecord[]> {
  const { after, limit, newestFirst = false } = query
  // PostgreSQL refuses a text with U+0000, and some drivers of SQLite end it there.
  if ([query.applicationId, query.by, ...(query.types ?? [])].some((text) => text?.includes('\0'))) return []
  // A malformed id is bound as NULL, after which nothing is listed.
  const start = after === undefined ? (newestFirst ? Number.MAX_SAFE_INTEGER : 0) : parseCursor(after)
  const filters = listAuditFilters(query, (index) => `?${index + 3}`)
  const conditions = [`seq ${newestFirst ? '<' : '>'} ?1`, ...filters.conditions].join(' AND ')
  const order = newestFirst ? 'DESC' : 'ASC'
  const text = `SELECT * FROM platform_auth_audit WHERE ${conditions} ORDER BY seq ${order} LIMIT ?2`
  return (yield* all<AuditRow>(text, start, limit, ...filters.values)).map(parseAuditRecord)
}

/** Must be called in a transaction. */
export function* deleteAudit(before: number, limit: number): Work<number> {
  const text = `
    DELETE FROM platform_auth_audit WHERE seq IN (
      SELECT seq FROM platform_auth_audit WHERE at < ?1 ORDER BY at LIMIT ?2)`
  return yield* run(text, before, limit)
}

/** This look-up avoids a write if nothing is to be deleted. */
export function* hasAuditBefore(before: number): Work<boolean> {
  return (yield* get('SELECT 1 FROM platform_auth_audit WHERE at < ?1 LIMIT 1', before)) !== undefined
}
