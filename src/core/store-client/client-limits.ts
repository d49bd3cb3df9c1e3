import type { IncomingMessage } from 'node:http'
import { StoreUnavailableError } from '../../shared/contracts/errors.js'
import type { Store } from '../../shared/contracts/store.js'
import { createConcurrencyLimit, type ConcurrencyLimit } from '../../shared/lib/concurrency-limit.js'
import { waitForNextTurn } from '../../shared/lib/event-loop.js'
import { readClientAddress } from '../../shared/lib/request.js'
import { CALL_TIMEOUT_MS } from '../../shared/lib/timeout.js'

/** The number of connections that `pg` opens by default, and a guess for stores that do not say. */
const DEFAULT_CONCURRENT_CALLS = 10
/** Each waiting call takes about a kilobyte. */
const MAX_WAITING_CALLS = 2000
/** Strangers may be new partners: while an operator's script makes call after call, 200 a second are looked up for each at once. */
const MAX_GIVE_WAY_MS = 5

const MAX_REFUSALS_PER_TURN = 2
/** Some 2 kB each. */
const MAX_WAITING_REFUSALS = 10_000

/** What is left of the store's connections is for operators and the change feed, which never wait here. */
export type ClientLimits = ReturnType<typeof createClientLimits>

export function createClientLimits(options: Pick<Store, 'concurrentCalls'>) {
  const { concurrentCalls = DEFAULT_CONCURRENT_CALLS } = options
  const limitLookups = createTimedLimit(concurrentCalls / 2)
  const limitStrangers = createTimedLimit(concurrentCalls / 2)
  const limitRefusals = createConcurrencyLimit({
    atOnce: MAX_REFUSALS_PER_TURN,
    waiting: MAX_WAITING_REFUSALS,
    onOverflow: () => new Error(`${MAX_WAITING_REFUSALS} refusals are waiting.`),
  })
  const { goFirst, giveWay, isUnderWay } = createPrecedence({ pause: MAX_GIVE_WAY_MS, atMost: CALL_TIMEOUT_MS })
  return {
    /** Limits look-ups: of applications by key or id, of revoked access tokens. */
    limitLookups,
    /** For what anybody can present. Gives way to calls of operators: a flood from many addresses exceeds no limit. */
    limitLookupsOfStrangers: <Result>(caller: string, work: () => Promise<Result>): Promise<Result> =>
      limitStrangers(caller, async () => {
        await giveWay()
        return limitLookups(caller, work)
      }),
    goFirst,
    /**
     * The turn of a refusal; undefined if it can be sent at once. While a call of an operator is under way, few are sent in each turn of
     * the event loop: that call waits for the store some 15 times, and each time for everything that is done before its answer is read.
     * Clients send no more until they are answered. Rejects if too many wait.
     */
    waitToRefuse: (req: IncomingMessage): Promise<void> | undefined =>
      isUnderWay() ? limitRefusals(readClientAddress(req), waitForNextTurn) : undefined,
    /** Limits changes: registrations, claims, revocations, first uses. They may wait for locks, and leave room. */
    limitChanges: createTimedLimit(concurrentCalls / 4),
  }
}

function createTimedLimit(atOnce: number): ConcurrencyLimit {
  const limit = createConcurrencyLimit({
    atOnce: Math.max(1, Math.floor(atOnce)),
    waiting: MAX_WAITING_CALLS,
    onOverflow: () => new StoreUnavailableError(`${MAX_WAITING_CALLS} calls of clients are waiting.`),
  })

  // The limit is on the wait for a turn only: a change that has started may take effect, and its caller must learn of it.
  return function runInTurn<Result>(caller: string, work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        reject(new StoreUnavailableError('A call of a client has waited too long for its turn.'))
      }, CALL_TIMEOUT_MS)
      timer.unref()
      const runUnlessLate = async (): Promise<void> => {
        clearTimeout(timer)
        if (!isLate) resolve(await work())
      }
      limit(caller, runUnlessLate)
        .catch(reject)
        .finally(() => clearTimeout(timer))
    })
  }
}

function createPrecedence(options: {
  /** Milliseconds for which work that gives way waits at most, so that it is never stopped. */
  readonly pause: number
  /** Milliseconds after which work that still runs goes first no longer. */
  readonly atMost: number
}) {
  const { pause, atMost } = options
  const waiting = new Set<() => void>()
  let underWay = 0

  return {
    /** Runs the work. While it runs, and at most for that time, the other work gives way. */
    async goFirst<Result>(work: () => Promise<Result>): Promise<Result> {
      let isOver = false
      const end = (): void => {
        if (isOver) return
        isOver = true
        underWay -= 1
        if (underWay === 0) for (const goOn of waiting) goOn()
      }
      underWay += 1
      const timer = setTimeout(end, atMost)
      timer.unref()
      try {
        return await work()
      } finally {
        clearTimeout(timer)
        end()
      }
    },
    isUnderWay: () => underWay > 0,
    /** Resolves when no work goes first, or after the pause. Undefined: at once. */
    giveWay(): Promise<void> | undefined {
      if (underWay === 0) return undefined
      return new Promise((resolve) => {
        const goOn = (): void => {
          clearTimeout(timer)
          waiting.delete(goOn)
          resolve()
        }
        const timer = setTimeout(goOn, pause)
        waiting.add(goOn)
      })
    },
  }
}
