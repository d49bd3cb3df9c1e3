import type { Sql } from './connection.js'

/** A look first, so that a start needs to write nothing where all is there: the database may be read-only. */
export async function findPepper(sql: Sql): Promise<string | undefined> {
  return (await sql.get<{ value: string }>(SELECT))?.value
}

/** To be called in a transaction. */
export async function establishPepper(sql: Sql, sealed: string): Promise<string> {
  await sql.run(
    `INSERT INTO platform_auth_meta (key, value) VALUES ('pepper', $1) ON CONFLICT (key) DO NOTHING`,
    sealed,
  )
  return (await findPepper(sql)) ?? sealed
}

const SELECT = `SELECT value FROM platform_auth_meta WHERE key = 'pepper'`

/** To be called in a transaction. */
export async function resealPepper(sql: Sql, former: string, sealed: string): Promise<boolean> {
  const text = `UPDATE platform_auth_meta SET value = $1 WHERE key = 'pepper' AND value = $2`
  return (await sql.run(text, sealed, former)) === 1
}
