import type { Api, CreateClaims, Limit, Registration } from '../../shared/contracts/api.js'
import type { MetadataSchema } from '../../shared/contracts/metadata-schema.js'
import type { Logger } from '../../shared/contracts/logger.js'
import type { ReportOnlySettings } from './read-report-only.js'
import type { BrandOptions } from '../../shared/contracts/brand.js'
import type {
  CacheOptions,
  ClientAssertionsOptions,
  OnDenied,
  RedisConnection,
  Signer,
  SigningAlgorithm,
} from './options.js'

/** The settings of the core, which features see too. */
export interface CoreSettings {
  readonly baseUrl: string
  /** The path of `baseUrl`, without a slash at its end: empty at an origin's root. */
  readonly basePath: string
  readonly apis: ReadonlyMap<string, ApiSettings>
  /** Newest first. */
  readonly secrets: readonly string[]
  /** Whether unencrypted signing keys and an unencrypted pepper are accepted although there is a secret. */
  readonly importUnencrypted: boolean
  readonly developersUrl: string | undefined
  /** As it was given: features and tools that show it read it with `web/read-brand`. */
  readonly brand: BrandOptions | undefined
  readonly tokens: TokenSettings
  readonly clientAssertions: ClientAssertionSettings
  readonly maxStaleness: number
  readonly credentials: CredentialSettings
  readonly metadata: MetadataSchema | undefined
  readonly rateLimits: RateLimitSettings
  readonly background: BackgroundSettings
  readonly cache: CacheSettings
  readonly corsOrigins: '*' | readonly string[]
  readonly onDenied: OnDenied | undefined
  readonly logger: Logger
  /** The current time in whole milliseconds since 1970. */
  readonly now: () => number
  /** Whether refusals are logged: neither in production nor in tests. */
  readonly development: boolean
}

/** The validated form of one of the option `apis`. */
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
  /** The scopes that a registration may grant. */
  readonly registrationScopes: readonly string[]
  /** Adds claims to access tokens; undefined if there are none to add. */
  readonly claims: CreateClaims | undefined
}

/** The validated form of the option `clientAssertions`. */
export type ClientAssertionSettings = Pick<ClientAssertionsOptions, 'ca'> & {
  readonly tokenEndpointAudience: boolean
  readonly allow: readonly string[]
}

/** The validated form of the option `credentials`. */
export interface CredentialSettings {
  readonly prefix: string
  /** Days; undefined if credentials may have no end. */
  readonly maxAge: number | undefined
}

/** The validated form of the option `tokens`. */
export interface TokenSettings {
  readonly clockTolerance: number
  readonly algorithm: SigningAlgorithm
  /** Seconds; undefined if keys are rotated manually only. */
  readonly rotateEvery: number | undefined
  /** Seconds. */
  readonly publishAhead: number
  /** Undefined if the store has the keys. */
  readonly signer: Signer | undefined
}

/** The validated form of the option `rateLimits`, except `requests`, which is the default of each API's `rateLimit`. */
export interface RateLimitSettings {
  readonly tokenRequests: Limit | false
  readonly revocations: Limit | false
  readonly failedAuthentication: Limit | false
  readonly redis: RedisConnection | undefined
  readonly headers: boolean
}

/** The validated form of the option `background`. */
export interface BackgroundSettings {
  /** Whether timers run and e-mails are sent. */
  readonly enabled: boolean
  /** Days for which audit records are kept; undefined: for ever. */
  readonly auditRetention: number | undefined
}

/** The validated form of the option `cache`, in entries. */
export type CacheSettings = Readonly<Record<keyof CacheOptions, number>>
