import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApisOptions, Limit } from '../contracts/api.js'
import type { Denial } from '../contracts/errors.js'
import type { Logger } from '../contracts/logger.js'
import type { Mailer } from '../contracts/mailer.js'
import type { Store } from '../contracts/store.js'

/**
 * Answers a refusal in your own words. Called without an argument, or with an error, `next` never reaches the route:
 * `next()` sends the standard refusal, `next(error)` goes to your error middleware.
 */
export type OnDenied = {
  // A method's parameters may be narrower: your function can take Express's own Request and Response.
  onDenied(denial: Denial, req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): unknown
}['onDenied']

/** The option `signing`. */
export interface SigningOptions {
  /** The JWS algorithm of new signing keys; `ES256` if left out. */
  readonly algorithm?: SigningAlgorithm | undefined
  /** Seconds after which a new signing key is made; never if left out. */
  readonly rotateEvery?: number | undefined
  /** Seconds that a new key is published before it signs; 300 if left out, the time that caches may keep the key set. */
  readonly publishAhead?: number | undefined
}

/** The JWS algorithms (RFC 7518 3.1, RFC 8037) that access tokens can be signed with. */
export type SigningAlgorithm = (typeof ALGORITHMS)[number]
export const ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
] as const

/** The option `rateLimits`. */
export interface RateLimitsOptions {
  /** Guarded requests per application and API; off if left out. */
  readonly requests?: Limit | false | undefined
  /** Access tokens per application and API; off if left out. */
  readonly tokenRequests?: Limit | false | undefined
  /** Failed client authentications per address and client; 20 in 60 seconds if left out. */
  readonly failedAuthentication?: Limit | false | undefined
  /** Registrations per address, and per contact; 5 in 3600 seconds if left out. */
  readonly registration?: Limit | false | undefined
  /** Your ioredis instance: counts for all processes together. Each process counts for itself if left out. */
  readonly redis?: RedisConnection | undefined
  /** Whether answers have `RateLimit` and `RateLimit-Policy` headers, for `requests` and `tokenRequests`; no if left out. */
  readonly headers?: boolean | undefined
}

/** The members of an ioredis instance (5.4 or later; a `Cluster` too) that are used. The platform neither connects nor closes it. */
export interface RedisConnection {
  /** The connection's state; commands are sent only while it is `ready`. Undefined in ioredis-mock, which is always ready. */
  readonly status?: string | undefined
  defineCommand(name: string, definition: { readonly lua: string; readonly numberOfKeys?: number }): unknown
}

/** The option `cache`: how much of the store is kept at hand. What is asked for past that is read again. */
export interface CacheOptions {
  /** Applications, with their keys; those that called last are kept. 20,000 if left out. */
  readonly applications?: number | undefined
  /** Access tokens that need no second signature check; 20,000 if left out. */
  readonly accessTokens?: number | undefined
  /** Revoked access tokens; where there are more, the store is asked for each token. 100,000 if left out. */
  readonly revokedAccessTokens?: number | undefined
}

/** What `createPlatformAuth()` is given. */
export interface PlatformAuthOptions<Apis extends ApisOptions = ApisOptions> {
  /** The absolute address that the platform's APIs lie below. Issuer, audience, links and realm come from it, never from a request. */
  readonly baseUrl: string
  /** Name -> API; the name is the first segment of its paths. */
  readonly apis: Apis
  /** Where applications and signing keys are kept; `memoryStore()` if left out, which production refuses. */
  readonly store?: Store | undefined
  /** 32 characters or more, or a list of such, newest first: encrypts signing keys and pepper at rest. Production wants it for every store but memory. */
  readonly secret?: string | readonly string[] | undefined
  /** What sends emails; registration needs one. */
  readonly mailer?: Mailer | undefined
  /** The absolute address of the developer console; registration lies at `/register` below it, and emails link there. */
  readonly developersUrl?: string | undefined
  /** Letters hold the credentials (`inline`, if left out), or a link that shows them once. */
  readonly delivery?: 'inline' | 'claim-link' | undefined
  /** Seconds that access tokens last; 3600 if left out. */
  readonly accessTokenLifetime?: number | undefined
  /** Seconds that clocks may differ when access tokens are verified; 5 if left out. */
  readonly clockTolerance?: number | undefined
  /** Seconds that a process goes on with what it knows while the store is out of reach; 5 if left out. Then it answers 503. */
  readonly maxStaleness?: number | undefined
  /** What keys and secrets begin with; `epa` if left out. */
  readonly credentialPrefix?: string | undefined
  readonly signing?: SigningOptions | undefined
  readonly rateLimits?: RateLimitsOptions | undefined
  /** How many entries the caches hold: the most that is surely kept; twice as many are never exceeded. */
  readonly cache?: CacheOptions | undefined
  /** Browsers of which origins (`'*'`: any) may ask for tokens, revoke and introspect; none if left out. */
  readonly cors?: { readonly origin: string | readonly string[] } | undefined
  /** Replaces the guards' answers. */
  readonly onDenied?: OnDenied | undefined
  /** The console's `warn` and `error` if left out. */
  readonly logger?: Logger | undefined
  /** Milliseconds since 1970; rules tokens, overlaps and expiry. For tests. */
  readonly now?: (() => number) | undefined
}
