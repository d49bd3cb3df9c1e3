import type { PostgresResult } from './pool.js'

/** NULL on a primary. In recovery (a replica, a demoted primary): the time of the last replayed transaction. */
export const REPLAYED_UNTIL = `
  CASE WHEN pg_is_in_recovery() THEN coalesce(
    to_char(pg_last_xact_replay_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), ''
  ) END AS replayed_until`

export interface ReplicaRow {
  readonly replayed_until: string | null
}

/** A replica does not know what it lacks, so its answer would not bound staleness. */
export class ReplicaError extends Error {
  readonly code = 'replica'
  /** An ISO 8601 time; empty if it has replayed nothing since it was started. */
  readonly replayedUntil: string

  constructor(replayedUntil: string) {
    const age = Math.round((Date.now() - Date.parse(replayedUntil)) / 1000)
    const last = replayedUntil === '' ? 'unknown' : `of ${replayedUntil}, ${age} seconds ago`
    super(`PostgreSQL is a replica (in recovery), which may lack changes. The last one it has replayed is ${last}.`)
    this.replayedUntil = replayedUntil
  }
}

export function refuseReplica(row: ReplicaRow | undefined): void {
  if (typeof row?.replayed_until === 'string') throw new ReplicaError(row.replayed_until)
}

/** Whether the result has the column `REPLAYED_UNTIL`, and comes from a replica. */
export function isFromReplica({ rows }: PostgresResult): boolean {
  return typeof (rows[0] as Partial<ReplicaRow> | undefined)?.replayed_until === 'string'
}
