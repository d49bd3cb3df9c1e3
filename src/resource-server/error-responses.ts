import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from '../contracts/api.js'
import { createDenial, type Denial, type ErrorCode } from '../contracts/errors.js'
import type { Emit, ReadClient } from '../contracts/events.js'
import type { RefusalDetails } from '../contracts/usage.js'
import type { LogRefusal } from '../http/refusal-log.js'
import { formatChallenge, unwrapCause, sendDenial, toDenial } from '../http/respond.js'
import type { OnDenied } from '../options/options.js'
import type { UsageCollector } from '../usage/collector.js'
import type { Identity } from './identity.js'
import { Failure, type KeyFailureReason, type TokenFailureReason } from './failure.js'
import type { ForeignGuard } from './foreign-tokens.js'
import { findApplicationId, type RefusalReporter, type RefusedCaller, type ReportOnly } from './report-only.js'

/** Every refusal of a guard by its reason. Made at start-up, so that a refusal costs less than a valid request. */
export type ErrorResponses<Reason extends string = string> = Readonly<Record<Reason, Denial>>

/** The value of `WWW-Authenticate` for a refusal with this code. */
export type FormatErrorChallenge = (error: Denial['error'], description: string) => string

/** What a request without a credential should have had. */
export const BEARER_FORM = 'Authorization: Bearer <access token>'

export function formatKeyForm({ keyHeaders }: Api): string {
  return `${keyHeaders[0]}: <API key>`
}

/** RFC 6750 3. Every challenge ends with `resource_metadata` (RFC 9728 5.1). */
export function createBearerErrors(
  api: Api,
  scopes: readonly string[],
): ErrorResponses<
  TokenFailureReason | 'noCredential' | 'duplicateCredential' | 'malformed' | 'insufficientScope' | 'methodNotAllowed'
> {
  // RFC 6750 3: clients request these scopes. Without them the API's metadata names all scopes.
  const neededScopes = scopes.length > 0 ? [['scope', scopes.join(' ')] as const] : []

  const createError = (error: ErrorCode, description: string, ...more: (readonly [string, string])[]): Denial =>
    createDenial(error, description, { 'WWW-Authenticate': formatBearerChallenge(api, error, description, ...more) })

  const endedToken = createError('invalid_token', 'The access token is no longer valid')
  return {
    // RFC 6750 3.1: a request without a credential is answered without an error code.
    noCredential: createDenial('unauthorized', `An access token is needed: ${BEARER_FORM}`, {
      'WWW-Authenticate': formatChallenge('Bearer', [['realm', api.name], ...neededScopes, formatMetadata(api)]),
    }),
    duplicateCredential: createError('invalid_request', 'There are two Authorization headers'),
    malformed: createError('invalid_request', 'The Authorization header must be: Bearer <access token>'),
    invalidToken: createError('invalid_token', 'The access token is not valid'),
    expiredToken: createError('invalid_token', 'The access token expired'),
    tokenOfAnotherApi: createError('invalid_token', 'The access token was issued for another API'),
    // One answer: only operators learn the reason.
    revokedToken: endedToken,
    unknownClient: endedToken,
    suspended: endedToken,
    notAllowed: endedToken,
    insufficientScope: createError(
      'insufficient_scope',
      'The access token lacks a scope that this needs',
      ...neededScopes,
    ),
    methodNotAllowed: createError('access_denied', 'No access token allows this method here'),
  }
}

export function formatBearerChallenge(
  api: Api,
  error: Denial['error'],
  description: string,
  ...more: (readonly [string, string])[]
): string {
  const parameters = [
    ['realm', api.name],
    ['error', error],
    ['error_description', description],
    ...more,
    formatMetadata(api),
  ] as const
  return formatChallenge('Bearer', parameters)
}

function formatMetadata({ resource }: Api): readonly [string, string] {
  return ['resource_metadata', `${resource}/.well-known/oauth-protected-resource`]
}

/** The scheme ApiKey is not registered, but RFC 9110 15.5.2 requires a challenge with every 401. */
export function createApiKeyErrors(
  api: Api,
): ErrorResponses<KeyFailureReason | 'noCredential' | 'duplicateCredential'> {
  const [name = '', otherName] = api.keyHeaders
  const createError = (error: ErrorCode, description: string): Denial =>
    createDenial(error, description, { 'WWW-Authenticate': formatApiKeyChallenge(api, error, description) })

  const invalidApiKey = createError('invalid_api_key', 'The API key is not valid')
  const accessDenied = createError('access_denied', 'The application may not use this API')
  return {
    noCredential: createDenial('unauthorized', `An API key is needed: ${formatKeyForm(api)}`, {
      'WWW-Authenticate': formatChallenge('ApiKey', [
        ['realm', api.name],
        ['header', name],
      ]),
    }),
    duplicateCredential: createError(
      'invalid_request',
      otherName === undefined ? `There are two ${name} headers` : `Send one key, in ${name} or in ${otherName}`,
    ),
    invalidApiKey,
    // One answer: only operators learn that there was such a key.
    expiredApiKey: invalidApiKey,
    suspended: accessDenied,
    notAllowed: accessDenied,
    restrictedKey: createError('access_denied', 'The API key may not be used for this API'),
  }
}

export function formatApiKeyChallenge(api: Api, error: Denial['error'], description: string): string {
  return formatChallenge('ApiKey', [
    ['realm', api.name],
    ['error', error],
    ['error_description', description],
    ['header', api.keyHeaders[0]!],
  ])
}

/** The `reason` of events where it says more than the `error` that is sent. */
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

/** Which refusals a guard sends, and what may replace them. */
export interface ErrorResponseConfig extends DenialConfig {
  readonly findRequirement: (req: IncomingMessage) => {
    readonly errors: ErrorResponses
    readonly scopes: readonly string[]
    readonly anyOf: readonly (readonly string[])[]
  }
}

export interface DenialConfig {
  readonly api: Api
  /** For a guard that only reports; undefined for one that refuses. */
  readonly reportOnly: ReportOnly | undefined
  /** The host's guard, which decides where a refusal is only reported, as it did before. Undefined: the request goes on. */
  readonly hostGuard: ForeignGuard | undefined
  readonly onDenied: OnDenied | undefined
  /** The client that a request presents, for events. */
  readonly readClient: ReadClient
  /** Sets the headers of an answer before the handler runs. */
  readonly prepareResponse: ((res: ServerResponse) => void) | undefined
}

export interface ErrorResponderOptions {
  readonly emit: Emit
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

/** Sends a refusal that was made for this request. `reason` is for events, usage and the log, `cause` for the log, `details` for usage. */
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

export function createErrorResponder({ emit, usage, logRefusal, reporter }: ErrorResponderOptions): ErrorResponders {
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
    if (reporter.reports(config)) return reporter.report(config, denied, reason, caller, req, res, next, cause)
    const { api, onDenied, readClient } = config
    const applicationId = findApplicationId(caller)
    emit('request.denied', { api: api.name, applicationId, error: denied.error, reason }, req, readClient)
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
      // Promise.resolve() accepts any thenable, such as a promise of another realm.
      Promise.resolve(onDenied(denied, req, res, sendOrFail)).catch(sendUnexpected)
    } catch (error) {
      sendUnexpected(error)
    }

    /** The `next` of `onDenied`. It passes on errors, and never reaches the route. */
    function sendOrFail(error?: unknown): void {
      // For Express, next('route') and next('router') are no errors. Here they send the refusal, like next().
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
