import type { IncomingMessage } from 'node:http'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import type { MaybePromise } from '../../../shared/lib/maybe-promise.js'

/** The record, if there is one. */
export type Found = ApplicationRecord | undefined

/**
 * Keeps applications in memory. An answer is never older than the last `evict`: a change made by this process evicts before it
 * resolves, a change made by another process when the change feed brings it.
 */
export interface ApplicationCache {
  /**
   * Finds an application. With a request, the look-up counts as that of its address, because anybody can present an unknown id.
   * Without one, the id is verified, and the look-up counts as the application's own.
   */
  findById(id: string, req?: IncomingMessage): MaybePromise<Found>
  /** `key`: the key itself, which may be stored by a hash of another system. `req`: as above. Without, look-ups share one place in the queue. */
  findByKeyHash(hash: string, key: string, req: IncomingMessage | undefined): MaybePromise<Found>
  /** The answer of `findById` from memory; null if the store has to be asked. */
  recallById(id: string): Found | null
  /** Like `findByKeyHash`, but null if the store has to be asked. */
  recallByKeyHash(hash: string): Found | null
  /**
   * Drops the record, and every load under way that may have read it before the change. If it was known, it is loaded again
   * at once: an outage that begins after the change must not turn away a caller that called before. A process also
   * reads its own changes from the feed, and evicts the record a second time, which costs one look-up. The feed does not
   * say which process made a change, so skipping own changes could skip those of others and serve stale records. If the store does
   * not answer what the record has become, the former one is served until it is `maxStaleness` old.
   */
  evict(id: string): void
  /** Like `evict`, for a change that this process has saved. If the store does not answer, the saved record is served. */
  replace(saved: ApplicationRecord): void
  evictAll(): void
  /** Whether the record is a former one, known to have changed. It may accept a credential. A refusal needs the store's answer. */
  isOutdated(record: ApplicationRecord): boolean
}
