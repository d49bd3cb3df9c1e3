import { hkdfSync } from 'node:crypto'
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose'
import { ConfigurationError } from '../contracts/errors.js'

/** Keeps signing keys and pepper unreadable at rest. */
export interface Encryption {
  /** The text as a JWE (RFC 7516) under the newest secret; as it is where there is no secret. */
  seal(text: string): Promise<string>
  /** Whether it was sealed with the newest secret; otherwise it should be sealed anew. */
  isNewest(sealed: string): boolean
  /** The text again. Rejects with `ConfigurationError` if none of the secrets opens it. */
  unseal(sealed: string): Promise<string>
}

const PLAIN = 'plain:'

/** `dir` + A256GCM (RFC 7518 4.5, 5.3); a secret of 32 random characters needs no slow derivation, HKDF (RFC 5869) will do. */
export function createEncryption(secrets: readonly string[]): Encryption {
  // The texts never change: stored keys were encrypted with what is derived from them (test/stores/fixtures).
  const keys = secrets.map((secret) => derive(secret, 'express-platform-auth sealing v1'))
  // Named by a hash of its own, so that a sealed text tells which secret opens it and nothing about the secret.
  const newestKid =
    secrets[0] && Buffer.from(derive(secrets[0], 'express-platform-auth kid v1')).toString('base64url', 0, 9)

  async function seal(text: string): Promise<string> {
    const newest = keys[0]
    if (!newest) return PLAIN + text
    return new CompactEncrypt(new TextEncoder().encode(text))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: newestKid! })
      .encrypt(newest)
  }

  async function unseal(sealed: string): Promise<string> {
    if (sealed.startsWith(PLAIN)) return sealed.slice(PLAIN.length)
    for (const key of keys) {
      const opened = await compactDecrypt(sealed, key, ALGORITHMS).catch(() => undefined)
      if (opened) return new TextDecoder().decode(opened.plaintext)
    }
    throw new ConfigurationError(
      keys.length === 0
        ? {
            option: 'secret',
            problem: 'is missing, and the store was written with one',
            fix: 'Set it to the secret of before.',
          }
        : {
            option: 'secret',
            problem: 'is not the one that the store was written with',
            fix: 'To change it give both, newest first: secret: [process.env.NEW_SECRET, process.env.OLD_SECRET]. If the former one is lost, so are its signing keys and all credentials: begin with an empty store.',
          },
    )
  }

  function isNewest(sealed: string): boolean {
    if (sealed.startsWith(PLAIN)) return newestKid === undefined
    return decodeProtectedHeader(sealed).kid === newestKid
  }

  return { seal, isNewest, unseal }
}

function derive(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32))
}

const ALGORITHMS = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] }
