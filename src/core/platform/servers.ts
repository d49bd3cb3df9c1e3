import { createAuthorizationServer } from '../authorization-server/create.js'
import { createMountCheck } from '../authorization-server/mount-check.js'
import type { AuthorizationServerRouters } from '../authorization-server/router.js'
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
  readonly routers: AuthorizationServerRouters
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
    ...shared,
    basePath,
    corsOrigins: settings.corsOrigins,
    signingAlgorithm: settings.tokens.algorithm,
    publishAhead: settings.tokens.publishAhead,
    limits: settings.rateLimits,
    findActiveToken,
    waitForLatest: feed.waitForLatest,
    readChanges: feed.pollAgain,
    checkMount: settings.development ? createMountCheck({ baseUrl, basePath, logger }) : undefined,
  })
  return { resourceServer, guardParts, routers }
}
