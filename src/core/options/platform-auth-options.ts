import type { ApisOptions, ReportOnlyOptions } from '../../shared/contracts/api.js'
import type { MetadataSchema } from '../../shared/contracts/metadata-schema.js'
import type { Logger } from '../../shared/contracts/logger.js'
import type { Store } from '../../shared/contracts/store.js'
import type { BrandOptions } from '../../shared/contracts/brand.js'
import type { FeatureEntry } from '../../feature.js'
import type {
  OnDenied,
  ClientAssertionsOptions,
  TokensOptions,
  CredentialsOptions,
  RateLimitsOptions,
  CacheOptions,
  BackgroundOptions,
} from './options.js'

/** The options of `createPlatformAuth()`. */
export interface PlatformAuthOptions<
  Apis extends ApisOptions = ApisOptions,
  // oxlint-disable-next-line typescript/no-explicit-any -- options in a variable may have any schema
  Schema extends MetadataSchema = any,
  // The empty list makes the compiler infer a list that `satisfies` checks as a tuple, whose features are certain.
  Features extends readonly FeatureEntry[] = readonly FeatureEntry[] | readonly [],
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
  /** The absolute URL of the developer console, to which e-mails link. Registration is at `/register` below it. */
  readonly developersUrl?: string | undefined
  /** Name, logo, colour and support address of your platform, for e-mails and pages. */
  readonly brand?: BrandOptions | undefined
  /**
   * A Standard Schema (zod, valibot, arktype and others) that validates the `metadata` of applications whenever it is written, and
   * gives it its type. Any JSON object if left out. What is stored already is not validated again.
   */
  readonly metadata?: Schema | undefined
  readonly tokens?: TokensOptions | undefined
  /** Of clients that prove a private key, at APIs whose `clientAuthentication` has `private_key_jwt`. */
  readonly clientAssertions?: ClientAssertionsOptions | undefined
  /** The beginning and the maximum age of keys and secrets. */
  readonly credentials?: CredentialsOptions | undefined
  readonly rateLimits?: RateLimitsOptions | undefined
  /** Seconds for which a process answers from memory while the store is unavailable; 5 if left out. Then it answers 503. */
  readonly maxStaleness?: number | undefined
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
  /**
   * False: nothing runs in the background of this process. No timer cleans up or rotates, no e-mail is sent, and no usage is stored before
   * `close()`. For scripts and single requests beside a server, as the command line uses it. An object has its settings.
   */
  readonly background?: false | BackgroundOptions | undefined
  /**
   * What the platform has beyond its core: `usage()` of `express-platform-auth/usage`, and so on, in any order. `false`, `undefined` and `''`
   * are left out: `mailer && emails({ mailer })`. Each adds a member of its name to `auth`.
   */
  readonly features?: Features | undefined
}
