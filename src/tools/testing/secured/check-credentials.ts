import { findApi } from '../credentials.js'
import { findApiAddress } from './addresses.js'
import type { Check, Trial } from './check-context.js'
import { UNKNOWN_TOKENS } from './bad-credentials.js'

/** A guard for another API must not be all that protects an address. */
export async function listForeign({ auth, place, accepts, credentials }: Check): Promise<Trial[]> {
  const expected = findApiAddress(auth, place.path)?.api
  if (expected === undefined || accepts.length === 0 || accepts.some(({ api }) => api === expected)) return []
  const others = accepts.map(({ api }) => `"${api}"`).join(' and ')
  const name = `with a credential of another API (its path belongs to "${expected}", but its guard is for ${others})`
  return [{ name, change: { headers: await credentials.foreign(accepts[0]!.api) }, kind: 'wrong-api' }]
}

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
        const kind = isGuarded ? 'accepted' : 'missing-scope'
        const demander = isGuarded ? 'guard' : 'document'
        trials.push({ name: `with ${name}, which the ${demander} demands,`, change: { headers }, kind })
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

export function compareDocument(check: Check): void {
  const { place, method, accepts, complain } = check
  if (place.operations(method).some(({ security }) => security.optional)) {
    const text = 'The document says that no credential is needed, but a request without one is refused.'
    complain('guarded-but-open-in-document', text)
  }
  for (const { api, scopesFor } of accepts) {
    const documented = findDocumented(check, api)
    const extra = documented && scopesFor?.(method)?.scopes.find((scope) => !documented.includes(scope))
    if (extra === undefined) continue
    const text = `The guard requires the scope "${extra}", which the document does not name for this operation.`
    complain('scope-not-documented', text)
  }
}

export async function listBadCredentials({ accepts, credentials }: Check): Promise<Trial[]> {
  const trials: Trial[] = []
  for (const [at, demand] of accepts.entries()) {
    if (accepts.findIndex(({ api }) => api === demand.api) !== at) continue
    const others = accepts.filter(({ api }) => api !== demand.api)
    for (const { name, headers } of await credentials.bad(demand, others))
      trials.push({ name: `with ${name}`, change: { headers }, kind: 'accepted' })
  }
  const name = 'with a bearer token that nobody has issued, which goes to the guard in "otherIssuers",'
  for (const token of accepts.some(({ otherIssuers }) => otherIssuers) ? UNKNOWN_TOKENS : [])
    trials.push({ name, change: { headers: { Authorization: `Bearer ${token}` } }, kind: 'other-issuers' })
  return trials
}
