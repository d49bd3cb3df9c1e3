import { get, type Work } from './work.js'

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
