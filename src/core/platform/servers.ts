import { createAuthorizationServer } from '../authorization-server/authorization-server.js'
import { createMountCheck } from '../authorization-server/mount-check.js'
import type { GuardParts } from '../resource-server/guard-parts.js'
import type { ResourceServer } from '../resource-server/resource-server.js'
import { createResourceServer } from '../resource-server/create.js'
import { createTokens, type Tokens } from '../tokens/create.js'
import type { ApplicationParts } from './application-parts.js'
import type { FeatureHooks } from './hooks.js'
import type { Features } from './features.js'
import type { Foundation } from './foundation.js'

/** Signing keys, access tokens and their revocation. */
export function createTokenParts(foundation: Foundation): Tokens {
  const { settings, feed } = foundation
  const tokens = createTokens({
    ...foundation,
    ...settings,
    signing: settings.tokens,
    clockTolerance: settings.tokens.clockTolerance,
    apis: [...settings.apis.values()],
    store: foundation.store,
    readChanges: feed.pollAgain,
  })
  foundation.problems.push(() => tokens.signingKeys.problem())
  return tokens
}

/** The guards, and the endpoints of the authorization server. */
export function createServers(
  foundation: Foundation,
  tokens: Tokens,
  applicationParts: ApplicationParts,
  { observers, plans }: Features,
  { importedCredentials }: FeatureHooks,
): {
  readonly resourceServer: Omit<ResourceServer, 'findActiveToken' | 'guardParts'>
  readonly guardParts: GuardParts
  readonly routers: ReturnType<typeof createAuthorizationServer>
} {
  const { settings, credentials, feed, logger } = foundation
  const { basePath, baseUrl } = settings
  const shared = {
    ...foundation,
    ...tokens,
    ...applicationParts,
    apis: settings.apis,
    credentials: credentials.get,
    observers,
    importedCredentials,
  }
  const { findActiveToken, guardParts, ...resourceServer } = createResourceServer({
    ...shared,
    plans,
    onDenied: settings.onDenied,
    warn: (message) => logger.warn(message),
  })
  const routers = createAuthorizationServer({
    apis: settings.apis,
    basePath,
    corsOrigins: settings.corsOrigins,
    signingAlgorithm: settings.tokens.algorithm,
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
    findActiveToken,
    observers,
    emit: foundation.emit,
    paceStarts: foundation.paceStarts,
    logRefusal: foundation.logRefusal,
    checkMount: settings.development ? createMountCheck({ baseUrl, basePath, logger }) : undefined,
    now: foundation.now,
  })
  return { resourceServer, guardParts, routers }
}
