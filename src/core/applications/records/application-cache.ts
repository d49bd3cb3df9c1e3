import { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import type { CredentialSource } from '../../../shared/contracts/credential-source.js'
import { createBoundedCache } from '../../../shared/lib/bounded-cache.js'
import type { ConcurrencyLimit } from '../../../shared/lib/concurrency-limit.js'
import type { MaybePromise } from '../../../shared/lib/maybe-promise.js'
import { estimateJsonBytes } from '../../../shared/lib/plain-json.js'
import { createFormerRecords, type Found } from './former-records.js'

/** A change of an application is known within a second, and a request waits no longer than that to learn its result. */
const MAX_PATIENCE_MS = 1000
/** A part of `maxStaleness`, because what is in memory is served no longer than that. */
const PATIENCE_SHARE = 0.2

/** Never older than the last `evict`: a change made here evicts before it resolves, another one when the feed brings it. */
export type ApplicationCache = ReturnType<typeof createApplicationCache>

export function createApplicationCache(options: {
  readonly source: Pick<CredentialSource, 'findApplication' | 'findApplicationByKey' | 'hasOtherHashes'>
  readonly limit: number
  /** Gives each application a fair share of the look-ups. */
  readonly limitLookups: ConcurrencyLimit
  /** Gives each address a fair share of those that anybody can cause. */
  readonly limitLookupsOfStrangers: ConcurrencyLimit
  readonly readAddress: (req: IncomingMessage) => string
  /** The time on the monotonic clock at which what is known now becomes older than `maxStaleness`. */
  readonly freshUntil: () => number
  /** Seconds. */
  readonly maxStaleness: number
}) {
  const { source, limit, limitLookups, limitLookupsOfStrangers, readAddress, freshUntil, maxStaleness } = options
  const formers = createFormerRecords({
    entries: limit * 3,
    bytesOf: estimateBytes,
    freshUntil,
    patience: Math.min(MAX_PATIENCE_MS, maxStaleness * 1000 * PATIENCE_SHARE),
  })
  const records = createBoundedCache<ApplicationRecord>({ entries: limit, bytesOf: estimateBytes })
  /** Key hash -> id. A key never changes its application; the record says whether it is still live. */
  const idsByKeyHash = createBoundedCache<string>({ entries: limit * 2 })
  /** Ids of no application and hashes of no key, so that a repeated guess costs no second look-up. */
  const unknown = createBoundedCache<true>({ entries: limit })
  const loadsById = new Map<string, Promise<Found>>()
  const loadsByKeyHash = new Map<string, Promise<Found>>()

  /** One look-up for concurrent callers (test/hot-paths.integration.test.ts). Its result is kept unless it was dropped from `loads` meanwhile. */
  function load(loads: Map<string, Promise<Found>>, key: string, read: () => Promise<Found>): Promise<Found> {
    const underWay = loads.get(key)
    if (underWay) return formers.serveUnlessAnswered(key, underWay)
    const loading: Promise<Found> = read()
      .then((found) => {
        if (loads.get(key) === loading) keep(key, found)
        return found
      })
      .finally(() => loads.get(key) === loading && loads.delete(key))
    loads.set(key, loading)
    return formers.serveUnlessAnswered(key, loading)
  }

  function keep(key: string, record: Found): void {
    formers.remove(record ? record.id : key)
    if (!record) return unknown.set(key, true)
    records.set(record.id, record)
    for (const { hash } of record.keys) idsByKeyHash.set(hash, record.id)
  }

  function recallById(id: string): Found | null {
    return records.get(id) ?? (unknown.get(id) ? undefined : formers.recall(id))
  }

  function recallByKeyHash(hash: string): Found | null {
    const id = idsByKeyHash.get(hash)
    if (id === undefined) return unknown.get(hash) ? undefined : formers.recall(hash)
    const known = recallById(id)
    return source.hasOtherHashes && !hasKey(known, hash) && !unknown.get(hash) ? null : known
  }

  /** With a request, the look-up counts as that of its address: anybody can present an id. Without one, it is verified. */
  function findById(id: string, req?: IncomingMessage): MaybePromise<Found> {
    const known = recallById(id)
    return known === null ? loadById(id, req) : known
  }

  function loadById(id: string, req?: IncomingMessage): Promise<Found> {
    const read = (): Promise<Found> => source.findApplication(id)
    return load(loadsById, id, () => (req ? limitLookupsOfStrangers(readAddress(req), read) : limitLookups(id, read)))
  }

  function loadByKey(hash: string, key: string, req: IncomingMessage | undefined): Promise<Found> {
    const read = (): Promise<Found> => source.findApplicationByKey(hash, key)
    return load(loadsByKeyHash, hash, () => limitLookupsOfStrangers(req ? readAddress(req) : 'no request', read))
  }

  /** A record that was read by its id may have the key by another hash. */
  async function findByOtherHash(id: string, hash: string, key: string, req?: IncomingMessage): Promise<Found> {
    const found = await findById(id)
    return hasKey(found, hash) || unknown.get(hash) ? found : loadByKey(hash, key, req)
  }

  const loadAgain = createReloads((id) => {
    // If it fails, the next request tries again.
    if (!records.get(id)) loadById(id).catch(() => undefined)
  })

  function drop(id: string): boolean {
    const known = records.get(id)
    if (known) formers.keepOutdated(known)
    else formers.outdate(id)
    const wasKnown = formers.has(id) || loadsById.has(id)
    if (wasKnown) loadAgain(id)
    records.delete(id)
    loadsById.delete(id)
    // The change may have added the application, or a key whose hash was unknown until now.
    unknown.clear()
    loadsByKeyHash.clear()
    return wasKnown
  }

  return {
    findById,
    recallById,
    recallByKeyHash,
    /** `key`: the key itself, which may be stored by a hash of another system. `req`: as above. Without, look-ups share one place in the queue. */
    findByKeyHash(hash: string, key: string, req: IncomingMessage | undefined): MaybePromise<Found> {
      const known = recallByKeyHash(hash)
      if (known !== null) return known
      const id = idsByKeyHash.get(hash)
      if (id === undefined) return loadByKey(hash, key, req)
      return source.hasOtherHashes ? findByOtherHash(id, hash, key, req) : findById(id)
    },
    /** Whether the record is a former one, known to have changed. It may accept a credential. A refusal needs the store's answer. */
    isOutdated: formers.isOutdated,
    /** Drops the record and loads it again at once: an outage after the change must not turn away a caller that called before. */
    evict: (id: string): void => void drop(id),
    /** Like `evict`, for a change that this process has saved. If the store does not answer, the saved record is served. */
    replace(saved: ApplicationRecord): void {
      if (drop(saved.id)) formers.keep(saved)
    },
    evictAll(): void {
      records.sweep((record) => {
        formers.keepOutdated(record)
        return true
      })
      idsByKeyHash.clear()
      unknown.clear()
      loadsById.clear()
      loadsByKeyHash.clear()
    },
  }
}

/** Loads changed applications again after this turn of the event loop: the change feed may bring several changes of one at once. */
function createReloads(load: (id: string) => void): (id: string) => void {
  const changedIds = new Set<string>()
  // The function is bound here, because a request may have made the change: the look-up must not be part of that request's
  // trace.
  const loadChanged = AsyncResource.bind(() => {
    const ids = [...changedIds]
    changedIds.clear()
    for (const id of ids) load(id)
  })

  return function loadAgain(id) {
    if (changedIds.size === 0) setImmediate(loadChanged)
    changedIds.add(id)
  }
}

function hasKey(record: Found | null, hash: string): boolean {
  if (record) for (const key of record.keys) if (key.hash === hash) return true
  return false
}

/** Estimates the memory of a record beyond the usual: long names, scopes, credentials and metadata. */
function estimateBytes({ name, apis, keys, secrets, metadata }: ApplicationRecord): number {
  let scopes = 0
  for (const access of Object.values(apis)) scopes += access.scopes.length
  for (const restriction of [...keys, ...secrets].map((credential) => credential.apis ?? {}))
    for (const access of Object.values(restriction)) scopes += 1 + access.scopes.length
  const operatorData = metadata === undefined ? 0 : estimateJsonBytes(metadata)
  return 2 * name.length + 50 * scopes + 300 * (keys.length + secrets.length) + operatorData
}
