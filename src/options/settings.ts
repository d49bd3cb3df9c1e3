import type { Api, CreateClaims, Limit, Registration } from '../contracts/api.js'
import type { Brand } from '../contracts/brand.js'
import type { ComposeEmail } from '../contracts/composed-email.js'
import type { MetadataSchema } from '../contracts/metadata-schema.js'
import type { Logger } from '../contracts/logger.js'
import type { Mailer } from '../contracts/mailer.js'
import type { PortalAction } from '../contracts/portal-actions.js'
import type { Store } from '../contracts/store.js'
import type { ReportOnlySettings } from './read-report-only.js'
import type { AllowRegistration, OnDenied, RedisConnection, SigningAlgorithm } from './options.js'

/** The validated form of the options: every default is filled in. Durations are in seconds. */
export interface Settings {
  readonly baseUrl: string
  /** The path of `baseUrl`, without a slash at its end: empty at an origin's root. */
  readonly basePath: string
  readonly apis: ReadonlyMap<string, ApiSettings>
  /** The store; undefined if the option was left out: applications are then kept in memory. */
  readonly store: Store | undefined
  /** Newest first. */
  readonly secrets: readonly string[]
  /** Whether unencrypted signing keys and an unencrypted pepper are accepted although there is a secret. */
  readonly importUnencrypted: boolean
  readonly mailer: Mailer | undefined
  readonly developersUrl: string | undefined
  readonly brand: Brand
  /** The option `emails.compose`; undefined if the built-in texts are sent. */
  readonly composeEmail: ComposeEmail | undefined
  readonly delivery: 'inline' | 'claim-link'
  readonly clockTolerance: number
  readonly maxStaleness: number
  readonly credentialPrefix: string
  readonly credentials: CredentialSettings
  /** The option `importedCredentials`; undefined if only credentials of the platform's own are accepted. */
  readonly importedCredentials: ImportedCredentialsSettings | undefined
  readonly signing: SigningSettings
  readonly applicationMetadata: MetadataSchema | undefined
  /** The addresses in ASCII lower case; empty if nobody decides by e-mail. */
  readonly operators: readonly string[]
  readonly registration: RegistrationSettings
  readonly portal: PortalSettings
  readonly rateLimits: RateLimitSettings
  /** Days for which audit records are kept; undefined: for ever. */
  readonly auditRetention: number | undefined
  readonly usage: UsageSettings
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
  readonly rateLimit: Limit | false
  readonly registration: Registration
  /** The scopes that a registration may grant. */
  readonly registrationScopes: readonly string[]
  /** Adds claims to access tokens; undefined if there are none to add. */
  readonly claims: CreateClaims | undefined
}

/** The validated form of the option `credentials`, in days. */
export interface CredentialSettings {
  /** Undefined if credentials may have no end. */
  readonly maxAge: number | undefined
  /** Most days first; empty if nobody is reminded. */
  readonly remindBefore: readonly number[]
}

/** The validated form of the option `importedCredentials`. */
export interface ImportedCredentialsSettings {
  readonly hmacKeys: readonly (string | Uint8Array)[]
}

/** The validated form of the option `signing`. */
export interface SigningSettings {
  readonly algorithm: SigningAlgorithm
  /** Seconds; undefined if keys are rotated manually only. */
  readonly rotateEvery: number | undefined
  /** Seconds. */
  readonly publishAhead: number
}

/** The validated form of the option `registration`. */
export interface RegistrationSettings {
  readonly allow: AllowRegistration | undefined
  readonly foldTags: boolean
  readonly ipv6Prefix: 48 | 56 | 64
}

/** The validated form of the option `portal`. */
export interface PortalSettings {
  readonly enabled: boolean
  readonly actions: ReadonlySet<PortalAction>
}

/** The validated form of the option `rateLimits`, except `requests`, which is the default of each API's `rateLimit`. */
export interface RateLimitSettings {
  readonly tokenRequests: Limit | false
  readonly revocations: Limit | false
  readonly failedAuthentication: Limit | false
  readonly registration: Limit | false
  readonly allRegistrations: Limit | false
  readonly signIn: Limit | false
  readonly portalActions: Limit | false
  readonly redis: RedisConnection | undefined
  readonly headers: boolean
}

/** The validated form of the option `usage`. */
export interface UsageSettings {
  /** Whether usage and refusals are stored. */
  readonly enabled: boolean
  /** Days. What is stored already is deleted after them too. */
  readonly retention: number
}

/** The validated form of the option `cache`, in entries. */
export interface CacheSettings {
  readonly applications: number
  readonly accessTokens: number
  readonly revokedAccessTokens: number
}
