import { readApis } from '../../core/options/read-apis.js'
import { readCache, readRateLimits } from '../../core/options/option-groups.js'
import { FEATURE_NAMES, PLATFORM_OPTION_NAMES } from '../../core/options/read-platform-options.js'
import { readLogger } from '../../core/options/read-logger.js'
import {
  createReportOnlySettings,
  readReportOnlyOption,
  warnOfReportOnly,
} from '../../core/options/read-report-only.js'
import { LOOPBACK, readBaseUrl, removeTrailingSlash } from '../../core/options/read-urls.js'
import { ConfigurationError, describeWithFix } from '../../shared/contracts/errors.js'
import { describeKind, readOptionalFunction, refuseUnknown, wrongOption } from '../../shared/lib/option-checks.js'
import { wholeNumber } from '../../shared/lib/option-rules.js'
import { isObject, ownMembers } from '../../shared/lib/own-members.js'
import type { CacheOptions, OnDenied, RateLimitsOptions } from '../../core/options/options.js'
import type { ApisOptions, Logger, ReportOnlyOptions } from '../../index.js'
import type { MetadataSchema } from '../../shared/contracts/metadata-schema.js'

/** The options of `createRemoteAuth()`. Durations are in seconds. */
export interface RemoteAuthOptions<
  Apis extends ApisOptions = ApisOptions,
  Schema extends MetadataSchema = MetadataSchema,
> extends ReportOnlyOptions {
  /** The `baseUrl` of the platform: issuer and audience of access tokens begin with it. */
  readonly platform: string
  /**
   * Where this process reaches the platform, if that is another address: `https://platform.internal/v1`, or `http://127.0.0.1:3000` on the same
   * machine. As `platform` if left out.
   */
  readonly address?: string | undefined
  /** The APIs that this service serves, with the same schemes, scopes and headers as at the platform. */
  readonly apis: Apis
  /** The key of the application that is a resource server of these APIs, or its id. */
  readonly clientId: string
  readonly clientSecret: string
  /** The schema of applications' metadata, for its type: the platform has validated it. */
  readonly metadata?: Schema | undefined
  /** Seconds for which guards go on answering from memory while the platform does not answer; 5 if left out. Then they answer 503. */
  readonly maxStaleness?: number | undefined
  readonly rateLimits?: Pick<RateLimitsOptions, 'requests' | 'failedAuthentication' | 'redis' | 'headers'> | undefined
  readonly cache?: CacheOptions | undefined
  readonly onDenied?: OnDenied | undefined
  readonly logger?: Logger | undefined
}

const OPTION_NAMES = [
  'platform',
  'address',
  'apis',
  'clientId',
  'clientSecret',
  'metadata',
  'maxStaleness',
  'rateLimits',
  'cache',
  'onDenied',
  'reportOnly',
  'logger',
] as const satisfies readonly (keyof RemoteAuthOptions)[]

/** Options of a platform that are none here, with what stands for them; the others are left out. */
const IN_PLACE: Readonly<Record<string, string>> = {
  baseUrl: 'Write platform, with the same address.',
  secret: 'Write clientSecret, with the secret of a resource server.',
}

const LIMITS_OF_PLATFORM = ['rateLimits.tokenRequests', 'rateLimits.revocations']
const OF_PLATFORM = new Set<string>([...PLATFORM_OPTION_NAMES, ...FEATURE_NAMES, ...LIMITS_OF_PLATFORM])

function refuseOptionsOfPlatform(given: RemoteAuthOptions): void {
  const limits = Object.keys(given.rateLimits ?? {}).map((name) => `rateLimits.${name}`)
  const found = [...Object.keys(given), ...limits].find(
    (name) => OF_PLATFORM.has(name) && !OPTION_NAMES.some((own) => own === name),
  )
  if (found === undefined) return
  throw wrongOption(found, 'is an option of the platform, which this service asks', IN_PLACE[found] ?? 'Leave it out.')
}

export type RemoteSettings = ReturnType<typeof readRemoteOptions>

export function readRemoteOptions(given: RemoteAuthOptions) {
  if (!isObject(given))
    throw new ConfigurationError({
      problem: 'createRemoteAuth() was called without options',
      fix: 'Write createRemoteAuth({ platform, apis, clientId, clientSecret }).',
    })
  refuseOptionsOfPlatform(given)
  refuseUnknown('', given, OPTION_NAMES)
  const options = ownMembers(given as RemoteAuthOptions)
  const logger = readLogger(options.logger)
  const warn = (problem: Parameters<typeof describeWithFix>[0]): void => logger.warn(describeWithFix(problem))
  const platform = readAddress('platform', options.platform)
  const baseUrl = platform.origin + removeTrailingSlash(platform.pathname)
  const address = options.address === undefined ? platform : readAddress('address', options.address)
  if (address.protocol !== 'https:' && !LOOPBACK.test(address.hostname))
    throw wrongOption(
      options.address === undefined ? 'platform' : 'address',
      `is at ${address.origin}: over http, the secret and the keys of callers are sent unencrypted`,
      'Use https; http is for addresses of this machine, such as http://127.0.0.1:3000.',
    )
  const rateLimits = readRateLimits(options.rateLimits)
  const reportOnly = readReportOnlyOption('', options, createReportOnlySettings(Date.now()))
  const { requests } = rateLimits
  const apis = readApis(options.apis, { baseUrl, accessTokenLifetime: 3600, requests, reportOnly, warn })
  warnOfReportOnly(reportOnly, apis, Date.now(), warn)
  return {
    baseUrl,
    address: address.origin + removeTrailingSlash(address.pathname),
    apis,
    clientId: readCredential('clientId', options.clientId),
    clientSecret: readCredential('clientSecret', options.clientSecret),
    maxStaleness: wholeNumber(1, 5)('maxStaleness', options.maxStaleness),
    rateLimits,
    cache: readCache(options.cache),
    onDenied: readOptionalFunction('onDenied', options.onDenied),
    logger,
  }
}

function readAddress(option: string, value: unknown): URL {
  try {
    return readBaseUrl(value)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    throw wrongOption(option, error.problem, error.fix)
  }
}

/** Secret and presented keys are sent there. */

/** The value is not shown. */
function readCredential(option: string, value: unknown): string {
  if (typeof value === 'string' && /^[\x21-\x7E]+$/.test(value)) return value
  throw wrongOption(
    option,
    `is ${value === '' ? 'empty' : typeof value === 'string' ? 'no text of visible ASCII characters' : describeKind(value)}`,
    'Give it the credentials of an application that is a resource server of these APIs.',
  )
}
