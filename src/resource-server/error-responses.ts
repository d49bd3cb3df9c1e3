import type { ApiSettings } from '../options/settings.js'
import { denial, type Denial, type ErrorCode } from '../contracts/errors.js'
import { challenge } from '../http/challenge.js'
import type { KeyFailureReason, TokenFailureReason } from './authenticate.js'

/** Every refusal that a guard can need, by its reason, made at start-up: refusing costs less than answering. */
export type ErrorResponses<Reason extends string = string> = Readonly<Record<Reason, Denial>>

/** RFC 6750 3, with the pointer of RFC 9728 5.1 at the end. */
export function bearerRefusals(
  api: ApiSettings,
  scopes: readonly string[],
): ErrorResponses<TokenFailureReason | 'noCredential' | 'twoCredentials' | 'malformed' | 'scopeMissing'> {
  const metadata = ['resource_metadata', `${api.resource}/.well-known/oauth-protected-resource`] as const

  function refuse(error: ErrorCode, description: string, ...more: (readonly [string, string])[]): Denial {
    const parameters = [
      ['realm', api.name],
      ['error', error],
      ['error_description', description],
      ...more,
      metadata,
    ] as const
    return denial(error, description, { 'WWW-Authenticate': challenge('Bearer', parameters) })
  }

  return {
    // RFC 6750 3.1: where no credential came, no error code goes.
    noCredential: denial('unauthorized', 'An access token is needed: Authorization: Bearer <access token>', {
      'WWW-Authenticate': challenge('Bearer', [['realm', api.name], metadata]),
    }),
    twoCredentials: refuse('invalid_request', 'There are two Authorization headers'),
    malformed: refuse('invalid_request', 'The Authorization header must be: Bearer <access token>'),
    invalidToken: refuse('invalid_token', 'The access token is not valid'),
    expiredToken: refuse('invalid_token', 'The access token expired'),
    tokenOfAnotherApi: refuse('invalid_token', 'The access token was issued for another API'),
    endedToken: refuse('invalid_token', 'The access token is no longer valid'),
    scopeMissing: refuse('insufficient_scope', 'The access token lacks a scope that this needs', [
      'scope',
      scopes.join(' '),
    ]),
  }
}

/** The same for keys: an unregistered scheme, but RFC 9110 15.5.2 wants a challenge with every 401. */
export function apiKeyRefusals(api: ApiSettings): ErrorResponses<KeyFailureReason | 'noCredential' | 'twoCredentials'> {
  function refuse(error: ErrorCode, description: string): Denial {
    const parameters = [['realm', api.name], ['error', error], ['error_description', description], HEADER] as const
    return denial(error, description, { 'WWW-Authenticate': challenge('ApiKey', parameters) })
  }

  return {
    noCredential: denial('unauthorized', 'An API key is needed: X-Api-Key: <API key>', {
      'WWW-Authenticate': challenge('ApiKey', [['realm', api.name], HEADER]),
    }),
    twoCredentials: refuse('invalid_request', 'There are two X-Api-Key headers'),
    invalidKey: refuse('invalid_api_key', 'The API key is not valid'),
    keyNotAllowed: refuse('access_denied', 'The application may not use this API'),
  }
}

const HEADER = ['header', 'X-Api-Key'] as const
