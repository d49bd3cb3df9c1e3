import type { IncomingMessage } from 'node:http'
import type { Api } from '../../shared/contracts/api.js'
import { OAuthError } from '../../shared/contracts/denial.js'
import type { Emit } from '../../shared/contracts/events.js'
import { limitAuthenticationTime } from '../http/authentication-timeout.js'
import { readForm, refuseInQuery, type Form } from '../http/form.js'
import type { Endpoint } from '../http/middleware.js'
import { sendEmpty, sendJson } from '../http/respond.js'
import type { RateLimit } from '../rate-limits/rate-limit.js'
import type { AccessToken } from '../tokens/verified-token.js'
import type { RevokedTokens } from '../tokens/revoked-tokens-api.js'
import { CLIENT_PARAMETERS, refuseRestrictedSecret, type AuthenticateClient } from './client-authentication.js'

/** `POST /{api}/introspect` (RFC 7662): the facts that a client may know of its own access token. */
export function createIntrospectionEndpoint(api: Api, readOwnToken: ReadOwnToken): Endpoint {
  return async function answerIntrospectionRequest(req, res) {
    const token = await readOwnToken(req, api)
    const document = token ? describeToken(token) : { active: false }
    sendJson(res, 200, document, NO_STORE)
  }
}

/** `POST /{api}/revoke` (RFC 7009): 200 whether or not there was a token to revoke. */
export function createRevocationEndpoint(
  api: Api,
  {
    readOwnToken,
    revokedTokens,
    limitRevocations,
    emit,
  }: {
    readonly readOwnToken: ReadOwnToken
    readonly revokedTokens: RevokedTokens
    readonly limitRevocations: RateLimit | undefined
    readonly emit: Emit
  },
): Endpoint {
  return async function answerRevocationRequest(req, res) {
    const token = await readOwnToken(req, api)
    if (token && !(await revokedTokens.isRevoked(token))) {
      const { applicationId } = token
      await limitRevocations?.(applicationId)
      // A token that is revoked already emits no second event.
      if (await revokedTokens.revoke(token))
        emit('token.revoked', { api: api.name, applicationId, client: applicationId }, req)
    }
    sendEmpty(res, 200, NO_STORE)
  }
}

/** The access token that a request names, if it is valid and the client's (RFC 7009 2.1, RFC 7662 2.1). */
export type ReadOwnToken = (req: IncomingMessage, api: Api) => Promise<AccessToken | undefined>

/** The access token, if the endpoint accepts it. */
export type VerifyAccessToken = (api: Api, presented: string) => Promise<AccessToken | undefined>

export function createOwnTokenReader(
  authenticateClient: AuthenticateClient,
  verifyAccessToken: VerifyAccessToken,
): ReadOwnToken {
  async function verifyOwnToken(req: IncomingMessage, form: Form, api: Api): Promise<AccessToken | undefined> {
    const client = await authenticateClient(req, form, api)
    refuseRestrictedSecret(client, api)
    const token = await verifyAccessToken(api, form.get('token')!)
    return token?.applicationId === client.application.id ? token : undefined
  }

  return async function readOwnToken(req, api) {
    const form = await readForm(req, PARAMETERS)
    if (form.get('token') === undefined) throw new OAuthError('invalid_request', 'The parameter token is missing')
    refuseInQuery(req, CREDENTIAL_PARAMETERS)
    return limitAuthenticationTime(verifyOwnToken(req, form, api))
  }
}

const PARAMETERS = ['token', 'token_type_hint', ...CLIENT_PARAMETERS]
const CREDENTIAL_PARAMETERS = ['token', ...CLIENT_PARAMETERS]
const NO_STORE = { 'Cache-Control': 'no-store' }

/** RFC 7662 2.2. Custom claims have none of the names below. */
function describeToken(token: AccessToken): object {
  return {
    ...(token.customClaims !== undefined && (JSON.parse(token.customClaims) as object)),
    active: true,
    token_type: 'bearer',
    iss: token.issuer,
    aud: token.issuer,
    sub: token.applicationId,
    client_id: token.applicationId,
    iat: token.iat,
    exp: token.exp,
    jti: token.id,
    ...(token.scopes.length > 0 && { scope: token.scopes.join(' ') }),
  }
}
