import type { webcrypto } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from 'jose'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import type { SigningKeyRecord } from '../../shared/contracts/store.js'
import { isOfSigner, type ScheduledKey } from './key-schedule.js'
import { describeRecord, toPublicJwk, type KeyEncryption } from './signing-key-record.js'

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
