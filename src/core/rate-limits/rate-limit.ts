import { setTimeout as sleep } from 'node:timers/promises'
import type { Limit } from '../../shared/contracts/api.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import { createDenial, createDenialError, retryAfter, type LimitCause } from '../../shared/contracts/denial.js'
import { formatWait } from '../../shared/lib/format-wait.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'

/**
 * Counts one request for that key. Returns the `RateLimit` headers; throws `too_many_requests` when the limit is exceeded. Both at
 * once where this process counts, because a flood must not wait in promises; where Redis does, it resolves and rejects.
 */
export type RateLimit = (key: string) => MaybePromise<LimitHeaders>

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

/** Counts one request for that key. Never throws or rejects. */
export type Counter = (key: string) => MaybePromise<RateLimitState>

/** Bounds the load of a client with a thousand connections that ignores `Retry-After`: it sends no more until it is answered. */
const REFUSAL_DELAY_MS = 1000

export function createRateLimit({
  limit,
  window,
  count,
  policy,
  delayRefusals,
  cause,
}: Limit & {
  readonly count: Counter
  /** The name in the headers; undefined for no headers. */
  readonly policy: string | undefined
  /** Whether refusals are sent about a second later. */
  readonly delayRefusals: boolean
  /** What has set the limit, for the log. */
  readonly cause: LimitCause | undefined
}): RateLimit {
  const policyHeader = `"${policy}";q=${limit};w=${window}`

  /** draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4. */
  function formatHeaders({ remaining }: RateLimitState, seconds: number): LimitHeaders {
    if (policy === undefined) return NO_HEADERS
    return { 'RateLimit-Policy': policyHeader, RateLimit: `"${policy}";r=${remaining};t=${seconds}` }
  }

  function passOrRefuse(state: RateLimitState): MaybePromise<LimitHeaders> {
    // One number serves both headers: Retry-After must not be earlier than the reset in RateLimit.
    const seconds = Math.max(1, Math.ceil(state.milliseconds / 1000))
    const headers = formatHeaders(state, seconds)
    if (state.allowed) return headers
    const description = `Too many requests, try again in ${formatWait(seconds)}`
    const denied = createDenial('too_many_requests', description, { ...retryAfter(seconds), ...headers })
    const refusal = createDenialError(denied, cause)
    if (delayRefusals) return refuseLater(refusal)
    throw refusal
  }

  return function countRequest(key) {
    const counted = count(key)
    return counted instanceof Promise ? counted.then(passOrRefuse) : passOrRefuse(counted)
  }
}

async function refuseLater(refusal: Error): Promise<never> {
  await sleep(REFUSAL_DELAY_MS * (0.5 + Math.random()), undefined, { ref: false })
  throw refusal
}

const NO_HEADERS: LimitHeaders = {}
