import { METHODS } from 'node:http'
import type { Api } from '../../shared/contracts/api.js'
import { estimateAccessTokenLength, MAX_ACCESS_TOKEN_LENGTH } from '../../shared/contracts/access-token-size.js'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import { describeValue } from '../../shared/lib/describe-value.js'
import { isObject } from '../../shared/lib/is-object.js'
import { wrongOption } from '../../shared/lib/option-checks.js'
import { didYouMean } from '../../shared/lib/suggest.js'

/** Throws `ConfigurationError` for a wrong method or scope of a guard. `call` precedes the option's name. */
export function checkScopeOptions(
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
      problem: `${call}: the API "${api.name}" has no scope ${describeValue(scope)}`,
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
