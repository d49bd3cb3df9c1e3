import type { ApplicationRecord } from '../../contracts/store.js'
import type { Sql } from './connection.js'

/** Writes an application's credentials, in the transaction that has just written the application. */
export async function writeCredentials(
  sql: Sql,
  applicationSeq: number,
  { keys, secrets }: ApplicationRecord,
): Promise<void> {
  const credentials = [
    ...keys.map((key, position) => ({ ...key, kind: 'key', position })),
    ...secrets.map((secret, position) => ({ ...secret, kind: 'secret', position })),
  ]
  // Locked in the same order as in noteCredentialUse(): two transactions that lock the same rows in opposite order deadlock.
  await sql.run(
    'SELECT 1 FROM platform_auth_credentials WHERE application_seq = $1 ORDER BY hash FOR UPDATE',
    applicationSeq,
  )
  const hashes = credentials.map(({ hash }) => hash)
  await sql.run(
    'DELETE FROM platform_auth_credentials WHERE application_seq = $1 AND hash <> ALL ($2::text[])',
    applicationSeq,
    hashes,
  )
  if (credentials.length === 0) return
  const written = await sql.run(UPSERT, applicationSeq, JSON.stringify(credentials))
  if (written < credentials.length) throw new Error('A credential with this hash exists already.')
}

/** Skips a hash that another application has. */
const UPSERT = `
  INSERT INTO platform_auth_credentials AS stored
    (hash, application_seq, kind, position, prefix, created_at, expires_at, last_used_at)
  SELECT hash, $1, kind, position, prefix, "createdAt", "expiresAt", "lastUsedAt"
  FROM json_to_recordset($2) AS given (hash text, kind text, position int, prefix text,
    "createdAt" bigint, "expiresAt" bigint, "lastUsedAt" bigint)
  ON CONFLICT (hash) DO UPDATE
  SET kind = excluded.kind, position = excluded.position, prefix = excluded.prefix, created_at = excluded.created_at,
    expires_at = excluded.expires_at, last_used_at = greatest(stored.last_used_at, excluded.last_used_at)
  WHERE stored.application_seq = excluded.application_seq`

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
