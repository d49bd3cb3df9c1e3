import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApisOptions, Limit } from '../contracts/api.js'
import type { ComposeEmail } from '../contracts/composed-email.js'
import type { ReportOnlyOptions } from '../contracts/report-only.js'
import type { DenialError } from '../contracts/denial.js'
import type { MetadataSchema } from '../contracts/metadata-schema.js'
import type { PortalAction } from '../contracts/portal-actions.js'
import type { Logger } from '../contracts/logger.js'
import type { Mailer } from '../contracts/mailer.js'
import type { Store } from '../contracts/store.js'

/**
 * Answers a refusal in your own format. `next()` sends the standard refusal, and `next(error)` calls your error middleware;
 * neither reaches the route.
 */
export type OnDenied = {
  // A method, because its parameters may be narrower: the function can take Express's Request and Response.
  onDenied(denial: DenialError, req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): unknown
}['onDenied']

/** The option `signing`. */
export interface SigningOptions {
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
}

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

/** A valid registration by a stranger, as `registration.allow` gets it. */
export interface RegistrationCandidate {
  readonly name: string
  /** The e-mail address that the credentials would be sent to. */
  readonly contact: string
  /** API -> the scopes that it would get there. */
  readonly apis: Readonly<Record<string, { readonly scopes: readonly string[] }>>
  /** Express's `req.ip`, which follows `trust proxy`. */
  readonly address: string
}

/**
 * Decides whether a registration is accepted: true or false, or a promise of it within 5 seconds. Other results and errors are
 * answered with 500 or 503, and register nothing.
 */
export type AllowRegistration = {
  // A method, because its parameters may be narrower: the function can take Express's Request.
  allow(candidate: RegistrationCandidate, req: IncomingMessage): boolean | PromiseLike<boolean>
}['allow']

/** The option `credentials`. Both members are in days of 24 hours. */
export interface CredentialsOptions {
  /**
   * Days after which a key or secret that is made from now on ends; none if left out. An API may have less
   * (`credentialMaxAge`). Credentials that exist already keep the end they have.
   */
  readonly maxAge?: number | undefined
  /**
   * How many days before a credential ends its application's contact is reminded by e-mail; needs a `mailer`. If left out,
   * `[30, 14, 7, 1]` where there is a maximum age, and otherwise no reminders.
   */
  readonly remindBefore?: readonly number[] | undefined
}

/** The option `brand`: how e-mails and pages look. */
export interface BrandOptions {
  /** The platform's name in e-mails, and at the top of pages. In e-mails the host of `baseUrl` if left out. */
  readonly name?: string | undefined
  /** The path of a PNG, JPEG or SVG file, or a data: URL of one; at most 32 KiB. Shown on pages, not in e-mails. */
  readonly logo?: string | undefined
  /**
   * The colour of links and buttons, as `#rrggbb`. Where text in this colour could not be read (a contrast below 4.5:1), a
   * darker or lighter variant is used, with a warning at the start; dark pages have a variant of their own.
   */
  readonly color?: string | undefined
  /** The place where developers get help: an absolute URL, or `mailto:`. */
  readonly supportUrl?: string | undefined
}

/** The option `emails`. */
export interface EmailsOptions {
  /** Writes the e-mails instead of the built-in texts and layout. */
  readonly compose?: ComposeEmail | undefined
}

/** The option `registration`. */
export interface RegistrationOptions {
  /** Decides about each registration through the form or JSON, after it was validated. All are accepted if left out. */
  readonly allow?: AllowRegistration | undefined
  /** Whether `dev+shop@example.com` counts as `dev@example.com` in `rateLimits.registration`; false if left out. */
  readonly foldTags?: boolean | undefined
  /** The IPv6 network that counts as one address in `rateLimits.registration`: 48, 56 or 64 bits; 64 if left out. */
  readonly ipv6Prefix?: 48 | 56 | 64 | undefined
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
  /** Registrations per address, and per contact; 5 in 3600 seconds if left out. */
  readonly registration?: Limit | false | undefined
  /** Registrations from all addresses and for all contacts together; 20 times `registration` if left out, 100 in 3600 seconds. */
  readonly allRegistrations?: Limit | false | undefined
  /** Requests for a sign-in e-mail per address; a mailbox gets up to three times as many. 5 in 3600 seconds if left out. */
  readonly signIn?: Limit | false | undefined
  /** Forms that a contact sends at the portal; 200 in 600 seconds if left out. */
  readonly portalActions?: Limit | false | undefined
  /** An ioredis instance in which all processes count together. If left out, each process counts for itself. */
  readonly redis?: RedisConnection | undefined
  /** Whether responses have `RateLimit` and `RateLimit-Policy` headers, for `requests` and `tokenRequests`; false if left out. */
  readonly headers?: boolean | undefined
}

/** The option `portal`: which actions contacts have. */
export type PortalOptions = { readonly [action in PortalAction]?: boolean | undefined }

/** The members of an ioredis instance (5.4 or later; a `Cluster` too) that are used. The platform neither connects nor closes it. */
export interface RedisConnection {
  /** The connection's state; commands are sent only while it is `ready`. Undefined in ioredis-mock, which is always ready. */
  readonly status?: string | undefined
  defineCommand(name: string, definition: { readonly lua: string; readonly numberOfKeys?: number }): unknown
}

/** The option `audit`. */
export interface AuditOptions {
  /** Days for which audit records are kept, at least 30; for ever if left out. */
  readonly retention?: number | undefined
}

/** The option `usage`. */
export interface UsageOptions {
  /**
   * Days for which counts are kept, those of `auth.reportOnly` since the last time; 400 if left out. Refusals are kept for 7 days.
   */
  readonly retention?: number | undefined
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

/** The option `importedCredentials`. */
export interface ImportedCredentialsOptions {
  /** The key, or a list of keys, under which another system computed HMAC-SHA-256 hashes of its keys and secrets. A string is UTF-8. */
  readonly hmacKey?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined
}

/** The options of `createPlatformAuth()`. */
export interface PlatformAuthOptions<
  Apis extends ApisOptions = ApisOptions,
  // oxlint-disable-next-line typescript/no-explicit-any -- options in a variable may have any schema
  Schema extends MetadataSchema = any,
> extends ReportOnlyOptions {
  /** The absolute URL below which the platform's APIs are. Issuer, audience and links are built from it, never from a request. */
  readonly baseUrl: string
  /** Name -> API. The name is the first segment of its paths. */
  readonly apis: Apis
  /** The store of applications and signing keys. If left out, `memoryStore()`; in production it is required. */
  readonly store?: Store | undefined
  /** 32 characters or more, or a list of such, newest first: encrypts signing keys and pepper at rest. In production it is required for every store except memory. */
  readonly secret?: string | readonly string[] | undefined
  /**
   * Accepts signing keys and a pepper that are stored unencrypted although `secret` is set, and encrypts them: for the first
   * start with a `secret` on a store that had none. False if left out.
   */
  readonly importUnencrypted?: boolean | undefined
  /** Sends e-mails; required for registration. */
  readonly mailer?: Mailer | undefined
  /** The absolute URL of the developer console, to which e-mails link. Registration is at `/register` below it. */
  readonly developersUrl?: string | undefined
  /** Name, logo, colour and support address of your platform, for e-mails and pages. */
  readonly brand?: BrandOptions | undefined
  /** E-mails with words or a layout of your own. */
  readonly emails?: EmailsOptions | undefined
  /** Whether e-mails contain the credentials (`inline`, if left out), or a link that shows them once. */
  readonly delivery?: 'inline' | 'claim-link' | undefined
  /** Seconds until access tokens expire; 3600 if left out. */
  readonly accessTokenLifetime?: number | undefined
  /** Seconds by which clocks may differ when access tokens are verified; 5 if left out. */
  readonly clockTolerance?: number | undefined
  /** Seconds for which a process answers from memory while the store is unavailable; 5 if left out. Then it answers 503. */
  readonly maxStaleness?: number | undefined
  /** The beginning of keys and secrets; `epa` if left out. */
  readonly credentialPrefix?: string | undefined
  /** The maximum age of keys and secrets, and reminders of their end. */
  readonly credentials?: CredentialsOptions | undefined
  /**
   * Accepts keys and secrets that another system issued and `auth.applications.import()` has stored, in any format. If left out,
   * only credentials that the platform has made are looked up.
   */
  readonly importedCredentials?: boolean | ImportedCredentialsOptions | undefined
  readonly signing?: SigningOptions | undefined
  /**
   * A Standard Schema (zod, valibot, arktype and others) that validates the `metadata` of applications whenever it is written, and
   * gives it its type. Any JSON object if left out. What is stored already is not validated again.
   */
  readonly applicationMetadata?: Schema | undefined
  /**
   * The e-mail addresses, 1 to 10, of those who decide about registrations and requests for access: each gets an e-mail with a
   * link to approve or deny. Needs `mailer` and `developersUrl`. None if left out: decide with `approve()` and `deny()`.
   */
  readonly operators?: readonly string[] | undefined
  /** How strangers may register applications. */
  readonly registration?: RegistrationOptions | undefined
  /**
   * The portal, where contacts sign in and manage their applications; needs `mailer` and `developersUrl`. False: there is none.
   * An object disables single actions, such as `{ rotate: false }`. Every action is enabled if left out.
   */
  readonly portal?: false | PortalOptions | undefined
  readonly rateLimits?: RateLimitsOptions | undefined
  /** How long audit records are kept. */
  readonly audit?: AuditOptions | undefined
  /** How long usage is kept; false: neither usage nor refusals are stored. Both are if left out. */
  readonly usage?: UsageOptions | false | undefined
  /** How many entries the caches keep at least. They never hold more than twice as many. */
  readonly cache?: CacheOptions | undefined
  /** The origins (`'*'`: any) whose pages may call the token, revocation and introspection endpoints; none if left out. */
  readonly cors?: { readonly origin: string | readonly string[] } | undefined
  /** Replaces the guards' refusals. */
  readonly onDenied?: OnDenied | undefined
  /** pino, winston, bunyan, a console or an object like it. If left out, `console.warn` and `console.error`. */
  readonly logger?: Logger | undefined
  /** Returns milliseconds since 1970, for the times of tokens and credentials. For tests. `Date.now` if left out. */
  readonly now?: (() => number) | undefined
}
