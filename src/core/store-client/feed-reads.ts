import { waitForNextTurn } from '../../shared/lib/event-loop.js'
import { withTimeout } from '../../shared/lib/timeout.js'

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
export function createFeedReads(options: {
  /** Reads the feed once. `startedAt` is on the monotonic clock. */
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

/** Like `answered`, but resolves false after that time. */
export function limitTime(answered: Promise<boolean>, milliseconds: number): Promise<boolean> {
  return withTimeout(answered, milliseconds, createLateError, BACKGROUND).catch(() => false)
}

function createLateError(): Error {
  return new Error('The change feed is late.')
}
