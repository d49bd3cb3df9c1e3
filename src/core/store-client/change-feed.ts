import type { Change, RevokedAccessToken } from '../../shared/contracts/store.js'
import type { CredentialSource } from '../../shared/contracts/credential-source.js'
import type { ClockCheck } from './clock-check.js'
import type { StoreHealth } from './store-health.js'
import { CALL_TIMEOUT_MS, withTimeout } from '../../shared/lib/timeout.js'
import { waitForNextTurn } from '../../shared/lib/event-loop.js'

/** Handles one change. If it rejects, the change comes again with the next poll. It may come more than once. */
type ApplyChange = (change: Change) => void | Promise<void>

/** The time that a slow store may delay a token request, which waits for the latest changes. */
const LATEST_TIMEOUT_MS = 250
/** All processes poll an unavailable store. This bounds the load on a store that is recovering. */
const RETRY_INTERVAL_MS = 250
/** Parts of `maxStaleness`, so that after a late read another one can be answered in time. */
const READ_TIMEOUT_SHARE = 0.6
const MAX_POLL_INTERVAL_SHARE = 0.25

/** Keeps a process up to date with what other processes commit, and knows how old its knowledge is. */
export type ChangeFeed = ReturnType<typeof createChangeFeed>

/** Timers and age use the monotonic clock, because the option `now` may stand still in a test or be set back. */
export function createChangeFeed(options: {
  readonly store: Pick<CredentialSource, 'changesSince' | 'clock' | 'pollInterval' | 'watch'>
  /** Seconds. */
  readonly maxStaleness: number
  /** While the store is unresponsive, `pollAgain` and `waitForLatest` resolve false without asking it. */
  readonly storeHealth?: Pick<StoreHealth, 'isUnresponsive'>
  /** Receives the store's time, if the store tells it. */
  readonly clockCheck?: Pick<ClockCheck, 'compare'>
  readonly now?: () => number
}) {
  const { store, maxStaleness, storeHealth, clockCheck, now = Date.now } = options
  const maxAge = maxStaleness * 1000
  const readTimeout = Math.min(maxAge * READ_TIMEOUT_SHARE, CALL_TIMEOUT_MS)
  let cursor: string | undefined
  /** The start of the last answered read: everything that was committed before is known. */
  let knownAt = -Infinity
  let isFailing = false
  let isLate = false
  /** The next read that token requests wait for. */
  let latest: { readonly answered: Promise<boolean>; readonly answeredSoon: Promise<boolean> } | undefined
  let timer: NodeJS.Timeout | undefined
  let unwatch: (() => void) | undefined
  let closed = false
  let applyChange: ApplyChange = () => undefined

  async function read(startedAt: number): Promise<void> {
    const before = now()
    const page = await store.changesSince(cursor)
    const { time } = store.clock ?? {}
    if (time !== undefined) clockCheck?.compare(time, before, now())
    // A read that was overtaken brings nothing new.
    if (startedAt < knownAt) return
    for (const change of page.changes) await applyChange(change)
    if (startedAt < knownAt) return
    cursor = page.cursor
    knownAt = startedAt
    isFailing = isLate = false
  }

  /** createBoundedStore() has reported it. */
  function onFailure(startedAt: number, tookTooLong: boolean): void {
    if (startedAt < knownAt) return
    isFailing = true
    isLate = tookTooLong
  }

  const reads = createFeedReads({ read, onFailure, timeout: readTimeout, isClosed: () => closed })

  /** One timer for all calls that wait for the same read. */
  function waitForLatest(): Promise<boolean> {
    const answered = reads.next()
    if (latest?.answered !== answered) latest = { answered, answeredSoon: limitTime(answered, LATEST_TIMEOUT_MS) }
    return latest.answeredSoon
  }

  function onWake(): void {
    // A read that is under way may have started before the change was committed.
    if (!closed) void reads.next()
  }

  /** Reads without waiting for the answer: a stuck read must not delay the next one. */
  function schedulePoll(): void {
    if (closed) return
    const delay = isFailing ? RETRY_INTERVAL_MS : Math.min(store.pollInterval, maxAge * MAX_POLL_INTERVAL_SHARE)
    timer = setTimeout(() => {
      void reads.join()
      schedulePoll()
    }, delay)
    timer.unref()
  }

  return {
    /** Starts at the present end of the feed. What is read from the store afterwards cannot be older than that. */
    async start(onChange: ApplyChange): Promise<void> {
      applyChange = onChange
      const startedAt = performance.now()
      cursor = (await store.changesSince(undefined)).cursor
      knownAt = startedAt
      if (closed || timer) return
      unwatch = store.watch?.(onWake)
      schedulePoll()
    },
    /** Whether what this process knows is at most `maxStaleness` old. */
    isFresh: (): boolean => performance.now() - knownAt <= maxAge,
    /** The time on the monotonic clock until which it is, if no read is answered. While a change is applied, that of the read before. */
    freshUntil: (): number => knownAt + maxAge,
    /** Whether the last read got no answer in time. A request then need not wait for another: they are repeated in the background. */
    isLate: (): boolean => isLate,
    /** Reads the feed, or joins a read that is under way. Resolves true if the store answered in time. */
    poll: reads.join,
    /** Reads like `poll`, but starts after this call, so that it brings everything that was committed before the call. */
    pollAgain: async (): Promise<boolean> => !storeHealth?.isUnresponsive() && limitTime(reads.next(), readTimeout),
    /** Like `pollAgain`, but resolves false soon if the store is slow: token requests need not wait for it if what is known is fresh. */
    waitForLatest: async (): Promise<boolean> => !storeHealth?.isUnresponsive() && waitForLatest(),
    close(): void {
      closed = true
      clearTimeout(timer)
      unwatch?.()
      unwatch = undefined
    },
  }
}

/** Applies a change to memory. `everything` means that the store no longer has all changes, so that all of it is read again. */
export function createChangeApplier(options: {
  readonly applicationCache: { evict(id: string): void; evictAll(): void }
  readonly revokedTokens: { add(token: RevokedAccessToken): void; load(): Promise<void> }
  readonly signingKeys: { load(): Promise<void> }
  readonly sessionSecret: { load(): Promise<void> }
  readonly processes: { noteChange(): void }
}): ApplyChange {
  const { applicationCache, revokedTokens, signingKeys, sessionSecret, processes } = options
  return async function applyChange(change) {
    if (change.kind === 'application') return applicationCache.evict(change.id)
    if (change.kind === 'accessTokenRevoked') return revokedTokens.add(change)
    if (change.kind === 'signingKeys') return signingKeys.load()
    if (change.kind === 'sessionSecret') return sessionSecret.load()
    if (change.kind === 'processes') return processes.noteChange()
    processes.noteChange()
    applicationCache.evictAll()
    await revokedTokens.load()
    await signingKeys.load()
    await sessionSecret.load()
  }
}

/** Requests that wait for the next change: other processes ask this one what has changed. */
export type ChangeWaits = ReturnType<typeof createChangeWaits>

export function createChangeWaits() {
  const waiting = new Set<() => void>()
  return {
    /** Ends all waits, if the change is one that guards judge by. */
    note({ kind }: Change): void {
      if (kind !== 'processes' && kind !== 'sessionSecret') for (const end of waiting) end()
    },
    /** Resolves with the next change, after that time, or when the signal is aborted. */
    next: (milliseconds: number, signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(end, milliseconds)
        timer.unref()
        function end(): void {
          clearTimeout(timer)
          waiting.delete(end)
          signal.removeEventListener('abort', end)
          resolve()
        }
        waiting.add(end)
        signal.addEventListener('abort', end)
        if (signal.aborted) end()
      }),
  }
}

/** This limit is much longer than an answer usually takes. */
const OVERTAKE_AFTER_MS = 250
/** This limit bounds how many connections of a small pool stuck reads can hold. */
const MAX_CONCURRENT_READS = 3
/** A read keeps no timer alive: the feed is also read when no call waits for it. A call that waits has its own timer. */
const BACKGROUND = { background: true }

interface Read {
  readonly answered: Promise<boolean>
  readonly ended: Promise<unknown>
  /** Resolves when the read has ended, or is stuck. */
  readonly endedOrStuck: Promise<unknown>
  /** Whether it has taken so long that another may overtake it. */
  isStuck: boolean
}

/** The reads of the change feed that are under way. A read that takes long can be overtaken, because it may be the only one that is not answered: its connection may be dead while the others of the pool answer. */
function createFeedReads(options: {
  readonly read: (startedAt: number) => Promise<void>
  /** Called when a read fails or is late; a late one may still be answered, or fail as well. */
  readonly onFailure: (startedAt: number, isLate: boolean) => void
  /** Milliseconds after which a read is late. */
  readonly timeout: number
  readonly isClosed: () => boolean
}) {
  const { read, onFailure, timeout, isClosed } = options
  const reads: Read[] = []
  let nextRead: Promise<boolean> | undefined

  function start(): Promise<boolean> {
    const startedAt = performance.now()
    // The clock alone does not decide: a timer may end a fraction of a millisecond early.
    let isLate = false
    const fail = (): boolean => {
      onFailure(startedAt, isLate)
      return false
    }
    const ended = read(startedAt)
      .then(() => true, fail)
      .finally(() => reads.splice(reads.indexOf(started), 1))
    const started: Read = {
      answered: withTimeout(ended, timeout, createLateError, BACKGROUND).catch(() => {
        isLate = true
        return fail()
      }),
      ended,
      endedOrStuck: withTimeout(ended, OVERTAKE_AFTER_MS, createLateError, BACKGROUND).catch(() => {
        started.isStuck = true
      }),
      isStuck: false,
    }
    reads.push(started)
    return started.answered
  }

  function mayStart(): boolean {
    return reads.length < MAX_CONCURRENT_READS && reads.at(-1)?.isStuck !== false
  }

  async function startNext(): Promise<boolean> {
    // All calls of the same turn of the event loop share one read. The turn is always awaited, because `nextRead` must be set
    // before it is cleared below.
    await waitForNextTurn()
    while (!mayStart()) {
      const newest = reads.at(-1)!
      await (newest.isStuck ? Promise.race(reads.map(({ ended }) => ended)) : newest.endedOrStuck)
    }
    nextRead = undefined
    return !isClosed() && start()
  }

  return {
    /** Starts a read, or joins one that has just started. Resolves false if it fails or is late. */
    join: (): Promise<boolean> => (mayStart() ? start() : reads.at(-1)!.answered),
    /** Waits for a read that starts after this call. It is shared by all calls that come before it starts. */
    next: (): Promise<boolean> => (nextRead ??= startNext()),
  }
}

function limitTime(answered: Promise<boolean>, milliseconds: number): Promise<boolean> {
  return withTimeout(answered, milliseconds, createLateError, BACKGROUND).catch(() => false)
}

function createLateError(): Error {
  return new Error('The change feed is late.')
}
