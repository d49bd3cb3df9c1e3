import { X509Certificate } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { BrandOptions } from '../../shared/contracts/brand.js'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import { isObject } from '../../shared/lib/own-members.js'
import { describeKind, invalidOption, readDays, readGroup, wrongOption } from '../../shared/lib/option-checks.js'
import {
  boolean,
  callback,
  days,
  group,
  limit,
  oneOf,
  optional,
  textList,
  textThat,
  wholeNumber,
} from '../../shared/lib/option-rules.js'
import {
  ALGORITHMS,
  DEFAULT_CLOCK_TOLERANCE,
  DEFAULT_FAILED_AUTHENTICATION,
  type OnDenied,
  type RedisConnection,
  type Signer,
} from './options.js'
import { readLogger } from './read-logger.js'
import { readMetadataSchema } from './read-metadata-schema.js'
import { readDevelopersUrl, readOrigins } from './read-urls.js'

export const readTokenOptions = group('tokens', {
  lifetime: wholeNumber(1, 3600),
  // Revoked tokens are kept for an hour after they expire: guards must not accept them for longer.
  clockTolerance: wholeNumber(0, DEFAULT_CLOCK_TOLERANCE, 600),
  algorithm: oneOf(ALGORITHMS, 'ES256'),
  rotateEvery: optional(wholeNumber(1)),
  publishAhead: wholeNumber(0, 300),
  signer: optional(readSigner),
})

function readSigner(option: string, signer: unknown): Signer {
  if (isObject(signer) && typeof signer['list'] === 'function' && typeof signer['sign'] === 'function')
    return signer as unknown as Signer
  const fix = 'Give it an object with list() and sign(kid, bytes).'
  throw new ConfigurationError({ option, problem: `is ${describeKind(signer)}`, fix })
}

/** The host as an address of a key set has it: in lower case, IPv6 in its one spelling. */
function readHostName(option: string, host: string): string {
  const url = URL.parse(`https://${isIPv6(host) ? `[${host}]` : host}`)
  const isHost = url !== null && url.href === `https://${url.hostname}/` && /^[\w.:[\]-]+$/.test(url.hostname)
  if (isHost) return url.hostname.replaceAll(/^\[|\]$/g, '')
  throw invalidOption(option, host, "Write hosts without scheme, port and path, such as 'jwks.internal' or '10.0.0.7'.")
}

function readCertificates(option: string, pem: unknown): string {
  try {
    if (new X509Certificate(pem as string).fingerprint256) return pem as string
  } catch {
    // The value is not shown: it may be a private key.
  }
  const fix = "Give it the certificates in PEM: readFileSync('ca.pem', 'utf8')."
  throw new ConfigurationError({ option, problem: 'is no certificate', fix })
}

/** `requests` is the default of each API's `rateLimit`. */
export const readRateLimits = group('rateLimits', {
  requests: limit(false),
  tokenRequests: limit(false),
  revocations: limit({ limit: 100, window: 10 }),
  failedAuthentication: limit(DEFAULT_FAILED_AUTHENTICATION),
  redis(option, redis): RedisConnection | undefined {
    if (redis === undefined) return undefined
    if (isObject(redis) && typeof redis['defineCommand'] === 'function') return redis as unknown as RedisConnection
    // The value is not shown: a URL may hold a password.
    throw wrongOption(option, 'is no ioredis instance', 'Give it new Redis(url), where Redis comes from "ioredis".')
  },
  headers: boolean(false),
})

/** An operator's link is good for 14 days, and its page tells what was decided. */
const MIN_AUDIT_RETENTION = 30

const readBackgroundGroup = group('background', {
  /** Undefined: for ever. */
  auditRetention(option, retention): number | undefined {
    if (retention === undefined) return undefined
    const days = readDays(option, retention)
    if (days >= MIN_AUDIT_RETENTION) return days
    throw invalidOption(option, retention, `Write days: at least ${MIN_AUDIT_RETENTION}.`)
  },
})

function readBackground(background: unknown) {
  return { enabled: background !== false, ...readBackgroundGroup(background === false ? undefined : background) }
}

export const readCache = group('cache', {
  applications: wholeNumber(1, 20_000),
  accessTokens: wholeNumber(1, 20_000),
  revokedAccessTokens: wholeNumber(1, 100_000),
})

/** The options of a platform that are read without others, in this order. */
export const READERS = {
  developersUrl: readDevelopersUrl,
  /** Its values are read by what shows it. */
  brand(given: unknown): BrandOptions | undefined {
    readGroup('brand', given as BrandOptions | undefined, ['name', 'logo', 'color', 'supportUrl'])
    return given as BrandOptions | undefined
  },
  clientAssertions: group('clientAssertions', {
    tokenEndpointAudience: boolean(false),
    allow: (option, given) => textList(option, given).map((host) => readHostName(option, host)),
    ca: optional(readCertificates),
  }),
  maxStaleness: (given: unknown) => wholeNumber(1, 5)('maxStaleness', given),
  credentials: group('credentials', {
    prefix: textThat(
      (prefix) => /^[A-Za-z][A-Za-z0-9_]{0,19}$/.test(prefix),
      'Write up to 20 letters, digits and underscores, a letter first.',
      'epa',
    ),
    maxAge: optional(days()),
  }),
  metadata: (given: unknown) => readMetadataSchema(given),
  background: readBackground,
  cache: readCache,
  cors: readOrigins,
  onDenied: (given: unknown) => callback<OnDenied>('onDenied', given),
  logger: readLogger,
} satisfies Readonly<Record<string, (given: unknown) => unknown>>
