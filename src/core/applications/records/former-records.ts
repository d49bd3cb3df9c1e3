import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import { StoreUnavailableError } from '../../../shared/contracts/errors.js'
import { createBoundedCache } from '../../../shared/lib/bounded-cache.js'
import { withTimeout } from '../../../shared/lib/timeout.js'

export type Found = ApplicationRecord | undefined

interface Former {
  readonly record: ApplicationRecord
  readonly until: number
  /** Until then the record is served without asking the store, which has just failed or is being asked. */
  servedUntil: number
}

/** One request in so many milliseconds asks a store that fails whether it answers again. */
const RETRY_INTERVAL_MS = 250

/** Served only where the store does not answer: an outage between a change and the look-up after it turns nobody away. */
export function createFormerRecords(options: {
  readonly entries: number
  readonly bytesOf: (record: ApplicationRecord) => number
  /** The time on the monotonic clock at which what is known now becomes older than `maxStaleness`. */
  readonly freshUntil: () => number
  /** Milliseconds for which a request waits for the changed record. */
  readonly patience: number
}) {
  const { entries, bytesOf, freshUntil, patience } = options
  const formers = createBoundedCache<Former>({ entries, bytesOf: ({ record }) => bytesOf(record) })
  const outdated = new WeakSet<ApplicationRecord>()
  let lastUntil = -Infinity

  function find(key: string): Former | undefined {
    if (formers.size === 0) return undefined
    if (performance.now() >= lastUntil) formers.clear()
    const former = formers.get(key)
    return former && performance.now() < former.until ? former : undefined
  }

  function remove(key: string): void {
    const former = formers.size > 0 ? formers.get(key) : undefined
    if (former) for (const each of listKeys(former.record)) formers.delete(each)
  }

  function keep(record: ApplicationRecord): Former {
    remove(record.id)
    const until = freshUntil()
    lastUntil = Math.max(lastUntil, until)
    // A copy: a store may return the same object again, which then is the answer.
    const former: Former = { record: { ...record }, until, servedUntil: -Infinity }
    for (const key of listKeys(record)) formers.set(key, former)
    return former
  }

  return {
    has: (key: string): boolean => find(key) !== undefined,
    /** Keeps a record as this process has just saved it. */
    keep,
    keepOutdated(record: ApplicationRecord): void {
      outdated.add(keep(record).record)
    },
    /** The application has changed once more: the store is asked again. */
    outdate(id: string): void {
      const former = find(id)
      if (!former) return
      former.servedUntil = -Infinity
      outdated.add(former.record)
    },
    remove,
    /** Whether a record is known to have changed: it proves no credential wrong. */
    isOutdated: (record: ApplicationRecord): boolean => outdated.has(record),
    /** The former record, if the store need not be asked; otherwise null. */
    recall(key: string): ApplicationRecord | null {
      const former = find(key)
      return former && performance.now() < former.servedUntil ? former.record : null
    },
    /** The answer of a look-up. If it fails or takes long, the former record, if there is one. */
    async serveUnlessAnswered(key: string, loading: Promise<Found>): Promise<Found> {
      const former = find(key)
      if (!former) return loading
      try {
        return await withTimeout(loading, patience, () => new LateError(), { background: true })
      } catch (problem) {
        if (!(problem instanceof StoreUnavailableError) || performance.now() >= former.until) return loading
        const retryLater = (): void => void (former.servedUntil = performance.now() + RETRY_INTERVAL_MS)
        if (!(problem instanceof LateError)) retryLater()
        else if (former.servedUntil < Infinity) {
          // Until this look-up has ended, no request waits for it again.
          former.servedUntil = Infinity
          loading.then(retryLater, retryLater)
        }
        return former.record
      }
    },
  }
}

function listKeys({ id, keys }: ApplicationRecord): string[] {
  return [id, ...keys.map(({ hash }) => hash)]
}

class LateError extends StoreUnavailableError {
  constructor() {
    super('The store is slow.')
  }
}
