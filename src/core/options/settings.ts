import type { Api, CreateClaims, Limit, Registration } from '../../shared/contracts/api.js'
import type { MetadataSchema } from '../../shared/contracts/metadata-schema.js'
import type { Logger } from '../../shared/contracts/logger.js'
import type { ReportOnlySettings } from './read-report-only.js'
import type { BrandOptions } from '../../shared/contracts/brand.js'
import type {
  readBackground,
  readCache,
  readClientAssertions,
  readCredentials,
  readRateLimits,
  readTokenOptions,
} from './option-groups.js'
import type { OnDenied } from './options.js'

export interface CoreSettings {
  readonly baseUrl: string
  /** The path of `baseUrl`, without a slash at its end: empty at an origin's root. */
  readonly basePath: string
  readonly apis: ReadonlyMap<string, ApiSettings>
  /** Newest first. */
  readonly secrets: readonly string[]
  readonly importUnencrypted: boolean
  readonly developersUrl: string | undefined
  /** As it was given: features and tools that show it read it with `web/read-brand`. */
  readonly brand: BrandOptions | undefined
  readonly tokens: ReturnType<typeof readTokenOptions>
  readonly clientAssertions: ReturnType<typeof readClientAssertions>
  readonly maxStaleness: number
  readonly credentials: ReturnType<typeof readCredentials>
  readonly metadata: MetadataSchema | undefined
  readonly rateLimits: ReturnType<typeof readRateLimits>
  readonly background: ReturnType<typeof readBackground>
  readonly cache: ReturnType<typeof readCache>
  readonly corsOrigins: '*' | readonly string[]
  readonly onDenied: OnDenied | undefined
  readonly logger: Logger
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
