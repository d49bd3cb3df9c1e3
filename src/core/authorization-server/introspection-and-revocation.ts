import type { IncomingMessage } from 'node:http'
import { isResourceServerOf } from '../applications/records/grants.js'
import type { Api } from '../../shared/contracts/api.js'
import type { Emit } from '../../shared/contracts/events.js'
import { limitAuthenticationTime } from '../http/endpoints.js'
import type { Endpoint } from '../http/middleware.js'
import { sendEmpty, sendJson } from '../http/respond.js'
import type { RateLimit } from '../rate-limits/rate-limits.js'
import type { AccessToken } from '../tokens/verify-access-token.js'
import type { RevokedTokens } from '../tokens/revoked-tokens.js'
import type { AuthenticateClient } from './client-authentication.js'
import { refuseRestrictedSecret } from './client-outcomes.js'
import {
  describeToken,
  NO_STORE,
  readTokenForm,
  refuseUnknown,
  type createResourceServerEndpoints,
  type IntrospectedApi,
} from './resource-server-endpoints.js'

/** RFC 7662: what a client may know of its own token, and a resource server of every one presented to it. */
export function createIntrospectionEndpoint(
  api: IntrospectedApi,
  options: {
    readonly authenticateClient: AuthenticateClient
    readonly verifyAccessToken: VerifyAccessToken
  } & Pick<ReturnType<typeof createResourceServerEndpoints>, 'sendIntrospection'>,
): Endpoint {
  const { authenticateClient, verifyAccessToken, sendIntrospection } = options
  return async function answerIntrospectionRequest(req, res) {
    const startedAt = performance.now()
    const { form, application, unknown } = await readClient(authenticateClient, req, api)
    if (isResourceServerOf(application, api)) {
      unknown.forEach(refuseUnknown)
      return sendIntrospection(req, res, { server: application, api }, form)
    }
    const token = await limitAuthenticationTime(verifyAccessToken(api, form.get('token')!), startedAt)
    const isOwn = token?.applicationId === application.id
    sendJson(res, 200, token && isOwn ? describeToken(token) : { active: false }, NO_STORE)
  }
}

/** `POST /{api}/revoke` (RFC 7009): 200 whether or not there was a token to revoke. */
export function createRevocationEndpoint(
  api: Api,
  options: {
    readonly authenticateClient: AuthenticateClient
    readonly verifyAccessToken: VerifyAccessToken
    readonly revokedTokens: RevokedTokens
    readonly limitRevocations: RateLimit | undefined
    readonly emit: Emit
  },
): Endpoint {
  const { authenticateClient, verifyAccessToken, revokedTokens, limitRevocations, emit } = options
  return async function answerRevocationRequest(req, res) {
    const startedAt = performance.now()
    const { form, application } = await readClient(authenticateClient, req, api)
    const token = await limitAuthenticationTime(verifyAccessToken(api, form.get('token')!), startedAt)
    const { id: applicationId } = application
    if (token?.applicationId === applicationId && !(await revokedTokens.isRevoked(token))) {
      await limitRevocations?.(applicationId)
      // A token that is revoked already emits no second event.
      if (await revokedTokens.revoke(token))
        emit('token.revoked', { api: api.name, applicationId, client: applicationId }, req)
    }
    sendEmpty(res, 200, NO_STORE)
  }
}

export type VerifyAccessToken = (api: Api, presented: string) => Promise<AccessToken | undefined>

/** The client of a request about a token, with its form. Rejects with `OAuthError` for an invalid request (RFC 7009 2.1, RFC 7662 2.1). */
async function readClient(authenticateClient: AuthenticateClient, req: IncomingMessage, api: Api) {
  const unknown: string[] = []
  const form = await readTokenForm(req, (name) => unknown.push(name))
  const client = await limitAuthenticationTime(authenticateClient(req, form, api))
  refuseRestrictedSecret(client, api)
  return { form, unknown, application: client.application }
}
