import { StoreUnavailableError } from '../contracts/errors.js'

/** The limit of a call of the store or of the host's code. HTTP clients wait longer; a busy database rarely does. */
export const CALL_TIMEOUT_MS = 5000

/** The most of a time limit that a process loses while it is suspended, or its event loop blocked. */
const MAX_STEP_MS = 1000

/** Later if the process was suspended meanwhile. The work is not stopped. A host may return a value, no promise. */
export function withTimeout<Result>(
  work: Promise<Result>,
  milliseconds: number,
  createError: () => Error,
  options: {
    /** Whether the process may end while the timer runs; false if left out, because somebody awaits the result. */
    readonly background?: boolean
  } = {},
): Promise<Result> {
  const { background = false } = options
  return new Promise((resolve, reject) => {
    let remaining = milliseconds
    let timer: NodeJS.Timeout
    // If the event loop was blocked, the answer is already queued and is read before setImmediate's turn.
    const expire = (): void => void setImmediate(() => reject(createError()))
    function wait(): void {
      const step = Math.min(remaining, MAX_STEP_MS)
      remaining -= step
      timer = setTimeout(remaining > 0 ? wait : expire, step)
      if (background) timer.unref()
    }
    wait()
    void Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}

/** Calls a function of the host, and rejects with `StoreUnavailableError` after 5 seconds. */
export function callInTime<Result>(
  what: string,
  call: () => Result | PromiseLike<Result>,
  options?: Parameters<typeof withTimeout>[3],
): Promise<Result> {
  const createError = (): Error => new StoreUnavailableError(`${what} did not answer within 5 seconds.`)
  return withTimeout((async () => call())(), CALL_TIMEOUT_MS, createError, options)
}

/** The longest interval of a Node timer. */
const MAX_INTERVAL_MS = 2 ** 31 - 1

/** Settles like `work`, and keeps the process alive until then: top-level `await` would end it with code 13. */
export async function keepAlive<Result>(work: Promise<Result>): Promise<Result> {
  const timer = setInterval(() => undefined, MAX_INTERVAL_MS)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}
