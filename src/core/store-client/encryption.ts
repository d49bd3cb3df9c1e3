import { createHmac, randomBytes } from 'node:crypto'
import { isSameText } from '../../shared/lib/is-same-text.js'
import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { compactDecrypt } from 'jose/jwe/compact/decrypt'
import { CompactEncrypt } from 'jose/jwe/compact/encrypt'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import type { SecretName, Store } from '../../shared/contracts/store.js'
import { deriveKey } from '../../shared/lib/derive-key.js'

/** Encrypts and authenticates signing keys and other secrets at rest. */
export type Encryption = ReturnType<typeof createEncryption>

const PLAIN_PREFIX = 'plain:'
const ALGORITHMS = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] }

/** `dir` + A256GCM (RFC 7518 4.5, 5.3). The key is derived with HKDF (RFC 5869): 32 random characters need no slow function. */
export function createEncryption(
  secrets: readonly string[],
  options: {
    /** Whether unencrypted text is accepted although there is a secret. */
    readonly importUnencrypted?: boolean
  } = {},
) {
  const { importUnencrypted = false } = options
  // The labels never change: stored keys are encrypted with the keys derived from them.
  const keys = secrets.map((secret) => deriveKey(secret, 'express-platform-auth sealing v1'))
  const contextKeys = secrets.map((secret) => deriveKey(secret, 'express-platform-auth context v1'))
  // Derived under another label, so that the kid identifies the secret and reveals nothing about the key.
  const newestKid =
    secrets[0] && Buffer.from(deriveKey(secrets[0], 'express-platform-auth kid v1')).toString('base64url', 0, 9)

  /** A JWE (RFC 7516) under the newest secret, `plain:` without one. `context`: text in clear to `authenticate`. */
  async function seal(text: string, context?: string): Promise<string> {
    const newest = keys[0]
    if (!newest) return PLAIN_PREFIX + text
    // The MACs are in the header, one under every secret: while `secret` is being changed, a process that cannot decrypt the
    // text must still be able to authenticate the context. RFC 7516 4.3 allows private header parameters.
    const context_macs = context === undefined ? undefined : contextKeys.map((key) => computeMac(key, context))
    return new CompactEncrypt(new TextEncoder().encode(text))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: newestKid!, ...(context_macs && { context_macs }) })
      .encrypt(newest)
  }

  /** The text. Rejects with `ConfigurationError` if no secret decrypts it, and for unencrypted text that is not to be imported. */
  async function unseal(sealed: string): Promise<string> {
    if (sealed.startsWith(PLAIN_PREFIX)) {
      if (keys.length > 0 && !importUnencrypted) throw createUnencryptedError()
      return sealed.slice(PLAIN_PREFIX.length)
    }
    for (const key of keys) {
      const decrypted = await compactDecrypt(sealed, key, ALGORITHMS).catch(() => undefined)
      if (decrypted) return new TextDecoder().decode(decrypted.plaintext)
    }
    throw createWrongSecretError(keys.length === 0)
  }

  /** Whether the newest secret encrypted it; otherwise it should be encrypted again. */
  function isNewest(sealed: string): boolean {
    if (sealed.startsWith(PLAIN_PREFIX)) return newestKid === undefined
    return readHeader(sealed)['kid'] === newestKid
  }

  /** Whether the text was sealed with this context under one of the secrets. Without secrets nothing can be checked. */
  function authenticate(sealed: string, context: string): 'authentic' | 'forged' | 'unencrypted' {
    if (keys.length === 0) return 'authentic'
    if (sealed.startsWith(PLAIN_PREFIX)) return 'unencrypted'
    const { context_macs: macs } = readHeader(sealed)
    const stored = Array.isArray(macs) ? macs.map(String) : []
    const isAuthentic = contextKeys.some((key) => stored.some((mac) => isSameText(mac, computeMac(key, context))))
    return isAuthentic ? 'authentic' : 'forged'
  }

  return { seal, isNewest, unseal, authenticate }
}

function computeMac(key: Uint8Array, context: string): string {
  return createHmac('sha256', key).update(context).digest('base64url')
}

function readHeader(sealed: string): Readonly<Record<string, unknown>> {
  try {
    return decodeProtectedHeader(sealed)
  } catch {
    return {}
  }
}

function createUnencryptedError(): ConfigurationError {
  return new ConfigurationError({
    option: 'secret',
    problem: 'is set, and the store has unencrypted values, which anybody who can write to the database can make',
    fix: 'If the store was used without `secret` until now, start once with importUnencrypted: true, which encrypts them. If it was not, find out who has changed the database.',
  })
}

function createWrongSecretError(isMissing: boolean): ConfigurationError {
  return new ConfigurationError(
    isMissing
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

/** The secret's name, and 32 bytes in base64url. */
const SECRET = /^([a-z]+):([A-Za-z0-9_-]{43})$/

/** 256 random bits, encrypted with their name: whoever writes to the database must not exchange secrets. */
export function sealNewSecret(encryption: Encryption, name: SecretName): Promise<string> {
  return encryption.seal(`${name}:${randomBytes(32).toString('base64url')}`)
}

/** The store's secret of that name: 256 random bits, created by the first process on it. Encrypts it again if an older secret did. */
export async function openSecret(
  store: Pick<Store, 'establishSecret' | 'replaceSecret'>,
  encryption: Encryption,
  name: SecretName,
): Promise<{ readonly sealed: string; readonly bytes: Buffer }> {
  const sealed = await store.establishSecret(name, await sealNewSecret(encryption, name))
  const text = await encryption.unseal(sealed)
  const [, sealedName, encoded = ''] = SECRET.exec(text) ?? []
  if (sealedName !== name)
    throw new ConfigurationError({
      problem: `The secret "${name}" in the store is not the one that the platform has written`,
      fix: 'Somebody has changed the database: restore it from a backup.',
    })
  const bytes = Buffer.from(encoded, 'base64url')
  if (encryption.isNewest(sealed)) return { sealed, bytes }
  const resealed = await encryption.seal(text)
  // If another process was faster, it has sealed the same, or has replaced it and told so in the change feed.
  return { sealed: (await store.replaceSecret(name, sealed, resealed)) ? resealed : sealed, bytes }
}
