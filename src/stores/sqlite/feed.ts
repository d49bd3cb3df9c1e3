import type { NewAuditRecord } from '../../shared/contracts/events.js'
import type { Change, ChangesPage } from '../../shared/contracts/store.js'
import {
  createChangesPage,
  createEverythingPage,
  formatFeedCursor,
  MAX_FEED_CHANGES,
  parseFeedCursor,
  type ChangeRow,
  type FeedPosition,
} from '../sql/feed.js'
import { run, type Work } from '../sql/work.js'
import type { Sql } from './connection.js'

export function* publish(change: Change, audit?: NewAuditRecord): Work<void> {
  if (audit) {
    const { at, type, by, applicationId, details } = audit
    yield* run(INSERT_AUDIT, at, type, by, applicationId, JSON.stringify(details))
  }
  const { kind, id, expiresAt } = { id: undefined, expiresAt: undefined, ...change }
  yield* run('INSERT INTO platform_auth_changes (kind, id, expires_at) VALUES (?, ?, ?)', kind, id, expiresAt)
  const text = 'DELETE FROM platform_auth_changes WHERE seq <= (SELECT max(seq) FROM platform_auth_changes) - ?'
  yield* run(text, MAX_FEED_CHANGES)
}

const INSERT_AUDIT = 'INSERT INTO platform_auth_audit (at, type, actor, application_id, details) VALUES (?, ?, ?, ?, ?)'

/** Returns a reader of the feed that does not query its table if nothing was committed since the previous call. */
export function createFeedReader(): (sql: Sql, cursor: string | undefined) => ChangesPage {
  let last: { readonly commit: string; readonly end: string } | undefined

  return function readChangesSince(sql, cursor) {
    const commit = readLastCommit(sql)
    if (last?.commit === commit && (cursor ?? last.end) === last.end) return { cursor: last.end, changes: [] }
    const page = cursor === undefined ? { cursor: findFeedEnd(sql), changes: [] } : readPage(sql, cursor)
    // `commit` was read before the page: a commit between the two makes the next call query the table again.
    last = { commit, end: page.cursor }
    return page
  }
}

/** Changes with every commit: `data_version` with those of other connections, `total_changes()` with those of this one. */
function readLastCommit(sql: Sql): string {
  const others = sql.get<{ data_version: number }>('PRAGMA data_version')?.data_version
  const own = sql.get<{ changes: number }>('SELECT total_changes() AS changes')?.changes
  return `${others}:${own}`
}

function findFeedEnd(sql: Sql): string {
  const text = 'SELECT seq, nonce FROM platform_auth_changes ORDER BY seq DESC LIMIT 1'
  return formatFeedCursor(sql.get<FeedPosition>(text))
}

function readPage(sql: Sql, cursor: string): ChangesPage {
  const start = parseFeedCursor(cursor)
  if (start === undefined) return createEverythingPage(findFeedEnd(sql))
  const text = 'SELECT seq, nonce, kind, id, expires_at FROM platform_auth_changes WHERE seq >= ? ORDER BY seq'
  return createChangesPage(start, sql.all<ChangeRow>(text, start.seq)) ?? createEverythingPage(findFeedEnd(sql))
}
