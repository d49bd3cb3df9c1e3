import { findApiAddress } from './addresses.js'
import { isRefused, type Asking, type Check, type Demand, type Trial } from './check-context.js'
import { UNKNOWN, UNKNOWN_TARGET } from './judge.js'
import { listOtherIds, listSpellings, listReplacements, listVariations, REPLACED_PATHS } from './variations.js'

/** Other methods than its own. Nothing needs to answer them: 404 is that of the app, but where GET has an answer. */
export function listMethods({ place, method, publicRoutes, routeOf }: Asking, methods: readonly string[]): Trial[] {
  const asked = methods.filter((each) => {
    const route = routeOf(each, place.target) ?? place.path
    return !publicRoutes.has(each, place.path) && !publicRoutes.has(each, route)
  })
  return asked.map((each) => {
    const isUnknown = !place.isForAll && !(place.isKnown && method === 'GET' && each === 'HEAD')
    const name = `with the method ${each} and without a credential`
    return { name, change: { method: each }, kind: place.isKnown ? 'other-method' : undefined, place: { isUnknown } }
  })
}

/** Requests that name another method in a header, the query or the body, which middleware may put in the place of their own. */
function listReplacedMethods({ place, method, publicRoutes, routeOf }: Check): Trial[] {
  if (!place.isKnown || method === 'POST') return []
  return listReplacements(place.target, method).flatMap(({ name, change }): Trial[] => {
    const sent = change.method ?? method
    if (publicRoutes.has(sent, place.path)) return []
    const isUnknown = routeOf(sent, place.target) === undefined
    const text = `with the method ${sent} that names ${method} in ${name}, without a credential,`
    return [{ name: text, change, kind: 'other-method', place: { isUnknown } }]
  })
}

/**
 * Middleware behind a guard with scopes by method may replace the method. A token without a scope that the guard demands for the
 * method, but with those for another one, is sent to an address below the guard at which neither method has a route: the request
 * itself shows whether its method was replaced.
 */
export async function checkBehindGuard(check: Check): Promise<void> {
  const { place, method, accepts, hasFunctions, routeOf } = check
  if (!hasFunctions || !place.isKnown || method === 'POST' || routeOf(method, place.target) === undefined) return
  for (const demand of accepts)
    for (const sent of ['POST', 'GET']) if (sent !== method && (await isReplaced(check, demand, sent))) return
}

async function isReplaced(check: Check, { api, scopesFor }: Demand, sent: string): Promise<boolean> {
  const { place, method, routeOf, prober, credentials, complain } = check
  const [own, other] = [scopesFor?.(method), scopesFor?.(sent)]
  if (!own || !other) return false
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

/** Requests for a random address that name this one in a header, which middleware may put in the place of the path. */
function listReplacedPaths({ place }: Check): Trial[] {
  if (!place.isKnown) return []
  return REPLACED_PATHS.map((header) => ({
    name: `for another path that names this one in ${header}, without a credential,`,
    change: { target: UNKNOWN_TARGET, headers: { [header]: place.target } },
    kind: 'other-path',
    place: { isUnknown: true, mayBePage: () => true },
  }))
}

function listOtherPaths({ auth, place, method, params, publicRoutes, routeOf }: Check): Trial[] {
  const ids = place.isKnown ? listOtherIds(place.path, params) : []
  const all = [...ids, ...listSpellings(place.target, `/${UNKNOWN}/value`)]
  return all.flatMap(({ name, target, unknownTarget }): Trial[] => {
    const path = target.replace(/^http:\/\/[^/]*/, '').replace(/\?.*$/, '')
    const route = routeOf(method, path)
    if (route !== undefined && publicRoutes.has(method, route)) return []
    // The page for every path that is listed as such. In this spelling, the path is below no API.
    const mayBePage = (): boolean => !route && !findApiAddress(auth, path) && publicRoutes.has(method, '/*')
    const kind = unknownTarget === undefined ? 'open' : 'other-path'
    const spelling = unknownTarget === undefined ? {} : { unknownTarget, difference: {} }
    const text = `for ${target}, the path ${name}, without a credential`
    return [{ name: text, change: { target }, kind, place: { isUnknown: !route, mayBePage, ...spelling } }]
  })
}

function listOtherContents({ method, place, alsoTry }: Check): Trial[] {
  type Variation = ReturnType<typeof listVariations>[number]
  const toTrial = ({ name, change, parts, mayLeadElsewhere }: Variation): Trial => ({
    name: `without a credential, but with ${name},`,
    change,
    kind: 'open',
    place: { difference: change, mayLeadElsewhere },
    parts: parts?.map(toTrial),
  })
  return listVariations(method, place.target, alsoTry).map(toTrial)
}

export const OTHER_REQUESTS: readonly ((check: Check) => Trial[])[] = [
  (check) => listMethods(check, check.method === 'GET' ? ['HEAD', 'OPTIONS'] : ['OPTIONS']),
  listReplacedMethods,
  listReplacedPaths,
  listOtherPaths,
  listOtherContents,
]
