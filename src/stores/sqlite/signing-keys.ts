import type { NewAuditRecord, SigningKeyRecord } from '../../contracts/store-records.js'
import { parseSigningKey, type SigningKeyRow } from '../sql/rows.js'
import { writeAudit } from './audit.js'
import type { Sql } from './connection.js'
import { publish } from './feed.js'

export function listSigningKeys(sql: Sql): readonly SigningKeyRecord[] {
  return sql.all<SigningKeyRow>('SELECT * FROM platform_auth_signing_keys ORDER BY seq').map(parseSigningKey)
}

/** Adds a key if `newest` is the key added last. This function and those below are to be called in a transaction. */
export function addSigningKey(
  sql: Sql,
  key: SigningKeyRecord,
  newest: string | undefined,
  audit: NewAuditRecord,
): boolean {
  const last = sql.get<{ kid: string }>('SELECT kid FROM platform_auth_signing_keys ORDER BY seq DESC LIMIT 1')
  if (last?.kid !== newest) return false
  const { kid, algorithm, publicJwk, sealedPrivateJwk, createdAt, signsFrom, formerVerifiesFor } = key
  const text = `
    INSERT INTO platform_auth_signing_keys
      (kid, algorithm, public_jwk, sealed_private_jwk, created_at, signs_from, former_verifies_for)
    VALUES (?, ?, ?, ?, ?, ?, ?)`
  const publicText = JSON.stringify(publicJwk)
  sql.run(text, kid, algorithm, publicText, sealedPrivateJwk, createdAt, signsFrom, formerVerifiesFor)
  writeAudit(sql, audit)
  publish(sql, { kind: 'signingKeys' })
  return true
}

export function resealSigningKey(sql: Sql, kid: string, former: string, sealed: string): boolean {
  const text = `
    UPDATE platform_auth_signing_keys SET sealed_private_jwk = ? WHERE kid = ? AND sealed_private_jwk = ?`
  return sql.run(text, sealed, kid, former) === 1
}

export function removeSigningKey(sql: Sql, kid: string, audit: NewAuditRecord): boolean {
  if (sql.run('DELETE FROM platform_auth_signing_keys WHERE kid = ?', kid) === 0) return false
  writeAudit(sql, audit)
  publish(sql, { kind: 'signingKeys' })
  return true
}
