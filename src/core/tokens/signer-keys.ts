import { isDeepStrictEqual } from 'node:util'
import { ConfigurationError, StoreUnavailableError, invalidState } from '../../shared/contracts/errors.js'
import { signWithStoredKey } from './access-token.js'
import {
  CLOCK_SKEW_SECONDS,
  createAuditRecord,
  removeKey,
  resealOldKeys,
  type KeyRotation,
  type KeyRotationOptions,
} from './key-rotation.js'
import { describeSigningKeys, findCurrentKey, isOfSigner, selectVerifyingKeys } from './key-schedule.js'
import { canSign } from './signing-keys.js'
import { createSignerClient } from './signer-client.js'
import { describeRecord, toPublicJwk, type SigningKey } from './signing-key.js'
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { SigningKeyRecord } from '../../shared/contracts/store.js'
import { describeKind } from '../../shared/lib/option-checks.js'
import { SECRET_MEMBERS } from '../../shared/lib/key-set-text.js'
import { isObject, ownMembers } from '../../shared/lib/own-members.js'

const LIST_AGE_MS = 10_000
/** Each step adds or removes one key, or another process was faster. */
const MAX_STEPS = 30

/** The store has the public keys: all processes publish and verify with the same ones, also while the signer is away. */
export function createSignerKeys(
  options: KeyRotationOptions,
  signer: Parameters<typeof createSignerClient>[0],
  logger: Parameters<typeof createSignerClient>[1],
): Required<KeyRotation> {
  const { store, encryption, signingKeys, publishAhead, longestLifetime, now, emit } = options
  const client = createSignerClient(signer, logger)
  let listed: readonly ListedKey[] = []
  /** The list whose keys were added to the store, and the others removed. */
  let followed: readonly ListedKey[] = []
  let mistake: ConfigurationError | undefined
  let reading: Promise<void> | undefined
  let readAt = -Infinity

  async function readList(): Promise<void> {
    readAt = performance.now()
    const list = await client.list((answer) => readSignerKeys(answer, signingKeys.list()))
    mistake = list instanceof ConfigurationError ? list : undefined
    if (list && !(list instanceof ConfigurationError)) listed = list
    await follow()
  }

  /** Rejects if the store does not answer. */
  function refresh(): Promise<void> {
    return (reading ??= readList().finally(() => (reading = undefined)))
  }

  /** Only a list that is new to this process changes the store: of two processes, none undoes what the newer list has done. */
  async function follow(): Promise<void> {
    const isNew = !isDeepStrictEqual(listed, followed)
    if (!isNew && listed.every(({ kid }) => signingKeys.verifies(kid))) return
    const following = listed
    for (let step = 0; step < MAX_STEPS && (await takeStep(following, isNew)); step++);
    await signingKeys.load()
    followed = following
  }

  /** False if there is nothing to change. */
  async function takeStep(keys: readonly ListedKey[], isNew: boolean): Promise<boolean> {
    // Read before those that verify: a key that another process adds meanwhile is not taken for one that no longer verifies.
    const stored = await store.listSigningKeys()
    const isStored = (kid: string): boolean => stored.some((record) => record.kid === kid)
    const verifying = selectVerifyingKeys(await signingKeys.readRecords(), now())
    const missing = keys.find(({ kid }) => !verifying.some((key) => key.kid === kid) && (isNew || isStored(kid)))
    // It has ended, because stored keys have signed in the meantime, or somebody else has written it.
    if (missing && isStored(missing.kid)) await removeKey(options, missing.kid, undefined)
    else if (missing) await add(missing, { isFirst: verifying.length === 0, newest: stored.at(-1)?.kid })
    if (missing) return true
    const unlisted = verifying.find((key) => isNew && isOfSigner(key) && !keys.some(({ kid }) => kid === key.kid))
    if (!unlisted) return false
    if (await removeKey(options, unlisted.kid, undefined)) emit('signingKey.revoked', {})
    return true
  }

  async function add(
    { kid, algorithm, publicJwk }: ListedKey,
    { isFirst, newest }: { readonly isFirst: boolean; readonly newest: string | undefined },
  ): Promise<void> {
    const createdAt = now()
    const key = {
      kid,
      algorithm,
      publicJwk: { ...publicJwk, signer: true },
      createdAt,
      signsFrom: createdAt + (isFirst ? 0 : publishAhead * 1000),
      formerVerifiesFor: longestLifetime + CLOCK_SKEW_SECONDS,
    }
    // Nothing is secret, and everything is authenticated.
    const sealedPrivateJwk = await encryption.seal('{}', describeRecord(key))
    const audit = createAuditRecord('signingKey.rotated', createdAt, undefined, kid)
    if (await store.addSigningKey({ ...key, sealedPrivateJwk }, newest, audit)) emit('signingKey.rotated', {})
  }

  /** The first that is published for long enough; else the stored key, and at last any, because there must be one. */
  function findCurrent(): SigningKey | undefined {
    const keys = signingKeys.list()
    const usable = listed.flatMap(({ kid }) => keys.find((key) => key.kid === kid) ?? [])
    const current = usable.find((key) => key.signsFrom <= now() && key.verifiesUntil === undefined)
    if (current) return current
    const scheduled = findCurrentKey(keys, now())
    return scheduled && (canSign(scheduled) || usable.includes(scheduled)) ? scheduled : usable[0]
  }

  return {
    async list() {
      // One that is being read may have been answered before a change.
      await reading?.catch(() => undefined)
      await refresh()
      return { items: describeSigningKeys(signingKeys.list(), now(), findCurrent()) }
    },
    rotate: refuseCall,
    revoke: refuseCall,
    async ensure() {
      await resealOldKeys(options)
      await signingKeys.load()
      const read = refresh()
      // Guards go on with the keys that are stored. A mistake of the first start ends it.
      if (signingKeys.list().some(({ ofSigner }) => ofSigner)) read.catch(() => undefined)
      else await read.then(() => mistake && Promise.reject(mistake))
    },
    rotateWhenOlderThan: refresh,
    async sign(payload, caller) {
      if (!findCurrent()) await refresh()
      // Without timers (`background: false`) nothing else reads it.
      else if (performance.now() - readAt > LIST_AGE_MS) refresh().catch(() => undefined)
      const key = findCurrent()
      if (!key) throw new StoreUnavailableError('tokens.signer has listed no key.')
      if (canSign(key) && !listed.some(({ kid }) => kid === key.kid)) return signWithStoredKey(key, payload)
      try {
        return await client.sign(key, payload, caller)
      } catch (error) {
        // The key may have been removed. The next request uses the new list.
        refresh().catch(() => undefined)
        throw error
      }
    },
    problems: client.problems,
  }
}

function refuseCall(): Promise<never> {
  const message = 'The signer decides which keys sign: change what list() of tokens.signer resolves, and list the keys.'
  return Promise.reject(invalidState(message))
}

type ListedKey = Pick<SigningKeyRecord, 'kid' | 'algorithm' | 'publicJwk'>

const MAX_KEYS = 10
/** It is read in URLs, on the command line and in logs. */
const KID = /^\w[\w.~-]{0,63}$/
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
function readSignerKeys(list: unknown, known: readonly ListedKey[]): readonly ListedKey[] {
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
