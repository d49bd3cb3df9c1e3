import type { Api } from '../../shared/contracts/api.js'
import { OAuthError } from '../../shared/contracts/denial.js'
import type { Endpoint } from '../http/middleware.js'
import { sendJson } from '../http/respond.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import type { SigningKeys } from '../tokens/signing-keys.js'
import type { IncomingMessage } from 'node:http'

/** RFC 8414 2. Every API is an issuer, so that clients find the token endpoint from the API's address. */
export function createAuthorizationServerMetadata(api: Api): Endpoint {
  return createDocumentEndpoint({ ...describeAuthorizationServer(api), response_types_supported: [] })
}

/** OpenID Connect Discovery 1.0, 3, for clients that read nothing else. Strict readers need the members about ID tokens. */
export function createOpenIdMetadata(api: Api, signingAlgorithms: readonly string[]): Endpoint {
  return createDocumentEndpoint({
    ...describeAuthorizationServer(api),
    // Some readers refuse an empty list. `none` is the response type that returns neither a code nor a token.
    response_types_supported: ['none'],
    subject_types_supported: ['public'],
    // Some verifiers accept only these for access tokens too. RS256 must be listed.
    id_token_signing_alg_values_supported: [...new Set([...signingAlgorithms, 'RS256'])],
  })
}

function describeAuthorizationServer(api: Api): object {
  const { clientAuthentication: methods } = api
  const algorithms = methods.includes('private_key_jwt') ? ASSERTION_ALGORITHMS : undefined
  const describe = (endpoint: string): object => ({
    [`${endpoint}_endpoint_auth_methods_supported`]: methods,
    ...(algorithms && { [`${endpoint}_endpoint_auth_signing_alg_values_supported`]: algorithms }),
  })
  return {
    issuer: api.resource,
    // Widely used clients refuse a document without it, although there is no authorization by redirect.
    authorization_endpoint: `${api.resource}/authorize`,
    token_endpoint: api.tokenEndpoint,
    // Widely used verifiers do not read the metadata: they expect the key set below the issuer.
    jwks_uri: `${api.resource}/.well-known/jwks.json`,
    scopes_supported: Object.keys(api.scopes),
    grant_types_supported: ['client_credentials'],
    ...describe('token'),
    revocation_endpoint: `${api.resource}/revoke`,
    ...describe('revocation'),
    introspection_endpoint: `${api.resource}/introspect`,
    ...describe('introspection'),
  }
}

/** Those of `ALGORITHMS` in key-sets/public-key-set.ts, which is loaded with the first key set. */
const ASSERTION_ALGORITHMS = 'ES256 ES384 EdDSA Ed25519 RS256 PS256 RS384 PS384 RS512 PS512'.split(' ')

export function createProtectedResourceMetadata(api: Api): Endpoint {
  return createDocumentEndpoint({
    resource: api.resource,
    authorization_servers: [api.resource],
    scopes_supported: Object.keys(api.scopes),
    bearer_methods_supported: ['header'],
    resource_name: api.title,
  })
}

/** `GET /.well-known/jwks.json`, and the same below each issuer (RFC 7517 5). */
export function createKeySetEndpoint(options: {
  readonly signingKeys: SigningKeys
  readonly available: () => MaybePromise<void>
  /** Seconds that a signing key is published before it signs. */
  readonly publishAhead: number
}): Endpoint {
  const { signingKeys, available, publishAhead } = options
  // Every cached key set must have expired before a new key signs.
  const maxAge = Math.min(DOCUMENT_MAX_AGE_SECONDS, publishAhead)

  return async function answerKeySetRequest(req, res) {
    // The headers are set before anything can fail: pages may read refusals too.
    for (const [name, value] of Object.entries(PUBLIC)) res.setHeader(name, value)
    await available()
    const keys = signingKeys.list().map(({ publicJwk }) => publicJwk)
    sendJson(res, 200, { keys }, { 'Cache-Control': `public, max-age=${maxAge}`, ...answerDoctor(req) })
  }
}

/** `GET /{api}/authorize`: always refuses (RFC 6749 4.1.2.1). It exists because the metadata must name it. */
export function createAuthorizationEndpoint(): Endpoint {
  return function refuseAuthorization() {
    throw new OAuthError(
      'unsupported_response_type',
      'The only grant here is client_credentials, at the token endpoint',
    )
  }
}

/** Pages of every origin may read these documents. */
const PUBLIC = { 'Access-Control-Allow-Origin': '*' }
const DOCUMENT_MAX_AGE_SECONDS = 300

function createDocumentEndpoint(document: object): Endpoint {
  const headers = { ...PUBLIC, 'Cache-Control': `public, max-age=${DOCUMENT_MAX_AGE_SECONDS}` }

  return function answerMetadataRequest(_req, res) {
    sendJson(res, 200, document, headers)
  }
}

/** For the doctor: how many addresses `X-Forwarded-For` had, and how many `trust proxy` uses. Empty unless asked for. */
function answerDoctor(req: IncomingMessage): Readonly<Record<string, string>> {
  if (req.headers['platform-auth-doctor'] === undefined) return {}
  const received =
    req.headers['x-forwarded-for']
      ?.toString()
      .split(',')
      .filter((text) => text.trim() !== '').length ?? 0
  // Express's `req.ips`: the addresses of X-Forwarded-For that `trust proxy` lets it use. Without Express none is used.
  const { ip, ips } = req as { ip?: unknown; ips?: unknown }
  const used = Array.isArray(ips) ? ips.length : 0
  // A host that sets `req.ip` by itself has its own way to find the address.
  if (!Array.isArray(ips) && ip !== undefined) return {}
  return { 'Cache-Control': 'no-store', 'Platform-Auth-Doctor': `received=${received}, used=${used}` }
}
