import type RateLimiterRedis from 'rate-limiter-flexible/lib/RateLimiterRedis.js'
import type { Limit } from '../../shared/contracts/api.js'
import { createBoundedCache } from '../../shared/lib/bounded-cache.js'
import { once } from '../../shared/lib/once.js'
import type { RedisConnection } from '../options/options.js'
import { consume } from './memory-counter.js'
import type { Counter } from './rate-limit.js'
import type { RedisCircuitBreaker } from './redis-circuit-breaker.js'

interface RedisCounterOptions extends Limit {
  readonly redis: RedisConnection
  readonly circuitBreaker: Pick<RedisCircuitBreaker, 'ask'>
  readonly keyPrefix: string
  /** A counter for the time while Redis is unavailable. */
  readonly fallback: Counter
}

/** Keys that have reached their limit are refused without asking Redis, so that the most frequent callers do not load it. */
const MAX_EXHAUSTED_KEYS = 10_000

/** Counts in Redis, for all processes together; with `fallback` while Redis is unavailable. */
export function createRedisCounter(options: RedisCounterOptions): Counter {
  const { redis, circuitBreaker, fallback, ...limit } = options
  const getLimiter = once(() => createRedisLimiter(redis, limit))
  // Key -> when it may count again. Not the limiter's inMemoryBlockOnConsumed: that map has no bound, and above a
  // thousand keys it is searched completely.
  const exhausted = createBoundedCache<number>({ entries: MAX_EXHAUSTED_KEYS })

  return async function countInRedis(key) {
    const left = (exhausted.get(key) ?? 0) - performance.now()
    if (left > 0) return { allowed: false, remaining: 0, milliseconds: left }

    const state = await circuitBreaker.ask(async () => consume(await getLimiter(), key))
    if (!state) return fallback(key)
    if (state.remaining === 0) exhausted.set(key, performance.now() + state.milliseconds)
    return state
  }
}

/** A probe that counts, as every request does: a Redis that answers PING may still reject writes. */
export function createRedisProbe(redis: RedisConnection, keyPrefix: string): () => Promise<unknown> {
  const getLimiter = once(() => createRedisLimiter(redis, { keyPrefix, limit: Number.MAX_SAFE_INTEGER, window: 10 }))
  return async () => consume(await getLimiter(), 'probe')
}

/** Loaded when it is needed first: 0.1 MB that a process without Redis is spared. */
async function createRedisLimiter(
  redis: RedisConnection,
  { keyPrefix, limit, window }: Limit & { readonly keyPrefix: string },
): Promise<RateLimiterRedis> {
  const { default: RateLimiterRedis } = await import('rate-limiter-flexible/lib/RateLimiterRedis.js')
  return new RateLimiterRedis({ storeClient: adaptClient(redis), keyPrefix, points: limit, duration: window })
}

/**
 * rate-limiter-flexible guesses the client library from the name of the client's constructor, which differs between
 * versions of ioredis. It takes a plain object for ioredis.
 */
function adaptClient(redis: RedisConnection): object {
  const client: Record<string, unknown> = {
    defineCommand(name: string, definition: { lua: string; numberOfKeys: number }) {
      redis.defineCommand(name, definition)
      client[name] = (args: unknown) => (redis as unknown as RedisCommands)[name]!(args)
    },
  }
  return client
}

/** Defines a command of any number of keys, which are given after their number. */
export function defineCommand(
  redis: RedisConnection,
  name: string,
  lua: string,
): (...args: unknown[]) => Promise<unknown> {
  redis.defineCommand(name, { lua })
  return (...args) => (redis as unknown as RedisCommands)[name]!(...args)
}

type RedisCommands = Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>
