import { METHODS } from 'node:http'
import { findApi } from '../credentials.js'
import { findApiAddress, listBases } from './addresses.js'
import { isRefused, tryAll, type CheckContext, type Place, type Asking, type Check } from './check-context.js'
import { checkBehindGuard, listMethods, OTHER_REQUESTS } from './check-requests.js'
import { fillPath, type Operation } from './documents.js'
import type { Endpoint } from './endpoints.js'
import { readAllowed, UNKNOWN } from './judge.js'
import { OFTEN_USED } from './variations.js'
import { compareDocument, listBadCredentials, listForeign, listWithoutScopes } from './check-credentials.js'
import type { Outcome } from './prober.js'

/** Methods that stand for those of `app.all()`. */
export const SOME_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
/** Methods that Node's parser reads, in the order in which they are tried. CONNECT never reaches a listener. */
const EVERY_METHOD: readonly string[] = [...new Set([...SOME_METHODS, 'HEAD', 'OPTIONS', ...METHODS])].filter(
  (method) => method !== 'CONNECT',
)
/** Of `app.all()` and functions, these methods are asked with everything that can be varied. */
const THOROUGH = ['GET', 'POST']

export async function checkRoute(context: CheckContext, endpoint: Endpoint, operations: Place['operations']) {
  const { path, targets } = endpoint
  const isForAll = endpoint.methods.includes('*')
  const methods = isForAll ? SOME_METHODS : endpoint.methods
  if (targets.length === 0) {
    const method = methods.find((each) => !context.publicRoutes.has(each, path))
    if (method === undefined) return
    const text = 'No path could be made that this route matches, so it was not checked.'
    return context.problems.add('no-path', `${isForAll ? 'ALL' : method} ${path}`, text)
  }
  for (const [at, target] of targets.entries()) {
    const place: Place = { path, target, isKnown: true, isForAll, operations }
    for (const method of methods) {
      const isThorough = at === 0 && (!isForAll || THOROUGH.includes(method))
      if ((await checkMethod(context, place, method, isThorough)) === 'faulty' && isForAll) return
    }
    if (at === 0 && endpoint.hasHandlersForAll) await checkEveryMethod(context, place, methods)
  }
}

/** The methods that only Node knows: handlers of `app.all()`, `route.all()` and `use()` are called for them, too. */
async function checkEveryMethod(context: CheckContext, place: Place, checked: readonly string[]): Promise<void> {
  for (const method of EVERY_METHOD) {
    const asking = describeAsking(context, place, method)
    if (!checked.includes(method) && (await tryAll(asking, listMethods(asking, [method])))) return
  }
}

/** Probes an address that is no route, and unknown paths below. Returns whether a guard refuses both. */
export async function checkAddress(context: CheckContext, mount: string, path: string): Promise<boolean> {
  const { auth, hasFunctions, prober, routeOf } = context
  const own = path.replace(/\/\*$/, '') || '/'
  const isOwn = auth.apis.flatMap(listBases).includes(own)
  const targets = [`${mount}/${UNKNOWN}`, mount === '' ? '/' : mount, `${mount}/${UNKNOWN}/value.x`]
  const findings: boolean[] = []
  for (const [at, target] of targets.entries()) {
    // An API's own address is named as such.
    const name = at === 1 && isOwn ? own : path
    const place: Place = { path: name, target, isKnown: false, operations: () => [] }
    // A route at this very address is checked by itself.
    const isRoute = routeOf('GET', target) !== undefined
    const finding = isRoute
      ? isRefused(await prober.ask({ method: 'HEAD', target })) && 'refused'
      : await checkMethod(context, place, 'GET', hasFunctions && at === 0)
    if (finding === 'faulty') return false
    findings.push(finding === 'refused')
    if (hasFunctions && at < 2) await checkEveryMethod(context, place, ['GET'])
  }
  const often = hasFunctions && findApiAddress(auth, path) ? OFTEN_USED : []
  for (const each of often) {
    const often = `${mount}/${each}`
    if ((await checkPath(context, often, ['GET'])) === 'refused') continue
    // Express says which methods routes have, those of routers that a function calls as well.
    const { answer } = await prober.ask({ method: 'OPTIONS', target: often })
    await checkPath(context, often, readAllowed(answer))
  }
  return findings[0]! && findings[1]!
}

/** A path that only the code of a function shows. Returns the last finding. */
export async function checkPath(context: CheckContext, target: string, methods: readonly string[], isThorough = false) {
  const place: Place = { path: target, target, isKnown: false, operations: () => [] }
  let finding: Finding | undefined
  for (const method of methods)
    if (context.routeOf(method, target) === undefined) finding = await checkMethod(context, place, method, isThorough)
  return finding
}

/** An operation that no route has: a function may answer it, such as that of a framework or a proxy. */
export async function checkOperation(context: CheckContext, operation: Operation): Promise<void> {
  const { auth, prober, judge, problems, publicRoutes, hasFunctions } = context
  const { api, method, path } = operation
  const name = `/${api}${path}`
  const isPublic = publicRoutes.has(method, name)
  let isFound = false
  for (const base of listBases(findApi(auth, api))) {
    const request = { method: isPublic ? 'HEAD' : method, target: base + fillPath(path) }
    const { answer, decisions } = await prober.ask(request)
    const isAbsent = decisions.length === 0 && answer !== undefined && (await judge.isOwnNotFound(request, answer))
    if (isAbsent || (!hasFunctions && decisions.length > 0)) continue
    isFound = true
    const operations = (asked: string): readonly Operation[] => (asked === method ? [operation] : [])
    await checkMethod(context, { path: name, target: request.target, isKnown: true, operations }, method, true)
  }
  if (isFound) return
  const text = `The document of "${api}" describes it, but no route has it, and nothing else answers there.`
  problems.add('no-route', `${method} ${name}`, text)
}

export function checkDocumented(
  { auth, publicRoutes, problems }: CheckContext,
  { methods, path }: Endpoint,
  operations: Place['operations'],
  inDocuments: ReadonlySet<string>,
): void {
  const address = findApiAddress(auth, path)
  // The API's own address greets those who try a credential.
  if (!address || !inDocuments.has(address.api) || address.rest === '') return
  if (methods.includes('*') && SOME_METHODS.some((method) => operations(method).length > 0)) return
  for (const method of methods) {
    if (method === 'OPTIONS' || publicRoutes.has(method, path) || operations(method).length > 0) continue
    const text = `The document of "${address.api}" does not describe it.`
    problems.add('not-documented', `${method} ${path}`, text)
  }
}

type Finding = 'refused' | 'closed' | 'public' | 'faulty'

function describeAsking(context: CheckContext, place: Place, method: string): Asking {
  const { path, target, isKnown, isForAll = false } = place
  const hasRoute = (each: string): boolean => isKnown && context.routeOf(each, target) !== undefined
  return {
    ...context,
    place,
    method,
    asked: { isUnknown: !isKnown, isVerified: false, hasRoute },
    complain(kind, description, fix) {
      context.failed.add(`${method} ${target}`)
      context.problems.add(kind, `${isForAll ? 'ALL' : method} ${path}`, description, fix)
    },
  }
}

/** Asks for one method of an address; `isThorough`: with bad credentials, in other spellings and with all variations. */
async function checkMethod(context: CheckContext, place: Place, method: string, isThorough: boolean): Promise<Finding> {
  const { prober, judge, failed, publicRoutes } = context
  const { target } = place
  const asking = describeAsking(context, place, method)
  if (failed.has(`${method} ${target}`)) return 'faulty'
  if (publicRoutes.has(method, place.path)) return checkPublic(asking)
  const request = { method, target }
  const none = await prober.ask(request)
  const verified = await findVerified(context, place, method, none)
  const asked = { ...asking.asked, isVerified: verified !== undefined }
  const fault = await judge.judge(request, none, asked)
  if (fault) {
    asking.complain(fault.kind, `A request without a credential was not refused by a guard: ${fault.answer}.`)
    return 'faulty'
  }
  const demanded = none.decisions.flatMap(({ kind, accepts }) => (kind === 'refused' ? accepts : []))
  const accepts: Check['accepts'] =
    verified === undefined ? demanded : [{ api: verified, scheme: findApi(context.auth, verified).scheme }]
  const isGuarded = verified !== undefined || isRefused(none)
  const check: Check = { ...asking, asked, none, accepts }
  const lists = [
    ...(isGuarded ? [listForeign, listWithoutScopes] : []),
    ...(isGuarded && isThorough ? [listBadCredentials] : []),
    ...(isThorough ? OTHER_REQUESTS : []),
  ]
  for (const list of lists) if (await tryAll(check, await list(check))) return 'faulty'
  if (isThorough) await checkBehindGuard(check)
  if (isGuarded) compareDocument(check)
  if (failed.has(`${method} ${target}`)) return 'faulty'
  return isGuarded ? 'refused' : 'closed'
}

/** Whoever listed it does not expect a credential there. HEAD changes nothing. */
async function checkPublic({ prober, complain, place: { target } }: Asking): Promise<Finding> {
  if (!isRefused(await prober.ask({ method: 'HEAD', target }))) return 'public'
  complain('public-but-guarded', 'It is listed as public, but a request without a credential is refused.')
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
