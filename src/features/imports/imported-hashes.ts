import { createHmac, hash as digest } from 'node:crypto'
import { ConfigurationError, invalidArgument, StoreUnavailableError } from '../../shared/contracts/errors.js'
import { createBoundedCache } from '../../shared/lib/bounded-cache.js'
import type { TakeTurn } from '../../shared/lib/fair-turns.js'
import { require } from '../../shared/lib/require-package.js'

export type ImportedDigests = ReturnType<typeof createImportedDigests>

export const DIGEST_MEMBERS = {
  sha256: { tag: 'sha256', length: 32 },
  sha512: { tag: 'sha512', length: 64 },
  hmacSha256: { tag: 'hmac-sha256', length: 32 },
} as const

export function createImportedDigests(hmacKeys: readonly (string | Uint8Array)[]) {
  return {
    /** Every digest of a plain text, one for each algorithm and HMAC key. */
    list: (plain: string): readonly string[] => [
      `sha256:${digest('sha256', plain, 'base64url')}`,
      `sha512:${digest('sha512', plain, 'base64url')}`,
      ...hmacKeys.map((key) => `hmac-sha256:${createHmac('sha256', key).update(plain).digest('base64url')}`),
    ],
    hasHmacKey: hmacKeys.length > 0,
  }
}

/** A digest of an import as it is stored. `text` is hexadecimal, base64 or base64url. Throws with code `invalid_argument`. */
export function readDigest(member: keyof typeof DIGEST_MEMBERS, text: unknown): string {
  const { tag, length } = DIGEST_MEMBERS[member]
  const octets = typeof text === 'string' ? decode(text, length) : undefined
  if (octets) return `${tag}:${octets.toString('base64url')}`
  throw invalidArgument(
    `${member} must be a digest of ${length} octets: ${2 * length} hexadecimal digits, or base64 or base64url.`,
  )
}

/** The format of a stored hash that was imported, such as `sha256`; undefined for one that the platform has computed. */
export function readImportedFormat(hash: string): string | undefined {
  const end = hash.indexOf(':')
  return end < 0 ? undefined : hash.slice(0, end)
}

function decode(text: string, length: number): Buffer | undefined {
  if (/^[0-9a-f]+$/i.test(text) && text.length === 2 * length) return Buffer.from(text, 'hex')
  if (text.length > 2 * length) return undefined
  const octets = Buffer.from(text, 'base64url')
  const digits = text
    .replace(/={1,2}$/, '')
    .replaceAll('+', '-')
    .replaceAll('/', '_')
  // Node skips characters that it cannot decode, so the octets are encoded again and compared.
  return octets.length === length && octets.toString('base64url') === digits ? octets : undefined
}

export type SlowHashes = ReturnType<typeof createSlowHashes>

interface SlowHashMatch {
  readonly secret: string
  readonly stored: string
}

export const SLOW_HASH_MEMBERS = ['bcrypt', 'argon2id'] as const
type SlowHashMember = (typeof SLOW_HASH_MEMBERS)[number]

type Verify = (secret: string, hash: string) => Promise<boolean>

/** Verified secrets, so that a client that repeats a wrong one costs one computation. */
const MAX_REMEMBERED_RESULTS = 1000
/** An attempt with this cost takes about a second. */
const MAX_BCRYPT_COST = 14
const MAX_ARGON2_MEMORY_KIB = 256 * 1024
/** Memory times passes, which the time of an attempt follows: half a second, or a whole one without AVX2. */
const MAX_ARGON2_WORK_KIB = 1024 * 1024
const MAX_ARGON2_LANES = 16
/** A secret with a percent or plus sign has two. Further readings are charged before they are computed. */
const ORDINARY_READINGS = 2

export function createSlowHashes(takeTurn: TakeTurn) {
  /** Right secrets have a cache of their own, so that guesses displace none. */
  const right = createBoundedCache<true>({ entries: MAX_REMEMBERED_RESULTS })
  const wrong = createBoundedCache<true>({ entries: MAX_REMEMBERED_RESULTS })

  function recall({ secret, stored }: SlowHashMatch): boolean | undefined {
    const key = digestPair(secret, stored)
    return right.get(key) ? true : wrong.get(key) && false
  }

  async function compute(pair: SlowHashMatch): Promise<SlowHashMatch | undefined> {
    const { secret, stored } = pair
    // A client may have sent the same secret several times at once.
    const known = recall(pair)
    if (known !== undefined) return known ? pair : undefined
    const member = stored.startsWith('bcrypt:') ? 'bcrypt' : 'argon2id'
    const isRight = await load(member)(secret, stored.slice(member.length + 1))
    ;(isRight ? right : wrong).set(digestPair(secret, stored), true)
    return isRight ? pair : undefined
  }

  return {
    /** A hash of an import as it is stored. Throws with code `invalid_argument`, or if the package that computes it is missing. */
    read(member: SlowHashMember, text: unknown): string {
      if (typeof text !== 'string' || !FORMATS[member].accepts(text))
        throw invalidArgument(`${member} must be ${FORMATS[member].description}.`)
      load(member)
      return `${member}:${text}`
    },
    /** `secrets` are the readings of one request, which waits once for all. Rejects with `NoTurnError` if that took too long. */
    async findMatch(
      secrets: readonly string[],
      hashes: readonly string[],
      { applicationId, address }: { readonly applicationId: string; readonly address: string },
    ): Promise<SlowHashMatch | undefined> {
      const pairs = secrets.flatMap((secret) => hashes.map((stored) => ({ secret, stored })))
      const remembered = pairs.map((pair) => ({ pair, known: recall(pair) }))
      const known = remembered.find((each) => each.known)
      if (known) return known.pair
      const open = remembered.filter((each) => each.known === undefined).map(({ pair }) => pair)
      if (open.length === 0) return undefined
      const chargedAhead = Math.max(0, new Set(open.map(({ secret }) => secret)).size - ORDINARY_READINGS)
      const steps = open.map((pair) => () => compute(pair))
      return takeTurn({ group: applicationId, member: address, chargedAhead }, steps)
    },
  }
}

function digestPair(secret: string, stored: string): string {
  return digest('sha256', `${stored}\n${secret}`, 'base64')
}

export function isSlowHash(hash: string): boolean {
  return hash.startsWith('bcrypt:') || hash.startsWith('argon2id:')
}

/** bcrypt reads so many octets of a secret, the octet 0 at its end included. */
const BCRYPT_LENGTH = 72

/** Whether no other text has this hash. bcrypt ignores what is behind 72 octets, and repeats a short secret. */
export function isOnlyMatch(secret: string, hash: string): boolean {
  return !hash.startsWith('bcrypt:') || (Buffer.byteLength(secret) < BCRYPT_LENGTH && !secret.includes('\0'))
}

interface Package {
  verify(first: string, second: string): Promise<boolean>
}

/** The packages compute in Node's thread pool, without install scripts. They are loaded when they are first needed. */
function load(member: SlowHashMember): Verify {
  try {
    if (member === 'bcrypt') return (require('@node-rs/bcrypt') as Package).verify
    const { verify } = require('@node-rs/argon2') as Package
    return (secret, hash) => verify(hash, secret)
  } catch (cause) {
    const { code } = Object(cause) as { code?: unknown }
    if (code === 'EMFILE' || code === 'ENFILE')
      throw new StoreUnavailableError('A secret could not be compared: too many files are open.', { cause })
    const name = member === 'bcrypt' ? '@node-rs/bcrypt' : '@node-rs/argon2'
    const problem = `Secrets that were imported as ${member} hashes need the package ${name}, which could not be loaded`
    const fix = `Run: npm install ${name}. In a bundled app keep the package external.`
    throw new ConfigurationError({ problem, fix }, { cause })
  }
}

const FORMATS: Readonly<Record<SlowHashMember, { accepts(text: string): boolean; readonly description: string }>> = {
  bcrypt: {
    accepts(text) {
      const cost = Number(/^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(text)?.[1] ?? Infinity)
      return cost >= 4 && cost <= MAX_BCRYPT_COST
    },
    description: `a hash such as $2b$12$... with a cost of at most ${MAX_BCRYPT_COST}`,
  },
  argon2id: {
    accepts(text) {
      const match =
        /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,86}$/
      const [memory = Infinity, passes = 0, lanes = 0] = match.exec(text)?.slice(1).map(Number) ?? []
      return (
        memory >= 8 * lanes &&
        memory <= MAX_ARGON2_MEMORY_KIB &&
        passes >= 1 &&
        memory * passes <= MAX_ARGON2_WORK_KIB &&
        lanes >= 1 &&
        lanes <= MAX_ARGON2_LANES
      )
    },
    description: `a PHC string such as $argon2id$v=19$m=65536,t=3,p=4$... with m of at most ${MAX_ARGON2_MEMORY_KIB}, m times t of at most ${MAX_ARGON2_WORK_KIB} and p of at most ${MAX_ARGON2_LANES}`,
  },
}
