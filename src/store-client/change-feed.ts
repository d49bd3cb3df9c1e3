import type { Change, Store } from '../contracts/store.js'

/** Milliseconds that a token request waits for the store, where it could go by what is known. */
const SILENCE = 250
/** Milliseconds before a store that did not answer is asked again, at least: it has enough to do when it comes back. */
const PAUSE = 250

/** Keeps a process up to date with what others commit, and knows how old its knowledge is. */
export interface ChangeFeed {
  /** Begins at the feed's present end; what is read from the store afterwards can't be older than that. */
  start(onChange: ApplyChange): Promise<void>
  /** True while what this process knows is no older than the staleness bound. */
  isFresh(): boolean
  /** Asks the store, once for all who wait; resolves true if it answered. */
  poll(): Promise<boolean>
  /** As `poll`, but begins after this call: what was committed before it is known then. */
  pollAgain(): Promise<boolean>
  /**
   * Resolves true once everything is known that was committed before this call; false when the store can't tell, or has
   * been silent for a while: then what is known must do, for as long as it is fresh.
   */
  waitForLatest(): Promise<boolean>
  close(): void
}

/** Called with every change. Where it rejects, it is called again for the same change. */
export type ApplyChange = (change: Change) => void | Promise<void>

interface ChangeFeedOptions {
  readonly store: Store
  /** Seconds. */
  readonly maxStaleness: number
  /** Whether the store is known not to answer: then `pollAgain` resolves false without asking it. */
  readonly isSilent?: () => boolean
}

/** Timers and age go by the machine's monotonic clock: `now` may stand still in a test, or be set back. */
export function createChangeFeed({ store, maxStaleness, isSilent = () => false }: ChangeFeedOptions): ChangeFeed {
  let cursor: string | undefined
  let knownAt = -Infinity
  let reading: Promise<boolean> | undefined
  let next: { readonly known: Promise<boolean>; readonly inTime: Promise<boolean> } | undefined
  let readAgain = false
  let timer: NodeJS.Timeout | undefined
  let unwatch: (() => void) | undefined
  let closed = false
  let onChange: ApplyChange = () => undefined

  async function read(): Promise<boolean> {
    const asked = performance.now()
    try {
      const page = await store.changesSince(cursor)
      for (const change of page.changes) await onChange(change)
      cursor = page.cursor
      knownAt = asked
      return true
    } catch {
      // The store's access has told the log; what counts here is that this process does not know.
      return false
    }
  }

  function poll(): Promise<boolean> {
    reading ??= read().finally(() => {
      reading = undefined
      if (readAgain && !closed) {
        readAgain = false
        void poll()
      }
    })
    return reading
  }

  /** One reading for all who ask in the same turn, or while another is under way, which may have looked too early for them. */
  function nextReading(): NonNullable<typeof next> {
    if (next) return next
    const known = (reading ?? new Promise<void>((resolve) => setImmediate(resolve))).then(() => {
      next = undefined
      return reading ? reading.then(poll) : poll()
    })
    const inTime = new Promise<boolean>((resolve) => {
      const silence = setTimeout(resolve, SILENCE, false).unref()
      void known.then((answered) => {
        clearTimeout(silence)
        resolve(answered)
      })
    })
    return (next = { known, inTime })
  }

  function wake(): void {
    // A reading under way may have looked before the change that wakes us was there.
    if (reading) readAgain = true
    else if (!closed) void poll()
  }

  function schedule(answered: boolean): void {
    if (closed) return
    const pause = answered ? store.pollInterval : Math.max(store.pollInterval, PAUSE)
    timer = setTimeout(() => void poll().then(schedule), pause)
    timer.unref()
  }

  return {
    async start(applyChange) {
      onChange = applyChange
      const asked = performance.now()
      cursor = (await store.changesSince(undefined)).cursor
      knownAt = asked
      if (closed || timer) return
      unwatch = store.watch?.(wake)
      schedule(true)
    },
    isFresh: () => performance.now() - knownAt <= maxStaleness * 1000,
    poll,
    pollAgain: async () => !isSilent() && nextReading().known,
    waitForLatest: () => nextReading().inTime,
    close() {
      closed = true
      clearTimeout(timer)
      unwatch?.()
      unwatch = undefined
    },
  }
}
