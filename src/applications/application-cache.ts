import { StoreUnavailableError } from '../contracts/errors.js'
import { boundedCache } from '../lib/bounded-cache.js'
import type { MaybePromise } from '../lib/maybe-promise.js'
import { createConcurrencyLimit } from '../lib/concurrency-limit.js'
import type { ApplicationRecord, Store } from '../contracts/store.js'

/** The record, if there is one. */
export type Found = ApplicationRecord | undefined

/**
 * Who an application is, from memory in the common case. What it answers is no older than the last `forget`: a change
 * made here forgets before it resolves, a change made elsewhere when the feed brings it.
 */
export interface ApplicationCache {
  byId(id: string): MaybePromise<Found>
  byKeyHash(hash: string): MaybePromise<Found>
  forget(id: string): void
  forgetAll(): void
}

interface DirectoryOptions {
  readonly store: Store
  /** How many applications stay in memory. */
  readonly limit: number
}

export function createApplicationCache({ store, limit }: DirectoryOptions): ApplicationCache {
  const records = boundedCache<ApplicationRecord>({ entries: limit, bytesOf: bytesOfRecord })
  /** Key hash -> id. A key never moves to another application; whether it is still good, the record says. */
  const owners = boundedCache<string>({ entries: limit * 2 })
  /** Hashes that are nobody's key, so that a guess repeated costs no second look-up. */
  const nobodys = boundedCache<true>({ entries: limit })
  let loads = new Map<string, Promise<Found>>()
  const limitConcurrency = createConcurrencyLimit(LOOKUPS)

  /** Reads once for all who ask at the same time, and keeps the answer unless something was forgotten meanwhile. */
  function load(slot: string, read: () => Promise<Found>, keep: (found: Found) => void): Promise<Found> {
    const underWay = loads.get(slot)
    if (underWay) return underWay
    const mine = loads
    const loading = limitConcurrency(read)
      .then((found) => {
        if (loads === mine) keep(found)
        return found
      })
      .finally(() => mine.delete(slot))
    mine.set(slot, loading)
    return loading
  }

  function remember(record: ApplicationRecord): void {
    records.set(record.id, record)
    for (const { hash } of record.keys) owners.set(hash, record.id)
  }

  function byId(id: string): MaybePromise<Found> {
    return (
      records.get(id) ??
      load(
        `id ${id}`,
        () => store.findApplication(id),
        (found) => found && remember(found),
      )
    )
  }

  return {
    byId,
    byKeyHash(hash) {
      const owner = owners.get(hash)
      if (owner !== undefined) return byId(owner)
      if (nobodys.get(hash)) return undefined
      return load(
        `key ${hash}`,
        () => store.findApplicationByKey(hash),
        (found) => (found ? remember(found) : nobodys.set(hash, true)),
      )
    },
    forget(id) {
      records.delete(id)
      // The application may just have got a key that was nobody's.
      nobodys.clear()
      loads = new Map()
    },
    forgetAll() {
      records.clear()
      owners.clear()
      nobodys.clear()
      loads = new Map()
    },
  }
}

/** A pool of ten connections has so many behind it in some milliseconds; those who wait for them cost a megabyte. */
const LOOKUPS = {
  atOnce: 50,
  waiting: 1000,
  onOverflow: () => new StoreUnavailableError('1000 look-ups are waiting for the store.'),
}

/** Roughly what a record takes in memory: scopes and credentials make the difference. */
function bytesOfRecord({ name, apis, keys, secrets }: ApplicationRecord): number {
  let scopes = 0
  for (const access of Object.values(apis)) scopes += access.scopes.length
  return 2 * name.length + 50 * scopes + 300 * (keys.length + secrets.length)
}
