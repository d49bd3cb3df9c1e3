import { RateLimiterRedis } from 'rate-limiter-flexible'
import type { Limit } from '../contracts/api.js'
import { boundedCache } from '../lib/bounded-cache.js'
import type { RedisConnection } from '../options/options.js'
import { consume } from './consume.js'
import type { Counter } from './rate-limit.js'
import type { RedisCircuitBreaker } from './redis-circuit-breaker.js'

interface SharedCounterOptions extends Limit {
  readonly redis: RedisConnection
  readonly circuitBreaker: RedisCircuitBreaker
  readonly keyPrefix: string
  /** Counts while Redis is gone. */
  readonly fallback: Counter
}

/** How many keys that have used up their limit are refused without asking Redis. */
const USED_UP = 10_000

/** Counts in Redis, for all processes together; in this one alone while Redis is gone. */
export function redisCounter({
  redis,
  circuitBreaker,
  keyPrefix,
  limit,
  window,
  fallback,
}: SharedCounterOptions): Counter {
  const limiter = redisLimiter(redis, { keyPrefix, limit, window })
  // Not the limiter's own inMemoryBlockOnConsumed: that map has no bound, and is searched whole past a thousand keys.
  const usedUp = boundedCache<number>({ entries: USED_UP })

  return async function countForAll(key) {
    const left = (usedUp.get(key) ?? 0) - performance.now()
    if (left > 0) return { allowed: false, remaining: 0, milliseconds: left }

    const state = await circuitBreaker.ask(() => consume(limiter, key))
    if (!state) return fallback(key)
    if (state.remaining === 0) usedUp.set(key, performance.now() + state.milliseconds)
    return state
  }
}

export function redisLimiter(
  redis: RedisConnection,
  { keyPrefix, limit, window }: Limit & { readonly keyPrefix: string },
): RateLimiterRedis {
  return new RateLimiterRedis({ storeClient: clientOf(redis), keyPrefix, points: limit, duration: window })
}

/** rate-limiter-flexible takes a client for ioredis or not by the name of its constructor; a plain object it does. */
function clientOf(redis: RedisConnection): object {
  const client: Record<string, unknown> = {
    defineCommand(name: string, definition: { lua: string; numberOfKeys: number }) {
      redis.defineCommand(name, definition)
      client[name] = (args: unknown) => (redis as unknown as Commands)[name]!(args)
    },
  }
  return client
}

type Commands = Readonly<Record<string, (args: unknown) => Promise<unknown>>>
