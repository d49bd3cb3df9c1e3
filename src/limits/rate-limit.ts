import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Limit } from '../api.js'
import { OAuthError } from '../errors.js'

/** Counts one more for that key; rejects with `too_many_requests` where it is one too many. */
export type RateLimit = (key: string) => Promise<void>

/** A limit in this process's memory. Undefined where the limit is off, so that nothing need be awaited. */
export function createRateLimit(limit: Limit | false): RateLimit | undefined {
  if (limit === false) return undefined
  const limiter = new RateLimiterMemory({ points: limit.limit, duration: limit.window })

  return async function countOne(key) {
    try {
      await limiter.consume(key)
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused
      throw tooManyRequests(refused.msBeforeNext)
    }
  }
}

function tooManyRequests(milliseconds: number): OAuthError {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000))
  return new OAuthError('too_many_requests', `Too many requests, try again in ${seconds} seconds`, {
    headers: { 'Retry-After': String(seconds) },
  })
}
