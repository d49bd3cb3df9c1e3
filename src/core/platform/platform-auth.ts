import type { CoreAuth, PlatformAuth, PlatformParts } from './core-auth.js'
import { withCheckedArguments, options, signingKey, type CallParameters } from '../applications/call-arguments.js'
import { withLateCalls } from '../applications/late-calls.js'
import { AUDIT_PARAMETERS } from '../applications/call-parameters.js'
import { guardWriter } from '../applications/records/application-writer.js'
import type { ApisOptions } from '../../shared/contracts/api.js'
import { describeWithFix, type ConfigurationProblem } from '../../shared/contracts/errors.js'
import type { AnyMetadata, MetadataOutput, MetadataSchema } from '../../shared/contracts/metadata-schema.js'
import { PLATFORM_PARTS } from '../../shared/contracts/platform-parts.js'
import { wrongOption } from '../../shared/lib/option-checks.js'
import type { FeatureEntry } from '../../feature.js'
import type { PlatformAuthOptions } from '../options/platform-auth-options.js'
import { toPublicApi } from '../options/read-apis.js'
import { readOptions } from '../options/read-platform-options.js'
import { createApplicationParts, type FeatureHooks } from './application-parts.js'
import { createEndpointsAndGuards } from './endpoints-and-guards.js'
import { createFeatures } from './features.js'
import { createFoundation } from './foundation.js'
import { startAndStop } from './start-and-stop.js'
import type { Readiness, ReadyOptions } from '../store-client/readiness.js'
import type { SessionSecretCalls } from '../store-client/session-secret.js'
import type { SigningKeyRotation } from '../tokens/key-rotation.js'
import { createTokens } from './tokens.js'

type ApisFor<Schema extends MetadataSchema> = ApisOptions<MetadataOutput<Schema>>

/**
 * Creates a platform: what an Express app needs to publish APIs to applications of other companies. It opens the store in
 * the background; `ready()` waits for that. Throws `ConfigurationError` for a wrong option.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { authOf, createPlatformAuth } from 'express-platform-auth'
 *
 * const app = express()
 * const auth = createPlatformAuth({
 *   baseUrl: 'http://localhost:3000',
 *   apis: { orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders' } } },
 * })
 * app.use(auth.router)
 * app.get('/orders/items', auth.requireBearer('orders', { scopes: ['orders:read'] }), (req, res) => {
 *   res.json({ caller: authOf(req).application.name })
 * })
 * ```
 */
export function createPlatformAuth<
  const Apis extends ApisFor<Schema>,
  Schema extends MetadataSchema = AnyMetadata,
  const Features extends readonly FeatureEntry[] = readonly [],
>(options: PlatformAuthOptions<Apis, Schema, Features>): PlatformAuth<Apis, Schema, Features> {
  const warnings: ConfigurationProblem[] = []
  const settings = readOptions(options, (warning) => warnings.push(warning))
  for (const warning of warnings) settings.logger.warn(describeWithFix(warning))
  const foundation = createFoundation(settings)
  const tokens = createTokens(foundation)
  const hooks: FeatureHooks = {}
  const applicationParts = createApplicationParts(foundation, tokens, hooks)
  const features = createFeatures(foundation, applicationParts, hooks)
  hooks.importedCredentials = features.importedCredentials
  hooks.wakeSender = features.wakeSender
  const { guards, guardParts, routers, authenticateResourceServer } = createEndpointsAndGuards(
    foundation,
    tokens,
    applicationParts,
    features,
  )
  startAndStop(foundation, tokens, applicationParts, features)

  const { store, opened, events, lifecycle, sessionSecret } = foundation
  const loadAudit = async () => (await import('../applications/records/audit-log.js')).createAudit({ store, opened })
  const { goFirst } = foundation.clientLimits
  const auth: CoreAuth = {
    ...guards,
    ...routers,
    apis: [...settings.apis.values()].map(toPublicApi),
    brand: settings.brand,
    applications: applicationParts.calls.applications,
    signingKeys: withCheckedArguments(SIGNING_KEY_PARAMETERS, tokens.signingKeyCalls, goFirst),
    sessionSecret: withCheckedArguments(SESSION_SECRET_PARAMETERS, sessionSecret.calls, goFirst),
    audit: withLateCalls(AUDIT_PARAMETERS, loadAudit),
    events,
    ...withCheckedArguments(LIFECYCLE_PARAMETERS, lifecycle),
  }
  // What a polluted prototype adds is enumerable there, and takes no name.
  const taken = Object.keys(features.calls).find(
    (name) => Object.hasOwn(auth, name) || (name in auth && !Object.prototype.propertyIsEnumerable(name)),
  )
  if (taken !== undefined)
    throw wrongOption('features', `has ${taken}(), a name that auth has already`, 'Give the feature another name.')
  const parts: Omit<PlatformParts, 'core'> = {
    guards: guardParts,
    sharedSettings: features.sharedSettings,
    diagnose: features.diagnose,
    source: applicationParts.source,
    activate: applicationParts.activate,
    nextChange: foundation.changeWaits.next,
    authenticateResourceServer,
    createGuardedCalls: (guard) => ({
      applications: applicationParts.calls.createGuardedCalls(guard),
      ...features.createCalls(guardWriter(applicationParts.writer, guard)),
    }),
    rotateSigningKey: tokens.signingKeyCalls.rotate,
  }
  // Not enumerable: whoever logs `auth` must not log the secret.
  Object.defineProperty(parts, 'core', { value: features.core })
  return Object.assign(auth, features.calls, { [PLATFORM_PARTS]: parts }) as PlatformAuth<Apis, Schema, Features>
}

/** The options of a call that has them at this place. */
type Given<Call extends (...args: never[]) => unknown, Place extends 0 | 1> = NonNullable<Parameters<Call>[Place]>

const SIGNING_KEY_PARAMETERS: CallParameters<SigningKeyRotation> = {
  list: [],
  rotate: [options<Given<SigningKeyRotation['rotate'], 0>>({ by: 'text', immediately: 'boolean' })],
  revoke: [signingKey, options<Given<SigningKeyRotation['revoke'], 1>>({ by: 'text' })],
}

const SESSION_SECRET_PARAMETERS: CallParameters<SessionSecretCalls> = {
  replace: [options<Given<SessionSecretCalls['replace'], 0>>({ by: 'text' })],
}

const LIFECYCLE_PARAMETERS: CallParameters<Pick<Readiness, 'ready' | 'health' | 'flush' | 'close'>> = {
  ready: [options<ReadyOptions>({ retry: 'boolean' })],
  health: [],
  flush: [],
  close: [],
}
