import { setTimeout as sleep } from 'node:timers/promises'
import type { Limit } from '../../shared/contracts/api.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import {
  LimitCause,
  createDenial,
  createDenialError,
  retryAfter,
  type OAuthError,
} from '../../shared/contracts/denial.js'
import type { Emit } from '../../shared/contracts/events.js'
import type { Logger } from '../../shared/contracts/logger.js'
import { createBoundedCache } from '../../shared/lib/bounded-cache.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import { formatWait } from '../../shared/lib/relative-time.js'
import type { RedisConnection } from '../options/options.js'
import { createMemoryCounters, type RateLimitState } from './memory-counter.js'
import { connectRedis, type RedisScript } from './redis-counter.js'

/** Counts one request; throws `too_many_requests`. At once where this process counts: a flood must not wait in promises. */
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

/** A platform's rate limits, counted in this process, or in Redis for all processes together. */
export type RateLimits = ReturnType<typeof createRateLimits>

/** Bounds the memory of one limit with untrusted keys, at some 200 bytes each, or twice that: windows are kept for up to two windows. */
const MAX_UNTRUSTED_KEYS = 50_000

export function createRateLimits(options: {
  readonly secrets: readonly string[]
  readonly baseUrl: string
  readonly redis: RedisConnection | undefined
  /** Whether answers have `RateLimit` headers. */
  readonly headers: boolean
  readonly onChange: (problem: unknown) => void
}) {
  const { secrets, baseUrl, redis, headers, onChange } = options
  const memory = createMemoryCounters()
  const shared = redis && connectRedis({ redis, secrets, baseUrl, onChange })

  function createCounter(name: string, { limit, window }: Limit, untrustedKeys: boolean) {
    const inMemory = memory.create({ limit, window }, untrustedKeys ? MAX_UNTRUSTED_KEYS : Infinity)
    if (!shared) return inMemory
    const countShared = shared.createCounter(name, { limit, window }, inMemory)
    return untrustedKeys ? (key: string) => countShared(shared.hashKey(key)) : countShared
  }

  return {
    /** Creates one limit; `name` tells limits apart. Undefined for `false`. */
    create(
      name: string,
      limit: Limit | false,
      options: {
        /** What has set the limit, for the log; left out where no option does. */
        readonly setBy?: string
        /** The limit's name in the `RateLimit` headers; no headers if left out. */
        readonly policy?: string
        /** Whether unauthenticated callers choose the keys: addresses, contacts. */
        readonly untrustedKeys?: boolean
        /** Whether refusals are sent about a second later. */
        readonly delayRefusals?: boolean
      } = {},
    ): RateLimit | undefined {
      const { policy, setBy, untrustedKeys = false, delayRefusals = false } = options
      if (limit === false) return undefined
      return createRateLimit(limit, {
        count: createCounter(name, limit, untrustedKeys),
        policy: headers ? policy : undefined,
        delayRefusals,
        cause: setBy === undefined ? undefined : new LimitCause(setBy),
      })
    },
    /** Defines a script in Redis; undefined without Redis. `name` tells its keys apart. */
    defineScript: (name: string, lua: string): RedisScript | undefined => shared?.defineScript(name, lua),
    /** The problem for `auth.health()`; undefined if there is none. Requests are answered either way. */
    problem(): string | undefined {
      return shared?.isUnavailable() ? 'Redis is unavailable: each process counts its own rate limits.' : undefined
    },
    close(): void {
      memory.close()
      shared?.close()
    },
  }
}

export function createOutageNotice(options: { readonly logger: Pick<Logger, 'warn'>; readonly emit: Emit }) {
  const { logger, emit } = options
  return function reportOutage(problem: unknown): void {
    if (problem === undefined) {
      logger.warn('Redis answers again: rate limits are shared.')
      emit('limits.available', {})
    } else {
      logger.warn('Redis is unavailable: each process counts its own rate limits until it answers.', problem)
      emit('limits.unavailable', problem instanceof Error ? { reason: problem.message } : {})
    }
  }
}

/** Bounds the load of a client with a thousand connections that ignores `Retry-After`: it sends no more until it is answered. */
const REFUSAL_DELAY_MS = 1000
/** A flood gets few different refusals: one for each second until the window ends. */
const KEPT_REFUSALS = 100

function createRateLimit(
  { limit, window }: Limit,
  options: {
    /** Counts one request for that key. Never throws or rejects. */
    readonly count: (key: string) => MaybePromise<RateLimitState>
    /** Undefined for no headers. */
    readonly policy: string | undefined
    readonly delayRefusals: boolean
    readonly cause: LimitCause | undefined
  },
): RateLimit {
  const { count, policy, delayRefusals, cause } = options
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
