import { StoreUnavailableError } from '../../shared/contracts/errors.js'
import { callInTime } from '../../shared/lib/timeout.js'

/**
 * Calls a function that the host gave as an option. Rejects with `StoreUnavailableError`, which is answered with 503, if it says
 * nothing within 5 seconds or rejects with one; otherwise with an error whose cause is what it threw, which is answered with 500.
 */
export async function callHost<Result>(
  option: string,
  call: () => Result | PromiseLike<Result>,
  logger: { error(message: string, cause: unknown): void },
): Promise<Result> {
  try {
    return await callInTime(option, call)
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw new Error(`${option} failed.`, { cause: error })
    logger.error(`${option} failed, so a registration was refused.`, error)
    throw error
  }
}
