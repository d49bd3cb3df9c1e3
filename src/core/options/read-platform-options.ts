import { ConfigurationError, type ConfigurationProblem } from '../../shared/contracts/errors.js'
import type { Store } from '../../shared/contracts/store.js'
import {
  describeValue,
  invalidOption,
  readOptionalFunction,
  refuseUnknown,
  wrongOption,
} from '../../shared/lib/option-checks.js'
import { isObject, ownMembers } from '../../shared/lib/own-members.js'
import type { CoreSettings } from './settings.js'
import { readRateLimits, READERS, readTokenOptions } from './option-groups.js'
import type { PlatformAuthOptions } from './platform-auth-options.js'
import { readApis } from './read-apis.js'
import { readFeatures } from './read-features.js'
import { readPersistence } from './read-persistence.js'
import { createReportOnlySettings, readReportOnlyOption, warnOfReportOnly } from './read-report-only.js'
import { LOOPBACK, readBaseUrl, removeTrailingSlash } from './read-urls.js'

/** The validated form of the options: every default is filled in. Durations are in seconds. */
export interface Settings extends CoreSettings {
  /** The store as given, which only core/platform/foundation.ts reads. Undefined: applications are kept in memory. */
  readonly store: Store | undefined
  readonly features: ReturnType<typeof readFeatures>
}

/** The result of `checkOptions()`. */
export interface OptionsReport {
  /** The error that `createPlatformAuth()` would throw. Options after the wrong one have not been checked. */
  readonly error: ConfigurationError | undefined
  /** The warnings that `createPlatformAuth()` would log: options that are valid, and unsafe in production. */
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

/** The subpaths that have one, for who gives its options beside those of the platform. */
export const FEATURE_NAMES = ['emails', 'registration', 'portal', 'usage', 'plans', 'imports'] as const

/** Validates the options and fills in the defaults. Throws `ConfigurationError` for the first that is wrong. */
export function readOptions(given: PlatformAuthOptions, warn: (warning: ConfigurationProblem) => unknown): Settings {
  if (!isObject(given))
    throw new ConfigurationError({
      problem: `The options are ${describeValue(given)}`,
      fix: 'Write createPlatformAuth({ baseUrl, apis }).',
    })
  const feature = FEATURE_NAMES.find((name) => Object.hasOwn(given, name))
  if (feature !== undefined) {
    const fix = `Write features: [${feature}({ ... })], with ${feature} of express-platform-auth/${feature}.`
    throw wrongOption(feature, 'is a feature, not an option', fix)
  }
  refuseUnknown('', given, PLATFORM_OPTION_NAMES)
  const options = ownMembers(given as PlatformAuthOptions)
  const production = process.env['NODE_ENV'] === 'production'
  const url = readBaseUrl(options.baseUrl)
  const baseUrl = url.origin + removeTrailingSlash(url.pathname)
  if (production && url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    warn({
      option: 'baseUrl',
      problem: `is "${baseUrl}": over http, credentials and access tokens are sent unencrypted`,
      fix: 'Use https in production.',
    })
  const { store, secrets, importUnencrypted } = readPersistence(options, production, warn)
  const clock = readOptionalFunction('now', options.now)
  // Stores keep whole milliseconds only. `Date` is looked up at each call: fake timers replace it later.
  const now = clock ? () => Math.floor(clock()) : () => Date.now()
  const reportOnly = readReportOnlyOption('', options, createReportOnlySettings(now()))
  const rateLimits = readRateLimits(options.rateLimits)
  const tokens = readTokens(options.tokens, warn)
  const apis = readApis(options.apis, {
    baseUrl,
    accessTokenLifetime: tokens.lifetime,
    requests: rateLimits.requests,
    reportOnly,
    warn,
  })
  warnOfReportOnly(reportOnly, apis, now(), warn)
  requireAssertionStore(apis, store)
  const read = Object.entries(READERS).map(([name, reader]) => [name, reader(options[name as keyof typeof READERS])])
  const core: CoreSettings = {
    ...(Object.fromEntries(read) as Pick<CoreSettings, keyof typeof READERS>),
    baseUrl,
    basePath: removeTrailingSlash(url.pathname),
    apis,
    secrets,
    importUnencrypted,
    tokens,
    rateLimits,
    now,
    // `node --test` does not set NODE_ENV. Only log lines depend on this.
    development: !production && process.env['NODE_ENV'] !== 'test' && process.env['NODE_TEST_CONTEXT'] === undefined,
  }
  return { ...core, store, features: readFeatures(options.features, core, store, warn) }
}

const OTHER_NAMES = [
  'baseUrl',
  'apis',
  'store',
  'secret',
  'importUnencrypted',
  'tokens',
  'rateLimits',
  'reportOnly',
  'now',
  'features',
] as const satisfies readonly Exclude<keyof PlatformAuthOptions, keyof typeof READERS>[]
export const PLATFORM_OPTION_NAMES: readonly string[] = [...OTHER_NAMES, ...Object.keys(READERS)]

/** Verifiers fetch the key set again after 30 s (jose, express-oauth2-jwt-bearer) or 60 s (oauth4webapi) at the earliest. */
const SHORTEST_PUBLICATION_SECONDS = 60

function readTokens(options: PlatformAuthOptions['tokens'], warn: (warning: ConfigurationProblem) => unknown) {
  const tokens = readTokenOptions(options)
  for (const name of ['algorithm', 'rotateEvery'] as const)
    if (tokens.signer && options?.[name] !== undefined)
      throw invalidOption(`tokens.${name}`, options[name], 'Leave it out: tokens.signer decides.')
  if (tokens.publishAhead < SHORTEST_PUBLICATION_SECONDS)
    warn({
      option: 'tokens.publishAhead',
      problem: `is ${tokens.publishAhead}: verifiers elsewhere fetch the key set again after 30 to 60 seconds at the earliest, and refuse access tokens that a new key has signed before`,
      fix: `Give it ${SHORTEST_PUBLICATION_SECONDS} seconds or more.`,
    })
  return tokens
}

/** What was used must be known to every process. */
function requireAssertionStore(apis: CoreSettings['apis'], store: Store | undefined): void {
  const api = [...apis.values()].find(({ clientAuthentication: methods }) => methods.includes('private_key_jwt'))
  if (!api || !store || store.assertions) return
  throw new ConfigurationError({
    option: `apis.${api.name}.clientAuthentication`,
    problem: 'has private_key_jwt, and the store has no part assertions',
    fix: 'Use a store that has it: those of this package do.',
  })
}
