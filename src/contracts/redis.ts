import { ConfigurationError } from './errors.js'

/** As much as is used of an ioredis instance, 5.4 or later; a `Cluster` will do. It is neither connected nor closed here. */
export interface RedisConnection {
  /** How the connection is; `ready` if it can be asked. ioredis-mock, which always can, has none. */
  readonly status?: string | undefined
  defineCommand(name: string, definition: { readonly lua: string; readonly numberOfKeys?: number }): unknown
}

/** The option `rateLimits.redis`. What was given instead is not shown: an address may hold a password. */
export function readRedis(value: unknown): RedisConnection | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'object' && value !== null && typeof (value as RedisConnection).defineCommand === 'function')
    return value as RedisConnection
  throw new ConfigurationError(
    'rateLimits.redis is no ioredis instance. Give it new Redis(url), where Redis comes from "ioredis".',
  )
}
