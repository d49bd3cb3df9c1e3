import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from '../contracts/api.js'
import { createDenialError, type Denial } from '../contracts/denial.js'
import type { ReadClient } from '../contracts/events.js'
import type { RefusalDetails } from '../contracts/usage.js'
import type { LogRefusal } from '../http/refusal-log.js'
import { sendDenial, toDenial, unwrapCause } from '../http/respond.js'
import type { OnDenied } from '../options/options.js'
import type { UsageCollector } from '../usage/collector.js'
import type { ErrorResponses } from './error-responses.js'
import { findWrongArguments } from './express-arguments.js'
import { Failure } from './failure.js'
import type { OtherIssuersGuard } from './other-issuers.js'
import type { Identity } from './identity.js'
import type { Outcomes } from './outcomes.js'
import { type RefusalReporter, type RefusedCaller, type ReportOnly, findApplicationId } from './report-only.js'

/** The `reason` of events, if it says more than the `error` that is sent. */
const EVENT_REASONS: ReadonlyMap<unknown, string> = new Map([
  ['noCredential', 'no_credential'],
  ['expiredToken', 'expired_token'],
  ['tokenOfAnotherApi', 'token_of_another_api'],
  ['revokedToken', 'revoked_token'],
  ['invalidApiKey', 'unknown_client'],
  ['expiredApiKey', 'expired_key'],
  ['unknownClient', 'unknown_client'],
  ['suspended', 'suspended'],
  ['notAllowed', 'not_allowed'],
  ['methodNotAllowed', 'method_not_allowed'],
  ['restrictedKey', 'restricted_key'],
])

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
  /** Sets the headers of an answer before the handler runs. */
  readonly prepareResponse: ((res: ServerResponse) => void) | undefined
}

export interface ErrorResponderOptions {
  readonly outcomes: Outcomes
  /** Undefined if usage is not collected. */
  readonly usage: Pick<UsageCollector, 'noteRefusal'> | undefined
  readonly logRefusal: LogRefusal
  readonly reporter: RefusalReporter
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

export function createErrorResponder({
  outcomes,
  usage,
  logRefusal,
  reporter,
}: ErrorResponderOptions): ErrorResponders {
  const respondWithError: RespondWithError = (config, problem, caller, req, res, next) => {
    if (problem instanceof Failure) {
      refuse(config, problem.problem, problem.applicationId, req, res, next, problem.details)
    } else refuse(config, problem, caller, req, res, next)
  }

  function refuse(
    config: ErrorResponseConfig,
    problem: unknown,
    caller: RefusedCaller,
    req: IncomingMessage,
    res: ServerResponse,
    next: (error?: unknown) => void,
    details?: RefusalDetails,
  ): void {
    const { errors, scopes, anyOf } = config.findRequirement(req)
    const isKnown = typeof problem === 'string' && Object.hasOwn(errors, problem)
    const denied = isKnown ? errors[problem]! : toDenial(problem)
    const reason = EVENT_REASONS.get(problem) ?? denied.error
    const needed = problem === 'insufficientScope' ? { scopes: [...scopes, ...anyOf.flat()].join(' ') } : details
    respondWithDenial(config, denied, reason, caller, req, res, next, unwrapCause(problem), needed)
  }

  const respondWithDenial: RespondWithDenial = (config, denied, reason, caller, req, res, next, cause, details) => {
    const wrongArguments = findWrongArguments(res)
    if (wrongArguments) return next(wrongArguments)
    if (reporter.reports(config)) return reporter.report(config, denied, reason, caller, req, res, next, cause)
    const { api, onDenied, readClient } = config
    const applicationId = findApplicationId(caller)
    outcomes.deny({ api: api.name, applicationId, error: denied.error, reason }, req, readClient)
    if (applicationId !== undefined) usage?.noteRefusal({ applicationId, api: api.name, denied, reason, details }, req)
    logRefusal(api.name, denied, cause, reason)
    if (onDenied) askHost(api, onDenied, denied, req, res, next)
    else sendDenial(req, res, denied)
  }

  function askHost(
    api: Api,
    onDenied: OnDenied,
    denied: Denial,
    req: IncomingMessage,
    res: ServerResponse,
    next: (error?: unknown) => void,
  ): void {
    try {
      // Promise.resolve() accepts any thenable, such as a promise of another Node context (Jest).
      Promise.resolve(onDenied(createDenialError(denied), req, res, sendOrFail)).catch(sendUnexpected)
    } catch (error) {
      sendUnexpected(error)
    }

    /** The `next` of `onDenied`. It passes on errors, and never reaches the route. */
    function sendOrFail(error?: unknown): void {
      // Express does not treat next('route') and next('router') as errors. Here they send the refusal, like next().
      if (!error || error === 'route' || error === 'router') sendDenial(req, res, denied)
      else next(error)
    }

    function sendUnexpected(error: unknown): void {
      const unexpected = toDenial(error)
      logRefusal(api.name, unexpected, unwrapCause(error))
      sendDenial(req, res, unexpected)
    }
  }

  return { respondWithError, respondWithDenial }
}
