import { isDeepStrictEqual } from 'node:util'
import { calculateJwkThumbprint, importJWK, type JWK } from 'jose'
import type { SigningKeyRecord } from '../../shared/contracts/store.js'

/** Encrypts and authenticates signing keys at rest. */
export interface KeyEncryption {
  /** `context` is stored in clear and authenticated. */
  seal(text: string, context: string): Promise<string>
  /** Whether the newest secret encrypted it. */
  isNewest(sealed: string): boolean
  /** Rejects with `ConfigurationError` if no secret decrypts it. */
  unseal(sealed: string): Promise<string>
  authenticate(sealed: string, context: string): 'authentic' | 'forged' | 'unencrypted'
}

/** The clear members of a record, as text that `KeyEncryption` authenticates. */
export function describeRecord(record: Omit<SigningKeyRecord, 'sealedPrivateJwk'>): string {
  const { kid, algorithm, publicJwk, createdAt, signsFrom, formerVerifiesFor } = record
  // Sorted, because a store may keep members in another order.
  const members = Object.keys(publicJwk)
    .toSorted()
    .map((name) => [name, publicJwk[name]])
  return JSON.stringify(['signing key', kid, algorithm, members, createdAt, signsFrom, formerVerifiesFor])
}

export function toPublicJwk(key: object, kid: string, algorithm: string): SigningKeyRecord['publicJwk'] {
  return { ...key, kid, alg: algorithm, use: 'sig' }
}

/** Whether this platform wrote the record. Otherwise anyone who can write to the database could publish a key. */
export async function isAuthentic(record: SigningKeyRecord, encryption: KeyEncryption): Promise<boolean> {
  const authenticity = encryption.authenticate(record.sealedPrivateJwk, describeRecord(record))
  return authenticity === 'unencrypted' ? hasPrivateKey(record, encryption) : authenticity === 'authentic'
}

/** Whether the keys belong together: checks unencrypted records, which `importUnencrypted` lets pass until sealed. */
async function hasPrivateKey(record: SigningKeyRecord, encryption: KeyEncryption): Promise<boolean> {
  try {
    const privateJwk = JSON.parse(await encryption.unseal(record.sealedPrivateJwk)) as JWK
    const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...publicJwk } = privateJwk
    // Rejects if it is no key for this algorithm.
    await importJWK(privateJwk, record.algorithm)
    const kid = await calculateJwkThumbprint(publicJwk)
    return isDeepStrictEqual(record.publicJwk, toPublicJwk(publicJwk, kid, record.algorithm)) && record.kid === kid
  } catch {
    return false
  }
}
