import { RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible'
import type { RateLimitState } from './rate-limit.js'

/** Where a key stands, once a limiter has counted one more; rejects only when the limiter couldn't. */
export async function consume(
  limiter: RateLimiterAbstract,
  key: string,
): Promise<RateLimitState & { isFirst: boolean }> {
  try {
    return standingOf(await limiter.consume(key), true)
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return standingOf(refused, false)
    throw refused
  }
}

function standingOf(
  { remainingPoints, msBeforeNext, isFirstInDuration }: RateLimiterRes,
  allowed: boolean,
): RateLimitState & { isFirst: boolean } {
  return { allowed, remaining: remainingPoints, milliseconds: msBeforeNext, isFirst: isFirstInDuration }
}
