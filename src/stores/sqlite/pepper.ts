import type { Sql } from './connection.js'

/** A look first, so that a start needs to write nothing where all is there: the file may be read-only. */
export function findPepper(sql: Sql): string | undefined {
  return sql.get<{ value: string }>(SELECT)?.value
}

/** To be called in a transaction. */
export function establishPepper(sql: Sql, sealed: string): string {
  sql.run(`INSERT INTO platform_auth_meta (key, value) VALUES ('pepper', ?) ON CONFLICT (key) DO NOTHING`, sealed)
  return findPepper(sql) ?? sealed
}

const SELECT = `SELECT value FROM platform_auth_meta WHERE key = 'pepper'`

/** To be called in a transaction. */
export function resealPepper(sql: Sql, former: string, sealed: string): boolean {
  return sql.run(`UPDATE platform_auth_meta SET value = ? WHERE key = 'pepper' AND value = ?`, sealed, former) === 1
}
