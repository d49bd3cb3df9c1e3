import { createBoundedCache } from '../../shared/lib/bounded-cache.js'
import type { MemoryCounter } from './memory-counter.js'
import type { Counter, RateLimitState } from './rate-limit.js'

/** Counts one request. KEYS: the counter. ARGV: the window in ms. Answers the requests in it, and the ms to its end. */
export const COUNT = `
local counted, left = redis.call('INCR', KEYS[1]), redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
return {counted, left}
`

/** Keys that have reached their limit are refused without asking Redis, so that the most frequent callers do not load it. */
const MAX_EXHAUSTED_KEYS = 10_000

/** Counts in Redis, for all processes together; with `fallback` while Redis is unavailable. */
export function createRedisCounter({
  limit,
  count,
  isUnavailable,
  fallback,
}: {
  readonly limit: number
  /** Runs `COUNT` for that key. Resolves undefined while Redis is unavailable; never rejects. */
  readonly count: (key: string) => Promise<unknown>
  readonly isUnavailable: () => boolean
  readonly fallback: MemoryCounter
}): Counter {
  /** Key -> when it may count again. */
  const exhausted = createBoundedCache<number>({ entries: MAX_EXHAUSTED_KEYS })

  async function countTogether(key: string): Promise<RateLimitState> {
    const answer = (await count(key)) as readonly [number, number] | undefined
    if (!answer) return fallback(key)
    const [counted, milliseconds] = answer
    if (counted >= limit) exhausted.set(key, performance.now() + milliseconds)
    return { allowed: counted <= limit, remaining: Math.max(0, limit - counted), milliseconds }
  }

  return function countInRedis(key) {
    const left = (exhausted.get(key) ?? 0) - performance.now()
    if (left > 0) return { allowed: false, remaining: 0, milliseconds: left }
    return isUnavailable() ? fallback(key) : countTogether(key)
  }
}
