import { randomBytes } from 'node:crypto'
import { Provider } from 'oidc-provider'
import { newApp } from '../app.mjs'
import { clientLines } from '../clients.mjs'
import { newKeyPair, RESOURCE, SCOPES } from '../tokens.mjs'

/**
 * The client credentials of its documentation with resource indicators, which make access tokens JWTs (ES256). Clients
 * are in its configuration; `method` is their authentication method, which it fixes per client.
 */
export async function start({ clients: count, method }) {
  const clients = Array.from({ length: count }, (_, i) => ({
    id: `client_${i}`,
    secret: randomBytes(32).toString('base64url'),
  }))
  const { privateJwk, publicJwk } = newKeyPair('oidc')
  const scope = SCOPES.join(' ')
  const provider = new Provider('http://127.0.0.1', {
    clients: clients.map(({ id, secret }) => ({
      client_id: id,
      client_secret: secret,
      token_endpoint_auth_method: method,
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      scope,
    })),
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    scopes: SCOPES,
    jwks: { keys: [{ ...publicJwk, ...privateJwk }] },
    ttl: { ClientCredentials: 3600 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope,
          audience: RESOURCE,
          accessTokenTTL: 3600,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  })
  return { app: newApp().use(provider.callback()), lines: clientLines(clients) }
}
