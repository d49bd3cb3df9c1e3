import type { Limit } from '../contracts/api.js'
import { OAuthError, retryAfter } from '../contracts/errors.js'

/**
 * Counts one more for that key; rejects with `too_many_requests` where it is one too many. Resolves the headers that tell
 * the caller where it stands, if it is to be told.
 */
export type RateLimit = (key: string) => Promise<LimitHeaders>

/** `RateLimit` and `RateLimit-Policy`, or none. */
export type LimitHeaders = Readonly<Record<string, string>>

/** Where a key stands, once it has been counted. */
export interface RateLimitState {
  readonly allowed: boolean
  /** How many more there may be. */
  readonly remaining: number
  /** Until when it starts afresh. */
  readonly milliseconds: number
}

/** Counts one more for that key, and never rejects. */
export type Counter = (key: string) => Promise<RateLimitState>

interface RateLimitOptions extends Limit {
  readonly count: Counter
  /** What the limit is called in headers; undefined where they tell nothing. */
  readonly policy: string | undefined
}

export function createRateLimit({ limit, window, count, policy }: RateLimitOptions): RateLimit {
  const policyHeader = `"${policy}";q=${limit};w=${window}`

  /** draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4. */
  function headersOf({ remaining }: RateLimitState, seconds: number): LimitHeaders {
    if (policy === undefined) return NONE
    return { 'RateLimit-Policy': policyHeader, RateLimit: `"${policy}";r=${remaining};t=${seconds}` }
  }

  return async function countOne(key) {
    const state = await count(key)
    // One number for both headers: Retry-After must not be earlier than what RateLimit says.
    const seconds = Math.max(1, Math.ceil(state.milliseconds / 1000))
    const headers = headersOf(state, seconds)
    if (state.allowed) return headers
    throw new OAuthError('too_many_requests', `Too many requests, try again in ${seconds} seconds`, {
      headers: { ...retryAfter(seconds), ...headers },
    })
  }
}

const NONE: LimitHeaders = {}
