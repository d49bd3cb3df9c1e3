import { createAuthorizationServer } from '../authorization-server/authorization-server.js'
import { createMountCheck } from '../authorization-server/mount-check.js'
import { ALGORITHMS } from '../options/options.js'
import { createResourceServer } from '../resource-server/resource-server.js'
import type { Tokens } from '../tokens/tokens.js'
import type { ApplicationParts } from './application-parts.js'
import type { CreatedFeatures } from './features.js'
import type { Foundation } from './foundation.js'

export function createEndpointsAndGuards(
  foundation: Foundation,
  tokens: Tokens,
  applicationParts: ApplicationParts,
  { observers, plans, importedCredentials }: CreatedFeatures,
) {
  const { settings, credentials, feed, logger } = foundation
  const { basePath, baseUrl } = settings
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
  const { routers, authenticateResourceServer } = createAuthorizationServer({
    apis: settings.apis,
    baseUrl,
    basePath,
    corsOrigins: settings.cors,
    signingAlgorithms: settings.tokens.signer ? ALGORITHMS : [settings.tokens.algorithm],
    publishAhead: settings.tokens.publishAhead,
    limits: settings.rateLimits,
    rateLimits: foundation.rateLimits,
    limitFailures: foundation.limitFailures,
    applicationCache: applicationParts.applicationCache,
    credentials: credentials.get,
    importedCredentials,
    activate: applicationParts.activate,
    lastUsed: applicationParts.lastUsed,
    available: foundation.available,
    waitForLatest: feed.waitForLatest,
    readChanges: feed.pollAgain,
    signAccessToken: tokens.signAccessToken,
    accessTokens: tokens.accessTokens,
    revokedTokens: tokens.revokedTokens,
    signingKeys: tokens.signingKeys,
    findActiveToken: resourceServer.findActiveToken,
    guardIntrospected: resourceServer.guardIntrospected,
    freshUntil: feed.freshUntil,
    observers,
    emit: foundation.emit,
    paceStarts: foundation.paceStarts,
    logRefusal: foundation.logRefusal,
    checkMount: settings.development ? createMountCheck({ baseUrl, basePath, logger }) : undefined,
    assertions: applicationParts.assertions,
    now: foundation.now,
  })
  return { guards: resourceServer.calls, guardParts: resourceServer.guardParts, routers, authenticateResourceServer }
}
