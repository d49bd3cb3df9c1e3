import type { NewAuditRecord, SigningKeyRecord } from '../../contracts/store-records.js'
import { parseSigningKey, type SigningKeyRow } from '../sql/rows.js'
import { takeAdvisoryLock } from './advisory-locks.js'
import type { Sql } from './connection.js'
import { publish } from './feed.js'

export async function listSigningKeys(sql: Sql): Promise<readonly SigningKeyRecord[]> {
  const rows = await sql.all<SigningKeyRow>('SELECT * FROM platform_auth_signing_keys ORDER BY seq')
  return rows.map(parseSigningKey)
}

/** Adds a key if `newest` is the key added last. This function and those below are to be called in a transaction. */
export async function addSigningKey(
  sql: Sql,
  key: SigningKeyRecord,
  newest: string | undefined,
  audit: NewAuditRecord,
): Promise<boolean> {
  await takeAdvisoryLock(sql, 'signingKeys')
  const last = await sql.get<{ kid: string }>('SELECT kid FROM platform_auth_signing_keys ORDER BY seq DESC LIMIT 1')
  if (last?.kid !== newest) return false
  const { kid, algorithm, publicJwk, sealedPrivateJwk, createdAt, signsFrom, formerVerifiesFor } = key
  const text = `
    INSERT INTO platform_auth_signing_keys
      (kid, algorithm, public_jwk, sealed_private_jwk, created_at, signs_from, former_verifies_for)
    VALUES ($1, $2, $3, $4, $5, $6, $7)`
  const publicText = JSON.stringify(publicJwk)
  await sql.run(text, kid, algorithm, publicText, sealedPrivateJwk, createdAt, signsFrom, formerVerifiesFor)
  await publish(sql, { kind: 'signingKeys' }, audit)
  return true
}

export async function resealSigningKey(sql: Sql, kid: string, former: string, sealed: string): Promise<boolean> {
  const text = `
    UPDATE platform_auth_signing_keys SET sealed_private_jwk = $1 WHERE kid = $2 AND sealed_private_jwk = $3`
  return (await sql.run(text, sealed, kid, former)) === 1
}

export async function removeSigningKey(sql: Sql, kid: string, audit: NewAuditRecord): Promise<boolean> {
  if ((await sql.run('DELETE FROM platform_auth_signing_keys WHERE kid = $1', kid)) === 0) return false
  await publish(sql, { kind: 'signingKeys' }, audit)
  return true
}
