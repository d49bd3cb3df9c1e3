import type { AuditQuery } from '../../contracts/store.js'
import type { AuditRecord, NewAuditRecord } from '../../contracts/store-records.js'
import { parseCursor } from '../sql/cursor.js'
import { copyFrozen } from './deep-freeze.js'

export function createMemoryAudit() {
  const records: AuditRecord[] = []

  function write({ at, type, by, applicationId, details }: NewAuditRecord): void {
    // As in a database: details become JSON, and what JSON cannot express is an error.
    const stored = JSON.parse(JSON.stringify(details)) as NewAuditRecord['details']
    records.push(copyFrozen({ id: String(records.length + 1), at, type, by, applicationId, details: stored }))
  }

  function list({ after, limit, applicationId }: AuditQuery): readonly AuditRecord[] {
    const start = after === undefined ? 0 : (parseCursor(after) ?? Infinity)
    return records
      .slice(start)
      .filter((record) => applicationId === undefined || record.applicationId === applicationId)
      .slice(0, limit)
  }

  return { write, list }
}
