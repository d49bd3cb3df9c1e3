import type { ServerResponse } from 'node:http'
import { closeUnfinished } from './respond.js'

/**
 * Hands what a promise of a guard rejects with to `next`. A guard that goes on in a promise has no caller that would catch what its
 * continuation throws (the host's `next`, or a response that is not quite Node's): without this the request would hang, and the
 * process would end. If `next` throws too, the connection is closed.
 */
export function handOnFailure(work: PromiseLike<unknown>, res: ServerResponse, next: (error: Error) => void): void {
  Promise.resolve(work).catch((error: unknown) => {
    try {
      next(toError(error))
    } catch {
      closeSafely(res)
    }
  })
}

/** An error in any case: with nothing, or with `'route'`, next() would go on to the handler. */
function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error('A guard failed.', { cause: error })
}

function closeSafely(res: ServerResponse): void {
  try {
    closeUnfinished(res)
  } catch {
    // The response of a wrapper may lack destroy(). There is nothing left to report the failure to.
  }
}
