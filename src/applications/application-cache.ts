import { StoreUnavailableError } from '../contracts/errors.js'
import type { ApplicationRecord, Store } from '../contracts/store.js'
import { createBoundedCache } from '../lib/bounded-cache.js'
import { createConcurrencyLimit } from '../lib/concurrency-limit.js'
import type { MaybePromise } from '../lib/maybe-promise.js'

/** The record, if there is one. */
type Found = ApplicationRecord | undefined

/**
 * Applications in memory. An answer is never older than the last `evict`: a change made by this process evicts before it
 * resolves, a change made by another process when the change feed brings it.
 */
export interface ApplicationCache {
  findById(id: string): MaybePromise<Found>
  findByKeyHash(hash: string): MaybePromise<Found>
  /**
   * Drops the record, and every load under way, because it may have read the record before the change. A process also
   * reads its own changes from the feed, and evicts the record a second time, which costs one look-up. The feed does not
   * say which process made a change, so skipping own changes could skip those of others and serve stale records.
   */
  evict(id: string): void
  evictAll(): void
}

interface ApplicationCacheOptions {
  readonly store: Store
  /** How many applications stay in memory. */
  readonly limit: number
}

/** A pool of ten connections completes this many look-ups within a few milliseconds. */
const MAX_CONCURRENT_LOOKUPS = 50
/** About a megabyte of waiting calls. */
const MAX_WAITING_LOOKUPS = 1000

export function createApplicationCache({ store, limit }: ApplicationCacheOptions): ApplicationCache {
  const records = createBoundedCache<ApplicationRecord>({ entries: limit, bytesOf: estimateBytes })
  /** Key hash -> id. A key never changes its application; the record says whether it is still live. */
  const idsByKeyHash = createBoundedCache<string>({ entries: limit * 2 })
  /** Ids of no application and hashes of no key, so that a repeated guess costs no second look-up. */
  const unknown = createBoundedCache<true>({ entries: limit })
  let loads = new Map<string, Promise<Found>>()
  // Limits concurrent look-ups triggered by unauthenticated requests, so that admin calls and the change feed are not starved.
  const limitConcurrency = createConcurrencyLimit({
    atOnce: MAX_CONCURRENT_LOOKUPS,
    waiting: MAX_WAITING_LOOKUPS,
    onOverflow: () => new StoreUnavailableError(`${MAX_WAITING_LOOKUPS} look-ups are waiting for the store.`),
  })

  /** One look-up for concurrent callers (test/hot-paths.integration.test.ts). Its result is kept unless something was evicted meanwhile. */
  function load(key: string, read: () => Promise<Found>, keep: (found: Found) => void): Promise<Found> {
    const underWay = loads.get(key)
    if (underWay) return underWay
    const loadsAtStart = loads
    const loading = limitConcurrency(read)
      .then((found) => {
        if (loads === loadsAtStart) keep(found)
        return found
      })
      .finally(() => loadsAtStart.delete(key))
    loadsAtStart.set(key, loading)
    return loading
  }

  function keepRecord(record: ApplicationRecord): void {
    records.set(record.id, record)
    for (const { hash } of record.keys) idsByKeyHash.set(hash, record.id)
  }

  function findById(id: string): MaybePromise<Found> {
    const record = records.get(id)
    if (record || unknown.get(id)) return record
    return load(
      `id ${id}`,
      () => store.findApplication(id),
      (found) => (found ? keepRecord(found) : unknown.set(id, true)),
    )
  }

  return {
    findById,
    findByKeyHash(hash) {
      const id = idsByKeyHash.get(hash)
      if (id !== undefined) return findById(id)
      if (unknown.get(hash)) return undefined
      return load(
        `key ${hash}`,
        () => store.findApplicationByKey(hash),
        (found) => (found ? keepRecord(found) : unknown.set(hash, true)),
      )
    },
    evict(id) {
      records.delete(id)
      // The change may have added the application, or a key whose hash was unknown until now.
      unknown.clear()
      loads = new Map()
    },
    evictAll() {
      records.clear()
      idsByKeyHash.clear()
      unknown.clear()
      loads = new Map()
    },
  }
}

/** Roughly what a record takes in memory beyond the usual: long names, scopes and credentials. */
function estimateBytes({ name, apis, keys, secrets }: ApplicationRecord): number {
  let scopes = 0
  for (const access of Object.values(apis)) scopes += access.scopes.length
  return 2 * name.length + 50 * scopes + 300 * (keys.length + secrets.length)
}
