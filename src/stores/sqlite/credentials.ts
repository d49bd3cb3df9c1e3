import type { Sql } from './connection.js'

/** Stores the uses that are later than the stored ones by more than `minimumAge`, in a transaction. */
export function noteCredentialUse(
  sql: Sql,
  uses: readonly { readonly hash: string; readonly at: number }[],
  minimumAge = 0,
): void {
  sql.run(NOTE_USE, JSON.stringify(uses), minimumAge)
}

const NOTE_USE = `
  UPDATE platform_auth_credentials SET last_used_at = used.at
  FROM (
    SELECT json_extract(value, '$.hash') AS hash, max(json_extract(value, '$.at')) AS at FROM json_each(?1) GROUP BY 1
  ) AS used
  WHERE platform_auth_credentials.hash = used.hash AND ifnull(last_used_at < used.at - ?2, TRUE)`
