import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiSettings } from '../options/settings.js'
import { OAuthError } from '../contracts/errors.js'
import type { MaybePromise } from '../lib/maybe-promise.js'
import { sendJson } from '../http/respond.js'
import type { SigningKeys } from '../tokens/signing-keys.js'
import type { Endpoint } from '../http/middleware.js'

/** What everybody may read, from any page. */
const PUBLIC = { 'Access-Control-Allow-Origin': '*' }

/** RFC 8414 2. Every API is an issuer of its own, so that clients find its token endpoint from its address. */
export function authorizationServerMetadata(api: ApiSettings, baseUrl: string): Endpoint {
  const methods = ['client_secret_basic', 'client_secret_post']
  return document({
    issuer: api.resource,
    // Widely used clients refuse a document without this one, though nothing here is authorized by redirect.
    authorization_endpoint: `${api.resource}/authorize`,
    token_endpoint: api.tokenEndpoint,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    scopes_supported: Object.keys(api.scopes),
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint: `${api.resource}/revoke`,
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint: `${api.resource}/introspect`,
    introspection_endpoint_auth_methods_supported: methods,
  })
}

/** RFC 9728 2. */
export function protectedResourceMetadata(api: ApiSettings): Endpoint {
  return document({
    resource: api.resource,
    authorization_servers: [api.resource],
    scopes_supported: Object.keys(api.scopes),
    bearer_methods_supported: ['header'],
    resource_name: api.title,
  })
}

interface KeySetOptions {
  readonly signingKeys: SigningKeys
  /** Rejects while the platform can't answer. */
  readonly available: () => MaybePromise<void>
  /** Seconds that caches may keep it. */
  readonly maxAge: number
}

/** `GET /.well-known/jwks.json` (RFC 7517 5). */
export function keySet({ signingKeys, available, maxAge }: KeySetOptions): Endpoint {
  return async function answerKeySetRequest(_req, res) {
    // Before anything can go wrong: a page may read a refusal too.
    for (const [name, value] of Object.entries(PUBLIC)) res.setHeader(name, value)
    await available()
    const keys = signingKeys.list().map(({ publicJwk }) => publicJwk)
    sendJson(res, 200, { keys }, { 'Cache-Control': `public, max-age=${maxAge}` })
  }
}

/** `GET /{api}/authorize`: there for clients that want it in the metadata; it refuses (RFC 6749 4.1.2.1). */
export function authorizationEndpoint(): Endpoint {
  return function refuseAuthorization() {
    throw new OAuthError(
      'unsupported_response_type',
      'The only grant here is client_credentials, at the token endpoint',
    )
  }
}

function document(content: object): Endpoint {
  return function answerMetadataRequest(_req: IncomingMessage, res: ServerResponse) {
    sendJson(res, 200, content, { ...PUBLIC, 'Cache-Control': 'public, max-age=300' })
  }
}
