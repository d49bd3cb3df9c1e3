import type { Api } from '../../shared/contracts/api.js'
import { createClientAuthentication } from '../authorization-server/client-authentication.js'
import { describeRefusedClient } from '../authorization-server/client-outcomes.js'
import {
  createIntrospectionEndpoint,
  createRevocationEndpoint,
} from '../authorization-server/introspection-and-revocation.js'
import {
  createAuthorizationEndpoint,
  createAuthorizationServerMetadata,
  createKeySetEndpoint,
  createOpenIdMetadata,
  createProtectedResourceMetadata,
} from '../authorization-server/metadata-endpoints.js'
import { createMountCheck } from '../authorization-server/mount-check.js'
import {
  createResourceServerAuthentication,
  createResourceServerEndpoints,
} from '../authorization-server/resource-server-endpoints.js'
import { createSuspensionEndpoint } from '../authorization-server/suspension-endpoint.js'
import { createTokenEndpoint } from '../authorization-server/token-endpoint.js'
import { addCors, createCors, routeDocument } from '../http/cors.js'
import { answerErrors, createPathRouter, logDenial, type Routes } from '../http/endpoints.js'
import type { Endpoint } from '../http/middleware.js'
import { sendDenial, sendEmpty } from '../http/respond.js'
import { ALGORITHMS } from '../options/options.js'
import type { ApiSettings } from '../options/settings.js'
import { createResourceServer } from '../resource-server/resource-server.js'
import type { Tokens } from './tokens.js'
import { ExpiredAccessToken } from '../tokens/verify-access-token.js'
import type { ApplicationParts } from './application-parts.js'
import type { CreatedFeatures } from './features.js'
import type { Foundation } from './foundation.js'

export function createEndpointsAndGuards(
  foundation: Foundation,
  tokens: Tokens,
  applicationParts: ApplicationParts,
  features: CreatedFeatures,
) {
  const { settings, credentials, logger } = foundation
  const { observers, plans } = features
  const resourceServer = createResourceServer({
    apis: settings.apis,
    accessTokens: tokens.accessTokens,
    revokedTokens: tokens.revokedTokens,
    applicationCache: applicationParts.applicationCache,
    credentials: credentials.get,
    activate: applicationParts.activate,
    lastUsed: applicationParts.lastUsed,
    limitFailures: foundation.limitFailures,
    rateLimits: foundation.rateLimits,
    plans,
    available: foundation.available,
    observers,
    emit: foundation.emit,
    logRefusal: foundation.logRefusal,
    waitToRefuse: foundation.clientLimits.waitToRefuse,
    onDenied: settings.onDenied,
    warn: (message) => logger.warn(message),
    now: foundation.now,
  })
  const { calls: guards, guardParts } = resourceServer
  const ofServer = createAuthorizationServer(foundation, tokens, applicationParts, features, resourceServer)
  return { guards, guardParts, ...ofServer }
}

/** The endpoints of every oauth2 API, as `auth.router`, `auth.wellKnownRouter` and `auth.suspensionRouter`. */
function createAuthorizationServer(
  foundation: Foundation,
  tokens: Tokens,
  applicationParts: ApplicationParts,
  { observers, importedCredentials }: CreatedFeatures,
  resourceServer: ReturnType<typeof createResourceServer>,
) {
  const { settings, rateLimits, limitFailures, feed, available, emit, paceStarts, logRefusal, now } = foundation
  const { apis, baseUrl, basePath, rateLimits: limits } = settings
  const { accessTokens, revokedTokens, signingKeys } = tokens
  const { applicationCache } = applicationParts
  const clients = {
    applicationCache,
    credentials: foundation.credentials.get,
    importedCredentials,
    activate: applicationParts.activate,
    lastUsed: applicationParts.lastUsed,
    available,
    waitForLatest: feed.waitForLatest,
    readChanges: feed.pollAgain,
    now,
  }
  const signingAlgorithms = settings.tokens.signer ? ALGORITHMS : [settings.tokens.algorithm]
  // Logs mistakes of mounting.
  const checkMount = settings.development ? createMountCheck(settings, foundation.logger) : undefined
  const authenticateClient = createClientAuthentication(clients, limitFailures, applicationParts.assertions)
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
    guardIntrospected: resourceServer.guardIntrospected,
    limitFailures,
    freshUntil: feed.freshUntil,
    isOutdated: applicationCache.isOutdated,
    now,
  })

  const cors = createCors(settings.cors, limits.headers ? ['RateLimit', 'RateLimit-Policy'] : [])
  const answer = (endpoint: Endpoint, api: string): Endpoint =>
    answerErrors(endpoint, (error, req, res) =>
      sendDenial(req, res, logDenial(logRefusal, api, error, describeRefusedClient(error)?.reason)),
    )
  const ofPlatform = (endpoint: Endpoint) => ({ POST: answer(paceStarts(endpoint), 'platform') })
  const keySet = routeDocument(
    answer(createKeySetEndpoint({ signingKeys, available, publishAhead: settings.tokens.publishAhead }), 'platform'),
  )

  /** The routes of an API, and those of its metadata at the root of the origin. */
  function listRoutes(api: ApiSettings) {
    const wrap = (endpoint: Endpoint): Endpoint => answer(endpoint, api.name)
    const wrapWithCors = (endpoint: Endpoint): Endpoint => wrap(addCors(paceStarts(endpoint), cors))
    const preflight = cors && { OPTIONS: wrap(addCors((_req, res) => sendEmpty(res, 204), cors)) }
    const token = createTokenEndpoint(api, {
      authenticateClient,
      signAccessToken: tokens.signAccessToken,
      // API names have no slash, so `orders/token` is never the policy name of a `requests` limit.
      limitTokenRequests: rateLimits.create(`tokenRequests:${api.name}`, limits.tokenRequests, {
        policy: `${api.name}/token`,
        setBy: 'rateLimits.tokenRequests',
      }),
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
    const ofTokens = { authenticateClient, verifyAccessToken: resourceServer.findActiveToken, sendIntrospection }
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
  const suspension = createSuspensionEndpoint(createClientAuthentication(clients, limitSuspensionFailures))
  const routers = {
    router: createPathRouter(routes, checkMount),
    wellKnownRouter: createPathRouter(rootRoutes),
    suspensionRouter: createPathRouter(new Map([['/', ofPlatform(suspension)]])),
  }
  return { routers, authenticateResourceServer }
}

async function verifyIssued(accessTokens: Tokens['accessTokens'], api: Api, presented: string) {
  const token = await accessTokens.verify(presented)
  if (token === 'invalid' || token instanceof ExpiredAccessToken) return undefined
  return token.issuer === api.resource ? token : undefined
}
