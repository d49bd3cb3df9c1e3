import type { Sql } from './connection.js'
import type { CredentialReplacement } from '../../shared/contracts/imports.js'
import { noteLastUses } from '../sql/credentials.js'
import { POSTGRES, runWork } from './dialect.js'
import { publish } from './feed.js'

/** Stores the uses that are later than the stored ones by more than `minimumAge`, in a transaction. */
export async function noteCredentialUse(
  sql: Sql,
  uses: readonly { readonly hash: string; readonly at: number }[],
  minimumAge = 0,
): Promise<void> {
  const hashes = uses.map(({ hash }) => hash)
  const instants = uses.map(({ at }) => at)
  await sql.run(NOTE_USE, hashes, instants, minimumAge)
  await runWork(sql, noteLastUses(POSTGRES, uses, minimumAge))
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

/** Replaces a hash, in a transaction. */
export async function replaceCredentialHash(
  sql: Sql,
  { former, hash, prefix, usedAt }: CredentialReplacement,
): Promise<boolean> {
  const replaced = await sql.get<{ id: string }>(REPLACE, former, hash, prefix, usedAt)
  if (!replaced) return false
  await runWork(sql, noteLastUses(POSTGRES, [{ hash, at: usedAt }], 0))
  await runWork(sql, publish({ kind: 'application', id: replaced.id }))
  return true
}

const REPLACE = `
  UPDATE platform_auth_credentials c
  SET hash = $2, prefix = $3, last_used_at = greatest(c.last_used_at, $4::bigint)
  FROM platform_auth_applications a
  WHERE a.seq = c.application_seq AND c.hash = $1
    AND NOT EXISTS (SELECT 1 FROM platform_auth_credentials WHERE hash = $2)
  RETURNING a.id`
