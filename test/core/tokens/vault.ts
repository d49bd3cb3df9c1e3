import { createHash, generateKeyPairSync, sign as signBytes, type KeyObject } from 'node:crypto'
import type { SigningAlgorithm, TokensOptions } from '../../../src/index.js'

export type Signer = NonNullable<TokensOptions['signer']>

export interface VaultKey {
  readonly kid: string
  readonly algorithm: SigningAlgorithm
  readonly publicJwk: object
  readonly privateKey: KeyObject
}

const CURVES: Readonly<Record<string, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }

/** One for each length: they take long to make. */
const RSA = new Map<number, { readonly publicKey: KeyObject; readonly privateKey: KeyObject }>()

function generateRsaOnce(modulusLength: number) {
  const pair = RSA.get(modulusLength) ?? generateKeyPairSync('rsa', { modulusLength })
  RSA.set(modulusLength, pair)
  return pair
}

/** A key pair that only a vault has. Those with RSA are one. */
export function createVaultKey(kid: string, algorithm: SigningAlgorithm = 'ES256', bits = 2048): VaultKey {
  const curve = CURVES[algorithm]
  const { publicKey, privateKey } =
    algorithm === 'EdDSA'
      ? generateKeyPairSync('ed25519')
      : curve === undefined
        ? generateRsaOnce(bits)
        : generateKeyPairSync('ec', { namedCurve: curve })
  return { kid, algorithm, publicJwk: publicKey.export({ format: 'jwk' }), privateKey }
}

/** The signature of these bytes, those of ECDSA in DER or as r || s. */
export function signWith({ algorithm, privateKey }: VaultKey, bytes: Uint8Array, isDer = false): Buffer {
  const hash = algorithm === 'EdDSA' ? null : `sha${algorithm.slice(2)}`
  const padding = algorithm.startsWith('PS') ? { padding: 6, saltLength: createHash(hash!).digest().length } : {}
  return signBytes(hash, bytes, { key: privateKey, dsaEncoding: isDer ? 'der' : 'ieee-p1363', ...padding })
}

/** A signer whose keys and answers a test changes. */
export interface Vault extends Signer {
  keys: readonly VaultKey[]
  /** Answers in place of the vault. */
  listInstead: (() => Promise<unknown>) | undefined
  signInstead: ((kid: string, bytes: Uint8Array, signal: AbortSignal) => Promise<unknown>) | undefined
  lists: number
}

export function createVault(...keys: VaultKey[]): Vault {
  const vault: Vault = {
    keys,
    listInstead: undefined,
    signInstead: undefined,
    lists: 0,
    list() {
      vault.lists += 1
      const answer =
        vault.listInstead?.() ??
        Promise.resolve(vault.keys.map(({ kid, algorithm, publicJwk }) => ({ kid, algorithm, publicJwk })))
      return answer as ReturnType<Signer['list']>
    },
    async sign(kid, bytes, { signal }) {
      if (vault.signInstead) return (await vault.signInstead(kid, bytes, signal)) as Uint8Array
      return signWith(
        vault.keys.find((key) => key.kid === kid)!,
        bytes,
      )
    },
  }
  return vault
}
