import type { Sql } from './connection.js'
import type { CredentialReplacement } from '../../shared/contracts/imports.js'
import { noteLastUses } from '../sql/credentials.js'
import { runWork, SQLITE } from './dialect.js'
import { publish } from './feed.js'

/** Stores the uses that are later than the stored ones by more than `minimumAge`, in a transaction. */
export function noteCredentialUse(
  sql: Sql,
  uses: readonly { readonly hash: string; readonly at: number }[],
  minimumAge = 0,
): void {
  sql.run(NOTE_USE, JSON.stringify(uses), minimumAge)
  runWork(sql, noteLastUses(SQLITE, uses, minimumAge))
}

const NOTE_USE = `
  UPDATE platform_auth_credentials SET last_used_at = used.at
  FROM (
    SELECT json_extract(value, '$.hash') AS hash, max(json_extract(value, '$.at')) AS at FROM json_each(?1) GROUP BY 1
  ) AS used
  WHERE platform_auth_credentials.hash = used.hash AND ifnull(last_used_at < used.at - ?2, TRUE)`

/** Replaces a hash, in a transaction. */
export function replaceCredentialHash(sql: Sql, { former, hash, prefix, usedAt }: CredentialReplacement): boolean {
  const owner = sql.get<{ id: string }>(FIND_OWNER, former)
  const isTaken = sql.get('SELECT 1 FROM platform_auth_credentials WHERE hash = ?', hash)
  if (!owner || isTaken) return false
  sql.run(REPLACE, hash, prefix, usedAt, former)
  runWork(sql, noteLastUses(SQLITE, [{ hash, at: usedAt }], 0))
  runWork(sql, publish({ kind: 'application', id: owner.id }))
  return true
}

const FIND_OWNER = `
  SELECT a.id FROM platform_auth_credentials c JOIN platform_auth_applications a ON a.seq = c.application_seq
  WHERE c.hash = ?`
const REPLACE = `
  UPDATE platform_auth_credentials SET hash = ?, prefix = ?, last_used_at = max(?, ifnull(last_used_at, 0)) WHERE hash = ?`
