import type { IncomingMessage } from 'node:http'
import type { Api } from '../contracts/api.js'
import { createBearerErrors, type ErrorResponses } from './error-responses.js'
import type { Identity } from './identity.js'

/** Scopes per request method, in capital letters. `'*'` is for every method that is not named; HEAD is GET unless it is named. */
export type ScopesByMethod<Scope extends string = string> = {
  readonly [method: Uppercase<string>]: readonly Scope[]
}

/** What a guard needs of the caller for one method, and the refusals that say so. */
export interface Requirement {
  /** All of these. */
  readonly scopes: readonly string[]
  /** One of these; nothing if empty. */
  readonly anyScope: readonly string[]
  readonly errors: ErrorResponses
  /** False for a method that the guard's scopes do not name. */
  readonly allowsMethod: boolean
}

export type FindRequirement = (req: Pick<IncomingMessage, 'method'>) => Requirement

/** Made at start-up for every method, so that a request costs one look-up at most. */
export function createScopeRequirements(
  api: Api,
  scopes: readonly string[] | ScopesByMethod = [],
  anyScope: readonly string[] = [],
): FindRequirement {
  function create(all: readonly string[]): Requirement {
    // RFC 6750 3: what the client should request. Of `anyScope` every one would do.
    const wanted = [...new Set([...all, ...anyScope])]
    return { scopes: [...all], anyScope: [...anyScope], errors: createBearerErrors(api, wanted), allowsMethod: true }
  }

  if (isList(scopes)) {
    const requirement = create(scopes)
    return () => requirement
  }
  const byMethod = new Map(Object.entries(scopes).map(([method, all]) => [method, create(all)]))
  const get = byMethod.get('GET')
  if (get && !byMethod.has('HEAD')) byMethod.set('HEAD', get)
  const others = byMethod.get('*') ?? {
    scopes: [], anyScope: [], errors: createBearerErrors(api, []), allowsMethod: false,
  } // prettier-ignore
  return ({ method = '' }) => byMethod.get(method) ?? others
}

/** The requirement of a guard without scopes. */
export function createRequirement(errors: ErrorResponses): FindRequirement {
  const requirement: Requirement = { scopes: [], anyScope: [], errors, allowsMethod: true }
  return () => requirement
}

/** Why the caller does not meet the requirement: a key of `errors`. */
export function findUnmet(
  { scopes: granted }: Identity,
  { scopes, anyScope, allowsMethod }: Requirement,
): 'methodNotAllowed' | 'insufficientScope' | undefined {
  if (!allowsMethod) return 'methodNotAllowed'
  for (const scope of scopes) if (!granted.includes(scope)) return 'insufficientScope'
  const isMet = anyScope.length === 0 || anyScope.some((scope) => granted.includes(scope))
  return isMet ? undefined : 'insufficientScope'
}

/** Array.isArray() does not narrow readonly arrays. */
function isList(scopes: readonly string[] | ScopesByMethod): scopes is readonly string[] {
  return Array.isArray(scopes)
}
