import type { Sql } from './connection.js'

/** Read before `establishPepper`: a start with an existing pepper writes nothing, so a read-only database is enough. */
export async function findPepper(sql: Sql): Promise<string | undefined> {
  return (await sql.get<{ value: string }>(SELECT))?.value
}

/** Stores the pepper if there is none and resolves the stored one; to be called in a transaction. */
export async function establishPepper(sql: Sql, sealed: string): Promise<string> {
  await sql.run(
    `INSERT INTO platform_auth_meta (key, value) VALUES ('pepper', $1) ON CONFLICT (key) DO NOTHING`,
    sealed,
  )
  return (await findPepper(sql)) ?? sealed
}

const SELECT = `SELECT value FROM platform_auth_meta WHERE key = 'pepper'`

/** Replaces the encrypted pepper if `former` is the stored one; to be called in a transaction. */
export async function resealPepper(sql: Sql, former: string, sealed: string): Promise<boolean> {
  const text = `UPDATE platform_auth_meta SET value = $1 WHERE key = 'pepper' AND value = $2`
  return (await sql.run(text, sealed, former)) === 1
}
