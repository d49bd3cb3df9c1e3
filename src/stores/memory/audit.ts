import type { AuditQuery } from '../../shared/contracts/store.js'
import type { AuditRecord, NewAuditRecord } from '../../shared/contracts/events.js'
import { parseCursor } from '../sql/feed.js'
import { copyFrozen } from './deep-freeze.js'

export function createMemoryAudit() {
  let records: AuditRecord[] = []
  let count = 0

  function write({ at, type, by, applicationId, details }: NewAuditRecord): void {
    // Details become JSON, as in a database, and a value that JSON cannot express is an error.
    const stored = JSON.parse(JSON.stringify(details)) as NewAuditRecord['details']
    records.push(copyFrozen({ id: String((count += 1)), at, type, by, applicationId, details: stored }))
  }

  function list(query: AuditQuery): readonly AuditRecord[] {
    const { after, limit, newestFirst = false } = query
    const start = after === undefined ? (newestFirst ? Infinity : 0) : parseCursor(after)
    if (start === undefined) return []
    const isByTime = query.from !== undefined || query.until !== undefined
    const last = isByTime ? records.find(({ id }) => id === after) : undefined
    const isBeyond = (record: AuditRecord): boolean => {
      const difference = last ? compareTimes(record, last) : Number(record.id) - start
      return newestFirst ? difference < 0 : difference > 0
    }
    const found = records.filter((record) => isBeyond(record) && matches(record, query))
    const sorted = isByTime ? found.toSorted(compareTimes) : found
    return (newestFirst ? sorted.toReversed() : sorted).slice(0, limit)
  }

  function deleteBefore(before: number, limit: number): number {
    const deleted = new Set(records.filter(({ at }) => at < before).slice(0, limit))
    records = records.filter((record) => !deleted.has(record))
    return deleted.size
  }

  return { write, list, deleteBefore }
}

function compareTimes(one: AuditRecord, other: AuditRecord): number {
  return one.at - other.at || Number(one.id) - Number(other.id)
}

function matches({ applicationId, type, by, at }: AuditRecord, query: AuditQuery): boolean {
  if (query.applicationId !== undefined && query.applicationId !== applicationId) return false
  if (query.types !== undefined && !query.types.includes(type)) return false
  if (query.by !== undefined && query.by !== by) return false
  return at >= (query.from ?? -Infinity) && at < (query.until ?? Infinity)
}
