import type { Limit } from '../../shared/contracts/api.js'
import type { RedisConnection } from '../options/options.js'
import type { RateLimit } from './rate-limit.js'

/** Creates a platform's rate limits, counted in this process, or in Redis for all processes together. */
export interface RateLimits {
  /** Creates one limit; `name` tells limits apart. Undefined for `false`, so that requests need not wait for a promise. */
  create(name: string, limit: Limit | false, options?: RateLimitKind): RateLimit | undefined
  /** Defines a script in Redis; undefined without Redis. `name` tells its keys apart. */
  defineScript(name: string, lua: string): RedisScript | undefined
  /** The problem for `auth.health()`; undefined if there is none. Requests are answered either way. */
  problem(): string | undefined
  close(): void
}

/** Runs a script. Resolves undefined while Redis is unavailable; never rejects. */
export type RedisScript = (keys: readonly string[], args: readonly number[]) => Promise<unknown>

export interface RateLimitsOptions {
  readonly secrets: readonly string[]
  readonly baseUrl: string
  readonly redis: RedisConnection | undefined
  /** Whether answers have `RateLimit` headers. */
  readonly headers: boolean
  /** Called with the problem when Redis becomes unavailable, and with undefined when it answers again. */
  readonly onChange: (problem: unknown) => void
}

export interface RateLimitKind {
  /** What has set the limit, for the log; left out where no option does. */
  readonly setBy?: string
  /** The limit's name in the `RateLimit` headers; no headers if left out. */
  readonly policy?: string
  /** Whether unauthenticated callers choose the keys: addresses, contacts. */
  readonly untrustedKeys?: boolean
  /** Whether refusals are sent about a second later. */
  readonly delayRefusals?: boolean
}
