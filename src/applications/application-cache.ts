import type { IncomingMessage } from 'node:http'
import type { ApplicationRecord, Store } from '../contracts/store.js'
import { createBoundedCache } from '../lib/bounded-cache.js'
import type { ConcurrencyLimit } from '../lib/concurrency-limit.js'
import type { MaybePromise } from '../lib/maybe-promise.js'

/** The record, if there is one. */
type Found = ApplicationRecord | undefined

/**
 * Applications in memory. An answer is never older than the last `evict`: a change made by this process evicts before it
 * resolves, a change made by another process when the change feed brings it.
 */
export interface ApplicationCache {
  /** The id is a verified one, so that a look-up counts as the application's own. */
  findById(id: string): MaybePromise<Found>
  /** Anybody can present an unknown key, so that a look-up counts as that of the address which sent `req`. */
  findByKeyHash(hash: string, req: IncomingMessage | undefined): MaybePromise<Found>
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
  /** Gives each caller a fair share of the look-ups. */
  readonly limitLookups: ConcurrencyLimit
  /** The address that a request is counted against. */
  readonly readAddress: (req: IncomingMessage) => string
}

export function createApplicationCache(options: ApplicationCacheOptions): ApplicationCache {
  const { store, limit, limitLookups, readAddress } = options
  const records = createBoundedCache<ApplicationRecord>({ entries: limit, bytesOf: estimateBytes })
  /** Key hash -> id. A key never changes its application; the record says whether it is still live. */
  const idsByKeyHash = createBoundedCache<string>({ entries: limit * 2 })
  /** Hashes that belong to no key, so that a repeated guess costs no second look-up. */
  const unknownHashes = createBoundedCache<true>({ entries: limit })
  let loads = new Map<string, Promise<Found>>()

  /** One look-up for concurrent callers (test/hot-paths.integration.test.ts). Its result is kept unless something was evicted meanwhile. */
  function load(key: string, caller: string, read: () => Promise<Found>, keep: (found: Found) => void): Promise<Found> {
    const underWay = loads.get(key)
    if (underWay) return underWay
    const loadsAtStart = loads
    const loading = limitLookups(caller, read)
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
    return (
      records.get(id) ??
      load(
        `id ${id}`,
        id,
        () => store.findApplication(id),
        (found) => found && keepRecord(found),
      )
    )
  }

  return {
    findById,
    findByKeyHash(hash, req) {
      const id = idsByKeyHash.get(hash)
      if (id !== undefined) return findById(id)
      if (unknownHashes.get(hash)) return undefined
      return load(
        `key ${hash}`,
        req ? readAddress(req) : 'no request',
        () => store.findApplicationByKey(hash),
        (found) => (found ? keepRecord(found) : unknownHashes.set(hash, true)),
      )
    },
    evict(id) {
      records.delete(id)
      // The change may have given the application a key whose hash was unknown until now.
      unknownHashes.clear()
      loads = new Map()
    },
    evictAll() {
      records.clear()
      idsByKeyHash.clear()
      unknownHashes.clear()
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
