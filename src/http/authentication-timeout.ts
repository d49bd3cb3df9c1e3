import { StoreUnavailableError } from '../contracts/errors.js'
import { CALL_TIMEOUT_MS, withTimeout } from '../lib/timeout.js'

/**
 * Settles as `authentication` does, or rejects with `StoreUnavailableError` (503) after 5 seconds in all. Only for work that
 * has no effect which the caller could miss: it is not stopped.
 */
export function limitAuthenticationTime<Result>(
  authentication: Promise<Result>,
  startedAt: number = performance.now(),
): Promise<Result> {
  const remaining = startedAt + CALL_TIMEOUT_MS - performance.now()
  return withTimeout(authentication, Math.max(remaining, 0), createTimeoutError)
}

function createTimeoutError(): Error {
  return new StoreUnavailableError('The store did not answer in time.')
}
