import { ConfigurationError } from '../../shared/contracts/errors.js'
import { isObject } from '../../shared/lib/is-object.js'
import { DEFAULT_FAILED_AUTHENTICATION } from './defaults.js'
import { readBoolean, readGroup, readLimit } from '../../shared/lib/option-checks.js'
import type { RateLimitsOptions, RedisConnection } from './options.js'
import type { RateLimitSettings } from './settings.js'

export function readRateLimits(options: RateLimitsOptions | undefined): RateLimitSettings {
  const { tokenRequests, revocations, failedAuthentication, redis, headers } = readGroup('rateLimits', options, [
    'requests',
    'tokenRequests',
    'revocations',
    'failedAuthentication',
    'redis',
    'headers',
  ])
  return {
    tokenRequests: readLimit('rateLimits.tokenRequests', tokenRequests ?? false),
    revocations: readLimit('rateLimits.revocations', revocations ?? { limit: 100, window: 10 }),
    failedAuthentication: readLimit(
      'rateLimits.failedAuthentication',
      failedAuthentication ?? DEFAULT_FAILED_AUTHENTICATION,
    ),
    redis: readRedis(redis),
    headers: readBoolean('rateLimits.headers', headers ?? false),
  }
}

function readRedis(redis: unknown): RedisConnection | undefined {
  if (redis === undefined) return undefined
  if (isObject(redis) && typeof redis['defineCommand'] === 'function') return redis as unknown as RedisConnection
  // The value is not shown: a URL may hold a password.
  throw new ConfigurationError({
    option: 'rateLimits.redis',
    problem: 'is no ioredis instance',
    fix: 'Give it new Redis(url), where Redis comes from "ioredis".',
  })
}
