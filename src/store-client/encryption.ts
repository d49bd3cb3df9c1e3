import { hkdfSync, randomBytes } from 'node:crypto'
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose'
import { ConfigurationError } from '../contracts/errors.js'
import type { Store } from '../contracts/store.js'

/** Encrypts signing keys and the pepper at rest. */
export interface Encryption {
  /** The text as a JWE (RFC 7516) under the newest secret; with the prefix `plain:` if there is no secret. */
  seal(text: string): Promise<string>
  /** Whether the newest secret encrypted it; otherwise it should be encrypted again. */
  isNewest(sealed: string): boolean
  /** The text. Rejects with `ConfigurationError` if no secret decrypts it. */
  unseal(sealed: string): Promise<string>
}

const PLAIN_PREFIX = 'plain:'
const ALGORITHMS = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] }

/** `dir` + A256GCM (RFC 7518 4.5, 5.3). The key is derived with HKDF (RFC 5869): 32 random characters need no slow function. */
export function createEncryption(secrets: readonly string[]): Encryption {
  // The labels never change: stored keys are encrypted with the keys derived from them (test/stores/fixtures).
  const keys = secrets.map((secret) => deriveKey(secret, 'express-platform-auth sealing v1'))
  // Derived under another label, so that the kid identifies the secret and reveals nothing about the key.
  const newestKid =
    secrets[0] && Buffer.from(deriveKey(secrets[0], 'express-platform-auth kid v1')).toString('base64url', 0, 9)

  async function seal(text: string): Promise<string> {
    const newest = keys[0]
    if (!newest) return PLAIN_PREFIX + text
    return new CompactEncrypt(new TextEncoder().encode(text))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: newestKid! })
      .encrypt(newest)
  }

  async function unseal(sealed: string): Promise<string> {
    if (sealed.startsWith(PLAIN_PREFIX)) return sealed.slice(PLAIN_PREFIX.length)
    for (const key of keys) {
      const decrypted = await compactDecrypt(sealed, key, ALGORITHMS).catch(() => undefined)
      if (decrypted) return new TextDecoder().decode(decrypted.plaintext)
    }
    throw new ConfigurationError(
      keys.length === 0
        ? {
            option: 'secret',
            problem: 'is missing, and the store was written with one',
            fix: 'Set it to that secret.',
          }
        : {
            option: 'secret',
            problem: 'is not the one that the store was written with',
            fix: 'To change it give both, newest first: secret: [process.env.NEW_SECRET, process.env.OLD_SECRET]. If the old one is lost, its signing keys and all credentials are lost too: start with an empty store.',
          },
    )
  }

  function isNewest(sealed: string): boolean {
    if (sealed.startsWith(PLAIN_PREFIX)) return newestKid === undefined
    return decodeProtectedHeader(sealed).kid === newestKid
  }

  return { seal, isNewest, unseal }
}

function deriveKey(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32))
}

/** The store's pepper: 256 random bits, created by the first process on it. Encrypts it again if an older secret did. */
export async function openPepper(
  store: Pick<Store, 'establishPepper' | 'resealPepper'>,
  encryption: Encryption,
): Promise<Buffer> {
  const sealed = await store.establishPepper(await encryption.seal(randomBytes(32).toString('base64url')))
  const pepper = await encryption.unseal(sealed)
  if (!encryption.isNewest(sealed)) await store.resealPepper(sealed, await encryption.seal(pepper))
  return Buffer.from(pepper, 'base64url')
}
