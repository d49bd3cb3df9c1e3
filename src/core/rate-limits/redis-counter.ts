import { createHash, createHmac } from 'node:crypto'
import type { Limit } from '../../shared/contracts/api.js'
import { createBoundedCache } from '../../shared/lib/bounded-cache.js'
import { deriveKey } from '../../shared/lib/derive-key.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import type { RedisConnection } from '../options/options.js'
import type { MemoryCounter, RateLimitState } from './memory-counter.js'
import { setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '../../shared/lib/timeout.js'

/** Runs a script. Resolves undefined while Redis is unavailable; never rejects. */
export type RedisScript = (keys: readonly string[], args: readonly number[]) => Promise<unknown>

/**
 * Counts one request. KEYS: the counter. ARGV: the window in ms. Answers the requests in it, and the ms to its end. A window with more left
 * than that was begun with a longer one, before the limit was changed.
 */
const COUNT = `
local counted, left = redis.call('INCR', KEYS[1]), redis.call('PTTL', KEYS[1])
local window = tonumber(ARGV[1])
if left > window then counted = 1 end
if left < 0 or left > window then
  left = window
  redis.call('SET', KEYS[1], counted, 'PX', ARGV[1])
end
return {counted, left}
`

const PROBE_WINDOW_MS = 10_000
/** Keys that have reached their limit are refused without asking Redis, so that the most frequent callers do not load it. */
const MAX_EXHAUSTED_KEYS = 10_000

export function connectRedis(options: {
  readonly redis: RedisConnection
  readonly secrets: readonly string[]
  readonly baseUrl: string
  readonly onChange: (problem: unknown) => void
}) {
  const { redis, secrets, baseUrl, onChange } = options
  // The key is the secret that sorts first: it is the same in all processes that share a Redis, also while `secret` is being
  // changed.
  const hashingKey = deriveKey(secrets.toSorted()[0] ?? '', 'express-platform-auth rate limits v1')
  // Platforms that share a Redis do not share limits.
  const namespace = `platform_auth:${createHash('sha256').update(baseUrl).digest('base64url').slice(0, 8)}`

  function define(name: string, lua: string, prefix = ''): RedisScript {
    const command = `platformAuth_${name}`
    redis.defineCommand(command, { lua })
    const commands = redis as unknown as Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>
    return (keys, args) =>
      commands[command]!(keys.length, ...keys.map((key) => `${namespace}:${prefix}${key}`), ...args)
  }

  const count = define('count', COUNT)
  // A probe counts, as every request does: a Redis that answers PING may still reject writes.
  const probe = () => count(['probe'], [PROBE_WINDOW_MS])
  const { ask, isOpen, close } = createRedisCircuitBreaker({ redis, probe, onChange })

  return {
    defineScript(name: string, lua: string): RedisScript {
      const run = define(name, lua, `${name}:`)
      return (keys, args) => ask(() => run(keys, args))
    },
    isUnavailable: isOpen,
    close,
    /** Untrusted keys may be long, and Redis must not hold addresses and contacts, nor a hash that can be guessed. */
    hashKey: (key: string) => createHmac('sha256', hashingKey).update(key).digest('base64url').slice(0, 22),
    createCounter(name: string, { limit, window }: Limit, fallback: MemoryCounter) {
      /** Key -> when it may count again. */
      const exhausted = createBoundedCache<number>({ entries: MAX_EXHAUSTED_KEYS })

      async function countTogether(key: string): Promise<RateLimitState> {
        const answer = (await ask(() => count([`${name}:${key}`], [window * 1000]))) as
          | readonly [number, number]
          | undefined
        if (!answer) return fallback(key)
        const [counted, milliseconds] = answer
        if (counted >= limit) exhausted.set(key, performance.now() + milliseconds)
        return { allowed: counted <= limit, remaining: Math.max(0, limit - counted), milliseconds }
      }

      return function countInRedis(key: string): MaybePromise<RateLimitState> {
        const left = (exhausted.get(key) ?? 0) - performance.now()
        if (left > 0) return { allowed: false, remaining: 0, milliseconds: left }
        return isOpen() ? fallback(key) : countTogether(key)
      }
    },
  }
}

/** Every guarded request waits for its count; Redis usually answers within a few milliseconds. */
const REDIS_CALL_TIMEOUT_MS = 250
/** Limits are shared again soon after Redis is back, and a probe is cheap. */
const PROBE_INTERVAL_MS = 100
/** Probes run one at a time, so one that hangs must time out. */
const PROBE_TIMEOUT_MS = 5000
/** The host's ioredis instance gets no listeners from this package, so its status is polled while it connects. */
const STATUS_POLL_INTERVAL_MS = 5

/** States of an ioredis instance in which it sends commands at once; one in `wait` (`lazyConnect`) connects for the first. */
const SENDING_STATES: readonly unknown[] = ['ready', 'wait', undefined]
const CONNECTING_STATES: readonly unknown[] = ['connecting', 'connect']

/** A circuit breaker in front of Redis: after one failure nothing is sent but a probe, until that is answered in time. */
export function createRedisCircuitBreaker(options: {
  readonly redis: Pick<RedisConnection, 'status'>
  /** Does the same work in Redis as a command, without any effect on limits. */
  readonly probe: () => Promise<unknown>
  /** Called with the problem when Redis becomes unavailable, and with undefined when it answers again. */
  readonly onChange: (problem: unknown) => void
}) {
  const { redis, probe, onChange } = options
  let isOpen = false
  let outages = 0
  const closing = new AbortController()

  async function send<Answer>(command: () => Promise<Answer>): Promise<Answer> {
    // Otherwise ioredis would queue the command or reject it, depending on its options.
    while (mustWaitForConnection()) await sleep(STATUS_POLL_INTERVAL_MS, undefined, { ref: false })
    if (isOpen || !SENDING_STATES.includes(redis.status))
      throw new Error(`The connection to Redis is in state "${redis.status}".`)
    return command()
  }

  function mustWaitForConnection(): boolean {
    return !isOpen && CONNECTING_STATES.includes(redis.status)
  }

  function open(problem: unknown): void {
    if (isOpen || closing.signal.aborted) return
    isOpen = true
    outages += 1
    void probeUntilAnswered()
    onChange(problem)
  }

  async function probeUntilAnswered(): Promise<void> {
    while (isOpen && !closing.signal.aborted) {
      await sleep(PROBE_INTERVAL_MS, undefined, { ref: false, signal: closing.signal }).catch(() => undefined)
      if (!closing.signal.aborted && SENDING_STATES.includes(redis.status) && (await isProbeAnsweredInTime())) {
        isOpen = false
        onChange(undefined)
      }
    }
  }

  async function isProbeAnsweredInTime(): Promise<boolean> {
    const startedAt = performance.now()
    try {
      await withTimeout(probe(), PROBE_TIMEOUT_MS, () => createTimeoutError(PROBE_TIMEOUT_MS), { background: true })
      return performance.now() - startedAt <= REDIS_CALL_TIMEOUT_MS && !closing.signal.aborted
    } catch {
      return false
    }
  }

  return {
    /** Runs a command and resolves Redis's answer; undefined while Redis is unavailable. Never rejects. */
    async ask<Answer>(command: () => Promise<Answer>): Promise<Answer | undefined> {
      if (isOpen) return undefined
      const outagesBefore = outages
      try {
        return await withTimeout(send(command), REDIS_CALL_TIMEOUT_MS, () => createTimeoutError(REDIS_CALL_TIMEOUT_MS))
      } catch (problem) {
        // A command that was sent before an outage that has ended does not start a new one.
        if (outages === outagesBefore) open(problem)
        return undefined
      }
    },
    isOpen: () => isOpen,
    close: () => closing.abort(),
  }
}

function createTimeoutError(milliseconds: number): Error {
  return new Error(`Redis did not answer within ${milliseconds} ms.`)
}
