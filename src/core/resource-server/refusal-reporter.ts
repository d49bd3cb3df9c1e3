import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from '../../shared/contracts/api.js'
import type { Denial } from '../../shared/contracts/denial.js'
import type { ReadClient } from '../../shared/contracts/events.js'
import type { OtherIssuersGuard } from './other-issuers.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import type { Identity } from './identity.js'

/** The time until which a guard only reports its refusals. */
export interface ReportOnly {
  /** Milliseconds since 1970; Infinity if there is no end. */
  readonly until: number
}

/** The caller of a refused request: as authenticated, or the id of an application whose credential is not good. */
export type RefusedCaller = Identity | string | undefined

export interface ReportingConfig {
  readonly api: Api
  /** The report-only setting of a guard; undefined for one that refuses. */
  readonly reportOnly: ReportOnly | undefined
  /** The host's guard, which decides if a refusal is only reported. If undefined, the request goes on. */
  readonly hostGuard: OtherIssuersGuard | undefined
  /** The client that a request presents, for events. */
  readonly readClient: ReadClient
  /** Removes the credential from a request that goes on; undefined where handlers may see it. */
  readonly hideCredential: ((req: IncomingMessage) => void) | undefined
  /** Removes every other credential of this platform from the headers that the guard reads; undefined where handlers may see them. */
  readonly hideOthers: ((req: IncomingMessage) => MaybePromise<void>) | undefined
  /** Sets the headers of an answer before the handler runs. */
  readonly prepareResponse: ((res: ServerResponse) => void) | undefined
}

type Handle = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void

/** The behaviour of report-only guards toward requests that they would refuse. */
export interface RefusalReporter {
  /** Whether a guard reports now. */
  reports(config: Pick<ReportingConfig, 'reportOnly'>): boolean
  /** Counts the request, once for all guards, and lets it go on, or leaves it to the host's guard. */
  report(
    config: ReportingConfig,
    denied: Denial,
    reason: string,
    caller: RefusedCaller,
    req: IncomingMessage,
    res: ServerResponse,
    next: (error?: unknown) => void,
    cause: unknown,
  ): void
  /** The guard, which does not decide where an earlier one would have refused the request. */
  skipReported(config: ReportingConfig, guard: Handle): Handle
}
