import { setTimeout as sleep } from 'node:timers/promises'
import type { ChangeFeed } from './change-feed.js'
import { ConfigurationError, StoreUnavailableError } from '../contracts/errors.js'
import type { MaybePromise } from '../lib/maybe-promise.js'
import { withTimeout } from '../lib/timeout.js'
import type { Logger } from '../contracts/logger.js'
import type { StoreHealth } from './store-health.js'
import { describeStoreFault } from './store-fault.js'

/** What `auth.health()` resolves. */
export interface Health {
  /** Whether requests are being answered in full knowledge: what a load balancer goes by. */
  readonly ok: boolean
  /**
   * What is wrong, in words without addresses or secrets. There may be some while `ok`: requests are answered, but the
   * store is slow, refuses to save since it is full or read-only, or limits are not shared because Redis is gone.
   */
  readonly problems: readonly string[]
}

/** What `auth.ready()` takes. */
export interface ReadyOptions {
  /** Whether an unreachable store is tried again; true if left out. With false the first failed attempt rejects. */
  readonly retry?: boolean | undefined
}

/** From start-up to `close()`: whether this process can answer, and why not. */
export interface Readiness {
  /** Resolves once everything is there; rejects for what waiting can't cure, and with `retry: false` for any failure. */
  ready(options?: ReadyOptions): Promise<void>
  /** Begins to start. Called once, when all parts have been created. */
  begin(steps: StartAndStop): void
  /** For a request: at once in the common case; rejects with `StoreUnavailableError` where it must be answered with 503. */
  available(): MaybePromise<void>
  /** Resolves within a second or so, however long the store is silent. */
  health(): Promise<Health>
  /** Resolves within seconds though the store hangs; a email being sent may take a minute. */
  close(): Promise<void>
}

interface StartAndStop {
  /** Everything that must be there before the first answer; tried again until it succeeds, or the signal is aborted. */
  readonly start: (closing: AbortSignal) => Promise<void>
  readonly stop: () => Promise<void>
}

interface ReadinessOptions {
  readonly feed: ChangeFeed
  readonly storeHealth: StoreHealth
  /** What else may be wrong while requests are answered; each says it, or undefined. */
  readonly problemsElsewhere?: readonly (() => string | undefined)[]
  readonly logger: Logger
}

/** Milliseconds that a request waits for the start. */
const PATIENCE = 5000
/** Milliseconds between two attempts to start. */
const PAUSE = 500
/** Requests that may wait at once, for the start or for the store. */
const MOST = 10_000
/** Milliseconds that `health()` waits for the store. */
const LOOK = 1000
/** Milliseconds that `close()` waits for a start under way. */
const LAST = 2000

export function createReadiness(options: ReadinessOptions): Readiness {
  const { feed, storeHealth, logger, problemsElsewhere = [] } = options
  let started = false
  let waiting = 0
  let closed: Promise<void> | undefined
  /** Why the last attempt to start failed. */
  let problem: unknown = 'its store has not been opened yet.'
  /** Rejects when the first attempt to start fails. */
  const firstFailure = createRejection()
  const closing = new AbortController()
  /** Rejects when a start that hangs is not waited for any more. */
  const abandoned = createRejection()
  let stop = async (): Promise<void> => undefined
  let settle: (outcome: Promise<void>) => void
  const starting = new Promise<void>((resolve) => (settle = resolve))
  // Without a call of ready() the log has the error; an unhandled rejection would end the host's process.
  starting.catch(() => undefined)

  async function keepStarting(start: StartAndStop['start']): Promise<void> {
    // A turn for the host, so that what fails at once finds its listeners.
    await sleep(0)
    for (;;) {
      if (closing.signal.aborted) throw new StoreUnavailableError('The platform was closed before it was ready.')
      try {
        await Promise.race([start(closing.signal), abandoned.promise])
        started = true
        return
      } catch (error) {
        const before = messageOf(problem)
        problem = error
        firstFailure.reject(error)
        const message = messageOf(error)
        if (error instanceof ConfigurationError) {
          logger.error(`The platform cannot start. ${message}`)
          throw error
        }
        // Said once, not with every attempt.
        const told = message === before || closing.signal.aborted
        if (!told) logger.error(`The platform could not start yet, and goes on trying: ${message}`)
      }
      await sleep(PAUSE, undefined, { ref: false, signal: closing.signal }).catch(() => undefined)
    }
  }

  async function waitForStart(): Promise<void> {
    try {
      await withTimeout(starting, PATIENCE, () => new StoreUnavailableError('The platform is not ready yet.'))
    } catch (cause) {
      throw new StoreUnavailableError('The platform is not ready.', { cause })
    }
  }

  async function refresh(): Promise<void> {
    if (storeHealth.isSilent())
      throw new StoreUnavailableError('The store has been silent for longer than maxStaleness.')
    const answered = await feed.poll()
    if (!answered && !feed.isFresh())
      throw new StoreUnavailableError('The store has been out of reach for longer than maxStaleness.')
  }

  /** A request that waits; one too many is refused at once. */
  async function inLine(wait: () => Promise<void>): Promise<void> {
    if (waiting >= MOST) throw new StoreUnavailableError(`${MOST} requests are waiting for the store.`)
    waiting += 1
    try {
      await wait()
    } finally {
      waiting -= 1
    }
  }

  async function health(): Promise<Health> {
    if (closed) return { ok: false, problems: ['The platform has been closed.'] }
    const elsewhere = problemsElsewhere.map((say) => say()).filter((said) => said !== undefined)
    if (!started) return { ok: false, problems: [`The platform is not ready: ${whyNotReady(problem)}`, ...elsewhere] }
    const look = new AbortController()
    const enough = sleep(LOOK, undefined, { ref: false, signal: look.signal }).catch(() => undefined)
    const answered = await Promise.race([feed.poll(), enough])
    look.abort()
    const problems = [...storeHealth.problems(), ...elsewhere]
    if (answered) return { ok: true, problems }
    // Nothing has been heard yet: requests are answered for as long as what is known is fresh.
    const ok = answered === undefined && feed.isFresh() && !storeHealth.isOut()
    if (!storeHealth.isOut())
      problems.unshift(ok ? 'The store is slow: it has not answered within a second.' : 'The store is out of reach.')
    if (!feed.isFresh()) problems.push('What is known is older than maxStaleness: requests get 503.')
    return { ok, problems }
  }

  async function close(): Promise<void> {
    closing.abort()
    feed.close()
    const enough = setTimeout(
      () => abandoned.reject(new StoreUnavailableError('The platform was closed meanwhile.')),
      LAST,
    )
    await starting.catch(() => undefined)
    clearTimeout(enough)
    feed.close()
    await stop()
  }

  return {
    begin(steps) {
      stop = steps.stop
      settle(keepStarting(steps.start))
    },
    ready: ({ retry = true } = {}) => (retry || started ? starting : Promise.race([starting, firstFailure.promise])),
    available() {
      if (!started) return inLine(waitForStart)
      return feed.isFresh() ? undefined : inLine(refresh)
    },
    health,
    close: () => (closed ??= close()),
  }
}

/** A promise that does not resolve, and whose rejection nobody needs to handle. */
function createRejection(): { readonly promise: Promise<never>; reject(reason: unknown): void } {
  let reject: (reason: unknown) => void = () => undefined
  const promise = new Promise<never>((_, rejectPromise) => (reject = rejectPromise))
  promise.catch(() => undefined)
  return { promise, reject }
}

/** A message with those of its causes: the innermost one says what happened. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message} ${messageOf(error.cause)}`
}

function whyNotReady(problem: unknown): string {
  if (problem instanceof ConfigurationError) return problem.message
  return problem instanceof Error ? `its store can not be used yet (${describeStoreFault(problem)}).` : String(problem)
}
