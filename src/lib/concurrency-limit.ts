import { StoreUnavailableError } from '../contracts/errors.js'

/** Lets work begin, or has it wait. */
export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>

interface GateOptions {
  /** How many are let through at once. */
  readonly atOnce: number
  /** How many may wait; the next one is refused. */
  readonly waiting: number
}

/**
 * What anybody can ask for in any number goes one behind the other, so that all else finds the store free: an operator's
 * changes, and the feed by which other processes' changes are known.
 */
export function createConcurrencyLimit({ atOnce, waiting }: GateOptions): Gate {
  const queue: (() => void)[] = []
  let inside = 0

  return async function pass(work) {
    if (queue.length >= waiting) throw new StoreUnavailableError(`${waiting} look-ups are waiting for the store.`)
    if (inside >= atOnce) await new Promise<void>((resolve) => queue.push(resolve))
    else inside += 1
    try {
      return await work()
    } finally {
      // Whoever is next takes this place.
      const next = queue.shift()
      if (next) next()
      else inside -= 1
    }
  }
}
