import { createAuthorizationServer } from '../authorization-server/create.js'
import { createMountCheck } from '../authorization-server/mount-check.js'
import type { AuthorizationServerRouters } from '../authorization-server/router.js'
import { createResourceServer, type ResourceServer } from '../resource-server/create.js'
import { createTokens, type Tokens } from '../tokens/create.js'
import type { ApplicationParts } from './application-parts.js'
import type { Foundation } from './foundation.js'

/** Signing keys, access tokens and their revocation. */
export function createTokenParts(foundation: Foundation): Tokens {
  const { settings, feed } = foundation
  const tokens = createTokens({
    ...foundation,
    ...settings,
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
): { readonly resourceServer: Omit<ResourceServer, 'findActiveToken'>; readonly routers: AuthorizationServerRouters } {
  const { settings, credentials, feed, logger } = foundation
  const { basePath, signing, baseUrl } = settings
  const shared = {
    ...foundation,
    ...tokens,
    ...applicationParts,
    apis: settings.apis,
    credentials: credentials.get,
    usage: applicationParts.usage.collector,
  }
  const { findActiveToken, ...resourceServer } = createResourceServer({
    ...shared,
    onDenied: settings.onDenied,
    counter: applicationParts.usage.reportedCollector,
    warn: (message) => logger.warn(message),
  })
  const routers = createAuthorizationServer({
    ...shared,
    basePath,
    corsOrigins: settings.corsOrigins,
    signingAlgorithm: signing.algorithm,
    publishAhead: signing.publishAhead,
    limits: settings.rateLimits,
    findActiveToken,
    waitForLatest: feed.waitForLatest,
    readChanges: feed.pollAgain,
    checkMount: settings.development ? createMountCheck({ baseUrl, basePath, logger }) : undefined,
  })
  return { resourceServer, routers }
}
