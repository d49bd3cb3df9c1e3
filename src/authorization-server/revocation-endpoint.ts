import type { ApiSettings } from '../options/settings.js'
import type { Emit } from '../contracts/events.js'
import { sendNothing } from '../http/respond.js'
import type { RevokedTokens } from '../tokens/revoked-tokens.js'
import type { ReadOwnToken } from './own-token.js'
import type { Endpoint } from '../http/middleware.js'

interface RevocationEndpointOptions {
  readonly readOwnToken: ReadOwnToken
  readonly revokedTokens: RevokedTokens
  readonly emit: Emit
}

/** `POST /{api}/revoke` (RFC 7009): 200 whether there was something to revoke or not. */
export function revocationEndpoint(
  api: ApiSettings,
  { readOwnToken, revokedTokens, emit }: RevocationEndpointOptions,
): Endpoint {
  return async function answerRevocationRequest(req, res) {
    const token = await readOwnToken(req, api)
    // Telling of what is revoked already would be telling of nothing.
    if (token && !(await revokedTokens.isRevoked(token.id))) {
      await revokedTokens.revoke({ id: token.id, expiresAt: token.exp * 1000 })
      emit('token.revoked', { api: api.name, applicationId: token.applicationId }, req)
    }
    sendNothing(res, 200, { 'Cache-Control': 'no-store' })
  }
}
