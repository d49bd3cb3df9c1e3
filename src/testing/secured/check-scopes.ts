import type { AcceptedCredential } from '../../index.js'
import { joinHeaders, type Check, type Headers } from './check-context.js'
import { judge } from './check-refusal.js'

/** Tokens and keys that lack a scope which a guard or the document demands. */
export async function checkScopes(
  check: Check,
  accepted: readonly AcceptedCredential[],
  goodHeaders: ReadonlyMap<string, Headers>,
): Promise<void> {
  const { auth, endpoint, method, credentials, prober, target, complain } = check
  for (const { name, scopes: all } of auth.apis) {
    const needed = accepted.filter(({ api }) => api === name).map(({ scopesFor }) => scopesFor(method))
    if (needed.length === 0 || needed.includes(undefined)) continue
    const guarded = new Set(needed.flatMap((each) => each?.scopes ?? []))
    const anyScope = needed.flatMap((each) => each?.anyScope ?? [])
    const operations = check.operationsOf(endpoint, method).filter(({ api }) => api === name)
    const [documented] = operations.flatMap(({ security }) =>
      security.alternatives.length === 1 && !security.optional ? [security.alternatives[0]!] : [],
    )
    const base = joinHeaders(goodHeaders, name)
    const wanted = [...new Set([...guarded, ...(documented ?? [])])].filter((scope) => Object.hasOwn(all, scope))
    for (const bad of await credentials.missingScopes(name, wanted)) {
      const outcome = await prober.probe(method, target, { ...base, ...bad.headers })
      if (outcome.reached && !guarded.has(bad.missingScope!)) {
        complain(
          'missing-scope',
          `The document requires the scope "${bad.missingScope}", but ${bad.name} reached the handler.`,
          `Give the guard the scope: scopes: ['${bad.missingScope}'].`,
        )
      } else judge(check, bad, outcome, accepted)
      await checkOverride(check, bad.missingScope ?? '', bad.headers)
    }
    for (const bad of anyScope.length > 0 ? await credentials.without(name, anyScope) : [])
      judge(check, bad, await prober.probe(method, target, { ...base, ...bad.headers }), accepted)
    const extra = documented && [...guarded].filter((scope) => !documented.includes(scope))
    if (extra && extra.length > 0) {
      complain(
        'scope-not-documented',
        `The guard requires the scope "${extra[0]}", which the document does not name for this operation.`,
        'Add it to the "security" of the operation, or remove it from the guard.',
      )
    }
  }
}

/** A method that a header or the query names, which middleware may put in the place of POST. */
export const overrideMethod = (
  target: string,
  method: string,
): { readonly target: string; readonly headers: Headers } => ({
  target: `${target}${target.includes('?') ? '&' : '?'}_method=${method}`,
  headers: { 'X-HTTP-Method-Override': method, 'X-HTTP-Method': method, 'X-Method-Override': method },
})

/** Scopes by method are those of the method that the guard has seen. */
async function checkOverride(
  { prober, endpoint, method, target, complain }: Check,
  scope: string,
  headers: Headers,
): Promise<void> {
  if (method === 'POST' || method === 'GET' || !prober.runsFunctions) return
  const override = overrideMethod(target, method)
  const { reached, reachedMethod } = await prober.probe('POST', override.target, { ...headers, ...override.headers })
  if (reached === undefined || reached !== endpoint.route || reachedMethod !== method) return
  complain(
    'missing-scope',
    `A POST request that names ${method} in X-HTTP-Method-Override or _method reached the handler without the scope "${scope}".`,
    'Let what replaces the method come before the guard.',
  )
}
