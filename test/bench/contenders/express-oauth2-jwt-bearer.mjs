import { createServer } from 'node:http'
import { auth, requiredScopes } from 'express-oauth2-jwt-bearer'
import { guardedApp } from '../app.mjs'
import { issue, RESOURCE } from '../tokens.mjs'

/** As in its README: `auth()` with issuer and audience, the cached key set, and `requiredScopes()`. */
export async function start({ tokens }) {
  const { publicJwk, lines } = issue(tokens)
  const keySet = createServer((_req, res) => res.end(JSON.stringify({ keys: [publicJwk] })))
  await new Promise((listening) => keySet.listen(0, '127.0.0.1', listening))
  const jwksUri = `http://127.0.0.1:${keySet.address().port}/`
  const guard = auth({ issuer: RESOURCE, audience: RESOURCE, jwksUri, tokenSigningAlg: 'ES256' })
  return { app: guardedApp(guard, requiredScopes('orders:read')), lines }
}
