import type { NewAuditRecord, Change, ChangesPage } from '../../contracts/store.js'
import { everythingBefore, KEPT, pageAfter, placeOf } from '../sql/feed-page.js'
import { prepared } from './connection.js'
import type { Sql } from './connection.js'
import type { ChangeRow } from '../sql/rows.js'

/** What is notified when there is a change; who listens looks for itself. */
export const CHANNEL = 'platform_auth_changes'

/**
 * Puts a change at the end of the feed, and its entry at the end of the audit: the last thing to be done in the
 * transaction that makes it. The lock is let go of only after that has been committed, so whoever sees a number in either
 * table has seen all before it. Without it, a number could be taken early and committed late, and readers that have gone
 * on past it would never know.
 */
export async function publish(sql: Sql, change: Change, audit?: NewAuditRecord): Promise<void> {
  await sql.get(TAKE_TURN, TURN)
  if (audit) {
    const { at, type, by, applicationId, details } = audit
    await sql.run(INSERT_AUDIT, at, type, by, applicationId, JSON.stringify(details))
  }
  const { kind, id, expiresAt } = { id: undefined, expiresAt: undefined, ...change }
  const inserted = await sql.get<{ seq: number }>(INSERT_CHANGE, kind, id, expiresAt)
  const seq = inserted?.seq ?? 0
  if (seq % CLEARED_AT_ONCE === 0) await sql.run('DELETE FROM platform_auth_changes WHERE seq <= $1', seq - KEPT)
}

/** An advisory lock of the database; nothing but chance keeps others from using the same number. */
const TURN = 6_023_885_187_241
const CLEARED_AT_ONCE = 500

const TAKE_TURN = prepared('SELECT pg_advisory_xact_lock($1::bigint)')
const INSERT_AUDIT = prepared(
  'INSERT INTO platform_auth_audit (at, type, actor, application_id, details) VALUES ($1, $2, $3, $4, $5)',
)
// Notified when it is committed.
const INSERT_CHANGE = prepared(`
  INSERT INTO platform_auth_changes (kind, id, expires_at) VALUES ($1, $2, $3)
  RETURNING seq, pg_notify('${CHANNEL}', '')`)

export async function changesSince(sql: Sql, cursor: string | undefined): Promise<ChangesPage> {
  if (cursor === undefined) return { cursor: await endOf(sql), changes: [] }
  const place = placeOf(cursor)
  const rows = place === Infinity ? [] : await sql.all<ChangeRow>(SELECT_CHANGES, place)
  return pageAfter(place, rows) ?? everythingBefore(await endOf(sql))
}

const SELECT_CHANGES = prepared(
  'SELECT seq, kind, id, expires_at FROM platform_auth_changes WHERE seq >= $1 ORDER BY seq',
)

async function endOf(sql: Sql): Promise<string> {
  const row = await sql.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM platform_auth_changes')
  return String(row?.seq ?? 0)
}
