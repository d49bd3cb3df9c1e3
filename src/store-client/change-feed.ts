import type { Change, RevokedAccessToken, Store } from '../contracts/store.js'
import { withTimeout } from '../lib/timeout.js'
import type { StoreHealth } from './store-health.js'

/** Keeps a process up to date with what other processes commit, and knows how old its knowledge is. */
export interface ChangeFeed {
  /** Starts at the present end of the feed. What is read from the store afterwards cannot be older than that. */
  start(onChange: ApplyChange): Promise<void>
  /** Whether what this process knows is at most `maxStaleness` old. */
  isFresh(): boolean
  /** Reads the feed, or joins a read that is under way. Resolves true if the store answered. */
  poll(): Promise<boolean>
  /** As `poll`, with a read that starts after this call: it brings everything that was committed before the call. */
  pollAgain(): Promise<boolean>
  /**
   * As `pollAgain`, but resolves false after `LATEST_TIMEOUT_MS`. Then the caller uses what is known, as long as that is
   * fresh.
   */
  waitForLatest(): Promise<boolean>
  close(): void
}

/** Called for every change. If it rejects, the same change is delivered again with the next poll. */
export type ApplyChange = (change: Change) => void | Promise<void>

interface ChangeFeedOptions {
  readonly store: Pick<Store, 'changesSince' | 'pollInterval' | 'watch'>
  /** Seconds. */
  readonly maxStaleness: number
  /** While the store is unresponsive, `pollAgain` resolves false without asking it. */
  readonly storeHealth?: Pick<StoreHealth, 'isUnresponsive'>
}

/** How long a slow store may delay a token request, which waits for the latest changes. */
const LATEST_TIMEOUT_MS = 250
/** All processes poll an unavailable store. This bounds the load on a store that is recovering. */
const MIN_RETRY_INTERVAL_MS = 250

/** A read that starts after the calls that wait for it. */
interface NextRead {
  readonly answered: Promise<boolean>
  /** As `answered`, but false after `LATEST_TIMEOUT_MS`. */
  readonly answeredInTime: Promise<boolean>
}

/** Timers and age use the monotonic clock, because the option `now` may stand still in a test or be set back. */
export function createChangeFeed({ store, maxStaleness, storeHealth }: ChangeFeedOptions): ChangeFeed {
  let cursor: string | undefined
  /** When the last answered read was started: everything that was committed before is known. */
  let knownAt = -Infinity
  let currentRead: Promise<boolean> | undefined
  let nextRead: NextRead | undefined
  let pollAfterCurrentRead = false
  let timer: NodeJS.Timeout | undefined
  let unwatch: (() => void) | undefined
  let closed = false
  let applyChange: ApplyChange = () => undefined

  async function read(): Promise<boolean> {
    const startedAt = performance.now()
    try {
      const page = await store.changesSince(cursor)
      for (const change of page.changes) await applyChange(change)
      cursor = page.cursor
      knownAt = startedAt
      return true
    } catch {
      // createBoundedStore() has reported it.
      return false
    }
  }

  function poll(): Promise<boolean> {
    currentRead ??= read().finally(() => {
      currentRead = undefined
      if (pollAfterCurrentRead && !closed) {
        pollAfterCurrentRead = false
        void poll()
      }
    })
    return currentRead
  }

  /** One read for all calls of the same turn of the event loop, or for all calls during a read, which may have started too early for them. */
  function joinNextRead(): NextRead {
    if (nextRead) return nextRead
    const turn = currentRead ?? new Promise<void>((resolve) => setImmediate(resolve))
    const answered = turn.then(() => {
      nextRead = undefined
      return currentRead ? currentRead.then(poll) : poll()
    })
    const answeredInTime = withTimeout(answered, LATEST_TIMEOUT_MS, () => new Error('The change feed is late.'))
    return (nextRead = { answered, answeredInTime: answeredInTime.catch(() => false) })
  }

  function onWake(): void {
    // A read that is under way may have started before the change was committed.
    if (currentRead) pollAfterCurrentRead = true
    else if (!closed) void poll()
  }

  function schedulePoll(answered: boolean): void {
    if (closed) return
    const delay = answered ? store.pollInterval : Math.max(store.pollInterval, MIN_RETRY_INTERVAL_MS)
    timer = setTimeout(() => void poll().then(schedulePoll), delay)
    timer.unref()
  }

  return {
    async start(onChange) {
      applyChange = onChange
      const startedAt = performance.now()
      cursor = (await store.changesSince(undefined)).cursor
      knownAt = startedAt
      if (closed || timer) return
      unwatch = store.watch?.(onWake)
      schedulePoll(true)
    },
    isFresh: () => performance.now() - knownAt <= maxStaleness * 1000,
    poll,
    pollAgain: async () => !storeHealth?.isUnresponsive() && joinNextRead().answered,
    waitForLatest: () => joinNextRead().answeredInTime,
    close() {
      closed = true
      clearTimeout(timer)
      unwatch?.()
      unwatch = undefined
    },
  }
}

/** What this process keeps in memory of the store's contents. */
interface CachedState {
  readonly applicationCache: { evict(id: string): void; evictAll(): void }
  readonly revokedTokens: { add(token: RevokedAccessToken): void; load(): Promise<void> }
  readonly signingKeys: { load(): Promise<void> }
}

/** Applies a change to memory. `everything` means that the store no longer has all changes, so that all of it is read again. */
export function createChangeApplier({ applicationCache, revokedTokens, signingKeys }: CachedState): ApplyChange {
  return async function applyChange(change) {
    if (change.kind === 'application') return applicationCache.evict(change.id)
    if (change.kind === 'accessTokenRevoked') return revokedTokens.add(change)
    if (change.kind === 'signingKeys') return signingKeys.load()
    applicationCache.evictAll()
    await revokedTokens.load()
    await signingKeys.load()
  }
}
