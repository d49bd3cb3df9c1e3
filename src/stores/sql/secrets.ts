import type { NewAuditRecord } from '../../shared/contracts/events.js'
import type { SecretName, SigningKeyRecord } from '../../shared/contracts/store.js'
import { type Dialect, get, run, all, type Work } from './work.js'
import { parseRow } from './rows.js'

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

export function* listSigningKeys(): Work<readonly SigningKeyRecord[]> {
  const text = `
    SELECT kid, algorithm, public_jwk AS "publicJwk", sealed_private_jwk AS "sealedPrivateJwk", created_at AS "createdAt",
      signs_from AS "signsFrom", former_verifies_for AS "formerVerifiesFor" FROM platform_auth_signing_keys ORDER BY seq`
  return (yield* all<object>(text)).map((row) => parseRow(row, 'publicJwk'))
}

/** Adds a key if `newest` is the key added last. This function and those below are to be called in a transaction. */
export function* addSigningKey(
  { lockSigningKeys, publish }: Dialect,
  key: SigningKeyRecord,
  newest: string | undefined,
  audit: NewAuditRecord,
): Work<boolean> {
  yield* lockSigningKeys()
  const last = yield* get<{ kid: string }>('SELECT kid FROM platform_auth_signing_keys ORDER BY seq DESC LIMIT 1')
  if (last?.kid !== newest) return false
  const { kid, algorithm, publicJwk, sealedPrivateJwk, createdAt, signsFrom, formerVerifiesFor } = key
  const text = `
    INSERT INTO platform_auth_signing_keys
      (kid, algorithm, public_jwk, sealed_private_jwk, created_at, signs_from, former_verifies_for)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`
  const publicText = JSON.stringify(publicJwk)
  yield* run(text, kid, algorithm, publicText, sealedPrivateJwk, createdAt, signsFrom, formerVerifiesFor)
  yield* publish({ kind: 'signingKeys' }, audit)
  return true
}

export function* resealSigningKey(kid: string, former: string, sealed: string): Work<boolean> {
  const text = `
    UPDATE platform_auth_signing_keys SET sealed_private_jwk = ?1 WHERE kid = ?2 AND sealed_private_jwk = ?3`
  return (yield* run(text, sealed, kid, former)) === 1
}

export function* removeSigningKey({ publish }: Dialect, kid: string, audit: NewAuditRecord): Work<boolean> {
  if ((yield* run('DELETE FROM platform_auth_signing_keys WHERE kid = ?1', kid)) === 0) return false
  yield* publish({ kind: 'signingKeys' }, audit)
  return true
}
