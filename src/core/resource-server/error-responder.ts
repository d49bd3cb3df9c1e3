import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from '../../shared/contracts/api.js'
import type { ApiObservers } from '../../shared/contracts/api-observer.js'
import { createDenialError, isErrorCode, type Denial } from '../../shared/contracts/denial.js'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import type { RefusalDetails } from '../../shared/contracts/usage.js'
import type { Next } from '../http/middleware.js'
import type { LogRefusal } from '../http/refusal-log.js'
import { sendDenial, toDenial, unwrapCause } from '../http/respond.js'
import type { GuardDecisions } from './guard-decisions.js'
import type { DenialConfig, GuardConfig } from './guard-config.js'
import { Failure, findApplicationId, type Refusal } from './refusal.js'
import type { Outcomes, RefusalReporter } from './outcomes.js'

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
const ALL_REASONS: ReadonlySet<string> = new Set([...EVENT_REASONS.values(), 'refused_by_host'])

export function isReason(text: string): boolean {
  return isErrorCode(text) || ALL_REASONS.has(text)
}

type Respond<Config, Given> = (
  config: Config,
  given: Given,
  req: IncomingMessage,
  res: ServerResponse,
  next: Next,
) => void

export type ErrorResponders = ReturnType<typeof createErrorResponder>

export function createErrorResponder(options: {
  readonly decisions: GuardDecisions
  readonly outcomes: Outcomes
  readonly observers: ApiObservers
  readonly logRefusal: LogRefusal
  readonly reporter: RefusalReporter
  /** The turn of a refusal; undefined if it can be sent at once. */
  readonly waitToRefuse: (req: IncomingMessage) => Promise<void> | undefined
}) {
  const { decisions, outcomes, observers, logRefusal, reporter, waitToRefuse } = options
  /** Refuses a request. `given` is a key of `errors`, whatever was thrown, or a `Failure` with one of them. */
  const respondWithError: Respond<GuardConfig, unknown> = (config, given, req, res, next) => {
    const { problem, caller, details } =
      given instanceof Failure ? given : { problem: given, caller: undefined, details: undefined }
    const { errors, scopes, anyOf } = config.findRequirement(req)
    const isKnown = typeof problem === 'string' && Object.hasOwn(errors, problem)
    const denied = isKnown ? errors[problem]! : toDenial(problem)
    const refusal = {
      denied,
      reason: EVENT_REASONS.get(problem) ?? denied.error,
      caller,
      cause: unwrapCause(problem),
      details: describeUnmet(config.api, problem, [...scopes, ...anyOf.flat()]) ?? details,
    }
    respondWithDenial(config, refusal, req, res, next)
  }

  const respondWithDenial: Respond<DenialConfig, Refusal> = (config, refusal, req, res, next) => {
    const wrongArguments = findWrongArguments(res)
    if (wrongArguments) return next(wrongArguments)
    const { api, accepts, onDenied, readClient } = config
    const { denied, reason, caller, cause, details } = refusal
    const reports = reporter.reports(config)
    decisions.note?.({
      kind: reports ? 'reported' : 'refused',
      api: api.name,
      accepts,
      denied,
      hasOwnAnswer: onDenied !== undefined,
    })
    if (reports) return reporter.report(config, refusal, req, res, next)
    const applicationId = findApplicationId(caller)
    outcomes.deny({ api: api.name, applicationId, error: denied.error, reason }, req, readClient)
    if (applicationId !== undefined) observers.get(api.name)?.refused?.({ applicationId, denied, reason, details }, req)
    logRefusal(api.name, denied, cause, reason)
    const send = (): void => (onDenied ? answerByHost(config, denied, req, res, next) : sendDenial(req, res, denied))
    const turn = waitToRefuse(req)
    if (turn) void turn.then(send, send)
    else send()
  }

  const answerByHost: Respond<DenialConfig, Denial> = ({ api, onDenied }, denied, req, res, next) => {
    try {
      // Promise.resolve() accepts any thenable, such as a promise of another Node context (Jest).
      Promise.resolve(onDenied!(createDenialError(denied), req, res, sendOrFail)).catch(sendUnexpected)
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

/** The error for a guard that was not called with request and response: express-ws calls it with a socket and the request. */
export function findWrongArguments(res: ServerResponse): ConfigurationError | undefined {
  if ((res as Partial<ServerResponse>).setHeader !== undefined) return undefined
  return new ConfigurationError({
    problem: 'A guard was called with other arguments than (req, res, next), as within app.ws() of express-ws',
    fix: "Mount it before the WebSocket route: app.use('/path', guard).",
  })
}

/** Details of what a credential lacks. The words for developers differ by the scheme, the reason does not. */
function describeUnmet({ scheme }: Api, problem: unknown, scopes: readonly string[]): RefusalDetails | undefined {
  const kind = scheme === 'apiKey' ? { of: 'key' } : undefined
  if (problem === 'methodNotAllowed') return kind
  return problem === 'insufficientScope' ? { ...kind, scopes: scopes.join(' ') } : undefined
}
