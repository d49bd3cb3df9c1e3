/**
 * Runs costly work one at a time. `group` and `member` are the parties that the work is done for, such as an application and an
 * address.
 */
export type TakeTurn = <Result>(group: string, member: string, work: () => Promise<Result>) => Promise<Result>

interface FairTurnsOptions {
  /** The maximum number of calls that wait. */
  readonly waiting: number
  /** The milliseconds that a call waits for its turn. */
  readonly timeout: number
  /** Creates the error with which a call is rejected that gets no turn. */
  readonly onRefused: () => Error
}

interface WaitingCall {
  readonly group: string
  readonly member: string
  start(): void
  reject(error: Error): void
}

/** Turns of the past count half after this time. */
const HALF_LIFE_MS = 60_000

/**
 * The next turn goes to whoever had the fewest turns lately: first the group, then the member, then the call that has waited
 * longest. So a flood delays its own group, and in it the members that flood. A new group waits for the work that is running,
 * however many others wait; in round robin (`concurrency-limit.ts`) it would wait for a turn of each of them.
 */
export function createFairTurns({ waiting, timeout, onRefused }: FairTurnsOptions): TakeTurn {
  /** The waiting calls in the order in which they came. */
  const calls = new Set<WaitingCall>()
  const taken = createDecayingCounts()
  let isRunning = false

  function findNext(): WaitingCall | undefined {
    let [next, ofGroup, ofMember]: [WaitingCall | undefined, number, number] = [undefined, Infinity, Infinity]
    for (const call of calls) {
      const [group, member] = [taken.read(call.group), taken.read(nameMember(call))]
      if (group < ofGroup || (group === ofGroup && member < ofMember)) [next, ofGroup, ofMember] = [call, group, member]
    }
    return next
  }

  /** The last call of the group with the most, and there of the member with the most, waiting or served. */
  function findLeastUrgent(): WaitingCall {
    const all = [...calls]
    const group = findLargest(all.map((call) => call.group))
    const member = findLargest(all.filter((call) => call.group === group).map(nameMember))
    return all.findLast((call) => call.group === group && nameMember(call) === member)!
  }

  /** The name with the most calls; of several, the one that came last. */
  function findLargest(names: readonly string[]): string {
    const sizes = new Map<string, number>()
    for (const name of names) sizes.set(name, (sizes.get(name) ?? taken.read(name)) + 1)
    return [...sizes].reduce((largest, each) => (each[1] >= largest[1] ? each : largest))[0]
  }

  function waitForTurn(group: string, member: string): Promise<void> {
    return new Promise((start, reject) => {
      const call = { group, member, start, reject }
      calls.add(call)
      setTimeout(refuse, timeout, call).unref()
      if (calls.size > waiting) refuse(findLeastUrgent())
    })
  }

  function refuse(call: WaitingCall): void {
    if (calls.delete(call)) call.reject(onRefused())
  }

  function startNext(): void {
    const next = findNext()
    isRunning = next !== undefined
    if (!next) return
    calls.delete(next)
    next.start()
  }

  return async function takeTurn(group, member, work) {
    if (isRunning) await waitForTurn(group, member)
    isRunning = true
    taken.add(group)
    taken.add(nameMember({ group, member }))
    try {
      return await work()
    } finally {
      startNext()
    }
  }
}

function nameMember({ group, member }: Pick<WaitingCall, 'group' | 'member'>): string {
  return `${group}\n${member}`
}

/** Counts that are halved regularly, and forgotten when they are small. */
function createDecayingCounts() {
  const counts = new Map<string, number>()
  let halvedAt = performance.now()

  function halve(): void {
    const halvings = Math.floor((performance.now() - halvedAt) / HALF_LIFE_MS)
    if (halvings === 0) return
    halvedAt += halvings * HALF_LIFE_MS
    for (const [name, count] of counts) {
      if (count / 2 ** halvings < 1) counts.delete(name)
      else counts.set(name, count / 2 ** halvings)
    }
  }

  return {
    read: (name: string): number => counts.get(name) ?? 0,
    add(name: string): void {
      halve()
      counts.set(name, (counts.get(name) ?? 0) + 1)
    },
  }
}
