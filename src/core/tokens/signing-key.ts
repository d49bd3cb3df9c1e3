import type { webcrypto } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { CryptoKey, JWK } from 'jose'
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint'
import { exportJWK } from 'jose/key/export'
import { generateKeyPair } from 'jose/key/generate/keypair'
import { importJWK } from 'jose/key/import'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import type { SigningKeyRecord } from '../../shared/contracts/store.js'
import { isOfSigner, type ScheduledKey } from './key-schedule.js'

export interface SigningKey {
  readonly kid: string
  readonly algorithm: string
  readonly publicKey: webcrypto.CryptoKey
  /** Whether a signer has the private key. */
  readonly ofSigner: boolean
  /** Undefined if a signer has it, or no secret of this process decrypts it, because a process with a newer secret made it. */
  readonly privateKey: webcrypto.CryptoKey | undefined
  readonly publicJwk: SigningKeyRecord['publicJwk']
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Milliseconds since 1970. */
  readonly signsFrom: number
  /** Milliseconds since 1970; undefined while no later key has replaced it. */
  readonly verifiesUntil: number | undefined
  /** Seconds: the longest lifetime of access tokens, plus a margin, when the key was made. */
  readonly longestLifetime: number
}

export async function generateSigningKey(
  encryption: Pick<KeyEncryption, 'seal'>,
  options: Pick<SigningKeyRecord, 'algorithm' | 'createdAt' | 'signsFrom' | 'formerVerifiesFor'>,
): Promise<SigningKeyRecord> {
  const { algorithm } = options
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const publicJwk = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(publicJwk)
  // The command line would read such a kid as an option.
  if (kid.startsWith('-')) return generateSigningKey(encryption, options)
  const record = { ...options, kid, publicJwk: toPublicJwk(publicJwk, kid, algorithm) }
  const sealedPrivateJwk = await encryption.seal(JSON.stringify(await exportJWK(privateKey)), describeRecord(record))
  return { ...record, sealedPrivateJwk }
}

// With this type, declarations do not name types of jose, which users do not install.
export async function importSigningKey(
  record: ScheduledKey,
  encryption: Pick<KeyEncryption, 'unseal'>,
): Promise<SigningKey> {
  const { kid, algorithm, createdAt, signsFrom, verifiesUntil, formerVerifiesFor } = record
  const { signer: _, ...publicJwk }: JWK & { readonly signer?: unknown } = record.publicJwk
  const ofSigner = isOfSigner(record)
  const privateJwk = ofSigner ? undefined : await unsealPrivateJwk(record.sealedPrivateJwk, encryption)
  return {
    kid,
    algorithm,
    ofSigner,
    // importJWK resolves bytes for symmetric keys only.
    publicKey: (await importJWK(publicJwk, algorithm)) as CryptoKey,
    privateKey: privateJwk && ((await importJWK(privateJwk, algorithm)) as CryptoKey),
    publicJwk,
    createdAt,
    signsFrom,
    verifiesUntil,
    longestLifetime: formerVerifiesFor,
  }
}

/** Undefined if no secret decrypts it: while the option `secret` is being changed, some processes have only the old one. */
async function unsealPrivateJwk(sealed: string, encryption: Pick<KeyEncryption, 'unseal'>): Promise<JWK | undefined> {
  try {
    return JSON.parse(await encryption.unseal(sealed)) as JWK
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined
    throw error
  }
}

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
