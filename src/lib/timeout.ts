/**
 * Settles as `work` does, or rejects with the error of `createError` after `milliseconds`. The work itself is not stopped.
 * The timer does not keep the process alive.
 */
export function withTimeout<Result>(
  work: Promise<Result>,
  milliseconds: number,
  createError: () => Error,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    // If the event loop was blocked, the answer is already queued and is read before setImmediate's turn.
    const timer = setTimeout(() => setImmediate(() => reject(createError())), milliseconds).unref()
    void work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
