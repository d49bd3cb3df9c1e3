import { ConfigurationError } from '../../shared/contracts/errors.js'
import { isObject, ownMembers } from '../../shared/lib/own-members.js'
import { describeValue, invalidOption, refuseUnknown } from '../../shared/lib/option-checks.js'

/** Host names of this machine: http to them never leaves it. */
export const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

const MAX_BASE_URL_LENGTH = 512

export function readBaseUrl(value: unknown): URL {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (!url || !/^https?:$/.test(url.protocol))
    throw invalidOption(
      'baseUrl',
      value,
      'It is the absolute address of your platform, such as "https://api.example.com/v1".',
    )
  // "?" and "#" with nothing behind them leave `search` and `hash` empty.
  if (url.search || url.hash || url.username || url.password || /[?#]$/.test(url.href))
    throw invalidOption(
      'baseUrl',
      value,
      "It can't have a query, a fragment or user info: leave only scheme, host and path.",
    )
  if (hasEmptySegment(url)) throw invalidOption('baseUrl', value, EMPTY_SEGMENT)
  // It is in access tokens and in the headers of refusals.
  if (url.href.length > MAX_BASE_URL_LENGTH)
    throw new ConfigurationError({
      option: 'baseUrl',
      problem: `has ${url.href.length} characters`,
      fix: `It has at most ${MAX_BASE_URL_LENGTH}, because headers hold it.`,
    })
  return url
}

export function readDevelopersUrl(value: unknown): string | undefined {
  if (value === undefined) return undefined
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (url && hasEmptySegment(url)) throw invalidOption('developersUrl', value, EMPTY_SEGMENT)
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash)
    return url.origin + removeTrailingSlash(url.pathname)
  throw invalidOption(
    'developersUrl',
    value,
    'It is an absolute address without query and fragment, such as "https://example.com/developers".',
  )
}

/** No router has a path with two slashes, which the addresses below it would have. */
function hasEmptySegment({ pathname }: URL): boolean {
  return pathname.includes('//')
}

const EMPTY_SEGMENT = 'Its path has two slashes in a row: leave one.'

export function readOrigins(given: unknown): '*' | readonly string[] {
  if (given === undefined) return []
  if (!isObject(given))
    throw invalidOption('cors', given, "Write { origin: 'https://developers.example.com' }, or { origin: '*' }.")
  refuseUnknown('cors.', given, ['origin'])
  const { origin } = ownMembers(given)
  if (origin === '*') return '*'
  const origins: readonly unknown[] = Array.isArray(origin) ? origin : [origin]
  for (const each of origins) {
    if (typeof each === 'string' && URL.parse(each)?.origin === each) continue
    throw new ConfigurationError({
      option: 'cors.origin',
      problem: `has ${describeValue(each, 'nothing')}`,
      fix: 'An origin is scheme, host and port, without a path: "https://developers.example.com".',
    })
  }
  return origins as readonly string[]
}

export function removeTrailingSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}
