import type { NewAuditRecord, AuditQuery, AuditRecord } from '../../contracts/store.js'
import { frozen } from './frozen.js'

export function memoryAudit() {
  const records: AuditRecord[] = []

  function write(entry: NewAuditRecord): void {
    const { at, type, by, applicationId, details } = entry
    // As a database would keep them: JSON, and an error for what is none.
    const kept = JSON.parse(JSON.stringify(details)) as NewAuditRecord['details']
    records.push(frozen({ id: String(records.length + 1), at, type, by, applicationId, details: kept }))
  }

  function list({ after, limit, applicationId }: AuditQuery): readonly AuditRecord[] {
    const start = Number(after ?? 0)
    const wanted = ({ id, applicationId: of }: AuditRecord) => Number(id) > start && of === (applicationId ?? of)
    return records.filter(wanted).slice(0, limit)
  }

  return { write, list }
}
