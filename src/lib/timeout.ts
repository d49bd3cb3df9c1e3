interface TimeoutOptions {
  /** Whether the timer keeps the process alive; false if left out. */
  readonly keepAlive?: boolean
}

/**
 * The result of `work`, or a rejection with what `createError` makes once `milliseconds` have passed. The work itself
 * goes on. Its timer keeps the process alive only with `keepAlive`.
 */
export function withTimeout<Result>(
  work: Promise<Result>,
  milliseconds: number,
  createError: () => Error,
  { keepAlive = false }: TimeoutOptions = {},
): Promise<Result> {
  return new Promise((resolve, reject) => {
    // If the event loop was blocked, the answer is already queued and is read before setImmediate's turn.
    const timer = setTimeout(() => setImmediate(() => reject(createError())), milliseconds)
    if (!keepAlive) timer.unref()
    void work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
