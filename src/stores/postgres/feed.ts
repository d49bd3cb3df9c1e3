import type { NewAuditRecord } from '../../shared/contracts/events.js'
import type { Change, ChangesPage, Store } from '../../shared/contracts/store.js'
import {
  createChangesPage,
  createEverythingPage,
  formatFeedCursor,
  MAX_FEED_CHANGES,
  parseFeedCursor,
  type ChangeRow,
  type FeedPosition,
} from '../sql/feed.js'
import { getOften, run, type Work } from '../sql/work.js'
import { takeAdvisoryLock } from './advisory-locks.js'
import { prepareStatement, type Sql } from './connection.js'
import { refuseReplica, REPLAYED_UNTIL, ReplicaError, type ReplicaRow } from './replica.js'

/** The channel that is notified of every change. A notification has no payload: the listener reads the feed. */
export const CHANNEL = 'platform_auth_changes'

/** Old changes are deleted with every 500th change. */
const DELETE_INTERVAL = 500

/** The lock is held until the commit, so that numbers become visible in their order: a reader would miss a late one. */
export function* publish(change: Change, audit?: NewAuditRecord): Work<void> {
  yield* takeAdvisoryLock('feed')
  if (audit) {
    const { at, type, by, applicationId, details } = audit
    yield* getOften(INSERT_AUDIT, at, type, by, applicationId, JSON.stringify(details))
  }
  const { kind, id, expiresAt } = { id: undefined, expiresAt: undefined, ...change }
  const inserted = yield* getOften<{ seq: number }>(INSERT_CHANGE, kind, id, expiresAt)
  const seq = inserted?.seq ?? 0
  if (seq % DELETE_INTERVAL === 0)
    yield* run('DELETE FROM platform_auth_changes WHERE seq <= ?1', seq - MAX_FEED_CHANGES)
}

const INSERT_AUDIT =
  'INSERT INTO platform_auth_audit (at, type, actor, application_id, details) VALUES (?1, ?2, ?3, ?4, ?5)'
// PostgreSQL sends the notification when the transaction commits.
const INSERT_CHANGE = `
  INSERT INTO platform_auth_changes (kind, id, expires_at) VALUES (?1, ?2, ?3)
  RETURNING seq, pg_notify('${CHANNEL}', '')`

/** Reads the feed. Rejects on a replica, whose records may be stale: an older cursor gets `everything`. */
export function createFeedReader(): {
  readonly clock: NonNullable<Store['clock']>
  readChangesSince(sql: Sql, cursor: string | undefined): Promise<ChangesPage>
} {
  const clock: Clock = { time: undefined }
  let replicasSeen = 0

  async function readChangesSince(sql: Sql, cursor: string | undefined): Promise<ChangesPage> {
    const prefix = replicasSeen === 0 ? '' : `${replicasSeen}/`
    const isCurrent = cursor === undefined || cursor.startsWith(prefix)
    try {
      const page = await readPage(sql, isCurrent ? cursor?.slice(prefix.length) : MALFORMED_CURSOR, clock)
      return { ...page, cursor: prefix + page.cursor }
    } catch (error) {
      if (error instanceof ReplicaError) replicasSeen += 1
      throw error
    }
  }

  return { clock, readChangesSince }
}

const MALFORMED_CURSOR = ''

interface Clock {
  time: number | undefined
}

async function readPage(sql: Sql, cursor: string | undefined, clock: Clock): Promise<ChangesPage> {
  clock.time = undefined
  if (cursor === undefined) return { cursor: await findFeedEnd(sql), changes: [] }
  const start = parseFeedCursor(cursor)
  if (start === undefined) return createEverythingPage(await findFeedEnd(sql))
  const rows = await sql.all<ChangeRow & ReplicaRow & { readonly time: number }>(SELECT_CHANGES, start.seq)
  refuseReplica(rows[0])
  clock.time = rows[0]?.time
  return createChangesPage(start, rows) ?? createEverythingPage(await findFeedEnd(sql))
}

const SELECT_CHANGES = prepareStatement(`
  SELECT seq, nonce, kind, id, expires_at, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS time, ${REPLAYED_UNTIL}
  FROM platform_auth_changes WHERE seq >= $1 ORDER BY seq`)

async function findFeedEnd(sql: Sql): Promise<string> {
  const row = await sql.get<FeedPosition & ReplicaRow>(SELECT_END)
  refuseReplica(row)
  return formatFeedCursor(row)
}

/** Has a row even if the feed has none. */
const SELECT_END = prepareStatement(`
  SELECT coalesce(seq, 0) AS seq, coalesce(nonce, '') AS nonce, server.* FROM (SELECT ${REPLAYED_UNTIL}) AS server
  LEFT JOIN (SELECT seq, nonce FROM platform_auth_changes ORDER BY seq DESC LIMIT 1) AS newest ON true`)
