import type { CredentialReplacement } from '../../shared/contracts/imports.js'
import type { Store } from '../../shared/contracts/store.js'
import { type Dialect, get, run, type Work } from './work.js'

type Use = Parameters<Store['noteCredentialUse']>[0][number]

/** Stores the uses that are later than the stored ones by more than `minimumAge`, in a transaction. */
export function* noteCredentialUse(dialect: Dialect, uses: readonly Use[], minimumAge = 0): Work<void> {
  const { formatGiven, lockRows } = dialect
  // One statement, so that it changes only the rows that it has locked: a row inserted meanwhile would be locked out of order.
  // Rows whose time is recent are not locked, because a lock is a write too.
  const text = `
    WITH used AS MATERIALIZED (
      SELECT given.hash, max(given.at) AS at FROM ${formatGiven({ hash: 'text', at: 'bigint' })} GROUP BY 1
    ), locked AS MATERIALIZED (
      SELECT stored.hash, used.at FROM used CROSS JOIN platform_auth_credentials stored
      WHERE stored.hash = used.hash AND (stored.last_used_at IS NULL OR stored.last_used_at < used.at - ?2)
      ORDER BY 1 ${lockRows && `${lockRows} OF stored`}
    )
    UPDATE platform_auth_credentials SET last_used_at = locked.at FROM locked
    WHERE platform_auth_credentials.hash = locked.hash AND (last_used_at IS NULL OR last_used_at < locked.at - ?2)`
  yield* run(text, JSON.stringify(uses), minimumAge)
  yield* noteLastUses(dialect, uses, minimumAge)
}

/** Stores when the applications of these credentials were last used, after the credentials: the rows are locked in this order, and each kind in its own. */
function* noteLastUses({ formatGiven, lockRows }: Dialect, uses: readonly Use[], minimumAge: number): Work<void> {
  const text = `
    WITH used AS MATERIALIZED (
      SELECT c.application_seq AS seq, max(given.at) AS at
      FROM ${formatGiven({ hash: 'text', at: 'bigint' })} CROSS JOIN platform_auth_credentials c WHERE c.hash = given.hash GROUP BY 1
    ), locked AS MATERIALIZED (
      SELECT stored.application_seq AS seq, used.at FROM used JOIN platform_auth_last_uses stored ON stored.application_seq = used.seq
      WHERE stored.used_at < used.at - ?2 ORDER BY 1 ${lockRows && `${lockRows} OF stored`}
    )
    UPDATE platform_auth_last_uses SET used_at = locked.at FROM locked
    WHERE application_seq = locked.seq AND used_at < locked.at - ?2`
  yield* run(text, JSON.stringify(uses), minimumAge)
}

export function* replaceCredentialHash(dialect: Dialect, { former, hash, prefix, usedAt }: CredentialReplacement) {
  const text = `
    UPDATE platform_auth_credentials
    SET hash = ?2, prefix = ?3, last_used_at = coalesce(${dialect.greatest}(last_used_at, ?4), ?4)
    WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM platform_auth_credentials WHERE hash = ?2)
    RETURNING (SELECT id FROM platform_auth_applications WHERE seq = application_seq) AS id`
  const replaced = yield* get<{ id: string }>(text, former, hash, prefix, usedAt)
  if (!replaced) return false
  yield* noteLastUses(dialect, [{ hash, at: usedAt }], 0)
  yield* dialect.publish({ kind: 'application', id: replaced.id })
  return true
}

/** The formats of imported hashes, which stand in front of them with a colon. */
const IMPORTED_FORMATS = ['argon2id', 'bcrypt', 'hmac-sha256', 'sha256', 'sha512'] as const

/** How many credentials have an imported hash, by its format. */
export function* countImportedHashes(): Work<Readonly<Record<string, number>>> {
  // Hashes are compared by code unit, so that the primary key has each format in a range: a semicolon follows the colon.
  const text = 'SELECT count(*) AS count FROM platform_auth_credentials WHERE hash > ?1 AND hash < ?2'
  const counts: [string, number][] = []
  for (const format of IMPORTED_FORMATS) {
    const { count = 0 } = (yield* get<{ count: number }>(text, `${format}:`, `${format};`)) ?? {}
    if (count > 0) counts.push([format, count])
  }
  return Object.fromEntries(counts)
}
