import { StoreUnavailableError } from '../../shared/contracts/errors.js'
import { CALL_TIMEOUT_MS, withTimeout } from '../../shared/lib/timeout.js'

/** Settles like `authentication`, or rejects with `StoreUnavailableError` after 5 seconds. The work goes on. */
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
