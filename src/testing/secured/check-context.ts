import type { AcceptedCredential, GuardDescription, PlatformAuth } from '../../index.js'
import type { CredentialSource } from './bad-credentials.js'
import type { Operation } from './documents.js'
import type { Endpoint } from './endpoints.js'
import type { ProblemKind } from './problem.js'
import type { Prober } from './prober.js'
import type { PublicRoutes } from './public-routes.js'

export type Headers = Readonly<Record<string, string>>

/** The state that all checks of an app share. */
export interface CheckContext {
  readonly auth: PlatformAuth
  readonly prober: Prober
  readonly credentials: CredentialSource
  readonly publicRoutes: PublicRoutes
  readonly endpoints: readonly Endpoint[]
  /** The operations of the documents that describe a route. */
  readonly operationsOf: (endpoint: Endpoint, method: string) => readonly Operation[]
  /** The results at addresses without routes, by their targets. */
  readonly findings: Map<string, { readonly isRefused: boolean; readonly isSeen: boolean }>
  /** How many routes were checked with the hints of a function. */
  readonly uses: Map<unknown, number>
  /** Notes a problem, once for each kind, route and method. */
  readonly report: (kind: ProblemKind, endpoint: Endpoint, method: string, description: string, fix: string) => void
}

/** A check of one method of a route. */
export interface Check extends CheckContext {
  readonly endpoint: Endpoint
  readonly method: string
  readonly target: string
  /** Notes a problem of this method of this route. */
  readonly complain: (kind: ProblemKind, description: string, fix: string) => void
}

export function createCheck(context: CheckContext, endpoint: Endpoint, method: string, target: string): Check {
  const complain: Check['complain'] = (kind, ...texts) => context.report(kind, endpoint, method, ...texts)
  return { ...context, endpoint, method, target, complain }
}

export const NO_CREDENTIAL = { name: 'A request without a credential', status: 401, error: 'unauthorized' }

export function listAccepted(guards: readonly GuardDescription[]): AcceptedCredential[] {
  return guards.flatMap(({ accepts }) => accepts)
}

/** The good credentials of the other APIs. If two need the same header, one gives way. */
export function joinHeaders(goodHeaders: ReadonlyMap<string, Headers>, except: string): Headers {
  const others = [...goodHeaders].filter(([api]) => api !== except).map(([, headers]) => headers)
  return Object.assign({}, ...others) as Headers
}
