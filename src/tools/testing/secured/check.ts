import { findApi } from '../credentials.js'
import { findApiAddress } from './addresses.js'
import {
  ask,
  describePlace,
  formatGuardCall,
  isRefused,
  SEE_ALL,
  type Check,
  type CheckContext,
  type Demand,
  type Place,
} from './check-context.js'
import { checkApi, checkBadCredentials, checkDocument, checkOtherIssuers, checkScopes } from './check-credentials.js'
import { UNKNOWN, type Fault } from './judge.js'
import type { ProblemKind } from './problem.js'
import type { Outcome } from './prober.js'
import { listOtherIds, listSpellings } from './spellings.js'
import { checkReplacedMethods, checkReplacedPaths } from './check-replaced.js'
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
  const asked = { ...describePlace(context, place), isVerified: verified !== undefined }
  const fault = await judge.judge(request, none, asked)
  if (fault) {
    complain(...describeFault(context, place, fault))
    return 'faulty'
  }
  const demanded = none.decisions.flatMap(({ kind, accepts }): readonly Demand[] => (kind === 'refused' ? accepts : []))
  const accepts =
    verified === undefined ? demanded : [{ api: verified, scheme: findApi(context.auth, verified).scheme }]
  const isGuarded = verified !== undefined || isRefused(none)
  const check: Check = { ...context, place, method, asked, accepts, complain }
  const steps = [
    ...(isGuarded ? [checkApi, checkDocument, checkScopes] : []),
    ...(isThorough && isGuarded ? [checkBadCredentials, checkOtherIssuers] : []),
    ...(isThorough
      ? [checkOtherMethods, checkReplacedMethods, checkReplacedPaths, checkSpellings, checkVariations]
      : []),
  ]
  for (const step of steps) {
    await step(check, none)
    if (failed.has(`${method} ${target}`)) return 'faulty'
  }
  return isGuarded ? 'refused' : 'closed'
}

/** Whoever listed it does not expect a credential there. HEAD changes nothing. */
async function checkPublic(
  { prober, complain }: Pick<Check, 'prober' | 'complain'>,
  { target }: Place,
): Promise<Finding> {
  if (!isRefused(await prober.ask({ method: 'HEAD', target }))) return 'public'
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
    const headers = await credentials.forged(name)
    const outcome = await prober.ask({ method, target, headers })
    const verified = outcome.decisions.find(({ kind }) => kind === 'notVerified')
    if (verified && isRefusal(outcome.answer?.status)) return verified.api
  }
  return undefined
}

function describeFault(
  { auth }: CheckContext,
  { path }: Place,
  { kind, answer }: Fault,
): [ProblemKind, string, string] {
  const api = findApiAddress(auth, path)?.api
  const [text, fix] = FAULTS[kind]
  const guard = api === undefined ? 'a guard' : formatGuardCall(auth, api)
  return [kind, `A request without a credential ${text}: ${answer}.`, fix.replace('GUARD', guard)]
}

const FAULTS: Readonly<Record<Fault['kind'], readonly [text: string, fix: string]>> = {
  'report-only': [
    'passed, because the guard only reports what it would refuse (reportOnly)',
    'Remove "reportOnly" of the guard, the API or the platform, or list the route in "public" with the reason.',
  ],
  optional: [
    'passed: the guard is optional, and no other guard stands behind it',
    'Remove "optional: true", or list the route in "public" with the reason.',
  ],
  'wrong-refusal': [
    'did not get the refusal of a guard',
    'Let the guard answer: mount nothing before it that answers, and nothing that changes its answers. Give onDenied for answers of your own. If the route is protected otherwise, list it in "public" with that reason.',
  ],
  open: [
    'was not refused by a guard',
    'Put GUARD before what answers, or list the address in "public" with the reason. Express calls what is mounted in the order in which it is mounted.',
  ],
}

/** HEAD and OPTIONS. */
async function checkOtherMethods(check: Check): Promise<void> {
  const { place, publicRoutes, routeOf } = check
  for (const method of check.method === 'GET' ? ['HEAD', 'OPTIONS'] : ['OPTIONS']) {
    if (publicRoutes.has(method, place.path)) continue
    // What has GET has HEAD.
    const hasMethod = method === 'HEAD' || routeOf(method, place.target) || place.operations(method).length > 0
    const fault = await ask(check, { method }, { isUnknown: !place.isKnown || !hasMethod })
    if (!fault) continue
    const subject = `A request with the method ${method} and without a credential`
    return check.complain('other-method', `${subject} was not refused: ${fault.answer}.`, SEE_ALL)
  }
}

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
    // The page for every path that is listed as such. In this spelling, the path is below no API.
    const mayBePage = route === undefined && !findApiAddress(check.auth, path) && publicRoutes.has(method, '/*')
    if (mayBePage && outcome.answer && (await judge.isAnswerForAll(request, outcome.answer))) continue
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
