/** A clock for the option `now` that moves only by `advance()`. */
export interface FakeClock {
  /** For `createPlatformAuth({ now })`: milliseconds since 1970. */
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
  return {
    now: () => time,
    advance(seconds) {
      time += seconds * 1000
    },
  }
}
