import { findApi } from '../credentials.js'
import { findApiAddress } from './addresses.js'
import { ask, formatGuardCall, type Check, type CheckContext, type Demand, type Place } from './check-context.js'
import { checkApi, checkBadCredentials, checkDocument, checkOtherIssuers, checkScopes } from './check-credentials.js'
import { UNKNOWN, type Fault } from './judge.js'
import type { ProblemKind } from './problem.js'
import type { Ask, Outcome } from './prober.js'
import { listOtherIds, listSpellings, overrideMethod } from './spellings.js'
import { listVariations, type Variation } from './variations.js'

/** The result of the first request. */
export type Finding = 'refused' | 'closed' | 'public' | 'faulty'

/** Asks for one method of an address; `isThorough`: with bad credentials, in other spellings and with all variations. */
export async function checkMethod(
  context: CheckContext,
  place: Place,
  method: string,
  isThorough: boolean,
): Promise<Finding> {
  const { prober, judge, failed, publicRoutes } = context
  const { target } = place
  const complain: Check['complain'] = (kind, description, fix) => {
    failed.add(`${method} ${target}`)
    const route = `${place.reportedMethod ?? method} ${place.path}`
    context.problems.add({ kind, route, description, fix })
  }
  if (failed.has(`${method} ${target}`)) return 'faulty'
  if (publicRoutes.has(method, place.path)) return checkPublic({ ...context, complain }, place)
  const request = { method, target }
  const none = await prober.ask(request)
  const verified = await findVerified(context, place, method, none)
  const asked = { isUnknown: !place.isKnown, isVerified: verified !== undefined }
  const fault = await judge.judge(request, none, asked)
  if (fault) {
    complain(...describeFault(context, place, fault))
    return 'faulty'
  }
  const demanded = none.decisions.flatMap(({ kind, accepts }): readonly Demand[] => (kind === 'refused' ? accepts : []))
  const accepts = verified === undefined ? demanded : [findDemand(context, verified)]
  const isRefused = verified !== undefined || none.decisions.some(({ kind }) => kind === 'refused')
  const check: Check = { ...context, place, method, asked, accepts, complain }
  const steps = [
    ...(isRefused ? [checkApi, checkDocument, checkScopes] : []),
    ...(isThorough && isRefused ? [checkBadCredentials, checkOtherIssuers] : []),
    ...(isThorough ? [checkOtherMethods, checkSpellings, checkVariations] : []),
  ]
  for (const step of steps) {
    await step(check, none)
    if (failed.has(`${method} ${target}`)) return 'faulty'
  }
  return isRefused ? 'refused' : 'closed'
}

/** Whoever listed it does not expect a credential there. HEAD changes nothing. */
async function checkPublic(
  { prober, complain }: Pick<Check, 'prober' | 'complain'>,
  { target }: Place,
): Promise<Finding> {
  const { decisions } = await prober.ask({ method: 'HEAD', target })
  if (!decisions.some(({ kind }) => kind === 'refused')) return 'public'
  complain(
    'public-but-guarded',
    'It is listed as public, but a request without a credential is refused.',
    'Remove it from "public".',
  )
  return 'faulty'
}

/** The API whose verifier refuses a forged credential where a request without one is refused by the app. */
async function findVerified(
  { auth, prober, credentials }: CheckContext,
  { path, target }: Place,
  method: string,
  { answer, decisions }: Outcome,
): Promise<string | undefined> {
  const isRefusal = (status: number | undefined): boolean => status === 401 || status === 403
  if (!isRefusal(answer?.status)) return undefined
  const own = decisions.find(({ kind }) => kind === 'notVerified')
  if (own || decisions.length > 0) return own?.api
  const expected = findApiAddress(auth, path)?.api
  for (const { name } of auth.apis) {
    if (expected !== undefined && name !== expected) continue
    const { headers } = await credentials.forged(name)
    const outcome = await prober.ask({ method, target, headers })
    const verified = outcome.decisions.find(({ kind }) => kind === 'notVerified')
    if (verified && isRefusal(outcome.answer?.status)) return verified.api
  }
  return undefined
}

function findDemand({ auth }: CheckContext, api: string): Demand {
  return { api, scheme: findApi(auth, api).scheme }
}

function describeFault(context: CheckContext, { path }: Place, { kind, answer }: Fault): [ProblemKind, string, string] {
  const api = findApiAddress(context.auth, path)?.api
  const guard = api === undefined ? 'a guard' : formatGuardCall(context.auth, api)
  if (kind === 'report-only') {
    return [
      kind,
      'The guard only reports what it would refuse (reportOnly), so every request passes.',
      'Remove "reportOnly" of the guard, the API or the platform, or list the route in "public" with the reason.',
    ]
  }
  if (kind === 'optional') {
    return [
      kind,
      `A request without a credential passed: the guard is optional, and no other guard stands behind it: ${answer}.`,
      'Remove "optional: true", or list the route in "public" with the reason.',
    ]
  }
  if (kind === 'wrong-refusal') {
    return [
      kind,
      `A request without a credential did not get the refusal of a guard: ${answer}.`,
      'Let the guard answer: mount nothing before it that answers, and nothing that changes its answers. Give onDenied for answers of your own. If the route is protected otherwise, list it in "public" with that reason.',
    ]
  }
  return [
    kind,
    `A request without a credential was not refused by a guard: ${answer}.`,
    `Put ${guard} before what answers, or list the address in "public" with the reason. Express calls what is mounted in the order in which it is mounted.`,
  ]
}

/** HEAD and OPTIONS, and a POST request that names the method in a header or the query. */
async function checkOtherMethods(check: Check): Promise<void> {
  const { place, method, publicRoutes, complain, routeOf } = check
  const others: Partial<Ask>[] = (method === 'GET' ? ['HEAD', 'OPTIONS'] : ['OPTIONS']).map((other) => ({
    method: other,
  }))
  const overridden = place.isKnown && method !== 'POST' ? overrideMethod(place.target, method) : []
  for (const change of [...others, ...overridden]) {
    if (publicRoutes.has(change.method!, place.path)) continue
    const isUnknown = !place.isKnown || (change.method === 'POST' && routeOf('POST', place.target) === undefined)
    const fault = await ask(check, change, { isUnknown })
    if (!fault) continue
    const subject =
      change.method === 'POST'
        ? `A POST request that names ${method} in X-HTTP-Method-Override or _method, without a credential,`
        : `A request with the method ${change.method} and without a credential`
    return complain('other-method', `${subject} was not refused: ${fault.answer}.`, SEE_ALL)
  }
}

const SEE_ALL =
  'Let the guard see every method and spelling: guard and handler on one mount, app.use(path, guard, handler), router.use() or the route. Do not compare req.method, req.path or req.url yourself.'

/** The path with other ids, and in other spellings. */
async function checkSpellings(check: Check): Promise<void> {
  const { place, method, publicRoutes, judge, prober, complain, routeOf } = check
  const unknown = new Map(listSpellings(`/${UNKNOWN}/value`).map((each) => [each.name, each.target]))
  const ids = listOtherIds(place.path, check.params).map((target) => ({ name: 'with another id', target }))
  for (const { name, target } of [...(place.isKnown ? ids : []), ...listSpellings(place.target)]) {
    const path = target.replace(/^http:\/\/[^/]*/, '').replace(/\?.*$/, '')
    const route = routeOf(method, path)
    if (route !== undefined && publicRoutes.has(method, route)) continue
    const request = { method, target }
    const outcome = await prober.ask(request)
    const fault = await judge.judge(request, outcome, {
      ...check.asked,
      isUnknown: route === undefined,
      unknownTarget: unknown.get(name),
    })
    if (!fault) continue
    // A page for every path, which is none of this address.
    if (route === undefined && outcome.answer && (await judge.isPageForAll(request, outcome.answer))) continue
    const kind = name === 'with another id' ? 'open' : 'other-path'
    return complain(
      kind,
      `A request for ${target}, the path ${name}, without a credential was not refused: ${fault.answer}.`,
      SEE_ALL,
    )
  }
}

/** Headers, cookies, hosts, addresses, query parameters and bodies. */
async function checkVariations(check: Check, none: Outcome): Promise<void> {
  const { place, method, alsoTry, prober, judge, complain } = check
  const queue: Variation[] = listVariations(method, place.target, alsoTry)
  for (const variation of queue) {
    const request = { method, target: place.target, ...variation.change }
    const outcome = await prober.ask(request)
    const fault = await judge.judge(request, outcome, { ...check.asked, variation })
    if (fault) {
      return complain(
        'open',
        `A request without a credential, but with ${variation.name}, was not refused: ${fault.answer}.`,
        'Everybody can send what the function before the guard looks at. Put the guard before it, or list the route in "public" with the reason.',
      )
    }
    // The app refuses something of the set, and has not seen the rest.
    if (variation.parts && outcome.answer?.status !== none.answer?.status) queue.push(...variation.parts)
  }
}
