import { createHmac, randomBytes } from 'node:crypto'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Limit } from '../contracts/api.js'
import { consume } from './consume.js'
import type { Counter } from './rate-limit.js'

/**
 * Counts in this process. Past `maxKeys` keys at a time, those that are new share counters by chance: callers that have
 * any number of addresses must neither fill the memory nor get uncounted.
 */
export function memoryCounter({ limit, window }: Limit, maxKeys = Infinity): Counter {
  const limiter = new RateLimiterMemory({ points: limit, duration: window })
  const live = liveKeys(window * 1000)

  return async function countHere(key) {
    const full = live.count() >= maxKeys && (await limiter.get(key)) === null
    const state = await consume(limiter, full ? sharedKeyOf(key) : key)
    if (state.isFirst && !full) live.add()
    return state
  }
}

/** How many counters newcomers share. */
const SHARED = 1024
/** So that nobody can tell from outside who shares a counter with whom. */
const SALT = randomBytes(32)

function sharedKeyOf(key: string): string {
  return `shared ${createHmac('sha256', SALT).update(key).digest().readUInt32BE() % SHARED}`
}

/** How many keys were added within the last `milliseconds`, or a sixteenth longer: exact would be a clock for each. */
function liveKeys(milliseconds: number): { add(): void; count(): number } {
  const span = milliseconds / 16
  const spans: { readonly since: number; added: number }[] = []
  let all = 0

  return {
    add() {
      const now = performance.now()
      const newest = spans.at(-1)
      if (newest && now < newest.since + span) newest.added += 1
      else spans.push({ since: now, added: 1 })
      all += 1
    },
    count() {
      const now = performance.now()
      while (spans[0] && spans[0].since + span + milliseconds < now) all -= spans.shift()!.added
      return all
    },
  }
}
