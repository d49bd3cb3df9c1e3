import type { Api, Scheme } from '../../shared/contracts/api.js'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import { describeValue, isRequest } from '../../shared/lib/describe-value.js'
import { isObject } from '../../shared/lib/is-object.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { readBoolean, readOptionalFunction, refuseUnknown } from '../../shared/lib/option-checks.js'
import type { BearerGuardOptions, GuardOptions, RequestCost } from './guard-options.js'
import { readCost } from './request-counter.js'
import { checkScopeOptions } from './scope-options.js'

const GUARD_NAMES: Record<Scheme, string> = { oauth2: 'requireBearer', apiKey: 'requireApiKey' }
const VERIFIER_NAMES: Record<Scheme, string> = { oauth2: 'verifyAccessToken', apiKey: 'verifyApiKey' }

/** The options of a verifier, validated. A function is there only with a request. */
export interface VerifySettings {
  readonly req: object | undefined
  readonly cost: RequestCost
}

/** The arguments of `requireBearer()` and `requireApiKey()`: an optional API name and optional options. */
export type GuardArguments = readonly unknown[]

/** Throws if a call that makes guards was given to a route as if it were one: `app.get('/items', auth.requireBearer, handler)`. */
export function refuseRequest(call: string, args: GuardArguments): void {
  if (!isRequest(args[0])) return
  throw new ConfigurationError({
    problem: `${call} was called with a request: it makes guards, and is none`,
    fix: `Call it where the route is defined, and give what it returns: ${EXAMPLES[call] ?? `auth.${call}('orders')`}.`,
  })
}

const EXAMPLES: Readonly<Record<string, string>> = {
  requireApiKey: "auth.requireApiKey('catalog')",
  requireAny: "auth.requireAny([auth.requireBearer('orders'), auth.requireApiKey('catalog')])",
}

/** Reads the API and the options of a guard for APIs of that scheme, once, when the route is defined. `Options` are those of the scheme. */
export function readApiArguments<Options extends GuardOptions>(
  apis: ReadonlyMap<string, Api>,
  scheme: Scheme,
  args: GuardArguments,
  checkCost: typeof readCost,
): { readonly api: Api; readonly options: Options } {
  const call = GUARD_NAMES[scheme]
  refuseRequest(call, args)
  const named = typeof args[0] === 'string'
  const api = named ? findApi(apis, args[0], scheme, call) : findOnlyApi(apis, scheme, call)
  const known = scheme === 'oauth2' ? ([...API_GUARD_OPTIONS, 'otherIssuers'] as const) : API_GUARD_OPTIONS
  const name = `${call}("${api.name}")`
  const options = readGuardOptions<BearerGuardOptions>(name, (named ? args[1] : args[0]) ?? {}, known, checkCost)
  checkScopeOptions(name, api, options)
  return { api, options: options as Options }
}

const API_GUARD_OPTIONS = ['scopes', 'anyScope', 'cost', 'allow', 'optional', 'onDenied', 'reportOnly'] as const

export function readVerifyOptions(call: string, options: unknown): VerifySettings {
  if (options === undefined) return { req: undefined, cost: 1 }
  if (!isObject(options))
    throw new ConfigurationError({ problem: `${call} takes options such as { req }`, fix: 'Write { req }.' })
  const { req, cost: given } = ownMembers(options)
  refuseUnknown(`${call}: `, options, ['req', 'cost'])
  if (req !== undefined && (typeof req !== 'object' || req === null))
    throw new ConfigurationError({
      problem: `${call} got something else than a request in "req": ${describeValue(req)}`,
      fix: 'Give the request of the handler, or leave it out.',
    })
  const cost = readCost(call, given)
  if (typeof cost === 'number' || req !== undefined) return { req, cost }
  throw new ConfigurationError({
    problem: `${call}: cost is a function, and there is no request to call it with`,
    fix: 'Give the request of the handler as req, or a number.',
  })
}

/** Whether a function is one of the calls that make guards, which must be called. */
export function isGuardCall(fn: unknown): boolean {
  return typeof fn === 'function' && GUARD_CALLS.includes(fn.name.replace(/^bound /, ''))
}

const GUARD_CALLS = [...Object.values(GUARD_NAMES), 'requireAny']

export function readAnyGuardOptions(given: unknown = {}): GuardOptions {
  return readGuardOptions('requireAny', given, ['optional', 'onDenied', 'reportOnly'])
}

/** The API of that name and scheme. Throws `ConfigurationError` if there is none. */
export function findApi(apis: ReadonlyMap<string, Api>, name: unknown, scheme: Scheme, call: string): Api {
  if (isRequest(name))
    throw new ConfigurationError({
      problem: `${call} was called with a request: it verifies a credential outside a request`,
      fix: `Use a guard for a route: auth.${GUARD_NAMES[scheme]}('...').`,
    })
  const api = typeof name === 'string' ? apis.get(name) : undefined
  if (!api)
    throw new ConfigurationError({
      problem: `${call}: there is no API ${describeValue(name)}`,
      fix: listApis(apis, scheme),
    })
  if (api.scheme !== scheme) {
    const right = (call.startsWith('verify') ? VERIFIER_NAMES : GUARD_NAMES)[api.scheme]
    throw new ConfigurationError({
      problem: `${call}: the scheme of the API "${api.name}" is "${api.scheme}"`,
      fix: `Use ${right}("${api.name}").`,
    })
  }
  return api
}

/** The only API of that scheme, for a call without a name. Throws `ConfigurationError` if there are none or several. */
function findOnlyApi(apis: ReadonlyMap<string, Api>, scheme: Scheme, call: string): Api {
  const [only, ...others] = [...apis.values()].filter((api) => api.scheme === scheme)
  if (!only || others.length > 0)
    throw new ConfigurationError({ problem: `${call}: name the API`, fix: listApis(apis, scheme) })
  return only
}

export function readGuardOptions<Options extends object>(
  call: string,
  given: unknown,
  known: readonly (keyof Options & string)[],
  /** Other kinds of guards have costs of their own, which they check. */
  checkCost: (call: string, cost: unknown) => unknown = readCost,
): Options {
  if (!isObject(given))
    throw new ConfigurationError({
      problem: `${call}: the options are ${describeValue(given)}`,
      fix:
        typeof given === 'string' || Array.isArray(given)
          ? 'Write an object: { scopes: [...] }.'
          : 'Write an object, or leave them out.',
    })
  const options = ownMembers(given)
  refuseUnknown(`${call}: `, options, known)
  for (const name of ['onDenied', 'allow', 'otherIssuers']) readOptionalFunction(`${call}: ${name}`, options[name])
  checkCost(call, options['cost'])
  if (options['optional'] !== undefined) readBoolean(`${call}: optional`, options['optional'])
  return options as unknown as Options
}

function listApis(apis: ReadonlyMap<string, Api>, scheme: Scheme): string {
  const names = [...apis.values()].filter((api) => api.scheme === scheme).map(({ name }) => name)
  return names.length > 0
    ? `With the scheme "${scheme}" there are: ${names.join(', ')}.`
    : `No API has the scheme "${scheme}".`
}
