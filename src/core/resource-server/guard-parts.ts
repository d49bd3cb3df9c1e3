import type { Api } from '../../shared/contracts/api.js'
import type { ApiObservers } from '../../shared/contracts/api-observer.js'
import type { OnDenied } from '../options/options.js'
import type { ErrorResponders } from './error-responder.js'
import type { ReadCost } from './cost.js'
import type { Decisions } from './decisions.js'
import type { readGuardOptions } from './guard-arguments.js'
import type { ApiKeyGuardOptions, BearerGuardOptions } from './guard-options.js'
import type { Guard } from './guard.js'
import type { ReadReportOnly } from './report-only.js'
import type { ScopeRequirements } from './requirement.js'

/** What tools that make guards get of a platform, beyond its public calls. */
export interface GuardParts {
  readonly apis: ReadonlyMap<string, Api>
  readonly observers: ApiObservers
  readonly decisions: Decisions
  /** A bearer guard or a key guard, as the API's scheme is; the scopes may have alternatives. */
  createGuard(api: Api, options: BearerGuardOptions & ApiKeyGuardOptions & ScopeRequirements): Guard
  /** Makes `requireAny()` refuse a guard that it cannot combine, and lets the platform know it. */
  register(guard: Guard): void
  /** Whether a function is a guard of this platform. */
  isGuard(fn: unknown): boolean
  /** Describes a value that is no guard. */
  readonly describeNoGuard: (given: unknown) => string
  readonly readGuardOptions: typeof readGuardOptions
  readonly readCost: ReadCost
  readonly readReportOnly: ReadReportOnly
  readonly respondWithDenial: ErrorResponders['respondWithDenial']
  readonly onDenied: OnDenied | undefined
  readonly warn: (message: string) => void
}
