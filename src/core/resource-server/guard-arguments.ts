import type { Api, Scheme } from '../../shared/contracts/api.js'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import { isObject, ownMembers } from '../../shared/lib/own-members.js'
import {
  describeValue,
  isRequest,
  readBoolean,
  readOptionalFunction,
  refuseUnknown,
  wrongOption,
} from '../../shared/lib/option-checks.js'
import type { BearerGuardOptions, GuardOptions, RequestCost } from './guard-options.js'
import { readCost } from './request-counter.js'
import { METHODS } from 'node:http'
import { estimateAccessTokenLength, MAX_ACCESS_TOKEN_LENGTH } from '../../shared/contracts/access-token-size.js'
import { didYouMean } from '../../shared/lib/suggest.js'

const GUARD_NAMES: Record<Scheme, string> = { oauth2: 'requireBearer', apiKey: 'requireApiKey' }
const VERIFIER_NAMES: Record<Scheme, string> = { oauth2: 'verifyAccessToken', apiKey: 'verifyApiKey' }

export interface VerifySettings {
  readonly req: object | undefined
  readonly cost: RequestCost
}

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

export function findApi(apis: ReadonlyMap<string, Api>, name: unknown, scheme: Scheme, call: string): Api {
  if (isRequest(name))
    throw new ConfigurationError({
      problem: `${call} was called with a request: it verifies a credential outside a request`,
      fix: `Use a guard for a route: auth.${GUARD_NAMES[scheme]}('...').`,
    })
  const api = typeof name === 'string' ? apis.get(name) : undefined
  if (!api)
    throw new ConfigurationError({
      problem: `${call}: there is no API ${describeValue(name, 'without a name')}`,
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

/** Throws `ConfigurationError` for a wrong method or scope of a guard. `call` precedes the option's name. */
function checkScopeOptions(
  call: string,
  api: Api,
  { scopes = [], anyScope }: { readonly scopes?: unknown; readonly anyScope?: unknown },
): void {
  if (isObject(scopes)) checkMethods(call, api, scopes)
  else {
    checkScopes(call, api, 'scopes', scopes, 'Write a list of scopes, or a list per method: { GET: [...] }.')
    checkLength(call, api, 'scopes', scopes as string[])
  }
  if (anyScope === undefined) return
  checkScopes(call, api, 'anyScope', anyScope, 'Write a list of scopes.')
  if (Array.isArray(anyScope) && anyScope.length > 0) return
  throw new ConfigurationError({
    option: `${call}: anyScope`,
    problem: 'is []',
    fix: `No ${api.scheme === 'oauth2' ? 'access token' : 'API key'} has one of no scopes: name some, or leave it out.`,
  })
}

function checkMethods(call: string, api: Api, scopes: Readonly<Record<string, unknown>>): void {
  const methods = Object.keys(scopes)
  if (methods.length === 0)
    throw wrongOption(`${call}: scopes`, 'is {}', "Name the methods that may be used: { GET: ['...'], '*': ['...'] }.")
  for (const method of methods) {
    if (method !== '*' && !METHODS.includes(method))
      throw new ConfigurationError({
        option: `${call}: scopes.${method}`,
        problem: 'is no HTTP method',
        fix: `Methods are in capital letters; "*" is for all others.${didYouMean(method, METHODS)}`,
      })
    checkScopes(call, api, `scopes.${method}`, scopes[method], 'Write a list of scopes; [] if the method needs none.')
    checkLength(call, api, `scopes.${method}`, scopes[method] as string[])
  }
}

function checkScopes(call: string, api: Api, option: string, scopes: unknown, fix: string): void {
  const known = Object.keys(api.scopes)
  if (!Array.isArray(scopes))
    throw new ConfigurationError({ option: `${call}: ${option}`, problem: `is ${describeValue(scopes)}`, fix })
  for (const scope of scopes as readonly unknown[]) {
    if (typeof scope === 'string' && known.includes(scope)) continue
    throw new ConfigurationError({
      problem: `${call}: the API "${api.name}" has no scope ${describeValue(scope, 'without a name')}`,
      fix: known.length > 0 ? `There are: ${known.join(', ')}.` : `Declare it under apis.${api.name}.scopes.`,
    })
  }
}

/** A guard that needs all of these would refuse everybody, because no header carries a token with them. */
function checkLength(call: string, api: Api, option: string, scopes: readonly string[]): void {
  if (api.scheme === 'apiKey') return
  const length = estimateAccessTokenLength(api.resource, scopes)
  if (length <= MAX_ACCESS_TOKEN_LENGTH) return
  throw new ConfigurationError({
    option: `${call}: ${option}`,
    problem: `needs an access token of about ${length} characters, and headers carry ${MAX_ACCESS_TOKEN_LENGTH}`,
    fix: 'Require fewer scopes, or declare one scope for all of them.',
  })
}
