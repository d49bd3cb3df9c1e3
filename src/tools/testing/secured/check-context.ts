import type { AcceptedCredential, PlatformAuth } from '../../../index.js'
import type { TestCredentials } from './bad-credentials.js'
import type { Operation } from './documents.js'
import type { AskedPlace, Judge } from './judge.js'
import type { ProblemKind, ProblemList } from './problem.js'
import type { Ask, Outcome, Prober } from './prober.js'
import type { PublicRoutes } from './public-routes.js'
import type { AlsoTry } from './variations.js'

export interface CheckContext {
  readonly auth: PlatformAuth
  readonly prober: Prober
  readonly judge: Judge
  readonly credentials: TestCredentials
  readonly publicRoutes: PublicRoutes
  readonly alsoTry: AlsoTry
  readonly params: Readonly<Record<string, string>>
  readonly problems: ProblemList
  /** The path of the first route for a request, as it is defined; undefined if no route has it. */
  readonly routeOf: (method: string, target: string) => string | undefined
  /** Whether anything but routes, guards and routers of the platform could answer. */
  readonly hasFunctions: boolean
  readonly failed: Set<string>
}

export interface Place {
  readonly path: string
  readonly target: string
  /** Whether it is a route or an operation: then a 404 is an answer like any other. */
  readonly isKnown: boolean
  /** Whether it is a route of every method, which reports call `ALL`. */
  readonly isForAll?: boolean
  readonly operations: (method: string) => readonly Operation[]
}

export interface Asking extends CheckContext {
  readonly place: Place
  readonly method: string
  readonly asked: AskedPlace
  readonly complain: (kind: ProblemKind, description: string, fix?: string) => void
  readonly none?: Outcome
}

export interface Check extends Asking {
  readonly none: Outcome
  /** What guards demand there, and what verifiers verify. */
  readonly accepts: readonly Demand[]
}

export type Demand = Pick<AcceptedCredential, 'api' | 'scheme'> & Partial<AcceptedCredential>

export interface Trial {
  readonly name: string
  readonly change: Partial<Ask>
  /** The kind of the problem; that of the answer if left out. */
  readonly kind?: ProblemKind | undefined
  readonly place?: Partial<AskedPlace>
  /** Its parts, to be tried one by one if the app refuses the whole. */
  readonly parts?: readonly Trial[] | undefined
}

/** Sends requests in turn, until one is not refused. Returns whether that was so. */
export async function tryAll(check: Asking, trials: readonly Trial[]): Promise<boolean> {
  const queue = [...trials]
  for (const { name, change, kind, place, parts } of queue) {
    const request = { method: check.method, target: check.place.target, ...change }
    const outcome = await check.prober.ask(request)
    const fault = await check.judge.judge(request, outcome, { ...check.asked, ...place })
    if (fault) {
      const own = fault.kind === 'report-only' || fault.kind === 'wrong-refusal' ? fault.kind : kind
      check.complain(own ?? fault.kind, `A request ${name} was not refused by a guard: ${fault.answer}.`)
      return true
    }
    // The app refuses something of the whole, and has not seen the rest.
    if (parts && outcome.answer?.status !== check.none?.answer?.status) queue.push(...parts)
  }
  return false
}

export function isRefused({ decisions }: Outcome): boolean {
  return decisions.some(({ kind }) => kind === 'refused')
}
