import type { Emit } from '../contracts/events.js'
import { createCors } from '../http/cors.js'
import type { Middleware } from '../http/middleware.js'
import type { LogRefusal } from '../http/refusal-log.js'
import type { RateLimit } from '../rate-limits/rate-limit.js'
import type { AccessTokens } from '../tokens/access-token.js'
import type { RevokedTokens } from '../tokens/revoked-tokens.js'
import type { SigningKeys } from '../tokens/signing-keys.js'
import { createClientAuthentication, type ClientAuthenticationOptions } from './client-authentication.js'
import {
  createIntrospectionEndpoint,
  createOwnTokenReader,
  createRevocationEndpoint,
  type VerifyAccessToken,
} from './introspection-and-revocation.js'
import {
  createAuthorizationEndpoint,
  createAuthorizationServerMetadata,
  createKeySetEndpoint,
  createProtectedResourceMetadata,
} from './metadata-endpoints.js'
import { createRouters } from './router.js'
import { createTokenEndpoint, type TokenApi } from './token-endpoint.js'

interface AuthorizationServerOptions {
  /** The oauth2 APIs. */
  readonly apis: readonly TokenApi[]
  readonly baseUrl: string
  /** The path of `baseUrl`, without a slash at its end. */
  readonly basePath: string
  readonly corsOrigins: '*' | readonly string[]
  /** Whether token answers have `RateLimit` headers. */
  readonly rateLimitHeaders: boolean
  /** Seconds that a signing key is published before it signs. */
  readonly publishAhead: number
  readonly clientAuthentication: ClientAuthenticationOptions
  readonly accessTokens: AccessTokens
  readonly revokedTokens: RevokedTokens
  readonly signingKeys: SigningKeys
  /** The limit of token requests to that API; undefined where there is none. */
  readonly createTokenRequestLimit: (api: TokenApi) => RateLimit | undefined
  /** The access token as the guards of that API see it; undefined if they would refuse it. */
  readonly verifyAccessToken: VerifyAccessToken
  readonly emit: Emit
  readonly logRefusal: LogRefusal
}

/** The endpoints of every oauth2 API, as `auth.router` and `auth.wellKnownRouter`. */
export function createAuthorizationServer(options: AuthorizationServerOptions): {
  router: Middleware
  wellKnownRouter: Middleware
} {
  const { apis, baseUrl, basePath, accessTokens, revokedTokens, signingKeys, emit, logRefusal } = options
  const { available, now } = options.clientAuthentication
  const authenticateClient = createClientAuthentication(options.clientAuthentication)
  const readValidToken = createOwnTokenReader({ authenticateClient, verifyAccessToken: options.verifyAccessToken })
  // Revocation accepts tokens that guards refuse now: an application that is allowed again must not get a revoked token back.
  const readIssuedToken = createOwnTokenReader({
    authenticateClient,
    async verifyAccessToken(api, presented) {
      const token = await accessTokens.verify(presented)
      return typeof token !== 'string' && token.issuer === api.resource ? token : undefined
    },
  })

  return createRouters({
    endpoints: apis.map((api) => ({
      api,
      token: createTokenEndpoint(api, {
        authenticateClient,
        accessTokens,
        limitTokenRequests: options.createTokenRequestLimit(api),
        emit,
        now,
      }),
      revoke: createRevocationEndpoint(api, { readOwnToken: readIssuedToken, revokedTokens, emit }),
      introspect: createIntrospectionEndpoint(api, readValidToken),
      authorize: createAuthorizationEndpoint(),
      authorizationServerMetadata: createAuthorizationServerMetadata(api, baseUrl),
      protectedResourceMetadata: createProtectedResourceMetadata(api),
    })),
    keySet: createKeySetEndpoint({ signingKeys, available, publishAhead: options.publishAhead }),
    basePath,
    cors: createCors(options.corsOrigins, options.rateLimitHeaders ? ['RateLimit', 'RateLimit-Policy'] : []),
    logRefusal,
  })
}
