import type { ApiSettings } from '../options/settings.js'
import type { Emit } from '../contracts/events.js'
import type { MaybePromise } from '../lib/maybe-promise.js'
import { createCors } from '../http/cors.js'
import type { LogRefusal } from '../http/refusal-log.js'
import type { RateLimit } from '../rate-limits/rate-limit.js'
import type { RateLimits } from '../rate-limits/create.js'
import type { Settings } from '../options/settings.js'
import type { SignAccessToken } from '../tokens/access-token.js'
import type { RevokedTokens } from '../tokens/revoked-tokens.js'
import type { SigningKeys } from '../tokens/signing-keys.js'
import type { AccessToken, AccessTokenVerifier } from '../tokens/verify-access-token.js'
import {
  clientAuthentication,
  type AuthenticateClient,
  type ClientAuthenticationOptions,
} from './client-authentication.js'
import { introspectionEndpoint } from './introspection-endpoint.js'
import * as metadata from './metadata-endpoints.js'
import { ownTokenReader } from './own-token.js'
import { revocationEndpoint } from './revocation-endpoint.js'
import { createRouters } from './router.js'
import { type Middleware } from '../http/middleware.js'
import { tokenEndpoint } from './token-endpoint.js'

interface AuthorizationServerOptions {
  readonly settings: Settings
  readonly clients: Omit<ClientAuthenticationOptions, 'failures' | 'readChanges' | 'now'>
  readonly signAccessToken: SignAccessToken
  readonly accessTokens: Pick<AccessTokenVerifier, 'verify'>
  readonly revokedTokens: RevokedTokens
  readonly signingKeys: SigningKeys
  readonly limits: Pick<RateLimits, 'create'>
  /** A token as the guards of that API would see it; undefined where they would refuse it. */
  readonly verify: (api: ApiSettings, token: string) => Promise<AccessToken | undefined>
  /** Rejects while the platform can't answer. */
  readonly available: () => MaybePromise<void>
  /** Resolves whether this process knows all that was committed before, which it does where the store can tell. */
  readonly waitForLatest: () => Promise<boolean>
  /** The same, for as long as it takes. */
  readonly readChanges: () => Promise<boolean>
  readonly emit: Emit
  readonly logRefusal: LogRefusal
}

/** What issues access tokens: the endpoints of every oauth2 API, behind `auth.router` and `auth.wellKnownRouter`. */
export function createAuthorizationServer(options: AuthorizationServerOptions): {
  router: Middleware
  wellKnownRouter: Middleware
} {
  const { settings, clients, signAccessToken, accessTokens, revokedTokens, signingKeys, limits } = options
  const { available, waitForLatest, readChanges, emit, logRefusal } = options
  const { baseUrl, basePath, rateLimits, now } = settings

  const authenticate = clientAuthentication({
    ...clients,
    failures: limits.create('failedAuthentication', rateLimits.failedAuthentication, { untrustedKeys: true }),
    readChanges,
    now,
  })
  const authenticateClient: AuthenticateClient = async (...args) => {
    await available()
    // A token issued after revokeTokens() resolved, anywhere, is good: its issuer must know of it.
    const current = await waitForLatest()
    return authenticate(current, ...args)
  }
  const readGoodToken = ownTokenReader({ authenticateClient, verify: options.verify })
  // What may be revoked need not be good now: an application that is allowed again must not get it back.
  const readIssuedToken = ownTokenReader({
    authenticateClient,
    async verify(api, presented) {
      const token = await accessTokens.verify(presented)
      return typeof token !== 'string' && token.issuer === api.resource ? token : undefined
    },
  })
  // An API's name has no slash: what is asked of its token endpoint is told apart from what is asked of the API itself.
  const tokenRequests = (api: ApiSettings): RateLimit | undefined =>
    limits.create(`tokenRequests:${api.name}`, rateLimits.tokenRequests, { policy: `${api.name}/token` })
  const oauth2Apis = [...settings.apis.values()].filter(({ scheme }) => scheme === 'oauth2')
  // Caches must have turned over before a key signs that they have not seen.
  const maxAge = Math.min(300, settings.signing.publishAhead)

  return createRouters({
    endpoints: oauth2Apis.map((api) => ({
      api,
      token: tokenEndpoint(api, { authenticateClient, signAccessToken, tokenRequests: tokenRequests(api), emit, now }),
      revoke: revocationEndpoint(api, { readOwnToken: readIssuedToken, revokedTokens, emit }),
      introspect: introspectionEndpoint(api, readGoodToken),
      authorize: metadata.authorizationEndpoint(),
      authorizationServerMetadata: metadata.authorizationServerMetadata(api, baseUrl),
      protectedResourceMetadata: metadata.protectedResourceMetadata(api),
    })),
    keySet: metadata.keySet({ signingKeys, available, maxAge }),
    basePath,
    cors: createCors(settings.corsOrigins, rateLimits.headers ? ['RateLimit', 'RateLimit-Policy'] : []),
    logRefusal,
  })
}
