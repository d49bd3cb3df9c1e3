import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from '../contracts/api.js'
import type { Denial } from '../contracts/denial.js'
import type { ReadClient } from '../contracts/events.js'
import type { RefusalDetails } from '../contracts/usage.js'
import type { OnDenied } from '../options/options.js'
import type { ErrorResponses } from './error-responses.js'
import type { OtherIssuersGuard } from './other-issuers.js'
import type { Identity } from './identity.js'
import type { RefusedCaller, ReportOnly } from './refusal-reporter.js'

/** The refusals that a guard sends, and the function that may replace them. */
export interface ErrorResponseConfig extends DenialConfig {
  readonly findRequirement: (req: IncomingMessage) => {
    readonly errors: ErrorResponses
    readonly scopes: readonly string[]
    readonly anyOf: readonly (readonly string[])[]
  }
}

export interface DenialConfig {
  readonly api: Api
  /** The report-only setting of a guard; undefined for one that refuses. */
  readonly reportOnly: ReportOnly | undefined
  /** The host's guard, which decides if a refusal is only reported. If undefined, the request goes on. */
  readonly hostGuard: OtherIssuersGuard | undefined
  readonly onDenied: OnDenied | undefined
  /** The client that a request presents, for events. */
  readonly readClient: ReadClient
  /** Removes the credential from a request that goes on; undefined where handlers may see it. */
  readonly hideCredential: ((req: IncomingMessage) => void) | undefined
  /** Sets the headers of an answer before the handler runs. */
  readonly prepareResponse: ((res: ServerResponse) => void) | undefined
}

/** Refuses a request. `problem` is a key of `config.errors`, a `Failure`, or whatever was thrown. */
export type RespondWithError = (
  config: ErrorResponseConfig,
  problem: unknown,
  caller: Identity | undefined,
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void

/**
 * Sends a refusal that was made for this request. `reason` goes to events, usage and the log, `cause` to the log, `details` to
 * usage.
 */
export type RespondWithDenial = (
  config: DenialConfig,
  denied: Denial,
  reason: string,
  caller: RefusedCaller,
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
  cause?: unknown,
  details?: RefusalDetails,
) => void

export interface ErrorResponders {
  readonly respondWithError: RespondWithError
  readonly respondWithDenial: RespondWithDenial
}
