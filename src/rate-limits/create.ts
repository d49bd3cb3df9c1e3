import { createHash, createHmac } from 'node:crypto'
import type { Limit } from '../contracts/api.js'
import type { RedisConnection } from '../options/options.js'
import { consume } from './consume.js'
import { memoryCounter } from './memory-counter.js'
import { createRateLimit, type RateLimit } from './rate-limit.js'
import { createRedisCircuitBreaker } from './redis-circuit-breaker.js'
import { redisLimiter, redisCounter } from './redis-counter.js'

/** Makes a platform's limits: counted in this process, or in Redis for all processes together. */
export interface RateLimits {
  /** One limit, by a name of its own. Undefined where it is off, so that nothing need be awaited. */
  create(name: string, limit: Limit | false, options?: RateLimitKind): RateLimit | undefined
  /** What an operator should know, if anything is wrong. Requests are answered all the same. */
  problem(): string | undefined
  close(): void
}

interface RateLimitKind {
  /** What the limit is called in headers, where there are to be any. */
  readonly policy?: string
  /** Whether keys are what anybody can make up: addresses, contacts. */
  readonly byAnybody?: boolean
}

interface RateLimitsOptions {
  readonly secret: string
  readonly baseUrl: string
  readonly redis: RedisConnection | undefined
  /** Whether answers tell where the caller stands. */
  readonly headers: boolean
  /** Told once why Redis is gone, and with undefined once it is back. */
  readonly onChange: (problem: unknown) => void
}

/** How many keys of anybody's making one limit holds in memory, at some 500 bytes each. */
const MAX_KEYS = 50_000

export function createRateLimits({ secret, baseUrl, redis, headers, onChange }: RateLimitsOptions): RateLimits {
  // What anybody can make up may be long, and addresses and contacts are nobody's business in Redis: nor can they be guessed.
  const digest = (text: string): string => createHmac('sha256', secret).update(text).digest('base64url').slice(0, 22)
  // Platforms that share a Redis don't share limits.
  const namespace = `platform_auth:${createHash('sha256').update(baseUrl).digest('base64url').slice(0, 8)}`
  const shared = redis && {
    redis,
    circuitBreaker: createRedisCircuitBreaker({ redis, probe: prober(redis, namespace), onChange }),
  }

  return {
    create(name, limit, { policy, byAnybody = false } = {}) {
      if (limit === false) return undefined
      const fallback = memoryCounter(limit, byAnybody ? MAX_KEYS : undefined)
      const count = shared
        ? redisCounter({ ...limit, ...shared, keyPrefix: `${namespace}:${name}`, fallback })
        : fallback
      const countOne = createRateLimit({ ...limit, count, policy: headers ? policy : undefined })
      return byAnybody ? (key) => countOne(digest(key)) : countOne
    },
    problem() {
      return shared?.circuitBreaker.isGone()
        ? 'Redis is out of reach: each process counts limits for itself.'
        : undefined
    },
    close: () => shared?.circuitBreaker.close(),
  }
}

/** Does what every count does: that Redis answers a PING doesn't say that it would write. */
function prober(redis: RedisConnection, namespace: string): () => Promise<unknown> {
  const limiter = redisLimiter(redis, { keyPrefix: namespace, limit: Number.MAX_SAFE_INTEGER, window: 10 })
  return () => consume(limiter, 'probe')
}
