import type { Change, ChangesPage } from '../../contracts/store.js'
import { everythingBefore, KEPT, pageAfter, placeOf } from '../sql/feed-page.js'
import type { ChangeRow } from '../sql/rows.js'
import type { Sql } from './connection.js'

/** Puts a change at the end of the feed; to be called in the transaction that makes it. */
export function publish(sql: Sql, change: Change): void {
  const { kind, id, expiresAt } = { id: undefined, expiresAt: undefined, ...change }
  sql.run('INSERT INTO platform_auth_changes (kind, id, expires_at) VALUES (?, ?, ?)', kind, id, expiresAt)
  sql.run('DELETE FROM platform_auth_changes WHERE seq <= (SELECT max(seq) FROM platform_auth_changes) - ?', KEPT)
}

/** Reads the feed, without a look into its table when nothing has been committed since the last reading. */
export function feedReader(): (sql: Sql, cursor: string | undefined) => ChangesPage {
  let last: { readonly moment: string; readonly end: string } | undefined

  return function changesSince(sql, cursor) {
    const moment = momentOf(sql)
    if (last?.moment === moment && (cursor ?? last.end) === last.end) return { cursor: last.end, changes: [] }
    const page = cursor === undefined ? { cursor: endOf(sql), changes: [] } : pageSince(sql, cursor)
    // Read before the page: what is committed between the two makes the next call look again.
    last = { moment, end: page.cursor }
    return page
  }
}

/** Differs after every commit: the first part after those of other connections, the second after this one's. */
function momentOf(sql: Sql): string {
  const others = sql.get<{ data_version: number }>('PRAGMA data_version')?.data_version
  const own = sql.get<{ changes: number }>('SELECT total_changes() AS changes')?.changes
  return `${others}:${own}`
}

function endOf(sql: Sql): string {
  return String(sql.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM platform_auth_changes')?.seq ?? 0)
}

function pageSince(sql: Sql, cursor: string): ChangesPage {
  const place = placeOf(cursor)
  const rows = sql.all<ChangeRow>(
    'SELECT seq, kind, id, expires_at FROM platform_auth_changes WHERE seq >= ? ORDER BY seq',
    place,
  )
  return pageAfter(place, rows) ?? everythingBefore(endOf(sql))
}
