import type { Sql } from './postgres-connection.js'

/** To be called in a transaction. */
export async function establishPepper(sql: Sql, sealed: string): Promise<string> {
  await sql.run(
    `INSERT INTO platform_auth_meta (key, value) VALUES ('pepper', $1) ON CONFLICT (key) DO NOTHING`,
    sealed,
  )
  const row = await sql.get<{ value: string }>(`SELECT value FROM platform_auth_meta WHERE key = 'pepper'`)
  return row?.value ?? sealed
}

/** To be called in a transaction. */
export async function resealPepper(sql: Sql, former: string, sealed: string): Promise<boolean> {
  const text = `UPDATE platform_auth_meta SET value = $1 WHERE key = 'pepper' AND value = $2`
  return (await sql.run(text, sealed, former)) === 1
}
