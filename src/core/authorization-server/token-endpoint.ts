import type { IncomingMessage } from 'node:http'
import { findGrant, restrictScopes } from '../applications/records/grants.js'
import { MAX_ACCESS_TOKEN_LENGTH } from '../../shared/contracts/access-token-size.js'
import type { Api, CreateClaims } from '../../shared/contracts/api.js'
import { OAuthError } from '../../shared/contracts/denial.js'
import type { Emit, EventDetails } from '../../shared/contracts/events.js'
import { limitAuthenticationTime } from '../http/endpoints.js'
import { readForm, refuseInQuery, type Form } from '../http/form.js'
import type { Endpoint } from '../http/middleware.js'
import { sendJson, toDenial } from '../http/respond.js'
import type { RateLimit } from '../rate-limits/rate-limits.js'
import type { SignAccessToken } from '../tokens/access-token.js'
import type { ApiObserver } from '../../shared/contracts/api-observer.js'
import type { AuthenticateClient } from './client-authentication.js'
import {
  CLIENT_PARAMETERS,
  describeRefusedClient,
  refuseRestrictedSecret,
  type AuthenticatedClient,
  type RefusedClient,
} from './client-outcomes.js'
import { readCustomClaims } from '../tokens/custom-claims.js'

export interface TokenApi extends Api {
  /** Seconds. */
  readonly accessTokenLifetime: number
  readonly claims: CreateClaims | undefined
}

/** `POST /{api}/token` with the client credentials grant (RFC 6749 3.2, 4.4). */
export function createTokenEndpoint(
  api: TokenApi,
  options: {
    readonly authenticateClient: AuthenticateClient
    readonly signAccessToken: SignAccessToken
    readonly limitTokenRequests: RateLimit | undefined
    readonly observer: ApiObserver
    readonly emit: Emit
    readonly now: () => number
  },
): Endpoint {
  const { authenticateClient, signAccessToken, limitTokenRequests, emit, now } = options
  const { tokenIssued, refused } = options.observer
  const route = `POST ${new URL(api.resource).pathname}/token`

  return async function answerTokenRequest(req, res) {
    let authenticated: AuthenticatedClient | undefined
    try {
      const { form, grantType } = await readTokenRequest(req)
      authenticated = await limitAuthenticationTime(authenticateClient(req, form, api))
      const { application, client, secret } = authenticated
      if (grantType !== 'client_credentials')
        throw new OAuthError('unsupported_grant_type', 'The only grant type here is client_credentials')
      const scopes = grantScopes(api, authenticated, form)
      const limitHeaders = await limitTokenRequests?.(application.id)
      const customClaims = api.claims && (await readCustomClaims(api.name, api.claims, application))

      const accessToken = await signAccessToken({
        issuer: api.resource,
        applicationId: application.id,
        scopes,
        issuedAt: now(),
        lifetime: api.accessTokenLifetime,
        tokensRevokedAt: application.tokensRevokedAt,
        credentialId: secret.networks && secret.id,
        customClaims,
      })
      if (accessToken.length > MAX_ACCESS_TOKEN_LENGTH) throw createTooLongError(accessToken.length)
      tokenIssued?.(application.id)
      emit('token.issued', { api: api.name, applicationId: application.id, client }, req)
      const answer = { access_token: accessToken, token_type: 'bearer', expires_in: api.accessTokenLifetime }
      const document = scopes.length > 0 ? { ...answer, scope: scopes.join(' ') } : answer
      sendJson(res, 200, document, limitHeaders ? { ...NO_STORE, ...limitHeaders } : NO_STORE)
    } catch (error) {
      const denied = toDenial(error)
      const client = describeRefusedClient(error)
      const refusal = describeRefusal(denied.error, client, authenticated)
      emit('token.refused', { api: api.name, ...refusal }, req)
      const { applicationId, reason } = refusal
      if (refused && applicationId !== undefined)
        refused({ applicationId, denied, reason, details: { ...client?.details, route } }, req)
      throw error
    }
  }
}

/** Scopes alone can make a token so long: the length of everything else is bounded. */
function createTooLongError(length: number): OAuthError {
  return new OAuthError(
    'invalid_scope',
    `The access token would have ${length} characters, and headers carry ${MAX_ACCESS_TOKEN_LENGTH}: request fewer scopes, with the parameter scope`,
  )
}

/** A refusal with a reason for operators; the answer has its `error` only. */
function describeRefusal(
  error: string,
  refused: RefusedClient | undefined,
  authenticated: AuthenticatedClient | undefined,
): EventDetails & { readonly reason: string } {
  return {
    error,
    reason: refused?.reason ?? (error === 'unauthorized_client' ? 'not_allowed' : error),
    client: authenticated?.client ?? refused?.client,
    applicationId: authenticated?.application.id ?? refused?.applicationId,
  }
}

async function readTokenRequest(req: IncomingMessage): Promise<{ form: Form; grantType: string }> {
  if (req.method !== 'POST')
    throw new OAuthError('invalid_request', 'The token endpoint takes POST only', {
      status: 405,
      headers: { Allow: 'POST' },
    })
  const form = await readForm(req, PARAMETERS)
  const grantType = form.get('grant_type')
  if (grantType === undefined) throw new OAuthError('invalid_request', 'The parameter grant_type is missing')
  refuseInQuery(req, CLIENT_PARAMETERS)
  return { form, grantType }
}

const PARAMETERS = ['grant_type', ...CLIENT_PARAMETERS, 'scope', 'resource']
/** RFC 6749 5.1. */
const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }

function grantScopes(api: Api, client: AuthenticatedClient, form: Form): readonly string[] {
  const grant = findGrant(client.application, api)
  if (!grant) throw new OAuthError('unauthorized_client', 'The application may not use this API')
  refuseRestrictedSecret(client, api)

  const usableScopes = restrictScopes(client.secret, api, grant.scopes)
  // An application may still have scopes that the API no longer has.
  const grantedScopes = Object.keys(api.scopes).filter((scope) => usableScopes.includes(scope))
  const scopes = selectScopes(api, grantedScopes, form.get('scope'))
  const resource = form.get('resource')
  // Some libraries write a slash behind every URL.
  if (resource !== undefined && resource !== api.resource && resource !== `${api.resource}/`)
    throw new OAuthError('invalid_target', `The resource is not this API; its identifier is ${api.resource}`)
  return scopes
}

/** RFC 6749 3.3. Many clients request every scope of the metadata, and get those that their application has. */
function selectScopes(api: Api, granted: readonly string[], requested: string | undefined): readonly string[] {
  if (requested === undefined) return granted
  // Surplus spaces do no harm.
  const requestedScopes = [...new Set(requested.split(' ').filter((scope) => scope !== ''))]
  if (requestedScopes.length === 0) throw new OAuthError('invalid_scope', 'The scope has only spaces')
  // A malformed scope is never one of the API.
  const unknown = requestedScopes.findIndex((scope) => !Object.hasOwn(api.scopes, scope))
  // The message names the position: the text may be a credential in the wrong parameter, and the log has this message.
  if (unknown >= 0) {
    const known = Object.keys(api.scopes).join(' ')
    throw new OAuthError('invalid_scope', `Scope number ${unknown + 1} is none of this API. There are: ${known}`)
  }
  const scopes = requestedScopes.filter((scope) => granted.includes(scope))
  if (scopes.length > 0) return scopes
  throw new OAuthError('invalid_scope', 'The application has been granted none of the requested scopes')
}
