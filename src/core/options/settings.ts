import type { Api, CreateClaims, Limit, Registration } from '../../shared/contracts/api.js'
import type { ReportOnlySettings } from './read-report-only.js'
import type { readRateLimits, READERS, readTokenOptions } from './option-groups.js'

type Read = { readonly [Name in keyof typeof READERS]: ReturnType<(typeof READERS)[Name]> }

/** `brand` is as it was given: features and tools that show it read it with `web/read-brand`. */
export interface CoreSettings extends Read {
  readonly baseUrl: string
  /** The path of `baseUrl`, without a slash at its end: empty at an origin's root. */
  readonly basePath: string
  readonly apis: ReadonlyMap<string, ApiSettings>
  /** Newest first. */
  readonly secrets: readonly string[]
  readonly importUnencrypted: boolean
  readonly tokens: ReturnType<typeof readTokenOptions>
  readonly rateLimits: ReturnType<typeof readRateLimits>
  /** The current time in whole milliseconds since 1970. */
  readonly now: () => number
  /** Whether refusals are logged: neither in production nor in tests. */
  readonly development: boolean
}

export interface ApiSettings extends Api {
  readonly reportOnly: ReportOnlySettings
  /** Seconds. */
  readonly accessTokenLifetime: number
  /** Days; undefined if only `credentials.maxAge` applies. */
  readonly credentialMaxAge: number | undefined
  /** The operator's data that introspection shows resource servers. */
  readonly introspection: readonly ('externalId' | 'metadata')[]
  readonly rateLimit: Limit | false
  readonly registration: Registration
  readonly registrationScopes: readonly string[]
  readonly claims: CreateClaims | undefined
}
