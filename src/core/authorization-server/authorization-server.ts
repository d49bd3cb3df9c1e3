import type { Api, Limit } from '../../shared/contracts/api.js'
import type { Emit } from '../../shared/contracts/events.js'
import { addCors, createCors, routeDocument } from '../http/cors.js'
import {
  answerErrors,
  createPathRouter,
  logDenial,
  type CheckMount,
  type PaceStarts,
  type Routes,
} from '../http/endpoints.js'
import type { Endpoint } from '../http/middleware.js'
import { sendDenial, sendEmpty } from '../http/respond.js'
import type { LogRefusal } from '../http/refusal-log.js'
import type { RateLimit, RateLimits } from '../rate-limits/rate-limits.js'
import type { SignAccessToken } from '../tokens/access-token.js'
import type { RevokedTokens } from '../tokens/revoked-tokens.js'
import type { SigningKeys } from '../tokens/signing-keys.js'
import { ExpiredAccessToken, type AccessToken, type AccessTokenVerifier } from '../tokens/verify-access-token.js'
import type { ApiObservers } from '../../shared/contracts/api-observer.js'
import { createClientAuthentication, describeRefusedClient } from './client-authentication.js'
import {
  createIntrospectionEndpoint,
  createRevocationEndpoint,
  type VerifyAccessToken,
} from './introspection-and-revocation.js'
import {
  createAuthorizationEndpoint,
  createAuthorizationServerMetadata,
  createKeySetEndpoint,
  createOpenIdMetadata,
  createProtectedResourceMetadata,
} from './metadata-endpoints.js'
import {
  createResourceServerEndpoints,
  type GuardIntrospected,
  type IntrospectedApi,
} from './resource-server-endpoints.js'
import { createResourceServerAuthentication } from './resource-server-authentication.js'
import { createSuspensionEndpoint } from './suspension-endpoint.js'
import { createTokenEndpoint, type TokenApi } from './token-endpoint.js'

/** The endpoints of every oauth2 API, as `auth.router`, `auth.wellKnownRouter` and `auth.suspensionRouter`. */
export function createAuthorizationServer(
  options: Parameters<typeof createClientAuthentication>[0] & {
    /** All APIs. The endpoints exist for those with the scheme oauth2. */
    readonly apis: ReadonlyMap<string, TokenApi & IntrospectedApi>
    /** Without a slash at its end. */
    readonly baseUrl: string
    /** The path of `baseUrl`, without a slash at its end. */
    readonly basePath: string
    readonly corsOrigins: '*' | readonly string[]
    /** The algorithms that access tokens may have. */
    readonly signingAlgorithms: readonly string[]
    /** Seconds that a signing key is published before it signs. */
    readonly publishAhead: number
    readonly limits: {
      readonly tokenRequests: Limit | false
      readonly revocations: Limit | false
      readonly failedAuthentication: Limit | false
      readonly headers: boolean
    }
    readonly rateLimits: Pick<RateLimits, 'create'>
    readonly limitFailures: RateLimit | undefined
    readonly assertions: Parameters<typeof createClientAuthentication>[2]
    readonly signAccessToken: SignAccessToken
    readonly accessTokens: Pick<AccessTokenVerifier, 'verify'>
    readonly revokedTokens: RevokedTokens
    readonly signingKeys: SigningKeys
    /** The access token as the guards of that API see it; undefined if they would refuse it. */
    readonly findActiveToken: VerifyAccessToken
    readonly guardIntrospected: GuardIntrospected
    /** The time on the monotonic clock until which what this process knows may be served. */
    readonly freshUntil: () => number
    readonly observers: ApiObservers
    readonly emit: Emit
    readonly paceStarts: PaceStarts
    readonly logRefusal: LogRefusal
    /** Logs mistakes of mounting; undefined outside development. */
    readonly checkMount: CheckMount | undefined
  },
) {
  const { apis, baseUrl, basePath, corsOrigins, signingAlgorithms, publishAhead, limits, rateLimits } = options
  const { limitFailures, applicationCache, available, signAccessToken, accessTokens, revokedTokens } = options
  const { signingKeys, findActiveToken, guardIntrospected, freshUntil, observers, emit, paceStarts } = options
  const { logRefusal, checkMount, now } = options
  const authenticateClient = createClientAuthentication(options, limitFailures, options.assertions)
  // The console asks here about credentials that the token endpoint has just refused and counted. This limit has a count of its
  // own, so that a wrong secret counts once there, and guesses here are limited all the same.
  const limitSuspensionFailures = rateLimits.create('failedAuthentication:suspended', limits.failedAuthentication, {
    setBy: 'rateLimits.failedAuthentication',
    untrustedKeys: true,
  })
  const limitRevocations = rateLimits.create('revocations', limits.revocations, {
    delayRefusals: true,
    setBy: 'rateLimits.revocations',
  })
  const authenticateResourceServer = createResourceServerAuthentication({ authenticateClient, apis, baseUrl })
  const { sendIntrospection, introspect, createCheck } = createResourceServerEndpoints({
    authenticateClient,
    authenticateResourceServer,
    guardIntrospected,
    limitFailures,
    freshUntil,
    isOutdated: applicationCache.isOutdated,
    now,
  })

  const cors = createCors(corsOrigins, limits.headers ? ['RateLimit', 'RateLimit-Policy'] : [])
  const answer = (endpoint: Endpoint, api: string): Endpoint =>
    answerErrors(endpoint, (error, req, res) =>
      sendDenial(req, res, logDenial(logRefusal, api, error, describeRefusedClient(error)?.reason)),
    )
  const ofPlatform = (endpoint: Endpoint) => ({ POST: answer(paceStarts(endpoint), 'platform') })
  const keySet = routeDocument(answer(createKeySetEndpoint({ signingKeys, available, publishAhead }), 'platform'))

  /** The routes of an API, and those of its metadata at the root of the origin. */
  function listRoutes(api: TokenApi & IntrospectedApi) {
    const wrap = (endpoint: Endpoint): Endpoint => answer(endpoint, api.name)
    const wrapWithCors = (endpoint: Endpoint): Endpoint => wrap(addCors(paceStarts(endpoint), cors))
    const preflight = cors && { OPTIONS: wrap(addCors((_req, res) => sendEmpty(res, 204), cors)) }
    const token = createTokenEndpoint(api, {
      authenticateClient,
      signAccessToken,
      limitTokenRequests: limitTokenRequests(api.name, limits.tokenRequests, rateLimits),
      observer: observers.get(api.name) ?? {},
      emit,
      now,
    })
    const revoke = createRevocationEndpoint(api, {
      authenticateClient,
      // Also tokens that guards refuse now: they must stay revoked when the application may use the API again.
      verifyAccessToken: (_, presented) => verifyIssued(accessTokens, api, presented),
      revokedTokens,
      limitRevocations,
      emit,
    })
    const ofTokens = { authenticateClient, verifyAccessToken: findActiveToken, sendIntrospection }
    const documents = [
      ['oauth-authorization-server', routeDocument(wrap(createAuthorizationServerMetadata(api)))],
      ['openid-configuration', routeDocument(wrap(createOpenIdMetadata(api, signingAlgorithms)))],
      ['oauth-protected-resource', routeDocument(wrap(createProtectedResourceMetadata(api)))],
    ] as const
    const authorize = wrap(createAuthorizationEndpoint())
    return {
      own: new Map([
        [`/${api.name}/token`, { '*': wrapWithCors(token), ...preflight }],
        [`/${api.name}/revoke`, { POST: wrapWithCors(revoke), ...preflight }],
        [`/${api.name}/introspect`, { POST: wrapWithCors(createIntrospectionEndpoint(api, ofTokens)), ...preflight }],
        [`/${api.name}/check`, { POST: wrap(paceStarts(createCheck(api))) }],
        [`/${api.name}/authorize`, { GET: authorize, HEAD: authorize }],
        ...documents.map(([name, route]) => [`/${api.name}/.well-known/${name}`, route] as const),
        [`/${api.name}/.well-known/jwks.json`, keySet],
      ]) as Routes,
      // They have the path of `baseUrl` in theirs (RFC 8414 3.1, RFC 9728 3.1).
      atRoot: new Map(documents.map(([name, route]) => [`/.well-known/${name}${basePath}/${api.name}`, route])),
    }
  }

  const ofApis = [...apis.values()].filter(({ scheme }) => scheme === 'oauth2').map(listRoutes)
  const rootRoutes: Routes = new Map(ofApis.flatMap(({ atRoot }) => [...atRoot]))
  const routes: Routes = new Map([
    ['/.well-known/jwks.json', keySet],
    // No API's name begins so.
    ['/_resource-server/introspect', ofPlatform(introspect)],
    ['/_resource-server/check', ofPlatform(createCheck(undefined))],
    ...ofApis.flatMap(({ own }) => [...own]),
    ...(basePath === '' ? rootRoutes : []),
  ])
  const suspension = createSuspensionEndpoint(createClientAuthentication(options, limitSuspensionFailures))
  const routers = {
    router: createPathRouter(routes, checkMount),
    wellKnownRouter: createPathRouter(rootRoutes),
    suspensionRouter: createPathRouter(new Map([['/', ofPlatform(suspension)]])),
  }
  return { routers, authenticateResourceServer }
}

async function verifyIssued(
  accessTokens: Pick<AccessTokenVerifier, 'verify'>,
  api: Api,
  presented: string,
): Promise<AccessToken | undefined> {
  const token = await accessTokens.verify(presented)
  if (token === 'invalid' || token instanceof ExpiredAccessToken) return undefined
  return token.issuer === api.resource ? token : undefined
}

/** API names have no slash, so `orders/token` is never the policy name of a `requests` limit. */
function limitTokenRequests(
  api: string,
  limit: Limit | false,
  rateLimits: Pick<RateLimits, 'create'>,
): RateLimit | undefined {
  const setBy = 'rateLimits.tokenRequests'
  return rateLimits.create(`tokenRequests:${api}`, limit, { policy: `${api}/token`, setBy })
}
