import { ask, isRefused, SEE_ALL, type Check, type Demand } from './check-context.js'
import { UNKNOWN, UNKNOWN_TARGET } from './judge.js'
import { listReplacements, REPLACED_PATHS } from './variations.js'

/** Requests that name another method in a header, the query or the body, which middleware may put in the place of their own. */
export async function checkReplacedMethods(check: Check): Promise<void> {
  const { place, method, accepts, complain, routeOf, publicRoutes } = check
  if (!place.isKnown || method === 'POST') return
  for (const { name, change } of listReplacements(place.target, method)) {
    const sent = change.method ?? method
    if (publicRoutes.has(sent, place.path)) continue
    const fault = await ask(check, change, { isUnknown: routeOf(sent, place.target) === undefined })
    if (!fault) continue
    const subject = `A ${sent} request that names ${method} in ${name}, without a credential,`
    return complain('other-method', `${subject} was not refused: ${fault.answer}.`, SEE_ALL)
  }
  for (const demand of accepts) {
    for (const sent of ['POST', 'GET']) if (sent !== method && (await checkBehindGuard(check, demand, sent))) return
  }
}

/**
 * Middleware behind a guard with scopes by method may replace the method. A token without a scope that the guard demands for the
 * method, but with those for another one, is sent to an address below the guard at which neither method has a route: the request
 * itself shows whether its method was replaced.
 */
async function checkBehindGuard(check: Check, { api, scopesFor }: Demand, sent: string): Promise<boolean> {
  const { place, method, hasFunctions, routeOf, prober, credentials, complain } = check
  const [own, other] = [scopesFor?.(method), scopesFor?.(sent)]
  if (!hasFunctions || !own || !other || routeOf(method, place.target) === undefined) return false
  const lacking = own.scopes.filter((scope) => ![...other.scopes, ...other.anyScope].includes(scope))
  const parent = place.target.replace(/\/[^/]*$/, '')
  const target = [`${parent}/${UNKNOWN}`, `${place.target}/${UNKNOWN}`].find(
    (path) => routeOf(sent, path) === undefined && routeOf(method, path) === undefined,
  )
  if (lacking.length === 0 || target === undefined) return false
  const { decisions } = await prober.ask({ method: sent, target })
  const isSame = decisions.some(({ kind, accepts }) => kind === 'refused' && accepts.some((each) => each.api === api))
  if (!isSame) return false
  for (const { headers } of await credentials.without(api, lacking)) {
    for (const { name, change } of listReplacements(target, method)) {
      const request = { target, ...change, method: sent, headers: { ...change.headers, ...headers } }
      const outcome = await prober.ask(request)
      if (outcome.method === sent || isRefused(outcome)) continue
      complain(
        'missing-scope',
        `Behind the guard, ${name} replaces the method ${sent}, so a request without the scope "${lacking[0]}", which the guard demands for ${method}, reaches the handler.`,
        'Put what replaces the method before the guard.',
      )
      return true
    }
  }
  return false
}

/** A request for a random address that names this one in a header, which middleware may put in the place of the path. */
export async function checkReplacedPaths({ place, method, prober, judge, asked, complain }: Check): Promise<void> {
  if (!place.isKnown) return
  for (const header of REPLACED_PATHS) {
    const request = { method, target: UNKNOWN_TARGET, headers: { [header]: place.target } }
    const outcome = await prober.ask(request)
    const fault = await judge.judge(request, outcome, { ...asked, isUnknown: true })
    if (!fault || (outcome.answer && (await judge.isAnswerForAll(request, outcome.answer)))) continue
    const subject = `A request for another path that names this one in ${header}, without a credential,`
    return complain('other-path', `${subject} was not refused: ${fault.answer}.`, SEE_ALL)
  }
}
