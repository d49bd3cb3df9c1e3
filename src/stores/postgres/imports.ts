import type { CredentialReplacement } from '../../shared/contracts/imports.js'
import type { Sql } from './connection.js'
import { runWork } from './dialect.js'
import { publish } from './feed.js'

/** Replaces a hash, in a transaction. */
export async function replaceCredentialHash(
  sql: Sql,
  { former, hash, prefix, usedAt }: CredentialReplacement,
): Promise<boolean> {
  const replaced = await sql.get<{ id: string }>(REPLACE, former, hash, prefix, usedAt)
  if (!replaced) return false
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
