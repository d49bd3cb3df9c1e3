import { ConfigurationError } from '../../shared/contracts/errors.js'
import { isObject } from '../../shared/lib/is-object.js'
import { boolean, group, limit } from '../../shared/lib/option-rules.js'
import { DEFAULT_FAILED_AUTHENTICATION } from './defaults.js'
import type { RedisConnection } from './options.js'

/** `requests` is the default of each API's `rateLimit`. */
export const readRateLimits = group('rateLimits', {
  requests: limit(false),
  tokenRequests: limit(false),
  revocations: limit({ limit: 100, window: 10 }),
  failedAuthentication: limit(DEFAULT_FAILED_AUTHENTICATION),
  redis: readRedis,
  headers: boolean(false),
})

function readRedis(option: string, redis: unknown): RedisConnection | undefined {
  if (redis === undefined) return undefined
  if (isObject(redis) && typeof redis['defineCommand'] === 'function') return redis as unknown as RedisConnection
  // The value is not shown: a URL may hold a password.
  throw new ConfigurationError({
    option,
    problem: 'is no ioredis instance',
    fix: 'Give it new Redis(url), where Redis comes from "ioredis".',
  })
}
