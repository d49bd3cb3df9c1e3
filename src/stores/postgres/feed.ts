import type { Change, ChangesPage, NewAuditRecord } from '../../contracts/store.js'
import { createChangesPage, createEverythingPage, MAX_FEED_CHANGES, parseCursor } from '../sql/cursor.js'
import type { ChangeRow } from '../sql/rows.js'
import { takeAdvisoryLock } from './advisory-locks.js'
import { prepareStatement, type Sql } from './connection.js'

/** The channel that is notified of every change. A notification has no payload: the listener reads the feed. */
export const CHANNEL = 'platform_auth_changes'

/** Old changes are deleted with every 500th change. */
const DELETE_INTERVAL = 500

/**
 * Appends a change to the feed and its record to the audit: the last step of the transaction that makes the change. The lock
 * is released after the commit, so numbers become visible in their order. Without the lock, a transaction could take a number
 * early and commit late, and a reader that is past that number would never see its change.
 */
export async function publish(sql: Sql, change: Change, audit?: NewAuditRecord): Promise<void> {
  await takeAdvisoryLock(sql, 'feed')
  if (audit) {
    const { at, type, by, applicationId, details } = audit
    await sql.run(INSERT_AUDIT, at, type, by, applicationId, JSON.stringify(details))
  }
  const { kind, id, expiresAt } = { id: undefined, expiresAt: undefined, ...change }
  const inserted = await sql.get<{ seq: number }>(INSERT_CHANGE, kind, id, expiresAt)
  const seq = inserted?.seq ?? 0
  if (seq % DELETE_INTERVAL === 0) {
    await sql.run('DELETE FROM platform_auth_changes WHERE seq <= $1', seq - MAX_FEED_CHANGES)
  }
}

const INSERT_AUDIT = prepareStatement(
  'INSERT INTO platform_auth_audit (at, type, actor, application_id, details) VALUES ($1, $2, $3, $4, $5)',
)
// PostgreSQL sends the notification when the transaction commits.
const INSERT_CHANGE = prepareStatement(`
  INSERT INTO platform_auth_changes (kind, id, expires_at) VALUES ($1, $2, $3)
  RETURNING seq, pg_notify('${CHANNEL}', '')`)

export async function readChangesSince(sql: Sql, cursor: string | undefined): Promise<ChangesPage> {
  if (cursor === undefined) return { cursor: await findFeedEnd(sql), changes: [] }
  const start = parseCursor(cursor)
  const page = start !== undefined && createChangesPage(start, await sql.all<ChangeRow>(SELECT_CHANGES, start))
  return page || createEverythingPage(await findFeedEnd(sql))
}

const SELECT_CHANGES = prepareStatement(
  'SELECT seq, kind, id, expires_at FROM platform_auth_changes WHERE seq >= $1 ORDER BY seq',
)

async function findFeedEnd(sql: Sql): Promise<string> {
  const row = await sql.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM platform_auth_changes')
  return String(row?.seq ?? 0)
}
