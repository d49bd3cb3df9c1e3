import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import type { SigningKeyRecord } from '../../shared/contracts/store-records.js'
import { describeKind } from '../../shared/lib/describe-value.js'
import { isObject } from '../../shared/lib/is-object.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { toPublicJwk } from './signing-key-record.js'

/** A key of a signer, checked, as it is published. */
export type ListedKey = Pick<SigningKeyRecord, 'kid' | 'algorithm' | 'publicJwk'>

const MAX_KEYS = 10
/** It is read in URLs, on the command line and in logs. */
const KID = /^\w[\w.~-]{0,63}$/
/** RFC 7518 6.2.2, 6.3.2, 6.4. */
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
const RSA = 'RS256 RS384 RS512 PS256 PS384 PS512'.split(' ')
/** The curve of each algorithm, or RSA (RFC 7518 3.1, RFC 8037 3.1). */
const KEYS: Readonly<Record<string, string>> = {
  ES256: 'P-256',
  ES384: 'P-384',
  ES512: 'P-521',
  EdDSA: 'Ed25519',
  ...Object.fromEntries(RSA.map((name) => [name, 'RSA'])),
}

/** Throws `ConfigurationError`, which shows no part of a key, also for the `kid` of another key that is known. */
export function readSignerKeys(list: unknown, known: readonly ListedKey[]): readonly ListedKey[] {
  if (!Array.isArray(list)) throw refuse(`is ${describeKind(list)}`, 'Resolve a list of { kid, algorithm, publicJwk }.')
  if (list.length === 0) throw refuse('is empty', 'List the key that signs.')
  if (list.length > MAX_KEYS)
    throw refuse(
      `has ${list.length} keys`,
      `List at most ${MAX_KEYS}: leave out those whose access tokens have expired.`,
    )
  const keys = (list as readonly unknown[]).map(readKey)
  const repeated = keys.find(({ kid }, at) => keys.findIndex((each) => each.kid === kid) < at)
  if (repeated) throw refuse(`has two keys with the kid ${repeated.kid}`, 'Give each key a kid of its own.')
  const changed = keys.find(({ kid, publicJwk }) =>
    known.some((key) => key.kid === kid && !isDeepStrictEqual({ ...key.publicJwk }, publicJwk)),
  )
  if (!changed) return keys
  throw refuse(`has another key than before with the kid ${changed.kid}`, 'Give the new key a kid of its own.')
}

function readKey(entry: unknown, index: number): ListedKey {
  const at = `has a key that cannot be used: [${index}]`
  if (!isObject(entry)) throw refuse(`${at} is ${describeKind(entry)}`, 'Write { kid, algorithm, publicJwk }.')
  const { kid, algorithm, publicJwk } = ownMembers(entry)
  if (typeof kid !== 'string' || !KID.test(kid))
    throw refuse(
      `${at} has no such kid`,
      'Write 1 to 64 letters, digits, _, -, . and ~, such as the thumbprint of RFC 7638.',
    )
  if (typeof algorithm !== 'string' || !Object.hasOwn(KEYS, algorithm))
    throw refuse(`${at} has an unknown algorithm`, `Choose one of ${Object.keys(KEYS).join(', ')}.`)
  if (!isObject(publicJwk)) throw refuse(`${at} has no publicJwk`, 'Give the public key as a JWK (RFC 7517).')
  const member = SECRET_MEMBERS.find((each) => Object.hasOwn(publicJwk, each))
  if (member !== undefined)
    throw refuse(
      `${at} has a private or symmetric key (member ${member})`,
      'List public keys only. Replace a private key that has left its vault.',
    )
  return { kid, algorithm, publicJwk: toPublicJwk(importKey(publicJwk, algorithm, at), kid, algorithm) }
}

/** The public members alone, in their one encoding: whatever else a vault says of its key is not published. */
function importKey(publicJwk: Record<string, unknown>, algorithm: string, at: string): object {
  let key: KeyObject
  try {
    key = createPublicKey({ key: { ...publicJwk } as JsonWebKey, format: 'jwk' })
  } catch {
    throw refuse(`${at} has no valid publicJwk`, 'Give the public key as a JWK (RFC 7517).')
  }
  const jwk = key.export({ format: 'jwk' })
  const kind = KEYS[algorithm]
  if ((jwk.crv ?? jwk.kty) !== kind)
    throw refuse(`${at} is of another kind than ${algorithm}`, `Give it a key for ${kind}, or name its algorithm.`)
  const { modulusLength: bits = 2048 } = key.asymmetricKeyDetails ?? {}
  if (bits < 2048 || bits > 4096) throw refuse(`${at} has ${bits} bits`, 'Use RSA with 2048 to 4096 bits.')
  return jwk
}

function refuse(problem: string, fix: string): ConfigurationError {
  return new ConfigurationError({ option: 'tokens.signer', problem: `lists what is refused: the list ${problem}`, fix })
}
