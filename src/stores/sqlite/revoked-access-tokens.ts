import type { RevokedAccessToken } from '../../contracts/store-records.js'
import { parseRevokedAccessToken, type RevokedAccessTokenRow } from '../sql/rows.js'
import type { Sql } from './connection.js'
import { publish } from './feed.js'

/** How many expired rows one call deletes: more than it adds, but not so many that it takes long. */
const MAX_DELETED_PER_CALL = 100

/** Stores a revoked access token and deletes expired ones. Must be called in a transaction. */
export function revokeAccessToken(sql: Sql, { id, expiresAt }: RevokedAccessToken, now: number): void {
  const text =
    'INSERT INTO platform_auth_revoked_access_tokens (id, expires_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING'
  if (sql.run(text, id, expiresAt) === 1) publish(sql, { kind: 'accessTokenRevoked', id, expiresAt })
  const deleteExpired = `
    DELETE FROM platform_auth_revoked_access_tokens WHERE id IN (
      SELECT id FROM platform_auth_revoked_access_tokens WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`
  sql.run(deleteExpired, now, MAX_DELETED_PER_CALL)
}

export function listRevokedAccessTokens(sql: Sql, now: number, limit: number): readonly RevokedAccessToken[] {
  const text = `
    SELECT id, expires_at FROM platform_auth_revoked_access_tokens WHERE expires_at > ? ORDER BY expires_at LIMIT ?`
  return sql.all<RevokedAccessTokenRow>(text, now, limit).map(parseRevokedAccessToken)
}

export function isAccessTokenRevoked(sql: Sql, id: string): boolean {
  return sql.get('SELECT 1 FROM platform_auth_revoked_access_tokens WHERE id = ?', id) !== undefined
}
