import { MAX_EXPIRED_PER_CALL, type Dialect, all, getOften, run, get, type Work } from './work.js'
import type { AddedAssertion, RevokedAccessToken, UsedAssertion } from '../../shared/contracts/store.js'

/** Stores a revoked access token and deletes expired ones. Must be called in a transaction. */
export function* revokeAccessToken(
  { formatDelete, publish }: Dialect,
  { id, expiresAt }: RevokedAccessToken,
  now: number,
): Work<void> {
  const text =
    'INSERT INTO platform_auth_revoked_access_tokens (id, expires_at) VALUES (?1, ?2) ON CONFLICT (id) DO NOTHING'
  const inserted = yield* run(text, id, expiresAt)
  const deleteExpired = formatDelete('platform_auth_revoked_access_tokens', 'id', 'expires_at')
  yield* run(deleteExpired, now + 1, MAX_EXPIRED_PER_CALL)
  if (inserted === 1) yield* publish({ kind: 'accessTokenRevoked', id, expiresAt })
}

export function* listRevokedAccessTokens(now: number, limit: number): Work<readonly RevokedAccessToken[]> {
  const text = `
    SELECT id, expires_at AS "expiresAt" FROM platform_auth_revoked_access_tokens
    WHERE expires_at > ?1 ORDER BY expires_at LIMIT ?2`
  return yield* all<RevokedAccessToken>(text, now, limit)
}

export function* isAccessTokenRevoked(id: string): Work<boolean> {
  return (yield* getOften('SELECT 1 FROM platform_auth_revoked_access_tokens WHERE id = ?1', id)) !== undefined
}

/** Must be called in a transaction. */
export function* addAssertion(
  { formatDelete }: Dialect,
  { applicationId, hash, expiresAt }: UsedAssertion,
  { now, most }: { readonly now: number; readonly most: number },
): Work<AddedAssertion> {
  yield* run(formatDelete('platform_auth_assertions', 'application_id, hash', 'expires_at'), now, MAX_EXPIRED_PER_CALL)
  const count = `
    SELECT count(*) AS kept FROM platform_auth_assertions WHERE application_id = ?1 AND expires_at >= ?2`
  const { kept } = (yield* get<{ readonly kept: number }>(count, applicationId, now))!
  if (kept >= most) return 'full'
  const insert = `
    INSERT INTO platform_auth_assertions (application_id, hash, expires_at) VALUES (?1, ?2, ?3)
    ON CONFLICT (application_id, hash) DO NOTHING`
  return (yield* run(insert, applicationId, hash, expiresAt)) === 1 ? 'added' : 'known'
}
