import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from '../contracts/api.js'
import { createDenial, type Denial, type ErrorCode } from '../contracts/errors.js'
import type { Emit, ReadClient } from '../contracts/events.js'
import type { LogRefusal } from '../http/refusal-log.js'
import { formatChallenge, unwrapCause, sendDenial, toDenial } from '../http/respond.js'
import type { OnDenied } from '../options/options.js'
import type { KeyFailureReason, TokenFailureReason } from './authenticate.js'

/** Every refusal of a guard by its reason. Made at start-up, so that a refusal costs less than a valid request. */
export type ErrorResponses<Reason extends string = string> = Readonly<Record<Reason, Denial>>

/** RFC 6750 3. Every challenge ends with `resource_metadata` (RFC 9728 5.1). */
export function createBearerErrors(
  api: Api,
  scopes: readonly string[],
): ErrorResponses<TokenFailureReason | 'noCredential' | 'duplicateCredential' | 'malformed' | 'insufficientScope'> {
  const metadata = ['resource_metadata', `${api.resource}/.well-known/oauth-protected-resource`] as const
  // RFC 6750 3: clients request these scopes. Without them the API's metadata names all scopes.
  const neededScopes = scopes.length > 0 ? [['scope', scopes.join(' ')] as const] : []

  function createError(error: ErrorCode, description: string, ...more: (readonly [string, string])[]): Denial {
    const parameters = [
      ['realm', api.name],
      ['error', error],
      ['error_description', description],
      ...more,
      metadata,
    ] as const
    return createDenial(error, description, { 'WWW-Authenticate': formatChallenge('Bearer', parameters) })
  }

  const endedToken = createError('invalid_token', 'The access token is no longer valid')
  return {
    // RFC 6750 3.1: a request without a credential is answered without an error code.
    noCredential: createDenial('unauthorized', 'An access token is needed: Authorization: Bearer <access token>', {
      'WWW-Authenticate': formatChallenge('Bearer', [['realm', api.name], ...neededScopes, metadata]),
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
  }
}

/** The scheme ApiKey is not registered, but RFC 9110 15.5.2 requires a challenge with every 401. */
export function createApiKeyErrors(
  api: Api,
): ErrorResponses<KeyFailureReason | 'noCredential' | 'duplicateCredential'> {
  const [name = '', otherName] = api.keyHeaders
  const header = ['header', name] as const

  function createError(error: ErrorCode, description: string): Denial {
    const parameters = [['realm', api.name], ['error', error], ['error_description', description], header] as const
    return createDenial(error, description, { 'WWW-Authenticate': formatChallenge('ApiKey', parameters) })
  }

  const invalidApiKey = createError('invalid_api_key', 'The API key is not valid')
  const accessDenied = createError('access_denied', 'The application may not use this API')
  return {
    noCredential: createDenial('unauthorized', `An API key is needed: ${name}: <API key>`, {
      'WWW-Authenticate': formatChallenge('ApiKey', [['realm', api.name], header]),
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
  }
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
])

/** Which refusals a guard sends, and what may replace them. */
export interface ErrorResponseConfig {
  readonly api: Api
  readonly errors: ErrorResponses
  readonly onDenied: OnDenied | undefined
  /** The client that a request presents, for events. */
  readonly readClient: ReadClient
}

export interface ErrorResponderOptions {
  readonly emit: Emit
  readonly logRefusal: LogRefusal
}

/** Refuses a request. `problem` is a key of `config.errors`, or whatever was thrown. */
export type RespondWithError = (
  config: ErrorResponseConfig,
  problem: unknown,
  applicationId: string | undefined,
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void

export function createErrorResponder({ emit, logRefusal }: ErrorResponderOptions): RespondWithError {
  return function respondWithError({ api, errors, onDenied, readClient }, problem, applicationId, req, res, next) {
    const isKnown = typeof problem === 'string' && Object.hasOwn(errors, problem)
    const denied = isKnown ? errors[problem]! : toDenial(problem)
    const { error } = denied
    const reason = EVENT_REASONS.get(problem) ?? error
    emit('request.denied', { api: api.name, applicationId, error, reason }, req, readClient)
    logRefusal(api.name, denied, unwrapCause(problem), reason)
    if (!onDenied) return sendDenial(req, res, denied)

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
}
