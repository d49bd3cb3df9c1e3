import type { RateLimits, RateLimitsOptions } from './rate-limits.js'
import { createHash, createHmac } from 'node:crypto'
import { LimitCause } from '../../shared/contracts/denial.js'
import type { Emit } from '../../shared/contracts/events.js'
import type { Logger } from '../../shared/contracts/logger.js'
import { deriveKey } from '../../shared/lib/derive-key.js'
import { createMemoryCounter } from './memory-counter.js'
import { createRateLimit } from './rate-limit.js'
import { createRedisCircuitBreaker } from './redis-circuit-breaker.js'
import { createRedisCounter, createRedisProbe, defineCommand } from './redis-counter.js'

/** Bounds the memory of one limit with untrusted keys, at some 500 bytes each. */
const MAX_UNTRUSTED_KEYS = 50_000

export function createRateLimits({ secrets, baseUrl, redis, headers, onChange }: RateLimitsOptions): RateLimits {
  // The key is the secret that sorts first: it is the same in all processes that share a Redis, also while `secret` is being
  // changed.
  const hashingKey = deriveKey(secrets.toSorted()[0] ?? '', 'express-platform-auth rate limits v1')
  // Untrusted keys may be long, and Redis must not hold addresses and contacts. They are replaced by an HMAC, so that nobody
  // can guess them.
  const hashKey = (key: string): string => createHmac('sha256', hashingKey).update(key).digest('base64url').slice(0, 22)
  // Platforms that share a Redis do not share limits.
  const namespace = `platform_auth:${createHash('sha256').update(baseUrl).digest('base64url').slice(0, 8)}`
  const shared = redis && {
    redis,
    circuitBreaker: createRedisCircuitBreaker({ redis, probe: createRedisProbe(redis, namespace), onChange }),
  }

  return {
    create(name, limit, { policy, setBy, untrustedKeys = false, delayRefusals = false } = {}) {
      if (limit === false) return undefined
      const fallback = createMemoryCounter(limit, untrustedKeys ? MAX_UNTRUSTED_KEYS : undefined)
      const count = shared
        ? createRedisCounter({ ...limit, ...shared, keyPrefix: `${namespace}:${name}`, fallback })
        : fallback
      const countRequest = createRateLimit({
        ...limit,
        count,
        policy: headers ? policy : undefined,
        delayRefusals,
        cause: setBy === undefined ? undefined : new LimitCause(setBy),
      })
      return untrustedKeys ? (key) => countRequest(hashKey(key)) : countRequest
    },
    defineScript(name, lua) {
      if (!shared) return undefined
      const run = defineCommand(redis, `platformAuth_${name}`, lua)
      return (keys, args) =>
        shared.circuitBreaker.ask(() => run(keys.length, ...keys.map((key) => `${namespace}:${name}:${key}`), ...args))
    },
    problem() {
      return shared?.circuitBreaker.isOpen()
        ? 'Redis is unavailable: each process counts its own rate limits.'
        : undefined
    },
    close: () => shared?.circuitBreaker.close(),
  }
}

interface OutageNoticeOptions {
  readonly logger: Pick<Logger, 'warn'>
  readonly emit: Emit
}

/** Logs and emits that Redis is unavailable, or answers again. Requests are answered either way. */
export function createOutageNotice({ logger, emit }: OutageNoticeOptions): (problem: unknown) => void {
  return function reportOutage(problem) {
    if (problem === undefined) {
      logger.warn('Redis answers again: rate limits are shared.')
      emit('limits.available', {})
    } else {
      logger.warn('Redis is unavailable: each process counts its own rate limits until it answers.', problem)
      emit('limits.unavailable', problem instanceof Error ? { reason: problem.message } : {})
    }
  }
}
