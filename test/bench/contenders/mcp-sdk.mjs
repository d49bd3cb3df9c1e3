import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import { importJWK, jwtVerify } from 'jose'
import { guardedApp } from '../app.mjs'
import { issue, RESOURCE } from '../tokens.mjs'

/** Its `requireBearerAuth` with scopes and a verifier that calls jose. */
export async function start({ tokens }) {
  const { publicJwk, lines } = issue(tokens)
  const key = await importJWK(publicJwk)
  const expected = { issuer: RESOURCE, audience: RESOURCE, typ: 'at+jwt', algorithms: ['ES256'] }
  async function verifyAccessToken(token) {
    try {
      const { payload } = await jwtVerify(token, key, expected)
      return { token, clientId: payload.client_id, scopes: payload.scope.split(' '), expiresAt: payload.exp }
    } catch {
      throw new InvalidTokenError('The access token is not valid')
    }
  }
  const guard = requireBearerAuth({ verifier: { verifyAccessToken }, requiredScopes: ['orders:read'] })
  return { app: guardedApp(guard), lines }
}
