import type { IncomingMessage } from 'node:http'
import type { Api } from '../../shared/contracts/api.js'
import { isList } from '../../shared/lib/own-members.js'
import { createErrors, type ErrorResponses } from './error-responses.js'
import type { Identity } from './identity.js'

/** Scopes per request method, in capital letters. `'*'` is for every method that is not named; HEAD is GET unless it is named. */
export type ScopesByMethod<Scope extends string = string> = {
  readonly [method: Uppercase<string>]: readonly Scope[]
}

/** A guard's requirement for one method, and the refusals that say so. */
export interface Requirement {
  readonly scopes: readonly string[]
  /** The caller needs all scopes of one of these lists; nothing if empty. */
  readonly anyOf: ScopeAlternatives
  readonly errors: ErrorResponses
  /** False for a method that the guard's scopes do not name. */
  readonly allowsMethod: boolean
}

/** Lists of scopes, one of which is enough. */
export type ScopeAlternatives = readonly (readonly string[])[]

export type FindRequirement = (req: Pick<IncomingMessage, 'method'>) => Requirement

export interface ScopeRequirements {
  readonly scopes?: readonly string[] | ScopesByMethod
  readonly anyScope?: readonly string[]
  /** Lists of scopes, one of which is enough; each of `anyScope` if left out. */
  readonly anyOf?: ScopeAlternatives | undefined
}

/** Requirements are made at start-up for every method, so that a request costs one look-up at most. */
export function createScopeRequirements(
  api: Api,
  { scopes = [], anyScope = [], anyOf = anyScope.map((scope) => [scope]) }: ScopeRequirements,
): FindRequirement {
  function create(all: readonly string[]): Requirement {
    // RFC 6750 3: the client should request these scopes. Any list of `anyOf` would do.
    const wanted = [...new Set([...all, ...anyOf.flat()])]
    return { scopes: [...all], anyOf: [...anyOf], errors: createErrors(api, wanted), allowsMethod: true }
  }

  if (isList(scopes)) {
    const requirement = create(scopes)
    return () => requirement
  }
  const byMethod = new Map(Object.entries(scopes).map(([method, all]) => [method, create(all)]))
  const get = byMethod.get('GET')
  if (get && !byMethod.has('HEAD')) byMethod.set('HEAD', get)
  const others = byMethod.get('*') ?? {
    scopes: [],
    anyOf: [],
    errors: createErrors(api, []),
    allowsMethod: false,
  }
  return ({ method = '' }) => byMethod.get(method) ?? others
}

/** The reason why the caller does not meet the requirement: a key of `errors`. */
export function findUnmet({ scopes: granted }: Identity, { scopes, anyOf, allowsMethod }: Requirement) {
  if (!allowsMethod) return 'methodNotAllowed'
  for (const scope of scopes) if (!granted.includes(scope)) return 'insufficientScope'
  if (anyOf.length === 0) return undefined
  const isMet = anyOf.some((alternative) => alternative.every((scope) => granted.includes(scope)))
  return isMet ? undefined : 'insufficientScope'
}
