import { createHmac, createSecretKey, hash as digest, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { boundedCache } from '../lib/bounded-cache.js'
import type { CredentialRecord } from '../contracts/store.js'

/** What an application proves itself with: its key (the `client_id`), and its secret. */
export type CredentialKind = 'key' | 'secret'

/** A credential just made: the only moment at which its plain text exists. */
export interface MintedCredential {
  readonly plain: string
  readonly record: CredentialRecord
}

/** Makes, recognizes and compares keys and secrets. */
export interface Credentials {
  mint(kind: CredentialKind, createdAt: number): MintedCredential
  /** HMAC-SHA-256 under the pepper, base64url. Random text of 166 bits and more needs no slow hash. */
  hash(plain: string): string
  /** The same for a key; undefined where the text can be none: a typing error or a guess is refused before anything is looked up. */
  hashOfKey(plain: string): string | undefined
  /** The live record that a credential matches. Takes the same time whichever it matches, or none. */
  match(plain: string, records: readonly CredentialRecord[], now: number): CredentialRecord | undefined
}

/** Credentials in the contract's format: `{prefix}_key_` or `{prefix}_sec_`, random base62, and the base62 CRC-32 of all before. The hashes of so many are `remembered`. */
export function createCredentials(prefix: string, pepper: Uint8Array, remembered = 40_000): Credentials {
  const pepperKey = createSecretKey(pepper)
  /** SHA-256 -> HMAC: the former costs a third of the latter, and a credential that comes again is known by it. */
  const hashes = boundedCache<string>({ entries: remembered })

  function hash(plain: string): string {
    const seen = digest('sha256', plain, 'base64')
    return hashes.get(seen) ?? hashAnew(plain, seen)
  }

  function hashOfKey(plain: string): string | undefined {
    if (typeof plain !== 'string' || plain.length > MAX_KEY_LENGTH) return undefined
    const seen = digest('sha256', plain, 'base64')
    return hashes.get(seen) ?? (isWellFormedKey(plain) ? hashAnew(plain, seen) : undefined)
  }

  function hashAnew(plain: string, seen: string): string {
    const made = createHmac('sha256', pepperKey).update(plain).digest('base64url')
    hashes.set(seen, made)
    return made
  }

  return {
    mint(kind, createdAt) {
      const { infix, length } = FORMAT[kind]
      const body = `${prefix}_${infix}_${randomBase62(length)}`
      const plain = body + checksum(body)
      const shown = plain.slice(0, prefix.length + infix.length + 2 + SHOWN)
      return {
        plain,
        record: {
          hash: hash(plain),
          prefix: shown,
          createdAt,
          expiresAt: undefined,
          lastUsedAt: undefined,
        },
      }
    },
    hash,
    hashOfKey,
    match(plain, records, now) {
      const presented = Buffer.from(hash(plain))
      let matched: CredentialRecord | undefined
      // An application has two live secrets at most; comparing with two always keeps the time the same.
      for (let slot = 0; slot < Math.max(2, records.length); slot++) {
        const record = records[slot]
        const same = timingSafeEqual(presented, Buffer.from(record?.hash ?? NOTHING))
        if (same && record && isLive(record, now)) matched = record
      }
      return matched
    },
  }
}

/** Whether a credential is still good at that instant (milliseconds). */
export function isLive(record: CredentialRecord, now: number): boolean {
  return record.expiresAt === undefined || record.expiresAt > now
}

/** Whether a text can be a key at all: a typing error or a guess is refused before anything is looked up. */
export function isWellFormedKey(text: string): boolean {
  if (typeof text !== 'string' || text.length > MAX_KEY_LENGTH || !KEY.test(text)) return false
  return checksum(text.slice(0, -CHECKSUM)) === text.slice(-CHECKSUM)
}

const FORMAT = { key: { infix: 'key', length: 28 }, secret: { infix: 'sec', length: 43 } } as const
const CHECKSUM = 6
/** Random characters that stay visible in lists: enough to tell credentials apart, of no use to a guesser. */
const SHOWN = 4
const MAX_KEY_LENGTH = 64
// Any prefix: keys outlive a change of the option `credentialPrefix`.
const KEY = /^[A-Za-z][A-Za-z0-9_]*_key_[A-Za-z0-9]{34}$/
/** As long as a hash, and no hash. */
const NOTHING = '-'.repeat(43)
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 = 4 * 62: bytes above would make some characters likelier than others.
      if (byte < 248 && text.length < length) text += BASE62[byte % 62]
    }
  }
  return text
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < CHECKSUM; i++) {
    digits = BASE62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
