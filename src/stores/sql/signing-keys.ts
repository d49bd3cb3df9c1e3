import type { NewAuditRecord, SigningKeyRecord } from '../../shared/contracts/store-records.js'
import type { Dialect } from './dialect.js'
import { parseSigningKey, type SigningKeyRow } from './rows.js'
import { all, get, run, type Work } from './work.js'

export function* listSigningKeys(): Work<readonly SigningKeyRecord[]> {
  const rows = yield* all<SigningKeyRow>('SELECT * FROM platform_auth_signing_keys ORDER BY seq')
  return rows.map(parseSigningKey)
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
