import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { PublicJwk } from '../../shared/contracts/application-record.js'
import { SECRET_MEMBERS } from '../../shared/lib/key-set-text.js'
import { isObject, ownMembers } from '../../shared/lib/own-members.js'

/** A key that verifies signatures of a client, and the algorithms with which it may (RFC 8725 3.1: not those that a token names). */
export interface VerificationKey {
  readonly kid: string | undefined
  readonly algorithms: readonly string[]
  readonly key: KeyObject
}

/** Why a key set is refused: a part of a sentence, such as `has a private key (member d)`. */
export class KeySetProblem extends Error {}

const MAX_KEYS = 10
const MAX_KID_LENGTH = 200
const MAX_ADDRESS_LENGTH = 2000
const MEMBERS = ['kty', 'kid', 'alg', 'crv', 'x', 'y', 'n', 'e'] as const
const RSA_ALGORITHMS = ['RS256', 'PS256', 'RS384', 'PS384', 'RS512', 'PS512']
const ALGORITHMS: Readonly<Record<string, readonly string[]>> = {
  'EC P-256': ['ES256'],
  'EC P-384': ['ES384'],
  // RFC 9864 gave the algorithm its own name.
  'OKP Ed25519': ['EdDSA', 'Ed25519'],
  RSA: RSA_ALGORITHMS,
}

/**
 * Reads a JWK Set (RFC 7517 5) of public keys: 1 to 10, of P-256, P-384, Ed25519 or RSA with 2048 to 4096 bits. Throws a `KeySetProblem`
 * for any other, for a private or symmetric key, and for two keys of one `kid`. With `ignoreOthers`, for sets that clients publish for
 * more than this, keys of other kinds and uses are left out (RFC 7517 5), but no private one.
 */
export function readKeySet(value: unknown, { ignoreOthers }: { readonly ignoreOthers: boolean }): readonly PublicJwk[] {
  const listed: unknown = isObject(value) ? value['keys'] : undefined
  if (!Array.isArray(listed)) throw new KeySetProblem('is no JWK Set: its member keys is no array')
  if (listed.length > MAX_KEYS)
    throw new KeySetProblem(`has ${listed.length} keys, and at most ${MAX_KEYS} are allowed`)
  const keys: PublicJwk[] = []
  for (const [index, entry] of (listed as readonly unknown[]).entries()) {
    const problem = findSecretMember(entry)
    if (problem !== undefined) throw new KeySetProblem(`has ${problem}: publish public keys only`)
    const read = readJwk(entry)
    if (typeof read !== 'string') keys.push(read)
    else if (!ignoreOthers) throw new KeySetProblem(`has a key that cannot be used: keys[${index}] ${read}`)
  }
  if (keys.length === 0) throw new KeySetProblem('has no key that verifies signatures')
  const kids = keys.flatMap(({ kid }) => kid ?? [])
  if (new Set(kids).size < kids.length) throw new KeySetProblem('has two keys with one kid')
  if (keys.length > 1 && kids.length < keys.length) throw new KeySetProblem('has several keys, and not each has a kid')
  return keys
}

export function readHost(address: string): string {
  return new URL(address).hostname.replaceAll(/^\[|\]$/g, '')
}

/** The problem of an address at which a client says that its key set is: a part of a sentence; undefined for none. */
export function findAddressProblem(address: string): string | undefined {
  if (address.length > MAX_ADDRESS_LENGTH) return `has more than ${MAX_ADDRESS_LENGTH} characters`
  // URL leaves tabs and line breaks out.
  if (!/^[\x21-\x7E]+$/.test(address) || !URL.canParse(address)) return 'is no URL'
  const { protocol, username, password, hash } = new URL(address)
  if (protocol !== 'https:') return 'does not begin with https://'
  if (username !== '' || password !== '') return 'has a user name or a password'
  return hash === '' && !address.includes('#') ? undefined : 'has a fragment'
}

export function toVerificationKeys(keys: readonly PublicJwk[]): readonly VerificationKey[] {
  return keys.map((jwk) => ({
    kid: jwk.kid,
    algorithms: jwk.alg === undefined ? listAlgorithms(jwk) : [jwk.alg],
    key: createPublicKey({ key: { ...jwk } as JsonWebKey, format: 'jwk' }),
  }))
}

function findSecretMember(entry: unknown): string | undefined {
  if (!isObject(entry)) return undefined
  if (entry['kty'] === 'oct') return 'a symmetric key'
  const member = SECRET_MEMBERS.find((name) => Object.hasOwn(entry, name))
  return member === undefined ? undefined : `a private key (member ${member})`
}

function readJwk(entry: unknown): PublicJwk | string {
  if (!isObject(entry)) return 'is no object'
  const jwk = Object.fromEntries(MEMBERS.flatMap((name) => (Object.hasOwn(entry, name) ? [[name, entry[name]]] : [])))
  for (const [name, value] of Object.entries(jwk)) if (typeof value !== 'string') return `has a ${name} that is no text`
  const read = ownMembers(jwk) as unknown as PublicJwk
  const algorithms = listAlgorithms(read)
  if (algorithms.length === 0) return 'is none of P-256, P-384, Ed25519 and RSA'
  if (read.kid !== undefined && !/^[\x21-\x7E]+$/.test(read.kid))
    return 'has a kid with other than visible ASCII characters'
  if ((read.kid?.length ?? 0) > MAX_KID_LENGTH) return `has a kid of more than ${MAX_KID_LENGTH} characters`
  if (read.alg !== undefined && !algorithms.includes(read.alg))
    return `has an alg that is none of ${algorithms.join(', ')}`
  const { use, key_ops: operations } = ownMembers(entry)
  if (use !== undefined && use !== 'sig') return 'is for another use than sig'
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    return 'has key_ops without verify'
  return findKeyProblem(read) ?? read
}

function listAlgorithms({ kty, crv }: PublicJwk): readonly string[] {
  const name = kty === 'RSA' ? kty : `${kty} ${crv}`
  return Object.hasOwn(ALGORITHMS, name) ? ALGORITHMS[name]! : []
}

/** Node checks that a point is on its curve. */
function findKeyProblem(jwk: PublicJwk): string | undefined {
  let key: KeyObject
  try {
    key = createPublicKey({ key: { ...jwk } as JsonWebKey, format: 'jwk' })
  } catch {
    return 'is no valid public key'
  }
  if (jwk.kty !== 'RSA') return undefined
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (modulusLength < 2048 || modulusLength > 4096) return `has ${modulusLength} bits, and 2048 to 4096 are allowed`
  // A long exponent makes each verification slow; 65537 is what everybody uses.
  return publicExponent >= 3n && publicExponent <= 0xffffffffn && publicExponent % 2n === 1n
    ? undefined
    : 'has an exponent that is even, 1, or longer than 32 bits'
}
