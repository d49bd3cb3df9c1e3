/** A clock for the option `now` that `advance()` moves. */
export interface FakeClock {
  /** Returns milliseconds since 1970, for `createPlatformAuth({ now })`. */
  readonly now: () => number
  /** Moves the clock forward by `seconds`. */
  advance(seconds: number): void
}

/**
 * A clock that starts at the real time, or at `start` (milliseconds since 1970), and stands still until it is advanced.
 * It lets tests check expiry and overlaps without waiting.
 *
 * @example
 * ```ts
 * import { createPlatformAuth } from 'express-platform-auth'
 * import { fakeClock } from 'express-platform-auth/testing'
 *
 * const clock = fakeClock()
 * createPlatformAuth({ baseUrl: 'http://localhost', apis: { orders: { scheme: 'oauth2' } }, now: clock.now })
 * clock.advance(3600)
 * ```
 */
export function fakeClock(start: number = Date.now()): FakeClock {
  let time = start
  return { now: () => time - behind, advance: (seconds) => void (time += seconds * 1000) }
}

/** A clock that goes on with `Date.now()`, which fake timers may rule, and that `advance()` puts ahead of it. */
export function createAdvancingClock(): FakeClock {
  let ahead = 0
  return { now: () => Date.now() + ahead, advance: (seconds) => void (ahead += seconds * 1000) }
}

let behind = 0
/** The clocks are for all calls of the process, so what depends on them runs one at a time. */
let last: Promise<unknown> = Promise.resolve()

/** Does something while no other call has set the clocks back. */
export function inThePresent<Result>(work: () => Promise<Result>): Promise<Result> {
  const result = last.then(work)
  last = result.catch(() => undefined)
  return result
}

/** Does something while `Date.now()` and all fake clocks are behind, such as making a credential that has expired by now. */
export function inThePast<Result>(seconds: number, work: () => Promise<Result>): Promise<Result> {
  return inThePresent(async () => {
    const { Date } = globalThis
    const { now } = Date
    behind = seconds * 1000
    Date.now = () => now.call(Date) - seconds * 1000
    try {
      return await work()
    } finally {
      Date.now = now
      behind = 0
    }
  })
}
