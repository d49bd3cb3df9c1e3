import { StoreUnavailableError } from '../contracts/errors.js'
import type { Logger } from '../contracts/logger.js'
import type { MaybePromise } from '../lib/maybe-promise.js'
import { withTimeout } from '../lib/timeout.js'
import type { ChangeFeed } from './change-feed.js'
import { createStartup, type Start } from './startup.js'
import type { StoreHealth } from './store-health.js'

/** What `auth.health()` resolves. */
export interface Health {
  /** Whether requests are answered from fresh knowledge; for a load balancer's health check. */
  readonly ok: boolean
  /**
   * What is wrong, without addresses or secrets. Not empty while `ok` if requests are answered, but the store is slow or
   * rejects writes (full, read-only), or if rate limits are not shared because Redis is unavailable.
   */
  readonly problems: readonly string[]
}

/** What `auth.ready()` takes. */
export interface ReadyOptions {
  /** Whether an unavailable store is retried; true if left out. With false the first failed attempt rejects. */
  readonly retry?: boolean | undefined
}

/** From start-up to `close()`: whether this process can answer, and why not. */
export interface Readiness {
  /** Resolves once the platform has started. Rejects if no retry can help, and with `retry: false` for any failure. */
  ready(options?: ReadyOptions): Promise<void>
  /** Starts the platform. Called once, when all parts have been created. */
  begin(steps: StartAndStop): void
  /** For a request: usually synchronous. Rejects with `StoreUnavailableError` if the answer must be 503. */
  available(): MaybePromise<void>
  /** Resolves within about a second, even if the store does not answer. */
  health(): Promise<Health>
  /** Resolves within seconds even if the store hangs; an e-mail that is being sent may take a minute. */
  close(): Promise<void>
}

interface StartAndStop {
  readonly start: Start
  readonly stop: () => Promise<void>
}

interface ReadinessOptions {
  readonly feed: Pick<ChangeFeed, 'isFresh' | 'poll' | 'close'>
  readonly storeHealth: Pick<StoreHealth, 'isUnresponsive' | 'isUnavailable' | 'problems'>
  /** Problems of other parts while requests are answered; each returns undefined if there is none. */
  readonly otherProblems?: readonly (() => string | undefined)[]
  readonly logger: Logger
}

/** As long as a store call may take, so that a request waits no longer while the platform is starting. */
const START_WAIT_TIMEOUT_MS = 5000
/** Load balancers usually give a health check a few seconds. */
const HEALTH_POLL_TIMEOUT_MS = 1000
/** Bounds memory while many requests wait for the start, or for the store. */
const MAX_WAITING_REQUESTS = 10_000

export function createReadiness(options: ReadinessOptions): Readiness {
  const { feed, storeHealth, logger, otherProblems = [] } = options
  const startup = createStartup(logger)
  let waiting = 0
  let closed: Promise<void> | undefined
  let stop = async (): Promise<void> => undefined

  async function waitForStart(): Promise<void> {
    try {
      const createError = (): Error => new StoreUnavailableError('The platform is not ready yet.')
      await withTimeout(startup.finished, START_WAIT_TIMEOUT_MS, createError)
    } catch (cause) {
      throw new StoreUnavailableError('The platform is not ready.', { cause })
    }
  }

  async function refresh(): Promise<void> {
    if (storeHealth.isUnresponsive())
      throw new StoreUnavailableError('The store has not answered for longer than maxStaleness.')
    const answered = await feed.poll()
    if (!answered && !feed.isFresh())
      throw new StoreUnavailableError('The store has been unavailable for longer than maxStaleness.')
  }

  async function limitWaiting(wait: () => Promise<void>): Promise<void> {
    if (waiting >= MAX_WAITING_REQUESTS)
      throw new StoreUnavailableError(`${MAX_WAITING_REQUESTS} requests are waiting for the store.`)
    waiting += 1
    try {
      await wait()
    } finally {
      waiting -= 1
    }
  }

  async function health(): Promise<Health> {
    if (closed) return { ok: false, problems: ['The platform has been closed.'] }
    const others = otherProblems.map((describe) => describe()).filter((problem) => problem !== undefined)
    if (!startup.isFinished())
      return { ok: false, problems: [`The platform is not ready: ${startup.describeProblem()}`, ...others] }
    const late = new Error('The store did not answer in time.')
    const answered = await withTimeout(feed.poll(), HEALTH_POLL_TIMEOUT_MS, () => late).catch(() => undefined)
    const problems = [...storeHealth.problems(), ...others]
    if (answered) return { ok: true, problems }
    // Without an answer yet, requests are answered while knowledge is fresh.
    const ok = answered === undefined && feed.isFresh() && !storeHealth.isUnavailable()
    if (!storeHealth.isUnavailable())
      problems.unshift(ok ? 'The store is slow: it has not answered within a second.' : 'The store is unavailable.')
    if (!feed.isFresh()) problems.push('What is known is older than maxStaleness: requests get 503.')
    return { ok, problems }
  }

  async function close(): Promise<void> {
    feed.close()
    await startup.abort()
    // Again, because the start-up may have started the feed meanwhile.
    feed.close()
    await stop()
  }

  return {
    begin(steps) {
      stop = steps.stop
      startup.begin(steps.start)
    },
    ready({ retry = true } = {}) {
      if (retry || startup.isFinished()) return startup.finished
      return Promise.race([startup.finished, startup.firstFailure])
    },
    available() {
      if (!startup.isFinished()) return limitWaiting(waitForStart)
      return feed.isFresh() ? undefined : limitWaiting(refresh)
    },
    health,
    close: () => (closed ??= close()),
  }
}
