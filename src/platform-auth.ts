import type { Applications } from './applications/applications-api.js'
import { createAudit, type Audit } from './applications/records/audit-log.js'
import { withCheckedArguments } from './applications/call-arguments.js'
import { APPLICATION_PARAMETERS, AUDIT_PARAMETERS, OUTBOX_PARAMETERS } from './applications/call-parameters.js'
import type { Outbox } from './applications/queue/email-outbox.js'
import type { Api, ApisOptions } from './contracts/api.js'
import type { Brand } from './contracts/brand.js'
import { describeWithFix, type ConfigurationProblem } from './contracts/errors.js'
import type { PlatformEvents } from './contracts/events.js'
import type { AnyMetadata, MetadataInput, MetadataOutput, MetadataSchema } from './contracts/metadata-schema.js'
import type { Middleware } from './http/middleware.js'
import type { PlatformAuthOptions } from './options/options.js'
import { readOptions } from './options/read-options.js'
import { createApplicationParts } from './platform/application-parts.js'
import {
  LIFECYCLE_PARAMETERS,
  PORTAL_PARAMETERS,
  SESSION_SECRET_PARAMETERS,
  SIGNING_KEY_PARAMETERS,
} from './platform/call-parameters.js'
import { createFoundation } from './platform/foundation.js'
import { createPages } from './platform/pages.js'
import { createServers, createTokenParts } from './platform/servers.js'
import { startAndStop } from './platform/start-and-stop.js'
import type { Portal } from './portal/create.js'
import type { GuardsApi } from './resource-server/guards-api.js'
import type { Health, ReadyOptions } from './store-client/readiness.js'
import type { SessionSecretCalls } from './store-client/session-secret.js'
import type { SigningKeyRotation } from './tokens/key-rotation.js'
import type { ReportOnlyCalls } from './usage/report-only.js'
import type { Refusals } from './usage/refusals.js'
import type { Usage } from './usage/usage.js'

/** The result of `createPlatformAuth()`; the guards are in `GuardsApi`. No method needs `this`, so it can be destructured. */
// oxlint-disable-next-line typescript/no-explicit-any -- a function that takes any platform can't know its APIs' names and its schema
export interface PlatformAuth<Apis extends ApisOptions = any, Schema extends MetadataSchema = any> extends GuardsApi<
  Apis,
  Schema
> {
  /** The APIs, in the order of the option `apis`. */
  readonly apis: readonly Api[]
  /** The option `brand`, with a colour that can be read. */
  readonly brand: Brand
  /** Token, revocation and introspection endpoints, metadata and key set. Mount it at the path of `baseUrl`, before the guarded routes. */
  readonly router: Middleware
  /** The metadata documents at the root of the origin (RFC 8414 3), for a `baseUrl` with a path: `app.use(auth.wellKnownRouter)`. */
  readonly wellKnownRouter: Middleware
  /** Registration of applications: a form and JSON at `/`, claim links at `/claim`. Without a `mailer` it calls `next()`. */
  readonly registrationRouter: Middleware
  /**
   * Contacts sign in with a link from an e-mail and manage their applications. Mount it at `{developersUrl}/applications`, as
   * the console does. Without `mailer` or `developersUrl` it calls `next()`.
   */
  readonly portalRouter: Middleware
  /**
   * `POST /` with `client_id` and `client_secret` as a form: `{ "suspended": true }` for the right secret of a suspended application,
   * otherwise `{ "suspended": false }`. The console serves it at `/suspended`, and asks it when a reader's credentials are refused.
   */
  readonly suspensionRouter: Middleware
  readonly portal: Portal
  /** `enabled` is true if applications can register, which needs a `mailer`. */
  readonly registration: { readonly enabled: boolean }
  readonly applications: Applications<keyof Apis & string, MetadataInput<Schema>, MetadataOutput<Schema>>
  readonly signingKeys: SigningKeyRotation
  /** The secret behind sessions of the portal, sign-in links and the links in operators' e-mails. */
  readonly sessionSecret: SessionSecretCalls
  /** The e-mails that are to be sent. */
  readonly outbox: Outbox
  readonly audit: Audit
  /** Counts how often applications used the APIs. Empty with `usage: false`. */
  readonly usage: Usage
  /** Lists reasons why requests of applications were refused. Empty with `usage: false`. */
  readonly refusals: Refusals
  /** Which requests report-only guards would refuse. */
  readonly reportOnly: ReportOnlyCalls
  /** Events; they never hold a secret, a key or a token. A listener that throws affects no request. */
  readonly events: PlatformEvents
  /**
   * Resolves when the store is migrated and has a signing key. Rejects with `ConfigurationError` for what no retry can correct (a
   * wrong secret, a newer schema, a missing driver, a mistake in the store's code), and for what waiting alone does not cure: a
   * missing right, folder, database or password. Its `fix` names the path, or the GRANT; the platform goes on trying, so a later call may
   * resolve. An unavailable store is retried, unless `retry` is false; the process stays alive meanwhile. Until then, requests wait up to 5 seconds and then get 503.
   */
  ready(options?: ReadyOptions): Promise<void>
  /**
   * Tells whether the data is fresh enough to answer (`maxStaleness`), and what is wrong. Resolves within about half a second.
   */
  health(): Promise<Health>
  /** Waits for e-mails that are being sent, stores usage and when credentials were last used, and closes the store. */
  close(): Promise<void>
}

/** APIs whose `claims` get the metadata that the schema returns. */
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
export function createPlatformAuth<const Apis extends ApisFor<Schema>, Schema extends MetadataSchema = AnyMetadata>(
  options: PlatformAuthOptions<Apis, Schema>,
): PlatformAuth<Apis, Schema> {
  const warnings: ConfigurationProblem[] = []
  const settings = readOptions(options, (warning) => warnings.push(warning))
  for (const warning of warnings) settings.logger.warn(describeWithFix(warning))
  const foundation = createFoundation(settings)
  const tokens = createTokenParts(foundation)
  const applicationParts = createApplicationParts(foundation)
  const { resourceServer, routers } = createServers(foundation, tokens, applicationParts)
  const { registrationRouter, portal, portalRouter } = createPages(foundation, applicationParts)
  startAndStop(foundation, tokens, applicationParts)

  const { store, opened, events, lifecycle, sessionSecret, clientLimits } = foundation
  const { goFirst } = clientLimits
  const { publicApis, calls, usage } = applicationParts
  const auth: PlatformAuth = {
    ...resourceServer,
    ...routers,
    apis: [...publicApis.values()],
    brand: settings.brand,
    registration: { enabled: settings.mailer !== undefined },
    registrationRouter,
    portal: withCheckedArguments(PORTAL_PARAMETERS, portal),
    portalRouter,
    applications: withCheckedArguments(APPLICATION_PARAMETERS, calls.applications, goFirst),
    outbox: withCheckedArguments(OUTBOX_PARAMETERS, calls.outbox),
    signingKeys: withCheckedArguments(SIGNING_KEY_PARAMETERS, tokens.signingKeyCalls, goFirst),
    sessionSecret: withCheckedArguments(SESSION_SECRET_PARAMETERS, sessionSecret.calls, goFirst),
    audit: withCheckedArguments(AUDIT_PARAMETERS, createAudit({ store, opened })),
    ...usage.calls,
    events,
    ...withCheckedArguments(LIFECYCLE_PARAMETERS, lifecycle),
  }
  return auth
}
