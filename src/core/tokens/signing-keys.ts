import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailableError } from '../../shared/contracts/errors.js'
import type { Logger } from '../../shared/contracts/logger.js'
import type { SigningKeyRecord, Store } from '../../shared/contracts/store.js'
import { createBoundedCache } from '../../shared/lib/bounded-cache.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import { importSigningKey, isAuthentic, type KeyEncryption, type SigningKey } from './signing-key.js'
import { findCurrentKey, isVerifying, selectVerifyingKeys, type ScheduledKey } from './key-schedule.js'
import type { webcrypto } from 'node:crypto'

/** This interval limits unauthenticated requests with invented `kid`s to ten queries of the store a second. */
const UNKNOWN_KID_POLL_INTERVAL_MS = 100
const MAX_UNKNOWN_KIDS = 1000
/** A `kid` is an RFC 7638 thumbprint of 43 characters, so a much longer one is rejected without asking the store. */
const MAX_KID_LENGTH = 64
const MAX_SHOWN_KIDS = 5

export type SigningKeys = ReturnType<typeof createSigningKeys>

export function createSigningKeys(options: {
  readonly store: Pick<Store, 'listSigningKeys'>
  readonly encryption: KeyEncryption
  readonly logger: Pick<Logger, 'error'>
  readonly now: () => number
  /** False if the store does not answer; true once every change committed before the call was handled. */
  readonly readChanges: () => Promise<boolean>
}) {
  const { store, encryption, logger, now, readChanges } = options
  let keys: readonly SigningKey[] = []
  const ignoredKeys = createIgnoredKeys(logger)
  let lastAddedKid: string | undefined
  const unknownKids = createBoundedCache<true>({ entries: MAX_UNKNOWN_KIDS })
  const removalListeners: (() => void)[] = []
  let loadsStarted = 0
  let lastLoad = 0

  /** Reads the keys from the store. Keys that are already imported are not imported again. */
  async function load(): Promise<void> {
    const number = (loadsStarted += 1)
    const records = await store.listSigningKeys()
    const authentic = await selectAuthentic(records)
    const loaded = await Promise.all(selectVerifyingKeys(authentic, now()).map(importOnce))
    // Loads do not wait for each other, because one may be stuck. The one that started last has the newest keys.
    if (number < lastLoad) return
    lastLoad = number
    const kids = new Set(authentic.map(({ kid }) => kid))
    const isAnyRemoved = keys.some(({ kid }) => !kids.has(kid))
    keys = loaded
    unknownKids.clear()
    lastAddedKid = records.at(-1)?.kid
    ignoredKeys.replace(records.filter(({ kid }) => !kids.has(kid)).map(({ kid }) => kid))
    if (isAnyRemoved) for (const listener of removalListeners) listener()
  }

  async function selectAuthentic(records: readonly SigningKeyRecord[]): Promise<readonly SigningKeyRecord[]> {
    const results = await Promise.all(records.map((record) => isAuthentic(record, encryption)))
    return records.filter((_, index) => results[index])
  }

  async function importOnce(record: ScheduledKey): Promise<SigningKey> {
    const key = keys.find(({ kid }) => kid === record.kid) ?? (await importSigningKey(record, encryption))
    return { ...key, verifiesUntil: record.verifiesUntil }
  }

  function findKnown(kid: string): SigningKey | undefined {
    // A loop is used: `find()` would allocate a closure for each request.
    for (const key of keys) if (key.kid === kid) return isVerifying(key, now()) ? key : undefined
    return undefined
  }

  /** Whether `find` found no key with that `kid`, and no keys were loaded since. */
  function isUnknown(kid: string): boolean {
    return kid.length > MAX_KID_LENGTH || unknownKids.get(kid) === true
  }

  const pollChanges = createChangesPoll(readChanges)

  return {
    load,
    /** The records that this platform wrote, as the store has them now: oldest first, those that no longer verify included. */
    readRecords: async () => selectAuthentic(await store.listSigningKeys()),
    list: (): readonly SigningKey[] => keys.filter((key) => isVerifying(key, now())),
    current: () => findCurrentKey(keys.filter(canSign), now()),
    verifies: (kid: string) => findKnown(kid) !== undefined,
    /** The `kid` of the key that was added last, whether it verifies or not, for the compare-and-set of `Store.addSigningKey`. */
    lastAddedKid: () => lastAddedKid,
    isUnknown,
    /** Calls `listener` when a key was removed: no cached token that it signed may be accepted. */
    onRemoved: (listener: () => void) => void removalListeners.push(listener),
    /** A problem for `auth.health()`: the store has keys that are ignored; undefined if it has none. */
    problem: ignoredKeys.describe,
    /** Another process may just have added it: an unknown `kid` has the feed read first, once per interval for all callers. */
    find(kid: string): MaybePromise<SigningKey | undefined> {
      const key = findKnown(kid)
      if (key || isUnknown(kid)) return key
      return pollChanges().then(() => {
        const found = findKnown(kid)
        if (!found) unknownKids.set(kid, true)
        return found
      })
    },
  }
}

/** The keys of the store that the platform did not write. Each is logged once. */
function createIgnoredKeys(logger: Pick<Logger, 'error'>) {
  let ignored: readonly string[] = []

  function describe(kids: readonly string[]): string {
    // The kid is shortened and stripped: an attacker may have chosen its characters.
    const names = kids.slice(0, MAX_SHOWN_KIDS).map((kid) => kid.slice(0, MAX_KID_LENGTH).replace(/[^\w-]/g, '?'))
    const more = kids.length > MAX_SHOWN_KIDS ? `, and ${kids.length - MAX_SHOWN_KIDS} more` : ''
    return `Signing keys in the store are ignored, because they were not written with \`secret\`: ${names.join(', ')}${more}.`
  }

  return {
    replace(kids: readonly string[]): void {
      const isAnyNew = kids.some((kid) => !ignored.includes(kid))
      ignored = kids
      if (isAnyNew) logger.error(`${describe(kids)} Somebody may have changed the database (docs/operations.md).`)
    },
    describe: (): string | undefined => (ignored.length > 0 ? describe(ignored) : undefined),
  }
}

export type CurrentSigningKey = SigningKey & { readonly privateKey: webcrypto.CryptoKey }

export function canSign(key: SigningKey): key is CurrentSigningKey {
  return key.privateKey !== undefined
}

/** A call that comes while the feed is read waits for the next read: this one may have started before the commit. */
function createChangesPoll(readChanges: () => Promise<boolean>): () => Promise<void> {
  let polledAt = -Infinity
  let scheduled: Promise<void> | undefined

  async function poll(): Promise<void> {
    const delay = polledAt + UNKNOWN_KID_POLL_INTERVAL_MS - performance.now()
    await (delay > 0 ? sleep(delay, undefined, { ref: false }) : undefined)
    polledAt = performance.now()
    scheduled = undefined
    if (!(await readChanges()))
      throw new StoreUnavailableError('It could not be read whether there is a signing key with this kid.')
  }

  return () => (scheduled ??= poll())
}
