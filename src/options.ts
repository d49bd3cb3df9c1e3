import type { IncomingMessage, ServerResponse } from 'node:http'
import { readApis, type ApiSettings } from './api-options.js'
import type { ApisOptions, Limit } from './api.js'
import { ConfigurationError, type Denial } from './errors.js'
import type { Mailer } from './mailer.js'
import { isObject, optionalFunction, readFlag, readLimit, refuseUnknown, show, wholeNumber } from './option-checks.js'
import { readRedis, type RedisConnection } from './redis.js'
import type { Store } from './store.js'

/** Where the platform writes what an operator should read; `console` will do. */
export interface Logger {
  debug(message: string, ...details: unknown[]): void
  info(message: string, ...details: unknown[]): void
  warn(message: string, ...details: unknown[]): void
  error(message: string, ...details: unknown[]): void
}

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
const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'EdDSA', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const

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

/** The option `memory`: how much of the store is kept at hand. What is asked for past that is read again. */
export interface MemoryOptions {
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
  /** What sends letters; registration needs one. */
  readonly mailer?: Mailer | undefined
  /** The absolute address of the developer console; registration lies at `/register` below it, and letters link there. */
  readonly developersUrl?: string | undefined
  /** Letters hold the credentials (`inline`, if left out), or a link that shows them once. */
  readonly delivery?: 'inline' | 'claim-link' | undefined
  /** Seconds that access tokens last; 3600 if left out. */
  readonly accessTokenLifetime?: number | undefined
  /** Seconds that clocks may differ when access tokens are verified; 5 if left out. */
  readonly clockTolerance?: number | undefined
  /** Seconds that a process goes on with what it knows while the store is out of reach; 5 if left out. Then it answers 503. */
  readonly stalenessBound?: number | undefined
  /** What keys and secrets begin with; `epa` if left out. */
  readonly credentialPrefix?: string | undefined
  readonly signing?: SigningOptions | undefined
  readonly rateLimits?: RateLimitsOptions | undefined
  /** How many entries the caches hold: the most that is surely kept; twice as many are never exceeded. */
  readonly memory?: MemoryOptions | undefined
  /** Browsers of which origins (`'*'`: any) may ask for tokens, revoke and introspect; none if left out. */
  readonly cors?: { readonly origin: string | readonly string[] } | undefined
  /** Replaces the guards' answers. */
  readonly onDenied?: OnDenied | undefined
  /** The console's `warn` and `error` if left out. */
  readonly logger?: Logger | undefined
  /** Milliseconds since 1970; rules tokens, overlaps and expiry. For tests. */
  readonly now?: (() => number) | undefined
}

/** The options, checked, with every default filled in. */
export interface Settings {
  readonly baseUrl: string
  /** The path of `baseUrl`, without a slash at its end: empty at an origin's root. */
  readonly basePath: string
  readonly apis: ReadonlyMap<string, ApiSettings>
  readonly store: Store | undefined
  readonly secrets: readonly string[]
  readonly mailer: Mailer | undefined
  readonly developersUrl: string | undefined
  readonly delivery: 'inline' | 'claim-link'
  readonly clockTolerance: number
  readonly stalenessBound: number
  readonly credentialPrefix: string
  readonly signing: {
    readonly algorithm: SigningAlgorithm
    readonly rotateEvery: number | undefined
    readonly publishAhead: number
  }
  readonly rateLimits: {
    readonly tokenRequests: Limit | false
    readonly failedAuthentication: Limit | false
    readonly registration: Limit | false
    readonly redis: RedisConnection | undefined
    readonly headers: boolean
  }
  readonly memory: {
    readonly applications: number
    readonly accessTokens: number
    readonly revokedAccessTokens: number
  }
  readonly corsOrigins: '*' | readonly string[]
  readonly onDenied: OnDenied | undefined
  readonly logger: Logger
  readonly now: () => number
  readonly production: boolean
}

/** Checks the options once, at start-up: whatever is wrong with them is said here, by name and with the cure. */
export function readOptions(options: PlatformAuthOptions): Settings {
  if (!isObject(options))
    throw new ConfigurationError(`The options are ${show(options)}. Write createPlatformAuth({ baseUrl, apis }).`)
  refuseUnknown('', options, OPTION_NAMES)
  const signing = readGroup('signing', options.signing, ['algorithm', 'rotateEvery', 'publishAhead'])
  const rateLimits = readGroup('rateLimits', options.rateLimits, [
    'requests',
    'tokenRequests',
    'failedAuthentication',
    'registration',
    'redis',
    'headers',
  ])
  const store = readStore(options.store)

  const production = process.env['NODE_ENV'] === 'production'
  const logger = readLogger(options.logger)
  const url = readBaseUrl(options.baseUrl)
  const baseUrl = url.origin + withoutSlash(url.pathname)
  if (production && url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    logger.warn(
      `baseUrl is "${baseUrl}": over http, credentials and access tokens travel in the clear. Use https in production.`,
    )
  }
  const secrets = readSecrets(options.secret)
  refuseUnsafeProduction(production, store, secrets)

  const accessTokenLifetime = wholeNumber('accessTokenLifetime', options.accessTokenLifetime ?? 3600, 1)
  const requests = readLimit('rateLimits.requests', rateLimits.requests ?? false)
  return {
    baseUrl,
    basePath: withoutSlash(url.pathname),
    apis: readApis(options.apis, { baseUrl, accessTokenLifetime, requests }),
    store,
    secrets,
    mailer: readMailer(options.mailer),
    developersUrl: readDevelopersUrl(options.developersUrl),
    delivery: readDelivery(options),
    clockTolerance: wholeNumber('clockTolerance', options.clockTolerance ?? 5, 0),
    stalenessBound: wholeNumber('stalenessBound', options.stalenessBound ?? 5, 1),
    credentialPrefix: readPrefix(options.credentialPrefix ?? 'epa'),
    signing: {
      algorithm: readAlgorithm(signing.algorithm ?? 'ES256'),
      rotateEvery:
        signing.rotateEvery === undefined ? undefined : wholeNumber('signing.rotateEvery', signing.rotateEvery, 1),
      publishAhead: wholeNumber('signing.publishAhead', signing.publishAhead ?? 300, 0),
    },
    rateLimits: {
      tokenRequests: readLimit('rateLimits.tokenRequests', rateLimits.tokenRequests ?? false),
      failedAuthentication: readLimit(
        'rateLimits.failedAuthentication',
        rateLimits.failedAuthentication ?? { limit: 20, window: 60 },
      ),
      registration: readLimit('rateLimits.registration', rateLimits.registration ?? { limit: 5, window: 3600 }),
      redis: readRedis(rateLimits.redis),
      headers: readFlag('rateLimits.headers', rateLimits.headers ?? false),
    },
    memory: readMemory(options.memory),
    corsOrigins: readOrigins(options.cors),
    onDenied: optionalFunction('onDenied', options.onDenied),
    logger,
    now: readNow(options.now),
    production,
  }
}

const OPTION_NAMES = [
  'baseUrl', 'apis', 'store', 'secret', 'mailer', 'developersUrl', 'delivery', 'accessTokenLifetime', 'clockTolerance', 'stalenessBound', 'credentialPrefix', 'signing',
  'rateLimits', 'memory', 'cors', 'onDenied', 'logger', 'now',
] // prettier-ignore

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

function readBaseUrl(value: unknown): URL {
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

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}

function readGroup<Group extends object>(
  name: string,
  group: Group | undefined,
  known: readonly (keyof Group & string)[],
): Partial<Group> {
  if (group === undefined) return {}
  if (!isObject(group))
    throw new ConfigurationError(
      `${name} is ${show(group)}. Write an object with ${known.join(', ')}, or leave it out.`,
    )
  refuseUnknown(`${name}.`, group, known)
  return group
}

function readStore(store: Store | undefined): Store | undefined {
  if (store === undefined) return undefined
  // What was given instead is not shown: an address or a pool may hold a password.
  if (!isObject(store) || typeof store.open !== 'function' || typeof store.saveApplication !== 'function')
    throw new ConfigurationError(
      'store is no store. Give it sqliteStore(path) from "express-platform-auth/stores/sqlite", or memoryStore().',
    )
  return store
}

function readSecrets(secret: unknown): readonly string[] {
  const secrets: readonly unknown[] = secret === undefined ? [] : Array.isArray(secret) ? secret : [secret]
  if (secret !== undefined && secrets.length === 0)
    throw new ConfigurationError('secret is an empty list. Put the newest secret first, older ones behind it.')
  for (const one of secrets) {
    if (typeof one !== 'string' || one.length < 32) {
      throw new ConfigurationError(
        'secret is too short. Use 32 random characters or more, as `node -p "crypto.randomBytes(32).toString(\'base64url\')"` prints them.',
      )
    }
  }
  return secrets as readonly string[]
}

function refuseUnsafeProduction(production: boolean, store: Store | undefined, secrets: readonly string[]): void {
  if (!production) return
  if (!store) {
    throw new ConfigurationError(
      'store is missing. In production say where applications are kept: sqliteStore(path) from "express-platform-auth/stores/sqlite", or store: memoryStore() if they may be lost.',
    )
  }
  if (store.kind !== 'memory' && secrets.length === 0) {
    throw new ConfigurationError(
      'secret is missing. In production signing keys and pepper are encrypted at rest: set it to 32 random characters or more, from your secret manager.',
    )
  }
}

function readMailer(mailer: unknown): Mailer | undefined {
  if (mailer === undefined || (isObject(mailer) && typeof mailer['send'] === 'function'))
    return mailer as Mailer | undefined
  throw new ConfigurationError(
    `mailer is ${show(mailer)}. Use smtpMailer() from "express-platform-auth/mailers/smtp", or an object with send(letter).`,
  )
}

function readDevelopersUrl(value: unknown): string | undefined {
  if (value === undefined) return undefined
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash) return url.origin + withoutSlash(url.pathname)
  throw new ConfigurationError(
    `developersUrl is ${show(value)}. It is an absolute address without query and fragment, such as "https://example.com/developers".`,
  )
}

function readDelivery({ delivery = 'inline', developersUrl }: PlatformAuthOptions): 'inline' | 'claim-link' {
  if (delivery !== 'inline' && delivery !== 'claim-link') {
    throw new ConfigurationError(
      `delivery is ${show(delivery)}. Letters hold credentials ("inline") or a link ("claim-link").`,
    )
  }
  if (delivery === 'claim-link' && developersUrl === undefined) {
    throw new ConfigurationError(
      'developersUrl is missing. With delivery "claim-link" letters link to {developersUrl}/register/claim.',
    )
  }
  return delivery
}

function readPrefix(prefix: unknown): string {
  if (typeof prefix !== 'string' || !/^[A-Za-z][A-Za-z0-9_]{0,19}$/.test(prefix)) {
    throw new ConfigurationError(
      `credentialPrefix is ${show(prefix)}. Write up to 20 letters, digits and underscores, a letter first.`,
    )
  }
  return prefix
}

function readAlgorithm(algorithm: unknown): SigningAlgorithm {
  const known = ALGORITHMS.find((each) => each === algorithm)
  if (!known)
    throw new ConfigurationError(`signing.algorithm is ${show(algorithm)}. Choose one of ${ALGORITHMS.join(', ')}.`)
  return known
}

/** Whole milliseconds: a clock may give fractions, and stores keep none. */
function readNow(now: PlatformAuthOptions['now']): () => number {
  const clock = optionalFunction('now', now)
  return clock ? () => Math.floor(clock()) : Date.now
}

function readMemory(memory: PlatformAuthOptions['memory']): Settings['memory'] {
  const {
    applications = 20_000,
    accessTokens = 20_000,
    revokedAccessTokens = 100_000,
  } = readGroup('memory', memory, ['applications', 'accessTokens', 'revokedAccessTokens'])
  return {
    applications: wholeNumber('memory.applications', applications, 1),
    accessTokens: wholeNumber('memory.accessTokens', accessTokens, 1),
    revokedAccessTokens: wholeNumber('memory.revokedAccessTokens', revokedAccessTokens, 1),
  }
}

function readOrigins(cors: PlatformAuthOptions['cors']): '*' | readonly string[] {
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

function readLogger(logger: unknown): Logger {
  if (logger === undefined) return CONSOLE
  if (!isObject(logger)) throw new ConfigurationError(`logger is ${show(logger)}. Give it debug, info, warn and error.`)
  for (const level of ['debug', 'info', 'warn', 'error']) {
    if (typeof logger[level] !== 'function')
      throw new ConfigurationError(
        `logger.${level} is ${show(logger[level])}. A logger has debug, info, warn and error.`,
      )
  }
  return logger as unknown as Logger
}

/** Looked up at each call: a host may put its own in the console's place. */
const CONSOLE: Logger = {
  debug() {},
  info() {},
  get warn() {
    return globalThis.console.warn
  },
  get error() {
    return globalThis.console.error
  },
}
