import { createHmac, randomBytes } from 'node:crypto'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js'
import type { Limit } from '../../shared/contracts/api.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import type { Counter, RateLimitState } from './rate-limit.js'

/**
 * Counts in this process. Above `maxKeys` keys at a time, new keys share a fixed number of counters: a caller with any number
 * of addresses must neither fill the memory nor avoid being counted.
 */
export function createMemoryCounter({ limit, window }: Limit, maxKeys = Infinity): Counter {
  const limiter = new RateLimiterMemory({ points: limit, duration: window })
  const activeKeys = createKeyGauge(window * 1000)

  return async function countInMemory(key) {
    const isFull = activeKeys.count() >= maxKeys && (await limiter.get(key)) === null
    const { isFirst, ...state } = await consume(limiter, isFull ? selectSharedCounter(key) : key)
    if (isFirst && !isFull) activeKeys.add()
    return state
  }
}

/** Counts one more for `key`. Rejects only if the limiter cannot count, not if the limit is reached. */
export async function consume(
  limiter: RateLimiterAbstract,
  key: string,
): Promise<RateLimitState & { readonly isFirst: boolean }> {
  try {
    return toState(await limiter.consume(key, 1, NO_OPTIONS), true)
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return toState(refused, false)
    throw refused
  }
}

/** The options have no prototype: a polluted `Object.prototype` must not provide `customDuration`. */
const NO_OPTIONS = ownMembers({})

function toState({ remainingPoints, msBeforeNext, isFirstInDuration }: RateLimiterRes, allowed: boolean) {
  return { allowed, remaining: remainingPoints, milliseconds: msBeforeNext, isFirst: isFirstInDuration }
}

/** So many counters that an honest new key rarely shares one with a flood, at some 500 bytes each. */
const SHARED_COUNTERS = 1024
/** The salt is random, so that nobody can find out which keys share a counter. */
const SHARED_COUNTER_SALT = randomBytes(32)

function selectSharedCounter(key: string): string {
  const digest = createHmac('sha256', SHARED_COUNTER_SALT).update(key).digest()
  return `shared ${digest.readUInt32BE() % SHARED_COUNTERS}`
}

/**
 * How many keys were added within the last `milliseconds`, or up to a sixteenth longer: they are counted in 17 spans of time,
 * because an exact count would need a timer for each key.
 */
function createKeyGauge(milliseconds: number): { add(): void; count(): number } {
  const spanLength = milliseconds / 16
  const spans: { readonly since: number; added: number }[] = []
  let total = 0

  return {
    add() {
      const now = performance.now()
      const newest = spans.at(-1)
      if (newest && now < newest.since + spanLength) newest.added += 1
      else spans.push({ since: now, added: 1 })
      total += 1
    },
    count() {
      const now = performance.now()
      while (spans[0] && spans[0].since + spanLength + milliseconds < now) total -= spans.shift()!.added
      return total
    },
  }
}
