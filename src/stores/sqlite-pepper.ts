import type { Sql } from './sqlite-connection.js'

/** To be called in a transaction. */
export function establishPepper(sql: Sql, sealed: string): string {
  sql.run(`INSERT INTO platform_auth_meta (key, value) VALUES ('pepper', ?) ON CONFLICT (key) DO NOTHING`, sealed)
  const row = sql.get<{ value: string }>(`SELECT value FROM platform_auth_meta WHERE key = 'pepper'`)
  return row?.value ?? sealed
}

/** To be called in a transaction. */
export function resealPepper(sql: Sql, former: string, sealed: string): boolean {
  return sql.run(`UPDATE platform_auth_meta SET value = ? WHERE key = 'pepper' AND value = ?`, sealed, former) === 1
}
