import type { AddedAssertion, UsedAssertion } from '../../shared/contracts/store.js'
import { MAX_EXPIRED_PER_CALL, type Dialect } from './dialect.js'
import { get, run, type Work } from './work.js'

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
