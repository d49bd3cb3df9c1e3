/** Runs the work, at once or when earlier work has ended. */
export type ConcurrencyLimit = <Result>(work: () => Promise<Result>) => Promise<Result>

interface ConcurrencyLimitOptions {
  /** The maximum number of calls that run at once. */
  readonly atOnce: number
  /** The maximum number of calls that wait. */
  readonly waiting: number
  /** Creates the error with which a call is rejected that would exceed `waiting`. */
  readonly onOverflow: () => Error
}

/** A first-in, first-out queue with a bounded number of running and of waiting calls. */
export function createConcurrencyLimit({ atOnce, waiting, onOverflow }: ConcurrencyLimitOptions): ConcurrencyLimit {
  const queue: (() => void)[] = []
  let running = 0

  return async function runLimited(work) {
    if (queue.length >= waiting) throw onOverflow()
    if (running >= atOnce) await new Promise<void>((resolve) => queue.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      // The next call takes this one's place, so `running` does not change.
      const next = queue.shift()
      if (next) next()
      else running -= 1
    }
  }
}
