import { setTimeout as sleep } from 'node:timers/promises'
import type { Limit } from '../../shared/contracts/api.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import {
  createDenial,
  createDenialError,
  retryAfter,
  type LimitCause,
  type OAuthError,
} from '../../shared/contracts/denial.js'
import { createBoundedCache } from '../../shared/lib/bounded-cache.js'
import { formatWait } from '../../shared/lib/relative-time.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'

/**
 * Counts one request for that key. Returns the `RateLimit` headers; throws `too_many_requests` when the limit is exceeded. Both at
 * once where this process counts, because a flood must not wait in promises; where Redis does, it resolves and rejects.
 */
export interface RateLimit {
  (key: string): MaybePromise<LimitHeaders>
  /** Counts one request too. Returns the refusal and throws nothing: V8 takes longer to throw than to do all else here. */
  findRefusal(key: string): MaybePromise<OAuthError | undefined>
}

/** Counts units in all limits of a plan, or in none. Undefined without a plan. Throws or rejects with the refusal. */
export type LimitByPlan = (application: ApplicationRecord, units: number) => MaybePromise<LimitHeaders> | undefined

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
  readonly remaining: number
  /** Milliseconds until the next window starts. */
  readonly milliseconds: number
}

/** Counts one request for that key. Never throws or rejects. */
export type Counter = (key: string) => MaybePromise<RateLimitState>

/** Bounds the load of a client with a thousand connections that ignores `Retry-After`: it sends no more until it is answered. */
const REFUSAL_DELAY_MS = 1000
/** A flood gets few different refusals: one for each second until the window ends. */
const KEPT_REFUSALS = 100

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
  const refusals = createBoundedCache<OAuthError>({ entries: KEPT_REFUSALS })

  /** draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4. */
  function formatHeaders({ remaining }: Pick<RateLimitState, 'remaining'>, seconds: number): LimitHeaders {
    if (policy === undefined) return NO_HEADERS
    return { 'RateLimit-Policy': policyHeader, RateLimit: `"${policy}";r=${remaining};t=${seconds}` }
  }

  function passOrRefuse(state: RateLimitState): MaybePromise<LimitHeaders> {
    if (state.allowed) return formatHeaders(state, countSeconds(state))
    const refusal = refuse(state)
    if (delayRefusals) return refuseLater(refusal)
    throw refusal
  }

  /** Frozen, because every request that is refused in that second gets it. */
  function refuse(state: RateLimitState): OAuthError {
    const seconds = countSeconds(state)
    const known = refusals.get(String(seconds))
    if (known) return known
    const description = `Too many requests, try again in ${formatWait(seconds)}`
    const headers = { ...retryAfter(seconds), ...formatHeaders({ remaining: 0 }, seconds) }
    const refusal = createDenialError(createDenial('too_many_requests', description, headers), cause)
    Object.freeze(refusal.headers)
    refusals.set(String(seconds), Object.freeze(refusal))
    return refusal
  }

  const refuseIfExceeded = (state: RateLimitState): OAuthError | undefined =>
    state.allowed ? undefined : refuse(state)

  function countRequest(key: string): MaybePromise<LimitHeaders> {
    const counted = count(key)
    return counted instanceof Promise ? counted.then(passOrRefuse) : passOrRefuse(counted)
  }
  function findRefusal(key: string): MaybePromise<OAuthError | undefined> {
    const counted = count(key)
    return counted instanceof Promise ? counted.then(refuseIfExceeded) : refuseIfExceeded(counted)
  }
  return Object.assign(countRequest, { findRefusal })
}

/** One number serves both headers: Retry-After must not be earlier than the reset in RateLimit. */
function countSeconds({ milliseconds }: RateLimitState): number {
  return Math.max(1, Math.ceil(milliseconds / 1000))
}

async function refuseLater(refusal: Error): Promise<never> {
  await sleep(REFUSAL_DELAY_MS * (0.5 + Math.random()), undefined, { ref: false })
  throw refusal
}

const NO_HEADERS: LimitHeaders = {}
