import type { NewAuditRecord } from '../../contracts/store-records.js'
import type { SecretName } from '../../contracts/store.js'
import type { Sql } from './connection.js'
import { publish } from './feed.js'

/** This query runs before `establishSecret`: a start with existing secrets writes nothing, so a read-only database is enough. */
export async function findSecret(sql: Sql, name: SecretName): Promise<string | undefined> {
  return (await sql.get<{ value: string }>('SELECT value FROM platform_auth_meta WHERE key = $1', name))?.value
}

/** Stores the secret if there is none and resolves the stored one. Must be called in a transaction. */
export async function establishSecret(sql: Sql, name: SecretName, sealed: string): Promise<string> {
  await sql.run(
    'INSERT INTO platform_auth_meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING',
    name,
    sealed,
  )
  return (await findSecret(sql, name)) ?? sealed
}

/** Replaces the encrypted secret if `former` is the stored one. Must be called in a transaction. */
export async function replaceSecret(
  sql: Sql,
  name: SecretName,
  former: string,
  sealed: string,
  audit?: NewAuditRecord,
): Promise<boolean> {
  const text = 'UPDATE platform_auth_meta SET value = $1 WHERE key = $2 AND value = $3'
  if ((await sql.run(text, sealed, name, former)) !== 1) return false
  if (audit) await publish(sql, { kind: 'sessionSecret' }, audit)
  return true
}
