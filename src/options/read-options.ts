import { readApis, type ApiSettings } from './read-apis.js'
import type { Limit } from '../contracts/api.js'
import { ConfigurationError } from '../contracts/errors.js'
import type { Mailer } from '../contracts/mailer.js'
import { LOOPBACK, readBaseUrl, readDevelopersUrl, readOrigins, withoutSlash } from './read-urls.js'
import { isObject, optionalFunction, readFlag, readLimit, refuseUnknown, show, wholeNumber } from './checks.js'
import { ALGORITHMS, type OnDenied, type PlatformAuthOptions, type SigningAlgorithm } from './options.js'
import { type Logger } from '../contracts/logger.js'
import { readRedis, type RedisConnection } from '../contracts/redis.js'
import type { Store } from '../contracts/store.js'

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
  readonly maxStaleness: number
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
  readonly cache: {
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
export function readSettings(options: PlatformAuthOptions): Settings {
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
    maxStaleness: wholeNumber('maxStaleness', options.maxStaleness ?? 5, 1),
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
    cache: readCache(options.cache),
    corsOrigins: readOrigins(options.cors),
    onDenied: optionalFunction('onDenied', options.onDenied),
    logger,
    now: readNow(options.now),
    production,
  }
}

const OPTION_NAMES = [
  'baseUrl', 'apis', 'store', 'secret', 'mailer', 'developersUrl', 'delivery', 'accessTokenLifetime', 'clockTolerance', 'maxStaleness', 'credentialPrefix', 'signing',
  'rateLimits', 'cache', 'cors', 'onDenied', 'logger', 'now',
] // prettier-ignore

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
    `mailer is ${show(mailer)}. Use smtpMailer() from "express-platform-auth/mailers/smtp", or an object with send(email).`,
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
      'developersUrl is missing. With delivery "claim-link" emails link to {developersUrl}/register/claim.',
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

function readCache(cache: PlatformAuthOptions['cache']): Settings['cache'] {
  const {
    applications = 20_000,
    accessTokens = 20_000,
    revokedAccessTokens = 100_000,
  } = readGroup('cache', cache, ['applications', 'accessTokens', 'revokedAccessTokens'])
  return {
    applications: wholeNumber('cache.applications', applications, 1),
    accessTokens: wholeNumber('cache.accessTokens', accessTokens, 1),
    revokedAccessTokens: wholeNumber('cache.revokedAccessTokens', revokedAccessTokens, 1),
  }
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
