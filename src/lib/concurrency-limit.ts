/** Runs the work now, or once a place is free. */
export type ConcurrencyLimit = <Result>(work: () => Promise<Result>) => Promise<Result>

interface ConcurrencyLimitOptions {
  /** How many run at once. */
  readonly atOnce: number
  /** How many may wait; the next one is rejected with what `onOverflow` makes. */
  readonly waiting: number
  readonly onOverflow: () => Error
}

/** A queue with a bounded number of running and of waiting calls, first come, first served. */
export function createConcurrencyLimit({ atOnce, waiting, onOverflow }: ConcurrencyLimitOptions): ConcurrencyLimit {
  const queue: (() => void)[] = []
  let inside = 0

  return async function pass(work) {
    if (queue.length >= waiting) throw onOverflow()
    if (inside >= atOnce) await new Promise<void>((resolve) => queue.push(resolve))
    else inside += 1
    try {
      return await work()
    } finally {
      // The place passes to the next in the queue, so the number of running calls stays.
      const next = queue.shift()
      if (next) next()
      else inside -= 1
    }
  }
}
