import type { Health, Readiness } from './lifecycle.js'
import { StoreUnavailableError } from '../../shared/contracts/errors.js'
import type { Logger } from '../../shared/contracts/logger.js'
import { keepAlive } from '../../shared/lib/keep-alive.js'
import { CALL_TIMEOUT_MS, withTimeout } from '../../shared/lib/timeout.js'
import type { ChangeFeed } from './change-feed-api.js'
import { createStartup } from './startup.js'
import type { StoreHealth } from './store-health-api.js'

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
  let flushParts = async (): Promise<void> => undefined
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

  /** Calls are not joined: one that waits for the mailer must not keep the next from storing what came meanwhile. */
  async function flush(): Promise<void> {
    if (closed || !startup.isFinished()) return
    try {
      await withTimeout(flushParts(), CALL_TIMEOUT_MS, createFlushError)
    } catch (error) {
      logger.warn('flush() has not stored and sent everything. The next call tries the rest again.', error)
    }
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
      flushParts = steps.flush
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
    flush,
    close: () => (closed ??= keepAlive(close())),
  }
}

function createFlushError(): Error {
  return new Error(`The store or the mailer did not answer within ${CALL_TIMEOUT_MS / 1000} seconds.`)
}

function createLateError(): Error {
  return new Error('The store did not answer in time.')
}
