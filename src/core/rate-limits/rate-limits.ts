import { createHash, createHmac } from 'node:crypto'
import type { Limit } from '../../shared/contracts/api.js'
import { LimitCause } from '../../shared/contracts/denial.js'
import type { Emit } from '../../shared/contracts/events.js'
import type { Logger } from '../../shared/contracts/logger.js'
import { deriveKey } from '../../shared/lib/derive-key.js'
import type { RedisConnection } from '../options/options.js'
import { createMemoryCounters } from './memory-counter.js'
import { createRateLimit, type RateLimit } from './rate-limit.js'
import { createRedisCircuitBreaker } from './redis-circuit-breaker.js'
import { COUNT, createRedisCounter } from './redis-counter.js'

/** A platform's rate limits, counted in this process, or in Redis for all processes together. */
export type RateLimits = ReturnType<typeof createRateLimits>

/** Runs a script. Resolves undefined while Redis is unavailable; never rejects. */
export type RedisScript = (keys: readonly string[], args: readonly number[]) => Promise<unknown>

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

/** Bounds the memory of one limit with untrusted keys, at some 200 bytes each, or twice that: windows are kept for up to two windows. */
const MAX_UNTRUSTED_KEYS = 50_000
const PROBE_WINDOW_MS = 10_000

export function createRateLimits({
  secrets,
  baseUrl,
  redis,
  headers,
  onChange,
}: {
  readonly secrets: readonly string[]
  readonly baseUrl: string
  readonly redis: RedisConnection | undefined
  /** Whether answers have `RateLimit` headers. */
  readonly headers: boolean
  /** Called with the problem when Redis becomes unavailable, and with undefined when it answers again. */
  readonly onChange: (problem: unknown) => void
}) {
  const memory = createMemoryCounters()
  const shared = redis && connect(redis)

  function connect(connection: RedisConnection) {
    // The key is the secret that sorts first: it is the same in all processes that share a Redis, also while `secret` is being
    // changed.
    const hashingKey = deriveKey(secrets.toSorted()[0] ?? '', 'express-platform-auth rate limits v1')
    // Platforms that share a Redis do not share limits.
    const namespace = `platform_auth:${createHash('sha256').update(baseUrl).digest('base64url').slice(0, 8)}`
    const define = (name: string, lua: string): RedisScript => {
      const command = `platformAuth_${name}`
      connection.defineCommand(command, { lua })
      const commands = connection as unknown as Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>
      return (keys, args) => commands[command]!(keys.length, ...keys.map((key) => `${namespace}:${key}`), ...args)
    }
    const count = define('count', COUNT)
    // A probe counts, as every request does: a Redis that answers PING may still reject writes.
    const probe = () => count(['probe'], [PROBE_WINDOW_MS])
    const circuitBreaker = createRedisCircuitBreaker({ redis: connection, probe, onChange })
    return {
      define,
      circuitBreaker,
      count: (key: string, milliseconds: number) => circuitBreaker.ask(() => count([key], [milliseconds])),
      // Untrusted keys may be long, and Redis must not hold addresses and contacts. They are replaced by an HMAC, so that
      // nobody can guess them.
      hashKey: (key: string) => createHmac('sha256', hashingKey).update(key).digest('base64url').slice(0, 22),
    }
  }

  function createCounter(name: string, { limit, window }: Limit, untrustedKeys: boolean) {
    const inMemory = memory.create({ limit, window }, untrustedKeys ? MAX_UNTRUSTED_KEYS : Infinity)
    if (!shared) return inMemory
    const countShared = createRedisCounter({
      limit,
      count: (key) => shared.count(`${name}:${key}`, window * 1000),
      isUnavailable: shared.circuitBreaker.isOpen,
      fallback: inMemory,
    })
    return untrustedKeys ? (key: string) => countShared(shared.hashKey(key)) : countShared
  }

  return {
    /** Creates one limit; `name` tells limits apart. Undefined for `false`. */
    create(
      name: string,
      limit: Limit | false,
      { policy, setBy, untrustedKeys = false, delayRefusals = false }: RateLimitKind = {},
    ): RateLimit | undefined {
      if (limit === false) return undefined
      return createRateLimit({
        ...limit,
        count: createCounter(name, limit, untrustedKeys),
        policy: headers ? policy : undefined,
        delayRefusals,
        cause: setBy === undefined ? undefined : new LimitCause(setBy),
      })
    },
    /** Defines a script in Redis; undefined without Redis. `name` tells its keys apart. */
    defineScript(name: string, lua: string): RedisScript | undefined {
      if (!shared) return undefined
      const run = shared.define(name, lua)
      return (keys, args) =>
        shared.circuitBreaker.ask(() =>
          run(
            keys.map((key) => `${name}:${key}`),
            args,
          ),
        )
    },
    /** The problem for `auth.health()`; undefined if there is none. Requests are answered either way. */
    problem(): string | undefined {
      return shared?.circuitBreaker.isOpen()
        ? 'Redis is unavailable: each process counts its own rate limits.'
        : undefined
    },
    close(): void {
      memory.close()
      shared?.circuitBreaker.close()
    },
  }
}

/** Logs and emits that Redis is unavailable, or answers again. Requests are answered either way. */
export function createOutageNotice({
  logger,
  emit,
}: {
  readonly logger: Pick<Logger, 'warn'>
  readonly emit: Emit
}): (problem: unknown) => void {
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
