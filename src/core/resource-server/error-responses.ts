import type { Api } from '../../shared/contracts/api.js'
import { type Denial, type ErrorCode, createDenial } from '../../shared/contracts/denial.js'
import { MAX_TOKEN_LENGTH } from '../http/bearer.js'
import { formatChallenge } from '../http/respond.js'
import type { KeyFailureReason, TokenFailureReason } from './refusal.js'

/** Every refusal of a guard by its reason. They are made at start-up, so that a refusal costs less than a valid request. */
export type ErrorResponses<Reason extends string = string> = Readonly<Record<Reason, Denial>>

type RequestReason =
  | 'noCredential'
  | 'duplicateCredential'
  | 'insufficientScope'
  | 'networkNotAllowed'
  | 'methodNotAllowed'

/** The refusals of an API's scheme, for a guard that needs these scopes. */
export function createErrors(api: Api, scopes: readonly string[]): ErrorResponses {
  return api.scheme === 'oauth2' ? createBearerErrors(api, scopes) : createApiKeyErrors(api, scopes)
}

/** The credential that a request without one should have had. */
export const BEARER_FORM = 'Authorization: Bearer <access token>'

export function formatKeyForm({ keyHeaders }: Api): string {
  return `${keyHeaders[0]}: <API key>`
}

/** The limit in characters. Proxies keep the headers of an answer in 4 KiB (nginx), with those that the host adds. */
const MAX_SCOPE_PARAMETER = 1000

/** The parameter `scope` of a challenge: clients request it (RFC 6750 3). If left out, they know the metadata's. */
function formatScopes(scopes: readonly string[]): (readonly [string, string])[] {
  const scope = scopes.join(' ')
  return scope !== '' && scope.length <= MAX_SCOPE_PARAMETER ? [['scope', scope]] : []
}

/** RFC 6750 3. Every challenge ends with `resource_metadata` (RFC 9728 5.1). */
function createBearerErrors(
  api: Api,
  scopes: readonly string[],
): ErrorResponses<TokenFailureReason | RequestReason | 'malformed' | 'tooLong'> {
  const neededScopes = formatScopes(scopes)

  const createError = (error: ErrorCode, description: string, ...more: (readonly [string, string])[]): Denial =>
    createDenial(error, description, { 'WWW-Authenticate': formatErrorChallenge(api, error, description, ...more) })

  const endedToken = createError('invalid_token', 'The access token is no longer valid')
  return {
    // RFC 6750 3.1: a request without a credential is answered without an error code.
    noCredential: createDenial('unauthorized', `An access token is needed: ${BEARER_FORM}`, {
      'WWW-Authenticate': formatChallenge('Bearer', [['realm', api.name], ...neededScopes, formatMetadata(api)]),
    }),
    duplicateCredential: createError('invalid_request', 'There are two Authorization headers'),
    malformed: createError('invalid_request', 'The Authorization header must be: Bearer <access token>'),
    tooLong: createError('invalid_request', `The access token has more than ${MAX_TOKEN_LENGTH} characters`),
    invalidToken: createError('invalid_token', 'The access token is not valid'),
    expiredToken: createError('invalid_token', 'The access token expired'),
    tokenOfAnotherApi: createError('invalid_token', 'The access token was issued for another API'),
    // The answer is the same for all of these: only operators learn the reason.
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
    networkNotAllowed: createError('network_not_allowed', 'The access token may not be used from this network'),
  }
}

/** With `more` parameters, in the scheme of the API. */
export function formatErrorChallenge(
  api: Api,
  error: Denial['error'],
  description: string,
  ...more: (readonly [string, string])[]
): string {
  const { name, scheme, keyHeaders } = api
  const parameters = [['realm', name], ['error', error], ['error_description', description], ...more] as const
  return scheme === 'oauth2'
    ? formatChallenge('Bearer', [...parameters, formatMetadata(api)])
    : formatChallenge('ApiKey', [...parameters, ['header', keyHeaders[0]!]])
}

function formatMetadata({ resource }: Api): readonly [string, string] {
  return ['resource_metadata', `${resource}/.well-known/oauth-protected-resource`]
}

const NOT_VALID = 'The API key is not valid'

/** The scheme ApiKey is not registered, but RFC 9110 15.5.2 requires a challenge with every 401. */
function createApiKeyErrors(api: Api, scopes: readonly string[]): ErrorResponses<KeyFailureReason | RequestReason> {
  const [name = '', otherName] = api.keyHeaders
  const neededScopes = formatScopes(scopes)
  const createError = (error: ErrorCode, description: string, ...more: (readonly [string, string])[]): Denial =>
    createDenial(error, description, { 'WWW-Authenticate': formatErrorChallenge(api, error, description, ...more) })

  const invalidApiKey = createDenial('invalid_api_key', NOT_VALID, {
    'WWW-Authenticate': formatErrorChallenge(api, 'invalid_api_key', NOT_VALID) + formatKeySchemes(api),
  })
  const accessDenied = createError('access_denied', 'The application may not use this API')
  return {
    noCredential: createDenial('unauthorized', `An API key is needed: ${formatKeyForm(api)}`, {
      'WWW-Authenticate':
        formatChallenge('ApiKey', [['realm', api.name], ...neededScopes, ['header', name]]) + formatKeySchemes(api),
    }),
    duplicateCredential: createError(
      'invalid_request',
      otherName === undefined ? `There are two ${name} headers` : `Send one key, in ${name} or in ${otherName}`,
    ),
    invalidApiKey,
    // The answer is the same: only operators learn that there was such a key.
    expiredApiKey: invalidApiKey,
    suspended: accessDenied,
    notAllowed: accessDenied,
    restrictedKey: createError('access_denied', 'The API key may not be used for this API'),
    insufficientScope: createError('insufficient_scope', 'The API key lacks a scope that this needs', ...neededScopes),
    methodNotAllowed: createError('access_denied', 'No API key allows this method here'),
    networkNotAllowed: createError('network_not_allowed', 'The API key may not be used from this network'),
  }
}

/** Follows a 401's challenge: wget and urllib send Basic only after one. `realm` is first, as urllib needs it. */
export function formatKeySchemes(api: Api): string {
  if (api.keyHeaders[1] !== 'Authorization') return ''
  const basic = formatChallenge('Basic', [
    ['realm', api.name],
    ['charset', 'UTF-8'],
  ])
  return `${formatBearerOfKeys(api)}, ${basic}`
}

/** In the challenge of a key guard. A bearer guard beside it says itself what a client needs for a token. */
export function formatBearerOfKeys(api: Api): string {
  return `, ${formatChallenge('Bearer', [['realm', api.name]])}`
}
