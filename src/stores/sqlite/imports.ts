import type { CredentialReplacement } from '../../shared/contracts/imports.js'
import type { Sql } from './connection.js'
import { runWork } from './dialect.js'
import { publish } from './feed.js'

/** Replaces a hash, in a transaction. */
export function replaceCredentialHash(sql: Sql, { former, hash, prefix, usedAt }: CredentialReplacement): boolean {
  const owner = sql.get<{ id: string }>(FIND_OWNER, former)
  const isTaken = sql.get('SELECT 1 FROM platform_auth_credentials WHERE hash = ?', hash)
  if (!owner || isTaken) return false
  sql.run(REPLACE, hash, prefix, usedAt, former)
  runWork(sql, publish({ kind: 'application', id: owner.id }))
  return true
}

const FIND_OWNER = `
  SELECT a.id FROM platform_auth_credentials c JOIN platform_auth_applications a ON a.seq = c.application_seq
  WHERE c.hash = ?`
const REPLACE = `
  UPDATE platform_auth_credentials SET hash = ?, prefix = ?, last_used_at = max(?, ifnull(last_used_at, 0)) WHERE hash = ?`
