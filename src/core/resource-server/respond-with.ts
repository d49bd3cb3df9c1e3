import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Denial } from '../../shared/contracts/denial.js'
import type { AcceptedCredential } from '../../shared/contracts/guard-description.js'
import type { RefusalDetails } from '../../shared/contracts/usage.js'
import type { OnDenied } from '../options/options.js'
import type { ErrorResponses } from './error-responses.js'
import type { Identity } from './identity.js'
import type { RefusedCaller, ReportingConfig } from './refusal-reporter.js'

/** The refusals that a guard sends, and the function that may replace them. */
export interface ErrorResponseConfig extends DenialConfig {
  readonly findRequirement: (req: IncomingMessage) => {
    readonly errors: ErrorResponses
    readonly scopes: readonly string[]
    readonly anyOf: readonly (readonly string[])[]
  }
}

export interface DenialConfig extends ReportingConfig {
  /** The credentials with which the request would have passed. */
  readonly accepts: readonly AcceptedCredential[]
  readonly onDenied: OnDenied | undefined
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
