import type { AcceptedCredential, PlatformAuth } from '../../../index.js'
import { findApi } from '../credentials.js'
import type { CredentialSource } from './credential-source.js'
import type { Operation } from './documents.js'
import type { AskedPlace, Fault, Judge } from './judge.js'
import type { ProblemKind, ProblemList } from './problem.js'
import type { Ask, Outcome, Prober } from './prober.js'
import type { PublicRoutes } from './public-routes.js'
import type { AlsoTry } from './variations.js'

/** The state that all checks of an app share. */
export interface CheckContext {
  readonly auth: PlatformAuth
  readonly prober: Prober
  readonly judge: Judge
  readonly credentials: CredentialSource
  readonly publicRoutes: PublicRoutes
  readonly alsoTry: AlsoTry
  readonly params: Readonly<Record<string, string>>
  readonly problems: ProblemList
  /** The path of the first route for a request, as it is defined; undefined if no route has it. */
  readonly routeOf: (method: string, target: string) => string | undefined
  /** Whether anything but routes, guards and routers of the platform could answer. */
  readonly hasFunctions: boolean
  /** Methods and addresses at which something was found: nothing more is sent there. */
  readonly failed: Set<string>
}

/** An address to ask. */
export interface Place {
  /** The path as it is defined, in reports and in `public`. */
  readonly path: string
  readonly target: string
  /** Whether it is a route or an operation: then a 404 is an answer like any other. */
  readonly isKnown: boolean
  readonly operations: (method: string) => readonly Operation[]
  /** The method in reports, if it is not that of the request: `ALL`. */
  readonly reportedMethod?: string
}

/** A check of one method of one address. */
export interface Check extends CheckContext {
  readonly place: Place
  readonly method: string
  readonly asked: AskedPlace
  /** What guards demand there, and what verifiers verify. */
  readonly accepts: readonly Demand[]
  readonly complain: (kind: ProblemKind, description: string, fix: string) => void
}

export type Demand = Pick<AcceptedCredential, 'api' | 'scheme'> & Partial<AcceptedCredential>

export function formatGuardCall(auth: PlatformAuth, api: string): string {
  return `auth.${findApi(auth, api).scheme === 'oauth2' ? 'requireBearer' : 'requireApiKey'}('${api}')`
}

/** The fault of a further request at the same address. */
export async function ask(
  check: Check,
  change: Partial<Ask>,
  place: Partial<AskedPlace> = {},
): Promise<Fault | undefined> {
  const request = { method: check.method, target: check.place.target, ...change }
  return check.judge.judge(request, await check.prober.ask(request), { ...check.asked, ...place })
}

export const SEE_ALL =
  'Let the guard see every method and spelling: guard and handler on one mount, app.use(path, guard, handler), router.use() or the route. Do not compare req.method, req.path or req.url yourself.'

/** Whether a guard refused the request. */
export function isRefused({ decisions }: Outcome): boolean {
  return decisions.some(({ kind }) => kind === 'refused')
}

/** What is known of an address before it is asked. */
export function describePlace({ routeOf }: CheckContext, { isKnown, target }: Place): AskedPlace {
  const hasRoute = (method: string): boolean => isKnown && routeOf(method, target) !== undefined
  return { isUnknown: !isKnown, isVerified: false, hasRoute }
}
