import type { ApplicationRecord, CredentialRecord } from '../../contracts/application-record.js'
import { formatJson } from '../sql/rows.js'
import type { Sql } from './connection.js'

/** Writes an application's credentials, in the transaction that has just written the application. */
export async function writeCredentials(
  sql: Sql,
  applicationSeq: number,
  { keys, secrets }: ApplicationRecord,
  at: number,
): Promise<void> {
  const credentials = [
    ...keys.map((key, i) => toRow('key', key, i)),
    ...secrets.map((one, i) => toRow('secret', one, i)),
  ]
  // Rows are locked in the same order as in noteCredentialUse(): two transactions that lock the same rows in opposite order
  // deadlock.
  await sql.run(
    'SELECT 1 FROM platform_auth_credentials WHERE application_seq = $1 ORDER BY hash FOR UPDATE',
    applicationSeq,
  )
  const hashes = credentials.map(({ hash }) => hash)
  const keyIds = keys.map(({ id }) => id)
  await sql.run(DELETE_AND_NOTE_ENDS, applicationSeq, hashes, keyIds, at)
  if (credentials.length === 0) return
  const written = await sql.run(UPSERT, applicationSeq, JSON.stringify(credentials))
  if (written < credentials.length) throw new Error('A credential with this hash exists already.')
}

function toRow(kind: 'key' | 'secret', credential: CredentialRecord, position: number) {
  return {
    ...credential,
    restriction: formatJson(credential.apis),
    networks: formatJson(credential.networks),
    kind,
    position,
  }
}

/** An imported key has ended if its id is gone: its hash may have been replaced since the record was read. */
const DELETE_AND_NOTE_ENDS = `
  WITH deleted AS (
    DELETE FROM platform_auth_credentials WHERE application_seq = $1 AND hash <> ALL ($2::text[])
    RETURNING id, hash, kind, imported
  )
  INSERT INTO platform_auth_ended_keys (hash, application_seq, last_seq, ended_at)
  SELECT hash, $1, (SELECT max(seq) FROM platform_auth_applications), $4 FROM deleted
  WHERE imported AND kind = 'key' AND id <> ALL ($3::text[])
  ON CONFLICT (hash, application_seq) DO UPDATE SET last_seq = excluded.last_seq, ended_at = excluded.ended_at`

/** Skips a hash that another application has. */
const UPSERT = `
  INSERT INTO platform_auth_credentials AS stored
    (hash, application_seq, kind, position, id, name, prefix, created_at, expires_at, last_used_at, apis, networks, imported,
      reminded_days)
  SELECT hash, $1, kind, position, id, name, prefix, "createdAt", "expiresAt", "lastUsedAt", restriction, networks, "isImported",
    "remindedDays"
  FROM json_to_recordset($2) AS given (hash text, kind text, position int, id text, name text, prefix text,
    "createdAt" bigint, "expiresAt" bigint, "lastUsedAt" bigint, restriction text, networks text, "isImported" boolean, "remindedDays" int)
  ON CONFLICT (hash) DO UPDATE
  SET kind = excluded.kind, position = excluded.position, id = excluded.id, name = excluded.name,
    prefix = excluded.prefix, created_at = excluded.created_at, expires_at = excluded.expires_at,
    last_used_at = greatest(stored.last_used_at, excluded.last_used_at), apis = excluded.apis, networks = excluded.networks,
    imported = excluded.imported, reminded_days = excluded.reminded_days
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
