import { ConfigurationError } from '../contracts/errors.js'
import { isObject } from '../lib/is-object.js'
import { DEFAULT_FAILED_AUTHENTICATION } from './defaults.js'
import { readBoolean, readGroup, readLimit } from './checks.js'
import type { RateLimitsOptions, RedisConnection } from './options.js'
import type { RateLimitSettings } from './settings.js'

export function readRateLimits(options: RateLimitsOptions | undefined): RateLimitSettings {
  const {
    tokenRequests,
    revocations,
    failedAuthentication,
    registration,
    allRegistrations,
    signIn,
    portalActions,
    redis,
    headers,
  } = readGroup('rateLimits', options, [
    'requests',
    'tokenRequests',
    'revocations',
    'failedAuthentication',
    'registration',
    'allRegistrations',
    'signIn',
    'portalActions',
    'redis',
    'headers',
  ])
  const perCaller = readLimit('rateLimits.registration', registration ?? { limit: 5, window: 3600 })
  // The default is in proportion: a host that allows an address more, or switches that limit off, must not meet another one.
  const ofAllCallers = perCaller && { ...perCaller, limit: Math.min(perCaller.limit * 20, Number.MAX_SAFE_INTEGER) }
  return {
    tokenRequests: readLimit('rateLimits.tokenRequests', tokenRequests ?? false),
    revocations: readLimit('rateLimits.revocations', revocations ?? { limit: 100, window: 10 }),
    failedAuthentication: readLimit(
      'rateLimits.failedAuthentication',
      failedAuthentication ?? DEFAULT_FAILED_AUTHENTICATION,
    ),
    registration: perCaller,
    allRegistrations: readLimit('rateLimits.allRegistrations', allRegistrations ?? ofAllCallers),
    signIn: readLimit('rateLimits.signIn', signIn ?? { limit: 5, window: 3600 }),
    portalActions: readLimit('rateLimits.portalActions', portalActions ?? { limit: 200, window: 600 }),
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
