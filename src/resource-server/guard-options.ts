import type { Api, Scheme } from '../contracts/api.js'
import { ConfigurationError } from '../contracts/errors.js'
import { describeValue } from '../lib/describe-value.js'
import { isObject } from '../lib/is-object.js'
import { ownMembers } from '../lib/own-members.js'
import { readOptionalFunction, refuseUnknown } from '../options/checks.js'
import type { BearerGuardOptions } from './guards.js'

const GUARD_NAMES: Record<Scheme, string> = { oauth2: 'requireBearer', apiKey: 'requireApiKey' }
const VERIFIER_NAMES: Record<Scheme, string> = { oauth2: 'verifyAccessToken', apiKey: 'verifyApiKey' }

/** The arguments of `requireBearer()` and `requireApiKey()`: an optional API name and optional options. */
export type GuardArguments = readonly unknown[]

/** The API and the options of a guard. Checked once, when the route is defined. */
export function readGuardArguments(
  apis: ReadonlyMap<string, Api>,
  scheme: Scheme,
  args: GuardArguments,
): { api: Api; options: BearerGuardOptions } {
  const call = GUARD_NAMES[scheme]
  const named = typeof args[0] === 'string'
  const api = named ? findApi(apis, args[0], scheme, call) : findOnlyApi(apis, scheme, call)
  const given = (named ? args[1] : args[0]) ?? {}
  checkGuardOptions(api, given, `${call}("${api.name}")`)
  return { api, options: ownMembers(given) }
}

/** The API of that name and scheme. Throws `ConfigurationError` if there is none. */
export function findApi(apis: ReadonlyMap<string, Api>, name: unknown, scheme: Scheme, call: string): Api {
  const api = typeof name === 'string' ? apis.get(name) : undefined
  if (!api) {
    throw new ConfigurationError({
      problem: `${call}: there is no API ${describeValue(name)}`,
      fix: listApis(apis, scheme),
    })
  }
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
  if (!only || others.length > 0) {
    throw new ConfigurationError({ problem: `${call}: name the API`, fix: listApis(apis, scheme) })
  }
  return only
}

function checkGuardOptions(api: Api, given: unknown, call: string): asserts given is BearerGuardOptions {
  if (!isObject(given)) {
    throw new ConfigurationError({
      problem: `${call}: the options are ${describeValue(given)}`,
      fix: 'Write an object, or leave them out.',
    })
  }
  const options = ownMembers(given)
  refuseUnknown(
    `${call}: `,
    options,
    api.scheme === 'oauth2' ? ['scopes', 'optional', 'onDenied'] : ['optional', 'onDenied'],
  )
  readOptionalFunction(`${call}: onDenied`, options['onDenied'])
  if (options['optional'] !== undefined && typeof options['optional'] !== 'boolean') {
    throw new ConfigurationError({
      option: `${call}: optional`,
      problem: `is ${describeValue(options['optional'])}`,
      fix: 'Write true or false.',
    })
  }
  const { scopes = [] } = options
  const known = Object.keys(api.scopes)
  if (!Array.isArray(scopes)) {
    throw new ConfigurationError({
      option: `${call}: scopes`,
      problem: `is ${describeValue(scopes)}`,
      fix: 'Write a list of scopes.',
    })
  }
  for (const scope of scopes as readonly unknown[]) {
    if (typeof scope === 'string' && known.includes(scope)) continue
    throw new ConfigurationError({
      problem: `${call}: the API "${api.name}" has no scope ${describeValue(scope)}`,
      fix: known.length > 0 ? `There are: ${known.join(', ')}.` : `Declare it under apis.${api.name}.scopes.`,
    })
  }
}

function listApis(apis: ReadonlyMap<string, Api>, scheme: Scheme): string {
  const names = [...apis.values()].filter((api) => api.scheme === scheme).map(({ name }) => name)
  return names.length > 0
    ? `With the scheme "${scheme}" there are: ${names.join(', ')}.`
    : `No API has the scheme "${scheme}".`
}
