import type { NewAuditRecord } from '../../shared/contracts/store-records.js'
import type { SecretName } from '../../shared/contracts/store.js'
import type { Dialect } from './dialect.js'
import { get, run, type Work } from './work.js'

/** This query runs before `establishSecret`: a start with existing secrets writes nothing, so a read-only database is enough. */
export function* findSecret(name: SecretName): Work<string | undefined> {
  return (yield* get<{ value: string }>('SELECT value FROM platform_auth_meta WHERE key = ?1', name))?.value
}

/** Stores the secret if there is none and returns the stored one. Must be called in a transaction. */
export function* establishSecret(name: SecretName, sealed: string): Work<string> {
  const text = 'INSERT INTO platform_auth_meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO NOTHING'
  yield* run(text, name, sealed)
  return (yield* findSecret(name)) ?? sealed
}

/** Replaces the encrypted secret if `former` is the stored one. Must be called in a transaction. */
export function* replaceSecret(
  { publish }: Dialect,
  name: SecretName,
  former: string,
  sealed: string,
  audit?: NewAuditRecord,
): Work<boolean> {
  const text = 'UPDATE platform_auth_meta SET value = ?1 WHERE key = ?2 AND value = ?3'
  if ((yield* run(text, sealed, name, former)) !== 1) return false
  if (audit) yield* publish({ kind: 'sessionSecret' }, audit)
  return true
}
