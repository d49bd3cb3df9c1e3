import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Limit } from '../../shared/contracts/api.js'
import type { DenialError } from '../../shared/contracts/denial.js'

/** The JWS algorithms (RFC 7518 3.1, RFC 8037) with which access tokens can be signed. */
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

/** A key of a signer, as it lists it. */
export interface SignerKey {
  /** Names this key and no other, for ever: 1 to 64 of letters, digits, `_`, `-`, `.` and `~`, with none of the last three first. */
  readonly kid: string
  readonly algorithm: SigningAlgorithm
  /** The public key as a JWK (RFC 7517). */
  readonly publicJwk: object
}

/** The option `tokens.signer`: what has the private keys in place of the store, such as a vault. Both calls get 5 seconds. */
export interface Signer {
  /** Resolves the keys, 1 to 10. The first one that has been published for `publishAhead` signs; one that is left out is revoked at once. */
  list(options: { readonly signal: AbortSignal }): Promise<readonly SignerKey[]>
  /**
   * Resolves the signature of these bytes with that key (RFC 7518 3.1, RFC 8037 3.1), which is verified before it is used. One with ECDSA may
   * be in DER.
   */
  sign(kid: string, bytes: Uint8Array, options: { readonly signal: AbortSignal }): Promise<Uint8Array>
}

/**
 * Answers a refusal in your own format. `next()` sends the standard refusal, and `next(error)` calls your error middleware;
 * neither reaches the route.
 */
export type OnDenied = {
  // A method, because its parameters may be narrower: the function can take Express's Request and Response.
  onDenied(denial: DenialError, req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): unknown
}['onDenied']

/** The option `tokens`: access tokens, and the keys that sign them. */
export interface TokensOptions {
  /** Seconds until access tokens expire; 3600 if left out. An API may have another one (`accessTokenLifetime`). */
  readonly lifetime?: number | undefined
  /** Seconds by which clocks may differ when access tokens are verified; 5 if left out. */
  readonly clockTolerance?: number | undefined
  /**
   * The JWS algorithm of new signing keys; `ES256` if left out. `RS256` suits partners who verify tokens with arbitrary
   * libraries. To refuse a forged signature costs about 100 us with ES256, 500 with ES384, and 1,100 with ES512.
   */
  readonly algorithm?: SigningAlgorithm | undefined
  /** Seconds after which a new signing key is created; never if left out. */
  readonly rotateEvery?: number | undefined
  /**
   * Seconds for which a new key is published before it signs; 300 if left out, for which caches may keep the key set. Below 60 a
   * warning is logged: verifiers elsewhere do not fetch the key set again so soon.
   */
  readonly publishAhead?: number | undefined
  /** Signs in place of keys in the store. `algorithm` and `rotateEvery` are then left out, because the signer decides. */
  readonly signer?: Signer | undefined
}

/** The option `clientAssertions`: assertions of clients that prove a private key (RFC 7523), at APIs that name `private_key_jwt`. */
export interface ClientAssertionsOptions {
  /**
   * Whether an assertion's audience may be the address of the token endpoint, as older clients have it, in place of the issuer; false if left
   * out (draft-ietf-oauth-rfc7523bis).
   */
  readonly tokenEndpointAudience?: boolean | undefined
  /**
   * Hosts of key sets that may have an address that is not public: your own, such as `jwks.internal` or `10.0.0.7`; none if left out. Only
   * operators can name them: registrations and contacts are refused.
   */
  readonly allow?: readonly string[] | undefined
  /** The certificates, in PEM, that these hosts have, in place of those that Node trusts. */
  readonly ca?: string | undefined
}

/** The option `credentials`. */
export interface CredentialsOptions {
  /** The beginning of keys and secrets; `epa` if left out. */
  readonly prefix?: string | undefined
  /**
   * Days of 24 hours after which a key or secret that is made from now on ends; none if left out. An API may have less
   * (`credentialMaxAge`). Credentials that exist already keep the end they have.
   */
  readonly maxAge?: number | undefined
}

/** The option `rateLimits`. */
export interface RateLimitsOptions {
  /** Guarded requests per application and API; no limit if left out. */
  readonly requests?: Limit | false | undefined
  /** Token requests per application and API; no limit if left out. */
  readonly tokenRequests?: Limit | false | undefined
  /** Revocations of access tokens (RFC 7009) per application; 100 in 10 seconds if left out. */
  readonly revocations?: Limit | false | undefined
  /** Failed authentications per address and client: wrong client credentials, API keys and claim links; 20 in 60 seconds if left out. */
  readonly failedAuthentication?: Limit | false | undefined
  /** An ioredis instance in which all processes count together. If left out, each process counts for itself. */
  readonly redis?: RedisConnection | undefined
  /** Whether responses have `RateLimit` and `RateLimit-Policy` headers, for `requests` and `tokenRequests`; false if left out. */
  readonly headers?: boolean | undefined
}

/** The members of an ioredis instance (5.4 or later; a `Cluster` too) that are used. The platform neither connects nor closes it. */
export interface RedisConnection {
  /** The connection's state; commands are sent only while it is `ready`. Undefined in ioredis-mock, which is always ready. */
  readonly status?: string | undefined
  defineCommand(name: string, definition: { readonly lua: string; readonly numberOfKeys?: number }): unknown
}

/** The option `cache`: how many entries are kept in memory. Others are read from the store again. */
export interface CacheOptions {
  /** Applications, with their keys; those used last are kept. 20,000 if left out. */
  readonly applications?: number | undefined
  /** Verified access tokens, whose signature is not checked again; 20,000 if left out. */
  readonly accessTokens?: number | undefined
  /** Revoked access tokens; if there are more, the store is asked for each token. 100,000 if left out. */
  readonly revokedAccessTokens?: number | undefined
}

/** The option `background`. */
export interface BackgroundOptions {
  /** Days for which audit records are kept, at least 30; for ever if left out. */
  readonly auditRetention?: number | undefined
}

/** Defaults that the command line needs to know, too. */
export const DEFAULT_FAILED_AUTHENTICATION: Limit = { limit: 20, window: 60 }
/** Seconds. */
export const DEFAULT_CLOCK_TOLERANCE = 5
