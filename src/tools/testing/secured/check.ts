import { findApi } from '../credentials.js'
import { findApiAddress } from './addresses.js'
import {
  isRefused,
  tryAll,
  type Asking,
  type Check,
  type CheckContext,
  type Demand,
  type Place,
} from './check-context.js'
import { compareDocument, listBadCredentials, listForeign, listWithoutScopes } from './check-credentials.js'
import {
  checkBehindGuard,
  listOtherContents,
  listOtherMethods,
  listOtherPaths,
  listReplacedMethods,
  listReplacedPaths,
} from './check-requests.js'
import type { Outcome } from './prober.js'

export type Finding = 'refused' | 'closed' | 'public' | 'faulty'

export function describeAsking(context: CheckContext, place: Place, method: string): Asking {
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
export async function checkMethod(
  context: CheckContext,
  place: Place,
  method: string,
  isThorough: boolean,
): Promise<Finding> {
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
  const demanded = none.decisions.flatMap(({ kind, accepts }): readonly Demand[] => (kind === 'refused' ? accepts : []))
  const accepts =
    verified === undefined ? demanded : [{ api: verified, scheme: findApi(context.auth, verified).scheme }]
  const isGuarded = verified !== undefined || isRefused(none)
  const check: Check = { ...asking, asked, none, accepts }
  const lists = [
    ...(isGuarded ? [listForeign, listWithoutScopes] : []),
    ...(isGuarded && isThorough ? [listBadCredentials] : []),
    ...(isThorough
      ? [listOtherMethods, listReplacedMethods, listReplacedPaths, listOtherPaths, listOtherContents]
      : []),
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
