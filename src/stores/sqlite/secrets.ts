import type { NewAuditRecord } from '../../contracts/store-records.js'
import type { SecretName } from '../../contracts/store.js'
import { writeAudit } from './audit.js'
import type { Sql } from './connection.js'
import { publish } from './feed.js'

/** This query runs before `establishSecret`: a start with existing secrets writes nothing, so a read-only database is enough. */
export function findSecret(sql: Sql, name: SecretName): string | undefined {
  return sql.get<{ value: string }>('SELECT value FROM platform_auth_meta WHERE key = ?', name)?.value
}

/** Stores the secret if there is none and returns the stored one. Must be called in a transaction. */
export function establishSecret(sql: Sql, name: SecretName, sealed: string): string {
  sql.run('INSERT INTO platform_auth_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING', name, sealed)
  return findSecret(sql, name) ?? sealed
}

/** Replaces the encrypted secret if `former` is the stored one. Must be called in a transaction. */
export function replaceSecret(
  sql: Sql,
  name: SecretName,
  former: string,
  sealed: string,
  audit?: NewAuditRecord,
): boolean {
  const text = 'UPDATE platform_auth_meta SET value = ? WHERE key = ? AND value = ?'
  if (sql.run(text, sealed, name, former) !== 1) return false
  if (!audit) return true
  writeAudit(sql, audit)
  publish(sql, { kind: 'sessionSecret' })
  return true
}
