import type { Dialect } from './dialect.js'
import { run, type Work } from './work.js'

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
