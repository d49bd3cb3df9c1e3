import { setTimeout as sleep } from 'node:timers/promises'
import type { Limit } from '../../shared/contracts/api.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import { OAuthError, retryAfter, type LimitCause } from '../../shared/contracts/denial.js'
import { formatWait } from '../../shared/lib/format-wait.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'

/**
 * Counts one request for that key. Resolves the `RateLimit` headers; rejects with `too_many_requests` when the limit is
 * exceeded.
 */
export type RateLimit = (key: string) => Promise<LimitHeaders>

/**
 * Counts units of an application toward the limits of its plan, in all of them or in none. Returns undefined if it has no plan. Throws or
 * rejects with the refusal if one of them has too few left.
 */
export type LimitByPlan = (application: ApplicationRecord, units: number) => MaybePromise<LimitHeaders> | undefined

/** What limits requests by plans. */
export interface PlanLimits {
  readonly count: LimitByPlan
  /** Describes the first limit of any plan that a request of so many units can never pass; undefined if there is none. */
  describeTooLow(units: number): string | undefined
}

/** `RateLimit` and `RateLimit-Policy`, or none. */
export type LimitHeaders = Readonly<Record<string, string>>

/** The state of a key after a counter has counted one request. */
export interface RateLimitState {
  readonly allowed: boolean
  /** How many more requests the window allows. */
  readonly remaining: number
  /** Milliseconds until the next window starts. */
  readonly milliseconds: number
}

/** Counts one request for that key. Never rejects. */
export type Counter = (key: string) => Promise<RateLimitState>

interface RateLimitOptions extends Limit {
  readonly count: Counter
  /** The name in the headers; undefined for no headers. */
  readonly policy: string | undefined
  /** Whether refusals are sent about a second later. */
  readonly delayRefusals: boolean
  /** What has set the limit, for the log. */
  readonly cause: LimitCause | undefined
}

/** Bounds the load of a client with a thousand connections that ignores `Retry-After`: it sends no more until it is answered. */
const REFUSAL_DELAY_MS = 1000

export function createRateLimit({ limit, window, count, policy, delayRefusals, cause }: RateLimitOptions): RateLimit {
  const policyHeader = `"${policy}";q=${limit};w=${window}`

  /** draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4. */
  function formatHeaders({ remaining }: RateLimitState, seconds: number): LimitHeaders {
    if (policy === undefined) return NO_HEADERS
    return { 'RateLimit-Policy': policyHeader, RateLimit: `"${policy}";r=${remaining};t=${seconds}` }
  }

  return async function countRequest(key) {
    const state = await count(key)
    // One number serves both headers: Retry-After must not be earlier than the reset in RateLimit.
    const seconds = Math.max(1, Math.ceil(state.milliseconds / 1000))
    const headers = formatHeaders(state, seconds)
    if (state.allowed) return headers
    if (delayRefusals) await sleep(REFUSAL_DELAY_MS * (0.5 + Math.random()), undefined, { ref: false })
    throw new OAuthError('too_many_requests', `Too many requests, try again in ${formatWait(seconds)}`, {
      headers: { ...retryAfter(seconds), ...headers },
      cause,
    })
  }
}

const NO_HEADERS: LimitHeaders = {}
