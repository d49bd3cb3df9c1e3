import { createHash, createHmac } from 'node:crypto'
import type { Limit } from '../../shared/contracts/api.js'
import { createBoundedCache } from '../../shared/lib/bounded-cache.js'
import { deriveKey } from '../../shared/lib/derive-key.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import type { RedisConnection } from '../options/options.js'
import type { MemoryCounter, RateLimitState } from './memory-counter.js'
import { createRedisCircuitBreaker } from './redis-circuit-breaker.js'

/** Runs a script. Resolves undefined while Redis is unavailable; never rejects. */
export type RedisScript = (keys: readonly string[], args: readonly number[]) => Promise<unknown>

/** Counts one request. KEYS: the counter. ARGV: the window in ms. Answers the requests in it, and the ms to its end. */
const COUNT = `
local counted, left = redis.call('INCR', KEYS[1]), redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
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
    /**
     * Untrusted keys may be long, and Redis must not hold addresses and contacts. They are replaced by an HMAC, so that nobody can guess
     * them.
     */
    hashKey: (key: string) => createHmac('sha256', hashingKey).update(key).digest('base64url').slice(0, 22),
    /** Counts one request for a key; with `fallback` while Redis is unavailable. */
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
