import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Denial } from './denial.js'
import type { RefusalDetails } from './usage.js'

/** The functions are synchronous and must not throw. Those of several features are joined when the platform is created. */
export interface ApiObserver {
  /** `times` is -1 for a request that a guard allowed and a later guard judges again. */
  readonly allowed?:
    | ((applicationId: string, times: 1 | -1, req: IncomingMessage, res: ServerResponse) => void)
    | undefined
  /** What is known of a request before `allowed` is called for it. Nothing is done for it unless a feature observes it. */
  readonly noted?: ((note: RequestNote, req: object) => void) | undefined
  readonly tokenIssued?: CountRequest | undefined
  /** A guard or the token endpoint has refused an application that is known. */
  readonly refused?: ((refusal: KnownRefusal, req: IncomingMessage) => void) | undefined
  /** A report-only guard would have refused the request; called when the request is answered, so that its route is known. */
  readonly reported?: ((report: ReportedRequest, req: IncomingMessage) => void) | undefined
}

/** Counts a request of an application. `times` is -1 for one that was counted before and must not be. */
export type CountRequest = (applicationId: string, times?: 1 | -1) => void

export interface RequestNote {
  /** The units that were counted toward the plan. */
  readonly units?: number
  /** The method and the path template of the operation, as an OpenAPI document has them. */
  readonly route?: string
}

export interface KnownRefusal {
  readonly applicationId: string
  readonly denied: Pick<Denial, 'error' | 'headers'>
  /** The reason as in events. */
  readonly reason: string
  readonly details?: RefusalDetails | undefined
}

export interface ReportedRequest {
  /** Undefined if the application is not known. */
  readonly applicationId: string | undefined
  readonly reason: string
  /** Milliseconds since 1970. */
  readonly at: number
}

export type ApiObservers = ReadonlyMap<string, ApiObserver>
