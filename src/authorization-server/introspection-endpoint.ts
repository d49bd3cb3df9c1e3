import type { ApiSettings } from '../options/settings.js'
import { sendJson } from '../http/respond.js'
import type { ReadOwnToken } from './own-token.js'
import type { Endpoint } from '../http/middleware.js'

/** `POST /{api}/introspect` (RFC 7662): what is known of an application's own token. */
export function introspectionEndpoint(api: ApiSettings, readOwnToken: ReadOwnToken): Endpoint {
  return async function answerIntrospectionRequest(req, res) {
    const token = await readOwnToken(req, api)
    sendJson(res, 200, token ? describe(token) : { active: false }, {
      'Cache-Control': 'no-store',
    })
  }
}

function describe(token: NonNullable<Awaited<ReturnType<ReadOwnToken>>>): object {
  return {
    active: true,
    token_type: 'bearer',
    iss: token.issuer,
    aud: token.issuer,
    sub: token.applicationId,
    client_id: token.applicationId,
    iat: Math.floor(token.iat),
    exp: token.exp,
    jti: token.id,
    ...(token.scopes.length > 0 && { scope: token.scopes.join(' ') }),
  }
}
