/** `caller`: the party that work is done for, and behind a space a member of it, such as a resource server's address. */
export type ConcurrencyLimit = <Result>(caller: string, work: () => Promise<Result>) => Promise<Result>

interface WaitingCall {
  start(): void
  reject(error: Error): void
}

/** Fair queueing (RFC 970): parties, and their members, take turns. The longest queue loses its last call if too many wait. */
export function createConcurrencyLimit(options: {
  readonly atOnce: number
  readonly waiting: number
  /** Creates the error with which a call is rejected that would exceed `waiting`. */
  readonly onOverflow: () => Error
}): ConcurrencyLimit {
  const { atOnce, waiting, onOverflow } = options
  /** The queues that are not empty, by party and member: both in the order of their turns. */
  const parties = new Map<string, Queues>()
  let waitingCalls = 0
  let running = 0

  function enqueue(caller: string, call: WaitingCall): void {
    const [party = '', member = ''] = caller.split(' ')
    if (waitingCalls >= waiting && !dropLast(party, member)) return call.reject(onOverflow())
    const queues = parties.get(party) ?? new Map<string, WaitingCall[]>()
    parties.set(party, queues)
    const queue = queues.get(member)
    if (queue) queue.push(call)
    else queues.set(member, [call])
    waitingCalls += 1
  }

  /** Returns false if no party has more calls than this one, and no member of it more than this one: then the new call is the one to reject. */
  function dropLast(party: string, member: string): boolean {
    const own = parties.get(party) ?? (new Map() as Queues)
    const queues = findMost(parties.values(), countCalls, countCalls(own) + 1) ?? own
    const least = queues === own ? (own.get(member)?.length ?? 0) + 1 : 0
    const longest = findMost(queues, ([, { length }]) => length, least)
    if (!longest) return false
    longest[1].pop()!.reject(onOverflow())
    waitingCalls -= 1
    if (longest[1].length === 0) queues.delete(longest[0])
    return true
  }

  function startNext(): void {
    const [[party, queues] = []] = parties
    const [[member, queue] = []] = queues ?? []
    if (party === undefined || !queues || member === undefined || !queue) return void (running -= 1)
    const call = queue.shift()!
    // Removed and added again: the next turn of a member, and of a party, is after those of all others.
    queues.delete(member)
    if (queue.length > 0) queues.set(member, queue)
    parties.delete(party)
    if (queues.size > 0) parties.set(party, queues)
    waitingCalls -= 1
    call.start()
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

type Queues = Map<string, WaitingCall[]>

function countCalls(queues: Queues): number {
  let sum = 0
  for (const { length } of queues.values()) sum += length
  return sum
}

/** The last of those with most; undefined if none has more than `least`. */
function findMost<Each>(all: Iterable<Each>, count: (each: Each) => number, least: number): Each | undefined {
  let most: Each | undefined
  let atLeast = least + 1
  for (const each of all) {
    const size = count(each)
    if (size >= atLeast) [most, atLeast] = [each, size]
  }
  return most
}
