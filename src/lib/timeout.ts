interface TimeoutOptions {
  /** Whether the process may end while the timer runs; false if left out, because somebody awaits the result. */
  readonly background?: boolean
}

/**
 * Settles as `work` does, or rejects with the error of `createError` after `milliseconds`. The work itself is not stopped. A
 * host's JavaScript may return a value instead of a promise.
 */
export function withTimeout<Result>(
  work: Promise<Result>,
  milliseconds: number,
  createError: () => Error,
  { background = false }: TimeoutOptions = {},
): Promise<Result> {
  return new Promise((resolve, reject) => {
    // If the event loop was blocked, the answer is already queued and is read before setImmediate's turn.
    const timer = setTimeout(() => setImmediate(() => reject(createError())), milliseconds)
    if (background) timer.unref()
    void Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}
