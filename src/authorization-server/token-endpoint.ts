import type { ApiSettings } from '../options/settings.js'
import { OAuthError } from '../contracts/errors.js'
import type { Emit } from '../contracts/events.js'
import { readForm, refuseInQuery } from '../http/form.js'
import { toDenial, sendJson } from '../http/respond.js'
import type { RateLimit } from '../rate-limits/rate-limit.js'
import type { SignAccessToken } from '../tokens/access-token.js'
import type { AuthenticateClient } from './client-authentication.js'
import { grantScopes } from './client-credentials-grant.js'
import type { Endpoint } from '../http/middleware.js'

interface TokenEndpointOptions {
  readonly authenticateClient: AuthenticateClient
  readonly signAccessToken: SignAccessToken
  readonly tokenRequests: RateLimit | undefined
  readonly emit: Emit
  readonly now: () => number
}

/** `POST /{api}/token` (RFC 6749 3.2, 4.4). */
export function tokenEndpoint(api: ApiSettings, options: TokenEndpointOptions): Endpoint {
  const { authenticateClient, signAccessToken, tokenRequests, emit, now } = options

  return async function answerTokenRequest(req, res) {
    let applicationId: string | undefined
    try {
      if (req.method !== 'POST') {
        throw new OAuthError('invalid_request', 'The token endpoint takes POST only', {
          status: 405,
          headers: { Allow: 'POST' },
        })
      }
      const form = await readForm(req, PARAMETERS)
      const grantType = form.get('grant_type')
      if (grantType === undefined) throw new OAuthError('invalid_request', 'The parameter grant_type is missing')
      refuseInQuery(req, CREDENTIALS)

      const application = await authenticateClient(req, form, api.name)
      applicationId = application.id
      if (grantType !== 'client_credentials') {
        throw new OAuthError('unsupported_grant_type', 'The only grant type here is client_credentials')
      }
      const scopes = grantScopes(api, application, form)
      const standing = await tokenRequests?.(application.id)

      const accessToken = await signAccessToken({
        issuer: api.resource,
        applicationId,
        scopes,
        issuedAt: now(),
        lifetime: api.accessTokenLifetime,
        tokensRevokedAt: application.tokensRevokedAt,
      })
      emit('token.issued', { api: api.name, applicationId }, req)
      const answer = {
        access_token: accessToken,
        token_type: 'bearer',
        expires_in: api.accessTokenLifetime,
      }
      const document = scopes.length > 0 ? { ...answer, scope: scopes.join(' ') } : answer
      sendJson(res, 200, document, standing ? { ...NOT_STORED, ...standing } : NOT_STORED)
    } catch (error) {
      emit('token.refused', { api: api.name, applicationId, reason: toDenial(error).error }, req)
      throw error
    }
  }
}

const PARAMETERS = ['grant_type', 'client_id', 'client_secret', 'scope', 'resource']
const CREDENTIALS = ['client_id', 'client_secret']
/** RFC 6749 5.1. */
const NOT_STORED = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }
