import { findApi } from '../credentials.js'
import { findApiAddress } from './addresses.js'
import { ask, formatGuardCall, type Check } from './check-context.js'
import { UNKNOWN_TOKENS } from './credential-source.js'

/** A guard for another API must not be all that protects an address. */
export async function checkApi(check: Check): Promise<void> {
  const { auth, place, accepts, credentials, complain } = check
  const expected = findApiAddress(auth, place.path)?.api
  if (expected === undefined || accepts.length === 0 || accepts.some(({ api }) => api === expected)) return
  const headers = await credentials.foreign(accepts[0]!.api)
  if (!(await ask(check, { headers }))) return
  complain(
    'wrong-api',
    `Its path belongs to the API "${expected}", but its guard is for ${accepts.map(({ api }) => `"${api}"`).join(' and ')}.`,
    `Use ${formatGuardCall(auth, expected)}.`,
  )
}

export async function checkDocument({ auth, place, method, accepts, complain }: Check): Promise<void> {
  if (!place.operations(method).some(({ security }) => security.optional)) return
  complain(
    'guarded-but-open-in-document',
    'The document says that no credential is needed, but a request without one is refused.',
    `Give the operation its "security", or remove ${accepts[0] ? formatGuardCall(auth, accepts[0].api) : 'the guard'}.`,
  )
}

/** Compares what the guard demands with the document, and sends tokens and keys that lack a scope which either demands. */
export async function checkScopes(check: Check): Promise<void> {
  const { place, method, accepts, credentials, complain, failed } = check
  for (const { api, scopesFor = () => ({ scopes: [], anyScope: [] }) } of accepts) {
    const demanded = scopesFor(method)
    if (demanded === undefined) continue
    const known = findApi(check.auth, api).scopes
    const operation = place
      .operations(method)
      .find(({ api: own, security }) => own === api && security.alternatives.length === 1 && !security.optional)
    const documented = operation?.security.alternatives[0] ?? []
    const wanted = [...new Set([...demanded.scopes, ...documented])].filter((scope) => Object.hasOwn(known, scope))
    for (const scope of wanted) {
      const isGuarded = demanded.scopes.includes(scope)
      for (const { name, headers } of await credentials.without(api, [scope])) {
        const fault = await ask(check, { headers })
        if (!fault) continue
        return complain(
          isGuarded ? 'accepted' : 'missing-scope',
          isGuarded
            ? `A request with ${name}, which the guard demands, was not refused: ${fault.answer}.`
            : `The document requires the scope "${scope}", but ${name} was not refused: ${fault.answer}.`,
          isGuarded ? KEEP_ORDER : `Give the guard the scope: scopes: ['${scope}'].`,
        )
      }
    }
    for (const { name, headers } of demanded.anyScope.length > 0
      ? await credentials.without(api, demanded.anyScope)
      : []) {
      const fault = await ask(check, { headers })
      if (fault) return complain('accepted', `A request with ${name} was not refused: ${fault.answer}.`, KEEP_ORDER)
    }
    const extra = operation && demanded.scopes.find((scope) => !documented.includes(scope))
    if (extra === undefined || failed.has(`${method} ${place.target}`)) continue
    complain(
      'scope-not-documented',
      `The guard requires the scope "${extra}", which the document does not name for this operation.`,
      'Add it to the "security" of the operation, or remove it from the guard.',
    )
  }
}

const KEEP_ORDER = 'Let no middleware answer or call the handler before the guard has decided.'

export async function checkBadCredentials(check: Check): Promise<void> {
  const { accepts, credentials, complain } = check
  for (const [at, demand] of accepts.entries()) {
    if (accepts.findIndex(({ api }) => api === demand.api) !== at) continue
    const others = accepts.filter(({ api }) => api !== demand.api)
    for (const { name, headers } of await credentials.bad(demand, others)) {
      const fault = await ask(check, { headers })
      if (fault) {
        const kind = fault.kind === 'wrong-refusal' || fault.kind === 'report-only' ? fault.kind : 'accepted'
        return complain(kind, `A request with ${name} was not refused by a guard: ${fault.answer}.`, KEEP_ORDER)
      }
    }
  }
}

export async function checkOtherIssuers(check: Check): Promise<void> {
  if (!check.accepts.some(({ otherIssuers }) => otherIssuers)) return
  for (const token of UNKNOWN_TOKENS) {
    const fault = await ask(check, { headers: { Authorization: `Bearer ${token}` } })
    if (!fault) continue
    return check.complain(
      'other-issuers',
      `A bearer token that nobody has issued passed the guard in "otherIssuers": ${fault.answer}.`,
      'Let "otherIssuers" answer 401 unless it has verified the token. What calls next() reaches the route.',
    )
  }
}
