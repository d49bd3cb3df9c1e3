import { StoreUnavailableError } from '../contracts/errors.js'
import type { Logger } from '../contracts/logger.js'
import type { MaybePromise } from '../lib/maybe-promise.js'
import { keepAlive } from '../lib/keep-alive.js'
import { CALL_TIMEOUT_MS, withTimeout } from '../lib/timeout.js'
import type { ChangeFeed } from './change-feed.js'
import { createStartup, type Start } from './startup.js'
import type { StoreHealth } from './store-health.js'

/** The result of `auth.health()`. */
export interface Health {
  /**
   * Whether the platform's data is fresh enough to answer: at most `maxStaleness` old. For a load balancer's health check. It
   * stays true when the store becomes unavailable, until requests of known callers get 503.
   */
  readonly ok: boolean
  /**
   * The problems, without addresses or secrets. There may be some while `ok`: the store is unavailable, slow or rejects writes
   * (full, read-only), rate limits are not shared because Redis is unavailable, the mail server takes no e-mails, or the clock
   * differs from the database's.
   */
  readonly problems: readonly string[]
}

/** The options of `auth.ready()`. */
export interface ReadyOptions {
  /** Whether an unavailable store is retried; true if left out. With false the first failed attempt rejects. */
  readonly retry?: boolean | undefined
}

/** Tells from start-up to `close()` whether this process can answer, and why not. */
export interface Readiness {
  /**
   * Resolves once the platform has started. Rejects if waiting does not help, and with `retry: false` for any failure. It may be
   * called again.
   */
  ready(options?: ReadyOptions): Promise<void>
  /** Starts the platform. It is called once, when all parts have been created. */
  begin(steps: StartAndStop): void
  /** Lets a request pass, usually synchronously. Rejects with `StoreUnavailableError` if the answer must be 503. */
  available(): MaybePromise<void>
  /** Resolves within about half a second, even if the store does not answer. */
  health(): Promise<Health>
  /** Resolves within seconds even if the store hangs; an e-mail that is being sent may take a minute. */
  close(): Promise<void>
}

interface StartAndStop {
  readonly start: Start
  readonly stop: () => Promise<void>
}

interface ReadinessOptions {
  readonly feed: Pick<ChangeFeed, 'isFresh' | 'isLate' | 'poll' | 'pollAgain' | 'close'>
  readonly storeHealth: Pick<StoreHealth, 'isUnresponsive' | 'isUnavailable' | 'problems'>
  /** Problems of other parts while requests are answered; each returns undefined if there is none. */
  readonly otherProblems?: readonly (() => string | undefined)[]
  readonly logger: Logger
}

/** A load balancer that checks every second often waits no longer than that (HAProxy's `timeout check`). */
const HEALTH_POLL_TIMEOUT_MS = 500
/** This limit bounds memory while many requests wait for the start, or for the store. */
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
      await withTimeout(startup.finishedUnlessBlocked(), CALL_TIMEOUT_MS, createError)
    } catch (cause) {
      throw new StoreUnavailableError('The platform is not ready.', { cause })
    }
  }

  /** Waits for an answer unless the store is known to give none: this process may have been suspended for a while. */
  async function refresh(): Promise<void> {
    if (!storeHealth.isUnresponsive() && !feed.isLate()) {
      const answered = await feed.poll()
      // A read that was under way when the process was suspended is answered, but tells what the store had before that.
      if (answered && !feed.isFresh()) await feed.pollAgain()
    }
    if (!feed.isFresh()) throw new StoreUnavailableError('The store has not answered for longer than maxStaleness.')
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
    const answered = await withTimeout(feed.poll(), HEALTH_POLL_TIMEOUT_MS, createLateError).catch(() => undefined)
    const problems = [...storeHealth.problems(), ...others]
    if (!answered && !storeHealth.isUnavailable())
      problems.unshift(
        answered === undefined
          ? 'The store is slow: it has not answered within half a second.'
          : 'The latest changes could not be read from the store.',
      )
    const ok = feed.isFresh()
    if (!ok) problems.push('What is known is older than maxStaleness: requests get 503.')
    return { ok, problems }
  }

  async function close(): Promise<void> {
    feed.close()
    await startup.abort()
    // The state is checked again, because the start-up may have started the feed meanwhile.
    feed.close()
    await stop()
  }

  return {
    begin(steps) {
      stop = steps.stop
      startup.begin(steps.start)
    },
    ready({ retry = true } = {}) {
      const finished = startup.finishedUnlessBlocked()
      return keepAlive(retry || startup.isFinished() ? finished : Promise.race([finished, startup.firstFailure]))
    },
    available() {
      if (!startup.isFinished()) return limitWaiting(waitForStart)
      return feed.isFresh() ? undefined : limitWaiting(refresh)
    },
    health,
    close: () => (closed ??= keepAlive(close())),
  }
}

function createLateError(): Error {
  return new Error('The store did not answer in time.')
}
