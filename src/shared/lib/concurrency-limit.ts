/** Runs the work, at once or when earlier work has ended. `caller` is the party that the work is done for. */
export type ConcurrencyLimit = <Result>(caller: string, work: () => Promise<Result>) => Promise<Result>

interface WaitingCall {
  start(): void
  reject(error: Error): void
}

/**
 * A bounded number of running and of waiting calls, with fair queueing (RFC 970): each caller has a queue of its own, and the
 * queues take turns. If too many calls wait, the longest queue loses its last call, so no caller can fill the queue for others.
 */
export function createConcurrencyLimit(options: {
  readonly atOnce: number
  readonly waiting: number
  /** Creates the error with which a call is rejected that would exceed `waiting`. */
  readonly onOverflow: () => Error
}): ConcurrencyLimit {
  const { atOnce, waiting, onOverflow } = options
  /** The queues that are not empty, in the order of their turns. */
  const queues = new Map<string, WaitingCall[]>()
  let waitingCalls = 0
  let running = 0

  function enqueue(caller: string, call: WaitingCall): void {
    if (waitingCalls >= waiting && !dropLast(findLongest(), caller)) return call.reject(onOverflow())
    const queue = queues.get(caller)
    if (queue) queue.push(call)
    else queues.set(caller, [call])
    waitingCalls += 1
  }

  function findLongest(): readonly [string, WaitingCall[]] {
    let longest: readonly [string, WaitingCall[]] = ['', []]
    for (const entry of queues) if (entry[1].length > longest[1].length) longest = entry
    return longest
  }

  /** Returns false if the queue has no call more than the caller's has: then the caller's new call is the one to reject. */
  function dropLast([owner, queue]: readonly [string, WaitingCall[]], caller: string): boolean {
    if (owner === caller || queue.length <= (queues.get(caller)?.length ?? 0) + 1) return false
    queue.pop()!.reject(onOverflow())
    waitingCalls -= 1
    return true
  }

  function startNext(): void {
    for (const [caller, queue] of queues) {
      const call = queue.shift()!
      // Removed and added again: the caller's next turn is after those of all others.
      queues.delete(caller)
      if (queue.length > 0) queues.set(caller, queue)
      waitingCalls -= 1
      return call.start()
    }
    running -= 1
  }

  return async function runLimited(caller, work) {
    if (running < atOnce) running += 1
    else await new Promise<void>((start, reject) => enqueue(caller, { start, reject }))
    try {
      return await work()
    } finally {
      // The next call takes this one's place, so `running` does not change.
      startNext()
    }
  }
}
