import { findApi } from '../credentials.js'
import { findApiAddress } from './addresses.js'
import { formatGuardCall, type Check, type Trial } from './check-context.js'
import { UNKNOWN_TOKENS } from './credential-source.js'

/** A guard for another API must not be all that protects an address. */
export async function listForeign({ auth, place, accepts, credentials }: Check): Promise<Trial[]> {
  const expected = findApiAddress(auth, place.path)?.api
  if (expected === undefined || accepts.length === 0 || accepts.some(({ api }) => api === expected)) return []
  const others = accepts.map(({ api }) => `"${api}"`).join(' and ')
  return [
    {
      name: `with a credential of another API (its path belongs to "${expected}", but its guard is for ${others})`,
      change: { headers: await credentials.foreign(accepts[0]!.api) },
      kind: 'wrong-api',
      fix: `Use ${formatGuardCall(auth, expected)}.`,
    },
  ]
}

const KEEP_ORDER = 'Let no middleware answer or call the handler before the guard has decided.'

/** Tokens and keys that lack a scope which the guard or the document demands. */
export async function listWithoutScopes(check: Check): Promise<Trial[]> {
  const trials: Trial[] = []
  for (const { api, scopesFor = () => ({ scopes: [], anyScope: [] }) } of check.accepts) {
    const demanded = scopesFor(check.method)
    if (demanded === undefined) continue
    const { scopes: known } = findApi(check.auth, api)
    const wanted = new Set([...demanded.scopes, ...(findDocumented(check, api) ?? [])])
    const lists = [...wanted].filter((scope) => Object.hasOwn(known, scope)).map((scope): readonly string[] => [scope])
    if (demanded.anyScope.length > 0) lists.push(demanded.anyScope)
    for (const scopes of lists) {
      const isGuarded = scopes === demanded.anyScope || demanded.scopes.includes(scopes[0]!)
      for (const { name, headers } of await check.credentials.without(api, scopes)) {
        trials.push({
          name: `with ${name}, which the ${isGuarded ? 'guard' : 'document'} demands,`,
          change: { headers },
          kind: isGuarded ? 'accepted' : 'missing-scope',
          fix: isGuarded ? KEEP_ORDER : `Give the guard the scope: scopes: ['${scopes[0]}'].`,
        })
      }
    }
  }
  return trials
}

/** The scopes that the document demands for an API's credential, if it names one way only. */
function findDocumented({ place, method }: Check, api: string): readonly string[] | undefined {
  const found = place
    .operations(method)
    .find(({ api: own, security }) => own === api && security.alternatives.length === 1 && !security.optional)
  return found?.security.alternatives[0]
}

/** What the guard demands must be what the document says. */
export function compareDocument(check: Check): void {
  const { auth, place, method, accepts, complain } = check
  if (place.operations(method).some(({ security }) => security.optional)) {
    complain(
      'guarded-but-open-in-document',
      'The document says that no credential is needed, but a request without one is refused.',
      `Give the operation its "security", or remove ${accepts[0] ? formatGuardCall(auth, accepts[0].api) : 'the guard'}.`,
    )
  }
  for (const { api, scopesFor } of accepts) {
    const documented = findDocumented(check, api)
    const extra = documented && scopesFor?.(method)?.scopes.find((scope) => !documented.includes(scope))
    if (extra === undefined) continue
    complain(
      'scope-not-documented',
      `The guard requires the scope "${extra}", which the document does not name for this operation.`,
      'Add it to the "security" of the operation, or remove it from the guard.',
    )
  }
}

/** Credentials that nothing accepts, and tokens that nobody issued where the guard has `otherIssuers`. */
export async function listBadCredentials({ accepts, credentials }: Check): Promise<Trial[]> {
  const trials: Trial[] = []
  for (const [at, demand] of accepts.entries()) {
    if (accepts.findIndex(({ api }) => api === demand.api) !== at) continue
    const others = accepts.filter(({ api }) => api !== demand.api)
    for (const { name, headers } of await credentials.bad(demand, others))
      trials.push({ name: `with ${name}`, change: { headers }, kind: 'accepted', fix: KEEP_ORDER })
  }
  if (!accepts.some(({ otherIssuers }) => otherIssuers)) return trials
  const unknown = UNKNOWN_TOKENS.map((token): Trial => ({
    name: 'with a bearer token that nobody has issued, which goes to the guard in "otherIssuers",',
    change: { headers: { Authorization: `Bearer ${token}` } },
    kind: 'other-issuers',
    fix: 'Let "otherIssuers" answer 401 unless it has verified the token. What calls next() reaches the route.',
  }))
  return [...trials, ...unknown]
}
