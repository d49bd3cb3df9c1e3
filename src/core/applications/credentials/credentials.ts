import { createHmac, createSecretKey, hash as digest, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Api } from '../../../shared/contracts/api.js'
import type { ApplicationRecord, CredentialRecord } from '../../../shared/contracts/application-record.js'
import type { DeliveryPurpose } from '../../../shared/contracts/queued-email.js'
import { createBoundedCache } from '../../../shared/lib/bounded-cache.js'
import { EMPTY_CREDENTIAL } from '../../../shared/lib/own-record.js'

/** The credentials of an application: its key (the `client_id`), and its secret. */
export type CredentialKind = 'key' | 'secret'

/** The members of a record that have them. */
export const LISTS = { key: 'keys', secret: 'secrets' } as const

/** A new credential. Its plain text exists nowhere else. */
export interface MintedCredential {
  readonly plain: string
  readonly record: CredentialRecord
}

/** The terms of a credential, which it passes on to its replacement. */
export type CredentialTerms = Pick<CredentialRecord, 'name' | 'apis' | 'networks' | 'expiresAt'>

export type Credentials = ReturnType<typeof createCredentials>

const FORMATS = { key: { infix: 'key', length: 28 }, secret: { infix: 'sec', length: 43 } } as const
const CHECKSUM_LENGTH = 6
/** Random characters shown in lists: enough to tell credentials apart, useless to a guesser. */
const SHOWN_LENGTH = 4
/** 131 random bits. */
const ID_LENGTH = 22
export const DEFAULT_NAME = 'default'
export const DEFAULT_TERMS: CredentialTerms = {
  name: DEFAULT_NAME,
  apis: undefined,
  networks: undefined,
  expiresAt: undefined,
}
const MAX_KEY_LENGTH = 64
/** The longest key or secret of another system. */
export const MAX_IMPORTED_LENGTH = 512
export const MAX_LIVE_CREDENTIALS = 20
/** The prefix may be any: keys outlive a change of the option `credentials.prefix`. */
const KEY_PATTERN = /^[A-Za-z][A-Za-z0-9_]*_key_[A-Za-z0-9]{34}$/
/** A text of the length of a hash that equals no hash. */
const NO_HASH = '-'.repeat(43)

export function createCredentials(
  prefix: string,
  pepper: Uint8Array,
  options: {
    readonly cacheSize?: number
    /** Whether secrets that another system has issued are accepted, and keys of any form. */
    readonly acceptsImported?: boolean
  } = {},
) {
  const { cacheSize = 40_000, acceptsImported = false } = options
  const maxKeyLength = acceptsImported ? MAX_IMPORTED_LENGTH : MAX_KEY_LENGTH
  const isKey = acceptsImported ? (text: string) => VISIBLE.test(text) : isWellFormedKey
  const pepperKey = createSecretKey(pepper)
  // SHA-256 -> HMAC. SHA-256 costs a third of an HMAC, which is therefore computed once per credential (`npm run bench`). Keys have
  // a cache of their own: only texts in the form of a key are added to it, so a text that is found there needs no other check.
  const hashes = createBoundedCache<string>({ entries: cacheSize / 2 })
  const keyHashes = createBoundedCache<string>({ entries: cacheSize / 2 })

  /** HMAC-SHA-256 under the pepper, base64url. Random text of 166 bits and more needs no slow hash. */
  function hash(plain: string): string {
    const sha256 = digest('sha256', plain, 'base64')
    return hashes.get(sha256) ?? computeHash(plain, sha256, hashes)
  }

  /** The hash of a key; undefined if the text cannot be one, so that typing errors and guesses cost no look-up. */
  function hashKey(plain: string): string | undefined {
    if (typeof plain !== 'string' || plain.length > maxKeyLength) return undefined
    const sha256 = digest('sha256', plain, 'base64')
    return keyHashes.get(sha256) ?? (isKey(plain) ? computeHash(plain, sha256, keyHashes) : undefined)
  }

  function computeHash(plain: string, sha256: string, cache: typeof hashes): string {
    const hmac = createHmac('sha256', pepperKey).update(plain).digest('base64url')
    cache.set(sha256, hmac)
    return hmac
  }

  /** `{prefix}_key_` or `{prefix}_sec_`, random base62, and the base62 CRC-32 of all before. */
  function mint(kind: CredentialKind, createdAt: number, terms = DEFAULT_TERMS): MintedCredential {
    const { infix, length } = FORMATS[kind]
    const body = `${prefix}_${infix}_${randomBase62(length)}`
    const plain = body + computeChecksum(body)
    const shown = plain.slice(0, prefix.length + infix.length + 2 + SHOWN_LENGTH)
    return {
      plain,
      record: createCredentialRecord({ id: createCredentialId(), hash: hash(plain), prefix: shown, createdAt }, terms),
    }
  }

  /** The live record that a credential matches. Takes the same time whichever it matches, or none. */
  function match(plain: string, records: readonly CredentialRecord[], now: number): CredentialRecord | undefined {
    const presented = Buffer.from(hash(plain))
    let matched: CredentialRecord | undefined
    // The number of comparisons is always that of the most secrets that an application can have, which keeps the time the same.
    for (let slot = 0; slot < Math.max(MAX_LIVE_CREDENTIALS, records.length); slot++) {
      const record = records[slot]
      // An imported hash has another length. It is no secret which hashes are imported.
      const stored = record?.hash.length === NO_HASH.length ? record.hash : NO_HASH
      const same = timingSafeEqual(presented, Buffer.from(stored))
      if (same && record && isLive(record, now) && (acceptsImported || !record.isImported)) matched = record
    }
    return matched
  }

  return { mint, hash, hashKey, match }
}

export function createCredentialId(): string {
  return `cred_${randomBase62(ID_LENGTH)}`
}

export function isLive(record: CredentialRecord, now: number): boolean {
  return record.expiresAt === undefined || record.expiresAt > now
}

/** As a header can hold it. Other texts cost no look-up. */
const VISIBLE = /^[\x21-\x7E]+$/

export function isWellFormedKey(text: string): boolean {
  if (typeof text !== 'string' || text.length > MAX_KEY_LENGTH || !KEY_PATTERN.test(text)) return false
  return computeChecksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)
}

/** The first characters of a key, as lists show them; undefined for a text that is no key, and might be a secret. */
export function readKeyPrefix(text: string): string | undefined {
  return isWellFormedKey(text) ? text.slice(0, SHOWN_LENGTH - FORMATS.key.length - CHECKSUM_LENGTH) : undefined
}

export function describePlain(plain: string): string {
  return readKeyPrefix(plain) ?? plain.slice(0, SHOWN_LENGTH)
}

export interface MintedCredentials {
  readonly key: MintedCredential | undefined
  readonly secret: MintedCredential | undefined
}

/** What an e-mail delivers: a key, a secret, or both as needed. `terms`: of the credential that is replaced. */
export function mintCredentials(
  credentials: Credentials,
  purpose: DeliveryPurpose,
  { apis: granted, resourceServer }: Pick<ApplicationRecord, 'apis' | 'resourceServer'>,
  options: {
    readonly apis: ReadonlyMap<string, Api>
    readonly terms?: CredentialTerms
    readonly hasKeySet?: boolean
    readonly now: number
  },
): MintedCredentials {
  const { apis, terms, hasKeySet = false, now } = options
  const takesSecret = resourceServer || Object.keys(granted).some((name) => takesSecrets(apis.get(name)))
  const needsSecret = takesSecret && !hasKeySet
  const hasKey = purpose === 'key' || purpose === 'registration'
  const hasSecret = purpose === 'secret' || (purpose === 'registration' && needsSecret)
  return {
    key: hasKey ? credentials.mint('key', now, terms) : undefined,
    secret: hasSecret ? credentials.mint('secret', now, terms) : undefined,
  }
}

function takesSecrets({ clientAuthentication = [] }: Partial<Api> = {}): boolean {
  return clientAuthentication.some((method) => method !== 'private_key_jwt')
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 = 4 * 62: higher bytes would make some characters more likely than others.
      if (byte < 248 && text.length < length) text += BASE62[byte % 62]
    }
  }
  return text
}

function computeChecksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

export function createCredentialRecord(
  of: Pick<CredentialRecord, 'id' | 'hash' | 'prefix' | 'createdAt'>,
  { name, expiresAt, apis, networks }: CredentialTerms,
): CredentialRecord {
  return { ...EMPTY_CREDENTIAL, ...of, name, expiresAt, apis, networks, isImported: false }
}
