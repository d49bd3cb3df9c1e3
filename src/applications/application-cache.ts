import { AsyncResource } from 'node:async_hooks'
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
   * Drops the record, and every load under way that may have read it before the change. If it was known, it is loaded again
   * at once: an outage that begins after the change must not turn away a caller that called before. A process also
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
  const loadsById = new Map<string, Promise<Found>>()
  const loadsByKeyHash = new Map<string, Promise<Found>>()
  /** Ids of changed applications that are to be loaded again. */
  const changedIds = new Set<string>()
  // Limits concurrent look-ups triggered by unauthenticated requests, so that admin calls and the change feed are not starved.
  const limitConcurrency = createConcurrencyLimit({
    atOnce: MAX_CONCURRENT_LOOKUPS,
    waiting: MAX_WAITING_LOOKUPS,
    onOverflow: () => new StoreUnavailableError(`${MAX_WAITING_LOOKUPS} look-ups are waiting for the store.`),
  })

  /** One look-up for concurrent callers (test/hot-paths.integration.test.ts). Its result is kept unless it was dropped from `loads` meanwhile. */
  function load(
    loads: Map<string, Promise<Found>>,
    key: string,
    read: () => Promise<Found>,
    keep: (found: Found) => void,
  ): Promise<Found> {
    const underWay = loads.get(key)
    if (underWay) return underWay
    const loading: Promise<Found> = limitConcurrency(read)
      .then((found) => {
        if (loads.get(key) === loading) keep(found)
        return found
      })
      .finally(() => loads.get(key) === loading && loads.delete(key))
    loads.set(key, loading)
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
      loadsById,
      id,
      () => store.findApplication(id),
      (found) => (found ? keepRecord(found) : unknown.set(id, true)),
    )
  }

  // Bound here, because a request may have made the change: the look-up must not be part of that request's trace.
  const loadChanged = AsyncResource.bind(() => {
    const ids = [...changedIds]
    changedIds.clear()
    // If it fails, the next request tries again.
    for (const id of ids) void Promise.resolve(findById(id)).catch(() => undefined)
  })

  /** After this turn of the event loop: the change feed may bring several changes of an application at once. */
  function loadAgain(id: string): void {
    if (changedIds.size === 0) setImmediate(loadChanged)
    changedIds.add(id)
  }

  return {
    findById,
    findByKeyHash(hash) {
      const id = idsByKeyHash.get(hash)
      if (id !== undefined) return findById(id)
      if (unknown.get(hash)) return undefined
      return load(
        loadsByKeyHash,
        hash,
        () => store.findApplicationByKey(hash),
        (found) => (found ? keepRecord(found) : unknown.set(hash, true)),
      )
    },
    evict(id) {
      if (records.get(id) || loadsById.has(id)) loadAgain(id)
      records.delete(id)
      loadsById.delete(id)
      // The change may have added the application, or a key whose hash was unknown until now.
      unknown.clear()
      loadsByKeyHash.clear()
    },
    evictAll() {
      records.clear()
      idsByKeyHash.clear()
      unknown.clear()
      loadsById.clear()
      loadsByKeyHash.clear()
    },
  }
}

/** Roughly what a record takes in memory beyond the usual: long names, scopes and credentials. */
function estimateBytes({ name, apis, keys, secrets }: ApplicationRecord): number {
  let scopes = 0
  for (const access of Object.values(apis)) scopes += access.scopes.length
  return 2 * name.length + 50 * scopes + 300 * (keys.length + secrets.length)
}
