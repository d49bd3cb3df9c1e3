import { ConfigurationError } from '../contracts/errors.js'
import { isObject, refuseUnknown, show } from './checks.js'
import type { PlatformAuthOptions } from './options.js'

/** Addresses of this machine alone: over http they are no risk. */
export const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/** The platform's absolute address: where all of its APIs lie. */
export function readBaseUrl(value: unknown): URL {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ConfigurationError(
      `baseUrl is ${show(value)}. It is the absolute address of your platform, such as "https://api.example.com/v1".`,
    )
  }
  if (url.search || url.hash || url.username || url.password || /[?#]$/.test(url.href)) {
    throw new ConfigurationError(
      `baseUrl is ${show(value)}. It can't have a query, a fragment or user info: leave only scheme, host and path.`,
    )
  }
  return url
}

export function readDevelopersUrl(value: unknown): string | undefined {
  if (value === undefined) return undefined
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash) return url.origin + withoutSlash(url.pathname)
  throw new ConfigurationError(
    `developersUrl is ${show(value)}. It is an absolute address without query and fragment, such as "https://example.com/developers".`,
  )
}

export function readOrigins(cors: PlatformAuthOptions['cors']): '*' | readonly string[] {
  if (cors === undefined) return []
  if (!isObject(cors))
    throw new ConfigurationError(
      `cors is ${show(cors)}. Write { origin: 'https://developers.example.com' }, or { origin: '*' }.`,
    )
  refuseUnknown('cors.', cors, ['origin'])
  if (cors.origin === '*') return '*'
  const origins: readonly unknown[] = Array.isArray(cors.origin) ? cors.origin : [cors.origin]
  for (const origin of origins) {
    if (typeof origin !== 'string' || URL.parse(origin)?.origin !== origin) {
      throw new ConfigurationError(
        `cors.origin has ${show(origin)}. An origin is scheme, host and port, without a path: "https://developers.example.com".`,
      )
    }
  }
  return origins as readonly string[]
}

export function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}
