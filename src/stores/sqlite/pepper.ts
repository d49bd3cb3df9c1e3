import type { Sql } from './connection.js'

/** Read before `establishPepper`: a start with an existing pepper writes nothing, so a read-only database is enough. */
export function findPepper(sql: Sql): string | undefined {
  return sql.get<{ value: string }>(SELECT)?.value
}

/** Stores the pepper if there is none and returns the stored one; to be called in a transaction. */
export function establishPepper(sql: Sql, sealed: string): string {
  sql.run(`INSERT INTO platform_auth_meta (key, value) VALUES ('pepper', ?) ON CONFLICT (key) DO NOTHING`, sealed)
  return findPepper(sql) ?? sealed
}

const SELECT = `SELECT value FROM platform_auth_meta WHERE key = 'pepper'`

/** Replaces the encrypted pepper if `former` is the stored one; to be called in a transaction. */
export function resealPepper(sql: Sql, former: string, sealed: string): boolean {
  return sql.run(`UPDATE platform_auth_meta SET value = ? WHERE key = 'pepper' AND value = ?`, sealed, former) === 1
}
