import { StoreUnavailableError, ConfigurationError, toSentence } from '../../shared/contracts/errors.js'
import type { Logger } from '../../shared/contracts/logger.js'
import { CALL_TIMEOUT_MS, withTimeout, keepAlive } from '../../shared/lib/timeout.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import { createClosedError } from './bounded-store.js'
import type { ChangeFeed } from './change-feed.js'
import type { StoreHealth } from './store-health.js'
import { setTimeout as sleep } from 'node:timers/promises'
import { findAccessProblem, describeStoreFault, isPermanentFault } from './store-faults.js'

/** The result of `auth.health()`. */
export interface Health {
  /**
   * Whether the platform's data is fresh enough to answer: at most `maxStaleness` old. For a load balancer's health check. It
   * stays true when the store becomes unavailable, until requests of known callers get 503.
   */
  readonly ok: boolean
  /**
   * The problems, without addresses or secrets. There may be some while `ok`: the store is unavailable, slow or rejects writes
   * (full, read-only), rate limits are not shared because Redis is unavailable, the mail server takes no e-mails, the clock
   * differs from the database's, or another process has other settings.
   */
  readonly problems: readonly string[]
}

/** The options of `auth.ready()`. */
export interface ReadyOptions {
  /** Whether an unavailable store is retried; true if left out. With false the first failed attempt rejects. */
  readonly retry?: boolean | undefined
}

/** A load balancer that checks every second often waits no longer than that (HAProxy's `timeout check`). */
const HEALTH_POLL_TIMEOUT_MS = 500
/** This limit bounds memory while many requests wait for the start, or for the store. */
const MAX_WAITING_REQUESTS = 10_000

/** Tells from start-up to `close()` whether this process can answer, and why not. */
export type Readiness = ReturnType<typeof createReadiness>

export function createReadiness(options: {
  readonly feed: Pick<ChangeFeed, 'isFresh' | 'isLate' | 'poll' | 'pollAgain' | 'close'>
  readonly storeHealth: Pick<StoreHealth, 'isUnresponsive' | 'isUnavailable' | 'problems'>
  readonly logger: Logger
  /** The platform's address, in a service, which asks the platform in place of a store; undefined in a platform. */
  readonly address: string | undefined
}) {
  const { feed, storeHealth, logger, address } = options
  const [self, source] = address === undefined ? ['platform', 'store'] : ['service', 'platform']
  const startup = createStartup(logger, address)
  let waiting = 0
  let closed: Promise<void> | undefined
  let findProblems = (): readonly string[] => []
  let flushParts = async (): Promise<void> => undefined
  let stop = async (): Promise<void> => undefined

  async function waitForStart(): Promise<void> {
    try {
      const createError = (): Error => new StoreUnavailableError(`The ${self} is not ready yet.`)
      await withTimeout(startup.finishedUnlessBlocked(), CALL_TIMEOUT_MS, createError)
    } catch (cause) {
      throw new StoreUnavailableError(`The ${self} is not ready.`, { cause })
    }
  }

  /** Waits for an answer unless the store is known to give none: this process may have been suspended for a while. */
  async function refresh(): Promise<void> {
    if (!storeHealth.isUnresponsive() && !feed.isLate()) {
      const answered = await feed.poll()
      // A read that was under way when the process was suspended is answered, but tells what the store had before that.
      if (answered && !feed.isFresh()) await feed.pollAgain()
    }
    if (!feed.isFresh()) throw new StoreUnavailableError(`The ${source} has not answered for longer than maxStaleness.`)
  }

  async function limitWaiting(wait: () => Promise<void>): Promise<void> {
    if (closed) throw createClosedError(self)
    if (waiting >= MAX_WAITING_REQUESTS)
      throw new StoreUnavailableError(`${MAX_WAITING_REQUESTS} requests are waiting for the ${source}.`)
    waiting += 1
    try {
      await wait()
    } finally {
      waiting -= 1
    }
  }

  /** Resolves within about half a second, even if the store does not answer. */
  async function health(): Promise<Health> {
    if (closed) return { ok: false, problems: [`The ${self} has been closed.`] }
    const others = findProblems()
    if (!startup.isFinished())
      return { ok: false, problems: [`The ${self} is not ready: ${startup.describeProblem()}`, ...others] }
    const answered = await withTimeout(feed.poll(), HEALTH_POLL_TIMEOUT_MS, createLateError).catch(() => undefined)
    const problems = [...storeHealth.problems(), ...others]
    if (!answered && !storeHealth.isUnavailable())
      problems.unshift(
        answered === undefined
          ? `The ${source} is slow: it has not answered within half a second.`
          : `The latest changes could not be read from the ${source}.`,
      )
    const ok = feed.isFresh()
    if (!ok) problems.push('What is known is older than maxStaleness: requests get 503.')
    return { ok, problems }
  }

  /** Never rejects, and is bounded in time. Not joined: a call that waits for the mailer must not keep the next from storing. */
  async function flush(): Promise<void> {
    if (closed || !startup.isFinished()) return
    try {
      await withTimeout(flushParts(), CALL_TIMEOUT_MS, createLateError)
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
    begin(steps: {
      readonly start: Start
      readonly flush: () => Promise<void>
      readonly stop: () => Promise<void>
      readonly problems: () => readonly string[]
    }): void {
      findProblems = steps.problems
      flushParts = steps.flush
      stop = steps.stop
      startup.begin(steps.start)
    },
    /** Resolves once started. Rejects if waiting does not help, and with `retry: false` for any failure. */
    ready({ retry = true }: ReadyOptions = {}): Promise<void> {
      const finished = startup.finishedUnlessBlocked()
      return keepAlive(retry || startup.isFinished() ? finished : Promise.race([finished, startup.firstFailure]))
    },
    /** Lets a request pass, usually synchronously. Rejects with `StoreUnavailableError` if the answer must be 503. */
    available(): MaybePromise<void> {
      if (!startup.isFinished()) return limitWaiting(waitForStart)
      return feed.isFresh() ? undefined : limitWaiting(refresh)
    },
    health,
    flush,
    /** Resolves within seconds even if the store hangs; an e-mail that is being sent may take a minute. */
    close: (): Promise<void> => (closed ??= keepAlive(close())),
  }
}

function createLateError(): Error {
  return new Error('There was no answer in time.')
}

/** Does everything that must be done before the first answer. It is repeated until it succeeds, or the signal is aborted. */
export type Start = (closing: AbortSignal) => Promise<void>

/** What requests and calls will need. An ES module that Node could once not read fails until the process ends: no retry helps. */
export async function loadAtStart(modules: readonly unknown[]): Promise<void> {
  await Promise.all(modules).catch((cause: unknown) => {
    const fix = 'Is a file missing, or was the limit of open files reached? Start the process again.'
    throw new ConfigurationError({ problem: 'Code that requests and calls need cannot be loaded', fix }, { cause })
  })
}

/** Short enough that a database is used soon after it starts, long enough not to load one that is starting. */
const START_RETRY_INTERVAL_MS = 500
/** `close()` must end within seconds even if an attempt to start hangs. */
const START_ABORT_TIMEOUT_MS = 2000

/** `address`: of a service, which asks the platform there. Only a store has a path and rights that may be wrong. */
function createStartup(logger: Logger, address?: string) {
  const hasStore = address === undefined
  const self = hasStore ? 'platform' : 'service'
  const closing = new AbortController()
  const firstFailure = createRejection()
  const abandoned = createRejection()
  /** Rejected when the attempt under way fails with what waiting does not cure. */
  let blocked = createRejection()
  let isFinished = false
  let problem: unknown = hasStore ? 'its store has not been opened yet.' : 'the platform has not answered yet.'

  let settle: (outcome: Promise<void>) => void
  const finished = new Promise<void>((resolve) => (settle = resolve))
  // An app need not await ready(): the log has the reason, and an unhandled rejection would end the process.
  finished.catch(() => undefined)

  async function repeatUntilStarted(start: Start): Promise<void> {
    // The host adds its event listeners first.
    await sleep(0)
    while (!closing.signal.aborted) {
      try {
        await Promise.race([start(closing.signal), abandoned.promise])
        isFinished = true
        return
      } catch (error) {
        const permanent = findPermanentProblem(error, hasStore)
        const access = permanent || !hasStore ? undefined : findAccessProblem(error)
        reportFailure(error, permanent, access)
        if (access) {
          blocked.reject(access)
          blocked = createRejection()
        }
        firstFailure.reject(permanent ?? access ?? error)
        if (permanent) throw permanent
      }
      await sleep(START_RETRY_INTERVAL_MS, undefined, { ref: false, signal: closing.signal }).catch(() => undefined)
    }
    throw new StoreUnavailableError(`The ${self} was closed before it was ready.`)
  }

  function reportFailure(error: unknown, permanent?: ConfigurationError, access?: ConfigurationError): void {
    const [message, lastMessage] = [joinMessages(error), joinMessages(problem)]
    problem = permanent ?? error
    if (permanent) {
      // The cause of a StoreUnavailableError has been logged as the store's.
      const details = permanent.cause === undefined || error instanceof StoreUnavailableError ? [] : [permanent.cause]
      logger.error(`The ${self} cannot start. ${permanent.message}`, ...details)
    }
    // All attempts that fail in the same way share one log line.
    else if (message !== lastMessage && !closing.signal.aborted)
      logger.error(
        `The ${self} could not start yet and will retry: ${access ? `${access.message} ` : ''}${hasStore ? '' : `It asks the platform at ${address}. `}${message}`,
      )
  }

  return {
    begin: (start: Start): void => settle(repeatUntilStarted(start)),
    /** Resolves once an attempt has succeeded. Rejects with `ConfigurationError` if no retry can help, or after `abort()`. */
    finished,
    /** Like `finished`, but rejects for what waiting alone does not cure, such as a missing right. Attempts go on. */
    finishedUnlessBlocked: (): Promise<void> => Promise.race([finished, blocked.promise]),
    firstFailure: firstFailure.promise,
    isFinished: (): boolean => isFinished,
    describeProblem: (): string =>
      describeStartProblem(problem, `${hasStore ? 'its store' : 'the platform'} cannot be used`),
    async abort(): Promise<void> {
      closing.abort()
      const timer = setTimeout(
        () => abandoned.reject(new StoreUnavailableError(`The ${self} was closed meanwhile.`)),
        START_ABORT_TIMEOUT_MS,
      )
      await finished.catch(() => undefined)
      clearTimeout(timer)
    },
  }
}

/** A promise that others may race, and that is no unhandled rejection if nothing awaits it. */
function createRejection(): { readonly promise: Promise<never>; reject(reason: unknown): void } {
  let reject: (reason: unknown) => void = () => undefined
  const promise = new Promise<never>((_, rejectPromise) => (reject = rejectPromise))
  promise.catch(() => undefined)
  return { promise, reject: (reason) => reject(reason) }
}

/** The error to end with, if no retry can help. Its message has no path and no address, because `auth.health()` shows it. */
function findPermanentProblem(error: unknown, hasStore: boolean): ConfigurationError | undefined {
  if (error instanceof ConfigurationError) return error
  if (!isPermanentFault(error)) return undefined
  const cause = findRootCause(error)
  const { name, code = name } = cause as { name?: unknown; code?: unknown }
  const problem = `The start failed with ${String(code)}, which no retry can correct`
  const example = hasStore ? ', such as that of a store of your own' : ''
  const fix = `Its cause is a mistake in code${example}, or a module that cannot be loaded.`
  return new ConfigurationError({ problem, fix }, { cause })
}

function findRootCause(error: unknown): unknown {
  const { cause } = Object(error) as { cause?: unknown }
  return cause === undefined ? error : findRootCause(cause)
}

function joinMessages(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message} ${joinMessages(error.cause)}`
}

function describeStartProblem(problem: unknown, outage: string): string {
  if (problem instanceof ConfigurationError) return problem.message
  const text = problem instanceof Error ? `${outage} yet (${describeStoreFault(problem)})` : String(problem)
  return toSentence(text)
}
