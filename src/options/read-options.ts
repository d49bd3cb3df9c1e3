import type { ComposeEmail } from '../contracts/composed-email.js'
import { ConfigurationError, type ConfigurationProblem } from '../contracts/errors.js'
import type { Mailer } from '../contracts/mailer.js'
import { describeValue } from '../lib/describe-value.js'
import { isObject } from '../lib/is-object.js'
import { ownMembers } from '../lib/own-members.js'
import { invalidOption, readGroup, readLimit, readOptionalFunction, readWholeNumber, refuseUnknown } from './checks.js'
import { ALGORITHMS, type PlatformAuthOptions, type SigningAlgorithm } from './options.js'
import { readApis } from './read-apis.js'
import { readBrand } from '../web/read-brand.js'
import { readCredentials } from './read-credentials.js'
import { createReportOnlySettings, readReportOnlyOption, warnOfReportOnly } from './read-report-only.js'
import { readImportedCredentials } from './read-imported-credentials.js'
import { readLogger } from './read-logger.js'
import { readMetadataSchema } from './read-metadata-schema.js'
import { readOperators } from './read-operators.js'
import { readPersistence } from './read-persistence.js'
import { readPortal } from './read-portal.js'
import { readRateLimits } from './read-rate-limits.js'
import { DEFAULT_CLOCK_TOLERANCE } from './defaults.js'
import { readRegistration } from './read-registration.js'
import { LOOPBACK, readBaseUrl, readDevelopersUrl, readOrigins, removeTrailingSlash } from './read-urls.js'
import { readAuditRetention, readUsage } from './read-usage.js'
import type { CacheSettings, Settings, SigningSettings } from './settings.js'

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
  const reportOnly = readReportOnlyOption('', options, createReportOnlySettings(now()))
  const rateLimits = readRateLimits(options.rateLimits)
  const apis = readApis(options.apis, {
    baseUrl,
    accessTokenLifetime: readWholeNumber('accessTokenLifetime', options.accessTokenLifetime ?? 3600, 1),
    requests: readLimit('rateLimits.requests', ownMembers(options.rateLimits ?? {}).requests ?? false),
    reportOnly,
    warn,
  })
  warnOfReportOnly(reportOnly, apis, now(), warn)
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
    clockTolerance: readWholeNumber('clockTolerance', options.clockTolerance ?? DEFAULT_CLOCK_TOLERANCE, 0),
    maxStaleness: readWholeNumber('maxStaleness', options.maxStaleness ?? 5, 1),
    credentialPrefix: readPrefix(options.credentialPrefix ?? 'epa'),
    credentials: readCredentials(options.credentials, apis),
    importedCredentials: readImportedCredentials(options.importedCredentials),
    signing: readSigning(options.signing, warn),
    operators: readOperators(options, warn),
    registration: readRegistration(options.registration),
    portal: readPortal(options.portal),
    rateLimits,
    auditRetention: readAuditRetention(options.audit),
    usage: readUsage(options.usage),
    cache: readCache(options.cache),
    corsOrigins: readOrigins(options.cors),
    applicationMetadata: readMetadataSchema(options.applicationMetadata),
    onDenied: readOptionalFunction('onDenied', options.onDenied),
    logger: readLogger(options.logger),
    now,
    // `node --test` does not set NODE_ENV. Only log lines depend on this.
    development: !production && process.env['NODE_ENV'] !== 'test' && process.env['NODE_TEST_CONTEXT'] === undefined,
  }
}

const OPTION_NAMES = [
  'baseUrl',
  'apis',
  'store',
  'secret',
  'importUnencrypted',
  'mailer',
  'developersUrl',
  'brand',
  'emails',
  'delivery',
  'accessTokenLifetime',
  'clockTolerance',
  'maxStaleness',
  'credentialPrefix',
  'credentials',
  'importedCredentials',
  'signing',
  'applicationMetadata',
  'operators',
  'registration',
  'portal',
  'rateLimits',
  'audit',
  'usage',
  'cache',
  'cors',
  'onDenied',
  'reportOnly',
  'logger',
  'now',
]

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

/** Verifiers fetch the key set again after 30 s (jose, express-oauth2-jwt-bearer) or 60 s (oauth4webapi) at the earliest. */
const SHORTEST_PUBLICATION_SECONDS = 60

function readSigning(
  signing: PlatformAuthOptions['signing'],
  warn: (warning: ConfigurationProblem) => unknown,
): SigningSettings {
  const { algorithm, rotateEvery, publishAhead } = readGroup('signing', signing, [
    'algorithm',
    'rotateEvery',
    'publishAhead',
  ])
  const ahead = readWholeNumber('signing.publishAhead', publishAhead ?? 300, 0)
  if (ahead < SHORTEST_PUBLICATION_SECONDS) {
    warn({
      option: 'signing.publishAhead',
      problem: `is ${ahead}: verifiers elsewhere fetch the key set again after 30 to 60 seconds at the earliest, and refuse access tokens that a new key has signed before`,
      fix: `Give it ${SHORTEST_PUBLICATION_SECONDS} seconds or more.`,
    })
  }
  return {
    algorithm: readAlgorithm(algorithm ?? 'ES256'),
    rotateEvery: rotateEvery === undefined ? undefined : readWholeNumber('signing.rotateEvery', rotateEvery, 1),
    publishAhead: ahead,
  }
}

function readAlgorithm(algorithm: unknown): SigningAlgorithm {
  const known = ALGORITHMS.find((each) => each === algorithm)
  if (known) return known
  throw invalidOption('signing.algorithm', algorithm, `Choose one of ${ALGORITHMS.join(', ')}.`)
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
