import type { webcrypto } from 'node:crypto'
import type { SigningKeyRecord } from '../../shared/contracts/store-records.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import type { SigningKey } from './key-pairs.js'

/** The signing keys in this process's memory. */
export interface SigningKeys {
  /** Reads the keys from the store. Keys that are already imported are not imported again. */
  load(): Promise<void>
  /** The records that this platform wrote, as the store has them now: oldest first, those that no longer verify included. */
  readRecords(): Promise<readonly SigningKeyRecord[]>
  /** The keys that verify now, in the order in which they sign. */
  list(): readonly SigningKey[]
  /** The key that signs now; undefined only while the store has none. */
  current(): CurrentSigningKey | undefined
  /** Whether the key with that `kid` is known and verifies now. */
  verifies(kid: string): boolean
  /** The `kid` of the key that was added last, whether it verifies or not, for the compare-and-set of `Store.addSigningKey`. */
  lastAddedKid(): string | undefined
  /**
   * The key with that `kid`, if it verifies now. Another process may just have added it, so for an unknown `kid` the change
   * feed is read first, once per `UNKNOWN_KID_POLL_INTERVAL_MS` for all callers. Rejects if the store does not answer.
   */
  find(kid: string): MaybePromise<SigningKey | undefined>
  /** Whether `find` found no key with that `kid`, and no keys were loaded since. */
  isUnknown(kid: string): boolean
  /** Calls `listener` when a key was removed: no cached token that it signed may be accepted. */
  onRemoved(listener: () => void): void
  /** A problem for `auth.health()`: the store has keys that are ignored; undefined if it has none. */
  problem(): string | undefined
}

export type CurrentSigningKey = SigningKey & { readonly privateKey: webcrypto.CryptoKey }
