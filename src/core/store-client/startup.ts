import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigurationError, StoreUnavailableError, toSentence } from '../../shared/contracts/errors.js'
import type { Logger } from '../../shared/contracts/logger.js'
import { findAccessProblem, describeStoreFault, isPermanentFault } from './store-faults.js'

/** Does everything that must be done before the first answer. It is repeated until it succeeds, or the signal is aborted. */
export type Start = (closing: AbortSignal) => Promise<void>

/** Short enough that a database is used soon after it starts, long enough not to load one that is starting. */
const START_RETRY_INTERVAL_MS = 500
/** `close()` must end within seconds even if an attempt to start hangs. */
const START_ABORT_TIMEOUT_MS = 2000

/** `address`: of a service, which asks the platform there. Only a store has a path and rights that may be wrong. */
export function createStartup(logger: Logger, address?: string) {
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
    /** The reason why the start is not finished, for `auth.health()`. */
    describeProblem: (): string =>
      describeStartProblem(problem, hasStore ? 'its store cannot be used' : 'the platform does not answer'),
    /** Ends the attempts. Resolves within `START_ABORT_TIMEOUT_MS`. */
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
