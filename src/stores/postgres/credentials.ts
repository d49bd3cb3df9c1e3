import type { Sql } from './connection.js'

/** Stores the uses that are later than the stored ones by more than `minimumAge`, in a transaction. */
export async function noteCredentialUse(
  sql: Sql,
  uses: readonly { readonly hash: string; readonly at: number }[],
  minimumAge = 0,
): Promise<void> {
  const hashes = uses.map(({ hash }) => hash)
  const instants = uses.map(({ at }) => at)
  await sql.run(NOTE_USE, hashes, instants, minimumAge)
}

/**
 * One statement, so that it changes only the rows that it has locked: a row inserted meanwhile would be locked out of order.
 * Rows whose time is recent are not locked, because a lock is a write too.
 */
const NOTE_USE = `
  WITH used AS MATERIALIZED (
    SELECT hash, max(at) AS at FROM unnest($1::text[], $2::bigint[]) AS given (hash, at) GROUP BY hash
  ), locked AS MATERIALIZED (
    SELECT stored.hash FROM platform_auth_credentials stored JOIN used ON used.hash = stored.hash
    WHERE stored.last_used_at IS NULL OR stored.last_used_at < used.at - $3::bigint
    ORDER BY stored.hash FOR UPDATE OF stored
  )
  UPDATE platform_auth_credentials stored SET last_used_at = used.at FROM locked JOIN used USING (hash)
  WHERE stored.hash = locked.hash AND (stored.last_used_at IS NULL OR stored.last_used_at < used.at - $3::bigint)`
