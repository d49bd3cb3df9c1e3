/**
 * Runs costly work one step at a time, until a step has a result; undefined if none has. A call waits once for those of its
 * group, and is charged for each step that it ran. Between two steps other groups have their turns, and calls of its own that
 * bring less.
 */
export type TakeTurn = <Result>(
  caller: TurnCaller,
  steps: readonly (() => Promise<Result | undefined>)[],
) => Promise<Result | undefined>

/** The parties that work is done for, such as an application and an address. */
export interface TurnCaller {
  readonly group: string
  readonly member: string
  /** The turns that the call is charged before it has them: it waits as if its member had had so many more. */
  readonly chargedAhead?: number
}

interface WaitingCall {
  readonly group: string
  readonly member: string
  /** The turns of the member when it had its first one; undefined before. So it is not sent back by what it is charged. */
  readonly rank: number | undefined
  readonly chargedAhead: number
  start(): void
  reject(error: Error): void
}

/** Turns of the past count half after this time. */
const HALF_LIFE_MS = 60_000

/** Whoever had the fewest turns lately is next, so a flood delays its own group. A new group waits for one step at most. */
export function createFairTurns(options: {
  readonly waiting: number
  /** The milliseconds after which a call starts no step. */
  readonly timeout: number
  /** Creates the error with which a call is rejected that gets no turn. */
  readonly onRefused: () => Error
}): TakeTurn {
  const { waiting, timeout, onRefused } = options
  const calls = new Set<WaitingCall>()
  const taken = createDecayingCounts()
  let isRunning = false

  function findNext(): WaitingCall | undefined {
    let next: WaitingCall | undefined
    let least = [Infinity, Infinity, Infinity] as const
    for (const call of calls) {
      const urgency = [taken.read(call.group), readRank(call), call.rank === undefined ? 1 : 0] as const
      const [group, rank, begun] = urgency
      const isEqual = group === least[0] && rank === least[1]
      if (group < least[0] || (group === least[0] && rank < least[1]) || (isEqual && begun < least[2]))
        [next, least] = [call, urgency]
    }
    return next
  }

  function readRank(call: Omit<WaitingCall, 'start' | 'reject'>): number {
    return call.rank ?? taken.read(nameMember(call)) + call.chargedAhead
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

  function waitForTurn(caller: Omit<WaitingCall, 'start' | 'reject'>, until: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const remaining = until - performance.now()
      if (remaining <= 0) return reject(onRefused())
      const timer = setTimeout(() => refuse(call), remaining).unref()
      const start = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const call = { ...caller, start, reject }
      calls.add(call)
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

  return async function takeTurn({ group, member, chargedAhead = 0 }, steps) {
    const until = performance.now() + timeout
    const caller = { group, member, chargedAhead, rank: undefined }
    if (isRunning) await waitForTurn(caller, until)
    isRunning = true
    const rank = readRank(caller)
    for (const [at, step] of steps.entries()) {
      taken.add(group)
      taken.add(nameMember(caller))
      let result: Awaited<ReturnType<typeof step>>
      try {
        result = await step()
      } catch (error) {
        startNext()
        throw error
      }
      const isLast = result !== undefined || at === steps.length - 1
      const turn = isLast ? undefined : waitForTurn({ ...caller, rank }, until)
      startNext()
      if (!turn) return result
      await turn
    }
    return undefined
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
