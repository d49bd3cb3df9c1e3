import type { RevokedAccessToken } from '../../contracts/store-records.js'
import { parseRevokedAccessToken, type RevokedAccessTokenRow } from '../sql/rows.js'
import { prepareStatement, type Sql } from './connection.js'
import { publish } from './feed.js'

/** How many expired rows one call deletes: more than it adds, but not so many that it takes long. */
const MAX_DELETED_PER_CALL = 100

/** Stores a revoked access token and deletes expired ones. Must be called in a transaction. */
export async function revokeAccessToken(sql: Sql, { id, expiresAt }: RevokedAccessToken, now: number): Promise<void> {
  const inserted = await sql.run(
    'INSERT INTO platform_auth_revoked_access_tokens (id, expires_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING',
    id,
    expiresAt,
  )
  // Rows that another transaction is deleting are skipped: there is no need to wait for them.
  const deleteExpired = `
    DELETE FROM platform_auth_revoked_access_tokens WHERE id IN (
      SELECT id FROM platform_auth_revoked_access_tokens WHERE expires_at <= $1
      ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`
  await sql.run(deleteExpired, now, MAX_DELETED_PER_CALL)
  if (inserted === 1) await publish(sql, { kind: 'accessTokenRevoked', id, expiresAt })
}

export async function listRevokedAccessTokens(
  sql: Sql,
  now: number,
  limit: number,
): Promise<readonly RevokedAccessToken[]> {
  const text = `
    SELECT id, expires_at FROM platform_auth_revoked_access_tokens
    WHERE expires_at > $1 ORDER BY expires_at LIMIT $2`
  return (await sql.all<RevokedAccessTokenRow>(text, now, limit)).map(parseRevokedAccessToken)
}

export async function isAccessTokenRevoked(sql: Sql, id: string): Promise<boolean> {
  return (await sql.get(IS_REVOKED, id)) !== undefined
}

const IS_REVOKED = prepareStatement('SELECT 1 FROM platform_auth_revoked_access_tokens WHERE id = $1')
