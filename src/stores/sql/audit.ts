import type { AuditQuery } from '../../shared/contracts/store.js'
import type { AuditRecord } from '../../shared/contracts/events.js'
import { parseCursor } from './feed.js'
import { parseRow } from './rows.js'
import { all, get, run, hasNul, type Work } from './work.js'

/** Records are written by `publish()`. */
export function* listAudit(query: AuditQuery): Work<readonly AuditRecord[]> {
  const { after, limit, newestFirst = false } = query
  if (hasNul([query.applicationId, query.by, ...(query.types ?? [])])) return []
  // A malformed id is bound as NULL, after which nothing is listed.
  const start = after === undefined ? (newestFirst ? Number.MAX_SAFE_INTEGER : 0) : parseCursor(after)
  if (query.from !== undefined || query.until !== undefined) return yield* listByTime(query, start)
  const filters = listAuditFilters(query, (index) => `?${index + 3}`)
  const conditions = [`seq ${newestFirst ? '<' : '>'} ?1`, ...filters.conditions].join(' AND ')
  const order = newestFirst ? 'DESC' : 'ASC'
  const text = `${SELECT} WHERE ${conditions} ORDER BY seq ${order} LIMIT ?2`
  return (yield* all<object>(text, start, limit, ...filters.values)).map(parseRecord)
}

/** A page is read from the index of times. Clocks of processes differ, so this is not quite the order of the numbers. */
function* listByTime(query: AuditQuery, start: number | undefined): Work<readonly AuditRecord[]> {
  const { after, limit, from = 0, until = Number.MAX_SAFE_INTEGER, newestFirst = false } = query
  const text = 'SELECT at FROM platform_auth_audit WHERE seq = ?1'
  const last = after === undefined ? undefined : (yield* get<{ at: number }>(text, start))?.at
  const isWithin = last !== undefined && (newestFirst ? last < until : last >= from)
  const position = isWithin ? [last, start] : newestFirst ? [until, 0] : [from, -1]
  const [beyond, order] = newestFirst ? ['<', 'DESC'] : ['>', 'ASC']
  const filters = listAuditFilters(query, (index) => `?${index + 6}`)
  const conditions = [
    `(at, seq) ${beyond} (?1, ?2)`,
    newestFirst ? 'at >= ?3' : 'at < ?3',
    // The last record of the previous page may have been deleted since, with all that were older.
    `seq ${beyond} ?5`,
    ...filters.conditions,
  ]
  const limits = [
    newestFirst ? from : until,
    limit,
    last === undefined ? start : newestFirst ? Number.MAX_SAFE_INTEGER : 0,
  ]
  const page = `${SELECT} WHERE ${conditions.join(' AND ')} ORDER BY at ${order}, seq ${order} LIMIT ?4`
  return (yield* all<object>(page, ...position, ...limits, ...filters.values)).map(parseRecord)
}

const SELECT = `
  SELECT CAST(seq AS text) AS id, at, type, actor AS "by", application_id AS "applicationId", details FROM platform_auth_audit`

function parseRecord(row: object): AuditRecord {
  return parseRow(row, 'details')
}

/** The conditions of an audit query but those of time, and their values; `bind` names the n-th of them. */
function listAuditFilters({ applicationId, types, by }: AuditQuery, bind: (index: number) => string) {
  const values: string[] = []
  const next = (value: string): string => bind(values.push(value) - 1)
  const conditions = [
    applicationId !== undefined && `application_id = ${next(applicationId)}`,
    types !== undefined && `type IN (${types.map(next).join() || "''"})`,
    by !== undefined && `actor IS NOT NULL AND actor = ${next(by)}`,
  ]
  return { conditions: conditions.filter((condition) => condition !== false), values }
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
