import type { ErrorResponseConfig, RespondWithError, RespondWithDenial, ErrorResponders } from './respond-with.js'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from '../../shared/contracts/api.js'
import { createDenialError, type Denial } from '../../shared/contracts/denial.js'
import type { RefusalDetails } from '../../shared/contracts/usage.js'
import type { LogRefusal } from '../http/refusal-log.js'
import { sendDenial, toDenial, unwrapCause } from '../http/respond.js'
import type { OnDenied } from '../options/options.js'
import type { ApiObservers } from '../../shared/contracts/api-observer.js'
import type { Decisions } from './decisions.js'
import { findWrongArguments } from './express-arguments.js'
import { Failure } from './failure.js'
import type { Outcomes } from './outcomes.js'
import type { RefusalReporter, RefusedCaller } from './refusal-reporter.js'
import { findApplicationId } from './report-only.js'

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

export interface ErrorResponderOptions {
  readonly decisions: Decisions
  readonly outcomes: Outcomes
  readonly observers: ApiObservers
  readonly logRefusal: LogRefusal
  readonly reporter: RefusalReporter
}

export function createErrorResponder({
  decisions,
  outcomes,
  observers,
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
    const needed = describeUnmet(config.api, problem, [...scopes, ...anyOf.flat()]) ?? details
    respondWithDenial(config, denied, reason, caller, req, res, next, unwrapCause(problem), needed)
  }

  const respondWithDenial: RespondWithDenial = (config, denied, reason, caller, req, res, next, cause, details) => {
    const wrongArguments = findWrongArguments(res)
    if (wrongArguments) return next(wrongArguments)
    const { api, accepts, onDenied, readClient } = config
    const reports = reporter.reports(config)
    decisions.note?.({
      kind: reports ? 'reported' : 'refused',
      api: api.name,
      accepts,
      denied,
      hasOwnAnswer: onDenied !== undefined,
    })
    if (reports) return reporter.report(config, denied, reason, caller, req, res, next, cause)
    const applicationId = findApplicationId(caller)
    outcomes.deny({ api: api.name, applicationId, error: denied.error, reason }, req, readClient)
    if (applicationId !== undefined) observers.get(api.name)?.refused?.({ applicationId, denied, reason, details }, req)
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

/** Details of what a credential lacks. The words for developers differ by the scheme, the reason does not. */
function describeUnmet({ scheme }: Api, problem: unknown, scopes: readonly string[]): RefusalDetails | undefined {
  const kind = scheme === 'apiKey' ? { of: 'key' } : undefined
  if (problem === 'methodNotAllowed') return kind
  return problem === 'insufficientScope' ? { ...kind, scopes: scopes.join(' ') } : undefined
}
