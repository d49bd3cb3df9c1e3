import type { Dialect } from './dialect.js'
import { get, run, type Work } from './work.js'

/** Stores when the applications of these credentials were last used, after the credentials: the rows are locked in this order, and each kind in its own. */
export function* noteLastUses(
  { formatGiven, lockRows }: Dialect,
  uses: readonly { readonly hash: string; readonly at: number }[],
  minimumAge: number,
): Work<void> {
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
