import type { webcrypto } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from 'jose'
import { boundedCache } from '../lib/bounded-cache.js'
import { ConfigurationError, StoreUnavailableError } from '../contracts/errors.js'
import type { Encryption } from '../store-client/encryption.js'
import type { SigningKeyRecord, Store } from '../contracts/store.js'

/** A signing key in memory, imported once. */
export interface SigningKey {
  readonly kid: string
  readonly algorithm: string
  readonly publicKey: webcrypto.CryptoKey
  /** Undefined where this process's secrets don't open it: a process with a newer one has made it. It verifies here, and never signs. */
  readonly privateKey: webcrypto.CryptoKey | undefined
  readonly publicJwk: SigningKeyRecord['publicJwk']
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Milliseconds since 1970. */
  readonly signsFrom: number
  /** Milliseconds since 1970; undefined while no later key has taken over. */
  readonly verifiesUntil: number | undefined
}

/** The signing keys that this process knows. */
export interface SigningKeys {
  /** Has `listener` called when a key was removed from the store: what it signed must not be accepted from memory. */
  onRemoved(listener: () => void): void
  /** Reads them from the store; keys already imported are kept. */
  load(): Promise<void>
  /** Every key that still verifies, in the order in which they sign. */
  list(): readonly SigningKey[]
  /** The one that signs now; undefined if there is none, which only a store without keys explains. */
  current(): (SigningKey & { readonly privateKey: webcrypto.CryptoKey }) | undefined
  /** Whether the key of that `kid` is known, and verifies now. */
  verifies(kid: string): boolean
  /** The `kid` of the key added last, verifying or not, as of the last reading: what `Store.addSigningKey` is told. */
  lastAdded(): string | undefined
  /**
   * The key of that `kid` while it verifies. An unknown one may have been made a moment ago, elsewhere: who brings it waits
   * until the feed of changes has been asked, ten times a second at most. Rejects where the store can't answer.
   */
  find(kid: string): SigningKey | undefined | Promise<SigningKey | undefined>
  /** Whether `find` has found no key of that `kid`, and none has come since. */
  isNobodys(kid: string): boolean
}

interface SigningKeysOptions {
  readonly store: Store
  readonly encryption: Encryption
  readonly now: () => number
  /** Resolves true once every change committed before is known here, those of signing keys by `load()`; false if the store can't tell. */
  readonly readChanges: () => Promise<boolean>
}

/** Milliseconds between two questions about keys that nobody may have made. */
const ASKED_EVERY = 100
/** A thumbprint (RFC 7638) has 43 characters. */
const LONGEST_KID = 64

export function createSigningKeys({ store, encryption, now, readChanges }: SigningKeysOptions): SigningKeys {
  let keys: readonly SigningKey[] = []
  let lastAdded: string | undefined
  let loading: Promise<void> = Promise.resolve()
  let waiting: Promise<void> | undefined
  let askedAt = -Infinity
  let asking: Promise<void> | undefined
  const removalListeners: (() => void)[] = []
  /** Names that no key had when the keys were last read. */
  const nobodys = boundedCache<true>({ entries: 1000 })

  async function read(): Promise<void> {
    const records = await store.listSigningKeys()
    const known = new Map(keys.map((key) => [key.kid, key]))
    const next = await Promise.all(
      verifyingKeys(records, now()).map((record) => open(record, known.get(record.kid), encryption)),
    )
    const removed = keys.some((key) => !records.some((record) => record.kid === key.kid))
    keys = next
    nobodys.clear()
    lastAdded = records.at(-1)?.kid
    if (removed) for (const listener of removalListeners) listener()
  }

  /**
   * Readings run one behind the other: what was asked for last is what is known in the end. All who come during one share
   * the next; where that one fails, so do they, instead of waiting as long again.
   */
  function load(): Promise<void> {
    if (waiting) return waiting
    const mine = loading.then(() => {
      waiting = undefined
      return read()
    })
    waiting = mine
    loading = mine
    mine.catch(() => {
      if (waiting === mine) waiting = undefined
      if (loading === mine) loading = Promise.resolve()
    })
    return mine
  }

  /** Asks once for all who wait. Who comes while it is being read is too late for that, and waits for the next one. */
  async function ask(): Promise<void> {
    const pause = askedAt + ASKED_EVERY - performance.now()
    await (pause > 0 ? sleep(pause, undefined, { ref: false }) : undefined)
    askedAt = performance.now()
    asking = undefined
    if (!(await readChanges()))
      throw new StoreUnavailableError('Whether the signing key is new, the store did not tell.')
  }

  function known(kid: string): SigningKey | undefined {
    for (const key of keys) {
      if (key.kid === kid) return key.verifiesUntil === undefined || now() < key.verifiesUntil ? key : undefined
    }
    return undefined
  }

  function isNobodys(kid: string): boolean {
    return kid.length > LONGEST_KID || nobodys.get(kid) === true
  }

  return {
    onRemoved: (listener) => void removalListeners.push(listener),
    load,
    list: () => keys.filter((key) => key.verifiesUntil === undefined || now() < key.verifiesUntil),
    current: () => findCurrentKey(keys.filter(canSign), now()),
    verifies: (kid) => known(kid) !== undefined,
    lastAdded: () => lastAdded,
    isNobodys,
    find(kid) {
      const key = known(kid)
      if (key || isNobodys(kid)) return key
      asking ??= ask()
      return asking.then(() => {
        const found = known(kid)
        if (!found) nobodys.set(kid, true)
        return found
      })
    },
  }
}

function canSign(key: SigningKey): key is SigningKey & { readonly privateKey: webcrypto.CryptoKey } {
  return key.privateKey !== undefined
}

/** The key that signs at that instant. The first one of a store may lie a little ahead of this machine's clock: better that one than none. */
export function findCurrentKey<Key extends { readonly signsFrom: number }>(
  keys: readonly Key[],
  now: number,
): Key | undefined {
  return keys.findLast((key) => key.signsFrom <= now) ?? keys[0]
}

/** A record with the end that the key after it sets. */
type TimedRecord = SigningKeyRecord & Pick<SigningKey, 'verifiesUntil'>

/** The keys that verify at that instant, in the order in which they sign. Others stay in the store as history. */
export function verifyingKeys(records: readonly SigningKeyRecord[], now: number): TimedRecord[] {
  const inOrder = records.toSorted((a, b) => a.signsFrom - b.signsFrom)
  return inOrder
    .map((record, place) => {
      const successor = inOrder[place + 1]
      return { ...record, verifiesUntil: successor && successor.signsFrom + successor.formerVerifiesFor * 1000 }
    })
    .filter(({ verifiesUntil }) => verifiesUntil === undefined || now < verifiesUntil)
}

async function open(record: TimedRecord, known: SigningKey | undefined, encryption: Encryption): Promise<SigningKey> {
  const { kid, algorithm, createdAt, signsFrom, verifiesUntil } = record
  if (known) return { ...known, verifiesUntil }
  const publicJwk = record.publicJwk as JWK
  const privateJwk = await openPrivateJwk(record, encryption)
  return {
    kid,
    algorithm,
    // importJWK resolves bytes for symmetric keys alone, and there are none here.
    publicKey: (await importJWK(publicJwk, algorithm)) as CryptoKey,
    privateKey: privateJwk && ((await importJWK(privateJwk, algorithm)) as CryptoKey),
    publicJwk,
    createdAt,
    signsFrom,
    verifiesUntil,
  }
}

/** While `secret` is being changed, processes on the old list go on with what they can open. */
async function openPrivateJwk({ sealedPrivateJwk }: TimedRecord, encryption: Encryption): Promise<JWK | undefined> {
  try {
    return JSON.parse(await encryption.open(sealedPrivateJwk)) as JWK
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined
    throw error
  }
}

interface NewSigningKey {
  readonly algorithm: string
  readonly createdAt: number
  readonly signsFrom: number
  readonly formerVerifiesFor: number
}

/** A fresh key pair as a record; its private half leaves this call only sealed. */
export async function makeSigningKey(
  encryption: Encryption,
  { algorithm, ...times }: NewSigningKey,
): Promise<SigningKeyRecord> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const publicPart = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(publicPart)
  // On a command line it would be taken for an option.
  if (kid.startsWith('-')) return makeSigningKey(encryption, { algorithm, ...times })
  return {
    kid,
    algorithm,
    publicJwk: { ...publicPart, kid, alg: algorithm, use: 'sig' },
    sealedPrivateJwk: await encryption.seal(JSON.stringify(await exportJWK(privateKey))),
    ...times,
  }
}
