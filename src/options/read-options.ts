import type { ComposeEmail } from '../contracts/composed-email.js'
import { ConfigurationError, type ConfigurationProblem } from '../contracts/errors.js'
import type { Logger } from '../contracts/logger.js'
import type { Mailer } from '../contracts/mailer.js'
import { describeValue } from '../lib/describe-value.js'
import { isObject } from '../lib/is-object.js'
import { ownMembers } from '../lib/own-members.js'
import {
  invalidOption,
  readBoolean,
  readGroup,
  readLimit,
  readOptionalFunction,
  readWholeNumber,
  refuseUnknown,
} from './checks.js'
import {
  ALGORITHMS,
  type PlatformAuthOptions,
  type RateLimitsOptions,
  type RedisConnection,
  type SigningAlgorithm,
} from './options.js'
import { readApis } from './read-apis.js'
import { readBrand } from './read-brand.js'
import { readEnforcement, warnOfReportOnly } from './read-enforcement.js'
import { readCredentials } from './read-credentials.js'
import { readImportedCredentials } from './read-imported-credentials.js'
import { readMetadataSchema } from './read-metadata-schema.js'
import { readOperators } from './read-operators.js'
import { readPersistence } from './read-persistence.js'
import { readPortal } from './read-portal.js'
import { readRegistration } from './read-registration.js'
import { readUsage } from './read-usage.js'
import { LOOPBACK, readBaseUrl, readDevelopersUrl, readOrigins, removeTrailingSlash } from './read-urls.js'
import type { CacheSettings, RateLimitSettings, Settings, SigningSettings } from './settings.js'

/** What `checkOptions()` finds. */
export interface OptionsReport {
  /** What `createPlatformAuth()` would throw. Options after the wrong one have not been checked. */
  readonly error: ConfigurationError | undefined
  /** What `createPlatformAuth()` would log: valid, and unsafe in production. */
  readonly warnings: readonly ConfigurationProblem[]
}

/**
 * Validates options as `createPlatformAuth()` does, without opening the store. Some checks depend on `NODE_ENV`.
 *
 * @example
 * ```ts
 * import { checkOptions, type PlatformAuthOptions } from 'express-platform-auth'
 *
 * export function listProblems(options: PlatformAuthOptions): string[] {
 *   const { error, warnings } = checkOptions(options)
 *   return [...warnings, ...(error ? [error] : [])].map(({ option, problem, fix }) => `${option} ${problem}. ${fix}`)
 * }
 * ```
 */
export function checkOptions(options: PlatformAuthOptions): OptionsReport {
  const warnings: ConfigurationProblem[] = []
  try {
    readOptions(options, (warning) => warnings.push(warning))
    return { error: undefined, warnings }
  } catch (error) {
    if (error instanceof ConfigurationError) return { error, warnings }
    throw error
  }
}

/** Validates the options and fills in the defaults. Throws `ConfigurationError` for the first that is wrong. */
export function readOptions(given: PlatformAuthOptions, warn: (warning: ConfigurationProblem) => unknown): Settings {
  if (!isObject(given)) {
    throw new ConfigurationError({
      problem: `The options are ${describeValue(given)}`,
      fix: 'Write createPlatformAuth({ baseUrl, apis }).',
    })
  }
  refuseUnknown('', given, OPTION_NAMES)
  const options = ownMembers(given as PlatformAuthOptions)
  const production = process.env['NODE_ENV'] === 'production'
  const url = readBaseUrl(options.baseUrl)
  const baseUrl = url.origin + removeTrailingSlash(url.pathname)
  if (production && url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) warn(describePlainHttp(baseUrl))
  const { store, secrets, importUnencrypted } = readPersistence(options, production, warn)
  const now = readNow(options.now)
  const enforcement = readEnforcement('', options, { enforce: true, enforceBy: undefined, needsEnd: production })
  const rateLimits = readRateLimits(options.rateLimits)
  const apis = readApis(options.apis, {
    baseUrl,
    accessTokenLifetime: readWholeNumber('accessTokenLifetime', options.accessTokenLifetime ?? 3600, 1),
    requests: readLimit('rateLimits.requests', ownMembers(options.rateLimits ?? {}).requests ?? false),
    enforcement,
  })
  warnOfReportOnly(enforcement, apis, now(), warn)
  return {
    baseUrl,
    basePath: removeTrailingSlash(url.pathname),
    apis,
    store,
    secrets,
    importUnencrypted,
    mailer: readMailer(options.mailer),
    developersUrl: readDevelopersUrl(options.developersUrl),
    brand: readBrand(options.brand, warn),
    composeEmail: readComposeEmail(options.emails),
    delivery: readDelivery(options),
    clockTolerance: readWholeNumber('clockTolerance', options.clockTolerance ?? 5, 0),
    maxStaleness: readWholeNumber('maxStaleness', options.maxStaleness ?? 5, 1),
    credentialPrefix: readPrefix(options.credentialPrefix ?? 'epa'),
    credentials: readCredentials(options.credentials, apis),
    importedCredentials: readImportedCredentials(options.importedCredentials),
    signing: readSigning(options.signing),
    operators: readOperators(options, warn),
    registration: readRegistration(options.registration),
    portal: readPortal(options.portal),
    rateLimits,
    usage: readUsage(options.usage),
    cache: readCache(options.cache),
    corsOrigins: readOrigins(options.cors),
    applicationMetadata: readMetadataSchema(options.applicationMetadata),
    onDenied: readOptionalFunction('onDenied', options.onDenied),
    logger: readLogger(options.logger),
    now,
    development: !production && process.env['NODE_ENV'] !== 'test',
  }
}

const OPTION_NAMES = [
  'baseUrl', 'apis', 'store', 'secret', 'importUnencrypted', 'mailer', 'developersUrl', 'brand', 'emails', 'delivery', 'accessTokenLifetime', 'clockTolerance', 'maxStaleness', 'credentialPrefix', 'credentials', 'importedCredentials',
  'signing', 'applicationMetadata', 'operators', 'registration', 'portal', 'rateLimits', 'usage', 'cache', 'cors', 'onDenied', 'enforce', 'enforceBy', 'logger', 'now',
] // prettier-ignore

function describePlainHttp(baseUrl: string): ConfigurationProblem {
  return {
    option: 'baseUrl',
    problem: `is "${baseUrl}": over http, credentials and access tokens are sent unencrypted`,
    fix: 'Use https in production.',
  }
}

function readMailer(mailer: unknown): Mailer | undefined {
  if (mailer === undefined || (isObject(mailer) && typeof mailer['send'] === 'function')) {
    return mailer as Mailer | undefined
  }
  // The value is not shown: a transport or an SMTP URL may contain a password.
  throw new ConfigurationError({
    option: 'mailer',
    problem: 'is not a mailer',
    fix: 'Use smtpMailer() from "express-platform-auth/mailers/smtp", or an object with send(email).',
  })
}

function readComposeEmail(emails: PlatformAuthOptions['emails']): ComposeEmail | undefined {
  const { compose } = readGroup('emails', emails, ['compose'])
  return readOptionalFunction('emails.compose', compose)
}

function readDelivery({ delivery = 'inline', developersUrl }: PlatformAuthOptions): 'inline' | 'claim-link' {
  if (delivery !== 'inline' && delivery !== 'claim-link') {
    throw invalidOption('delivery', delivery, 'E-mails contain the credentials ("inline") or a link ("claim-link").')
  }
  if (delivery === 'claim-link' && developersUrl === undefined) {
    throw new ConfigurationError({
      option: 'developersUrl',
      problem: 'is missing',
      fix: 'With delivery "claim-link" e-mails link to {developersUrl}/register/claim.',
    })
  }
  return delivery
}

function readPrefix(prefix: unknown): string {
  if (typeof prefix === 'string' && /^[A-Za-z][A-Za-z0-9_]{0,19}$/.test(prefix)) return prefix
  throw invalidOption('credentialPrefix', prefix, 'Write up to 20 letters, digits and underscores, a letter first.')
}

function readSigning(signing: PlatformAuthOptions['signing']): SigningSettings {
  const { algorithm, rotateEvery, publishAhead } = readGroup('signing', signing, [
    'algorithm',
    'rotateEvery',
    'publishAhead',
  ])
  return {
    algorithm: readAlgorithm(algorithm ?? 'ES256'),
    rotateEvery: rotateEvery === undefined ? undefined : readWholeNumber('signing.rotateEvery', rotateEvery, 1),
    publishAhead: readWholeNumber('signing.publishAhead', publishAhead ?? 300, 0),
  }
}

function readAlgorithm(algorithm: unknown): SigningAlgorithm {
  const known = ALGORITHMS.find((each) => each === algorithm)
  if (known) return known
  throw invalidOption('signing.algorithm', algorithm, `Choose one of ${ALGORITHMS.join(', ')}.`)
}

function readRateLimits(options: RateLimitsOptions | undefined): RateLimitSettings {
  const { tokenRequests, revocations, failedAuthentication, registration, allRegistrations, signIn, redis, headers } =
    readGroup('rateLimits', options, [
      'requests',
      'tokenRequests',
      'revocations',
      'failedAuthentication',
      'registration',
      'allRegistrations',
      'signIn',
      'redis',
      'headers',
    ])
  const perCaller = readLimit('rateLimits.registration', registration ?? { limit: 5, window: 3600 })
  // By default in proportion: who allows an address more, or switches that limit off, must not meet another one.
  const ofAllCallers = perCaller && { ...perCaller, limit: Math.min(perCaller.limit * 20, Number.MAX_SAFE_INTEGER) }
  return {
    tokenRequests: readLimit('rateLimits.tokenRequests', tokenRequests ?? false),
    revocations: readLimit('rateLimits.revocations', revocations ?? { limit: 100, window: 10 }),
    failedAuthentication: readLimit(
      'rateLimits.failedAuthentication',
      failedAuthentication ?? { limit: 20, window: 60 },
    ),
    registration: perCaller,
    allRegistrations: readLimit('rateLimits.allRegistrations', allRegistrations ?? ofAllCallers),
    signIn: readLimit('rateLimits.signIn', signIn ?? { limit: 5, window: 3600 }),
    redis: readRedis(redis),
    headers: readBoolean('rateLimits.headers', headers ?? false),
  }
}

function readRedis(redis: unknown): RedisConnection | undefined {
  if (redis === undefined) return undefined
  if (isObject(redis) && typeof redis['defineCommand'] === 'function') return redis as unknown as RedisConnection
  // The value is not shown: a URL may hold a password.
  throw new ConfigurationError({
    option: 'rateLimits.redis',
    problem: 'is no ioredis instance',
    fix: 'Give it new Redis(url), where Redis comes from "ioredis".',
  })
}

function readCache(cache: PlatformAuthOptions['cache']): CacheSettings {
  const {
    applications = 20_000,
    accessTokens = 20_000,
    revokedAccessTokens = 100_000,
  } = readGroup('cache', cache, ['applications', 'accessTokens', 'revokedAccessTokens'])
  return {
    applications: readWholeNumber('cache.applications', applications, 1),
    accessTokens: readWholeNumber('cache.accessTokens', accessTokens, 1),
    revokedAccessTokens: readWholeNumber('cache.revokedAccessTokens', revokedAccessTokens, 1),
  }
}

/**
 * Whole milliseconds: a clock may give fractions, which stores do not keep. `Date` is looked up at each call: fake timers
 * replace it later.
 */
function readNow(now: PlatformAuthOptions['now']): () => number {
  const clock = readOptionalFunction('now', now)
  return clock ? () => Math.floor(clock()) : () => Date.now()
}

function readLogger(logger: unknown): Logger {
  if (logger === undefined) return CONSOLE
  if (!isObject(logger)) throw invalidOption('logger', logger, 'Give it debug, info, warn and error.')
  for (const level of ['debug', 'info', 'warn', 'error']) {
    if (typeof logger[level] === 'function') continue
    throw invalidOption(`logger.${level}`, logger[level], 'A logger has debug, info, warn and error.')
  }
  return logger as unknown as Logger
}

/** Looked up at each call: the host may replace the console's methods later. */
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
