import type { RequestHandler } from 'express'
import { maybeAuthOf } from '../../../src/index.js'
import type { ClientCredentials } from '../../support/http.js'
import type { FailingHost } from '../../support/failing-store.js'

export type KnownApplication = ClientCredentials & { readonly id: string }

/** Routes behind guards, which answer with what `maybeAuthOf(req)` returns. */
export function mountGuardedRoutes({ app, auth }: FailingHost): void {
  app.all('/orders/items', auth.requireBearer('orders'), sendAuthInfo)
  app.all('/orders/read', auth.requireBearer('orders', { scopes: ['orders:read'] }), sendAuthInfo)
  app.all('/orders/both', auth.requireBearer('orders', { scopes: ['orders:write', 'orders:read'] }), sendAuthInfo)
  app.all('/invoices/items', auth.requireBearer('invoices'), sendAuthInfo)
  app.all('/catalog/items', auth.requireApiKey('catalog'), sendAuthInfo)
  app.all('/weather/now', auth.requireApiKey('weather'), sendAuthInfo)
}

/** A handler that answers with what the guard established. */
export const sendAuthInfo: RequestHandler = (req, res) => void res.json(maybeAuthOf(req) ?? null)

const BEARER = 'Bearer realm="orders"'
const METADATA = 'resource_metadata="https://api.example.com/orders/.well-known/oauth-protected-resource"'
const API_KEY = 'ApiKey realm="catalog"'

/** The complete challenge of a bearer guard, byte for byte. */
export function createBearerChallenge(error: string, description: string, more = ''): { 'www-authenticate': string } {
  return { 'www-authenticate': `${BEARER}, error="${error}", error_description="${description}", ${more}${METADATA}` }
}

export function createApiKeyChallenge(error: string, description: string): { 'www-authenticate': string } {
  return { 'www-authenticate': `${API_KEY}, error="${error}", error_description="${description}", header="X-Api-Key"` }
}

export const TOKEN_MISSING = { 'www-authenticate': `${BEARER}, ${METADATA}` }
/** The same from a guard that names scopes. */
export function createMissingTokenChallenge(scopes: string): { 'www-authenticate': string } {
  return { 'www-authenticate': `${BEARER}, scope="${scopes}", ${METADATA}` }
}
export const TOKEN_MALFORMED = createBearerChallenge(
  'invalid_request',
  'The Authorization header must be: Bearer <access token>',
)
export const TOKEN_TOO_LONG = createBearerChallenge('invalid_request', 'The access token has more than 8192 characters')
export const TOKEN_INVALID = createBearerChallenge('invalid_token', 'The access token is not valid')
export const TOKEN_REVOKED = createBearerChallenge('invalid_token', 'The access token is no longer valid')
export const KEY_MISSING = { 'www-authenticate': `${API_KEY}, header="X-Api-Key"` }
export const KEY_INVALID = createApiKeyChallenge('invalid_api_key', 'The API key is not valid')
export const ACCESS_DENIED = createApiKeyChallenge('access_denied', 'The application may not use this API')
