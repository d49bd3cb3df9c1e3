import { createApplicationCache } from './applications/application-cache.js'
import { createApplicationWriter } from './applications/application-writer.js'
import type { Applications } from './applications/applications-api.js'
import { createApprovalLinks } from './applications/approval-links.js'
import { withCheckedArguments } from './applications/call-arguments.js'
import { createAudit, type Audit } from './applications/audit-log.js'
import { createApplications } from './applications/create.js'
import { createCredentials, type Credentials } from './applications/credentials.js'
import { createImportedCredentials } from './applications/imported-credentials.js'
import type { Outbox } from './applications/email-outbox.js'
import { createLastUsed } from './applications/last-used.js'
import { createActivation } from './applications/status.js'
import { createAuthorizationServer } from './authorization-server/create.js'
import { createMountCheck } from './authorization-server/mount-check.js'
import type { Api, ApisOptions } from './contracts/api.js'
import { describeWithFix, type ConfigurationProblem } from './contracts/errors.js'
import type { Brand } from './contracts/brand.js'
import type { AnyMetadata, MetadataInput, MetadataOutput, MetadataSchema } from './contracts/metadata-schema.js'
import { createEvents, type PlatformEvents } from './contracts/events.js'
import { createCredentialEmail } from './credential-email/create.js'
import type { Middleware } from './http/middleware.js'
import { createPacedStart } from './http/paced-start.js'
import { createRefusalLog } from './http/refusal-log.js'
import { createOriginReader } from './http/origin.js'
import { readClientAddress } from './http/request.js'
import { createLateValue } from './lib/late-value.js'
import { createPageBrand } from './lib/page-brand.js'
import type { PlatformAuthOptions } from './options/options.js'
import { readOptions } from './options/read-options.js'
import { toPublicApi } from './options/read-apis.js'
import { createOutageNotice, createRateLimits } from './rate-limits/create.js'
import { createPortal, type Portal } from './portal/create.js'
import { createSignOuts } from './portal/sign-outs.js'
import { createAdmission } from './registration/admission.js'
import { createRegistrationRouter } from './registration/router.js'
import { createResourceServer } from './resource-server/create.js'
import type { GuardsApi } from './resource-server/guards-api.js'
import { createBoundedStore } from './store-client/bounded-store.js'
import { createClientLimits } from './store-client/client-limits.js'
import { createClockCheck } from './store-client/clock-check.js'
import { createChangeApplier, createChangeFeed } from './store-client/change-feed.js'
import { createEncryption, openSecret } from './store-client/encryption.js'
import { createSessionSecret, type SessionSecretCalls } from './store-client/session-secret.js'
import { createReadiness, type Health, type ReadyOptions } from './store-client/readiness.js'
import { createStoreHealth } from './store-client/store-health.js'
import { memoryStore } from './stores/memory/index.js'
import { createTokens } from './tokens/create.js'
import type { SigningKeyRotation } from './tokens/key-rotation.js'
import { createUsageParts } from './usage/create.js'
import type { DryRun } from './usage/dry-run.js'
import type { Refusals } from './usage/refusals.js'
import type { Usage } from './usage/usage.js'

/** What `createPlatformAuth()` returns; the guards are in `GuardsApi`. No method needs `this`, so it can be destructured. */
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
  /** How often applications used the APIs. Empty with `usage: false`. */
  readonly usage: Usage
  /** Why requests of applications were refused. Empty with `usage: false`. */
  readonly refusals: Refusals
  /** Which requests guards with `enforce: false` would refuse. */
  readonly dryRun: DryRun
  /** Events; they never hold a secret, a key or a token. A listener that throws affects no request. */
  readonly events: PlatformEvents
  /**
   * Resolves when the store is migrated and has a signing key. Rejects with `ConfigurationError` for what no retry can correct (a
   * wrong secret, a newer schema, a missing driver, a mistake in the store's code), and for what waiting alone does not cure: a
   * missing right, folder, database or password. Its `fix` names the path, or the GRANT; the platform goes on trying, so a later call may
   * resolve. An unavailable store is retried, unless `retry` is false; the process stays alive meanwhile. Until then, requests wait up to 5 seconds and then get 503.
   */
  ready(options?: ReadyOptions): Promise<void>
  /** Whether requests are answered with knowledge no older than `maxStaleness`, and what is wrong. Resolves within about half a second. */
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
  const { apis, baseUrl, developersUrl, mailer, signing, clockTolerance, cache, operators, logger, now } = settings
  for (const warning of warnings) logger.warn(describeWithFix(warning))
  const { events, emit } = createEvents({ now, readOrigin: createOriginReader([...apis.values()]), logger })
  const logRefusal = createRefusalLog(logger, settings.development)

  const storeHealth = createStoreHealth({ logger, emit, now })
  const store = createBoundedStore(settings.store ?? memoryStore(), { storeHealth, logger })
  const clientLimits = createClientLimits(store)
  const clockCheck = createClockCheck({ clockTolerance, logger, emit })
  const feed = createChangeFeed({ store, storeHealth, clockCheck, maxStaleness: settings.maxStaleness, now })
  const paceStarts = createPacedStart()
  const { redis, headers } = settings.rateLimits
  const rateLimits = createRateLimits({ secrets: settings.secrets, baseUrl, redis, headers, onChange: createOutageNotice({ logger, emit }) }) // prettier-ignore
  const { available, begin, ...lifecycle } = createReadiness({
    feed, storeHealth, logger, otherProblems: [rateLimits.problem, () => signingKeys.problem(), clockCheck.problem, () => credentialEmail.problem()],
  }) // prettier-ignore
  const encryption = createEncryption(settings.secrets, { importUnencrypted: settings.importUnencrypted })
  const credentials = createLateValue<Credentials>(() => new Error('The platform is not ready.'))
  const opened = async (): Promise<Credentials> => {
    await available()
    return credentials.get()
  }

  const sessionSecret = createSessionSecret({ store, encryption, opened, emit, now })
  const { signingKeys, signAccessToken, accessTokens, revokedTokens, keyRotation, signingKeyCalls, rotationTimer } = createTokens({
    apis: [...apis.values()], store, encryption, signing, clockTolerance, clientLimits, cache, readChanges: feed.pollAgain, opened, emit, logger, now,
  }) // prettier-ignore

  const { foreignCredentials, importReader } = createImportedCredentials({ settings, store, credentials: credentials.get, clientLimits, now }) // prettier-ignore
  const applicationCache = createApplicationCache({ store, limit: cache.applications, limitLookups: clientLimits.limitLookups, readAddress: readClientAddress, foreignCredentials }) // prettier-ignore
  const publicApis = new Map([...apis].map(([name, api]) => [name, toPublicApi(api)]))
  const { maxAge, remindBefore } = settings.credentials
  const writer = createApplicationWriter({ store, applicationCache, emit, maximumAges: { maxAge, apis }, now })
  const lastUsed = createLastUsed({ store, now })
  const portalUrl = settings.portal.enabled ? developersUrl : undefined
  const usage = createUsageParts({ settings: settings.usage, store, opened, logger, now })
  const links = createApprovalLinks({ deriveKey: sessionSecret.deriveKey, operators, now })
  const credentialEmail = createCredentialEmail({ ...settings, store, apis: publicApis, writer, credentials: credentials.get, opened, approvalLinks: links, emit }) // prettier-ignore
  const { applications, createCheckedCalls, approvals, prepareRegistration, acceptInvitation, outbox, background } = createApplications({
    store, apis, writer, lastUsed, metadataSchema: settings.applicationMetadata, opened, importReader, signOut: createSignOuts({ store, now }).addForMailbox, hasMailer: mailer !== undefined, operators, remindBefore, auditRetention: settings.auditRetention,
    onEmailDue: credentialEmail.wake, portalUrl, logger, now,
  }) // prettier-ignore

  const activate = createActivation({ store, writer, limitChanges: clientLimits.limitChanges })
  const limitFailures = rateLimits.create('failedAuthentication', settings.rateLimits.failedAuthentication, { untrustedKeys: true }) // prettier-ignore
  const clients = { applicationCache, credentials: credentials.get, foreignCredentials, activate, lastUsed, limitFailures } // prettier-ignore
  const { findActiveToken, ...resourceServer } = createResourceServer({
    apis, accessTokens, revokedTokens, ...clients, rateLimits, available, onDenied: settings.onDenied, usage: usage.collector, dryRun: usage.dryRunCollector, emit, logRefusal, now,
    warn: (message) => logger.warn(message),
  }) // prettier-ignore
  const authorizationServer = createAuthorizationServer({
    apis, basePath: settings.basePath, corsOrigins: settings.corsOrigins, signingAlgorithm: signing.algorithm, publishAhead: signing.publishAhead,
    limits: settings.rateLimits, rateLimits, ...clients, signAccessToken, accessTokens, revokedTokens, signingKeys, findActiveToken, available,
    waitForLatest: feed.waitForLatest, readChanges: feed.pollAgain, paceStarts, usage: usage.collector, emit, logRefusal, now,
    checkMount: settings.development ? createMountCheck({ baseUrl, basePath: settings.basePath, logger }) : undefined,
  }) // prettier-ignore
  const brand = createPageBrand(settings.brand)
  const registrationRouter = createRegistrationRouter({
    apis: [...apis.values()], prepareRegistration, claim: credentialEmail.claim, limitFailures, limitChanges: clientLimits.limitChanges, available, paceStarts, logRefusal,
    admit: createAdmission({ ...settings.registration, limits: settings.rateLimits, rateLimits, logger }), developersUrl, brand, portalUrl: settings.portal.enabled && developersUrl !== undefined ? `${developersUrl}/applications` : undefined, approval: operators.length > 0 ? { links, approvals } : undefined,
  }) // prettier-ignore

  const { portal, portalRouter } = createPortal({
    store, deriveKey: sessionSecret.deriveKey, opened, acceptInvitation, sendSignIn: credentialEmail.sendSignIn, enabled: mailer !== undefined && settings.portal.enabled,
    developersUrl: portalUrl, brand, pages: { apis: [...apis.values()], actions: settings.portal.actions, createCheckedCalls, findLatestExpiry: writer.findLatestExpiry, ...(settings.usage.enabled && usage.calls), flushLastUsed: lastUsed.flush }, limits: settings.rateLimits, rateLimits, limitFailures, ...clientLimits, available, paceStarts, logRefusal, logger, now,
  }) // prettier-ignore

  begin({
    /** Called again after it rejected. */
    async start(closing) {
      await store.open()
      // First the feed: a change committed while the rest is read is applied afterwards.
      await feed.start(createChangeApplier({ applicationCache, revokedTokens, signingKeys, sessionSecret }))
      const pepper = await openSecret(store, encryption, 'pepper')
      await sessionSecret.load()
      credentials.set(createCredentials(settings.credentialPrefix, pepper.bytes, { cacheSize: cache.applications * 2, acceptsForeignKeys: foreignCredentials !== undefined })) // prettier-ignore
      await revokedTokens.load()
      await keyRotation.ensure()
      closing.throwIfAborted()
      for (const part of [credentialEmail, background, usage, rotationTimer]) part.start()
    },
    async stop() {
      rotationTimer.close()
      accessTokens.close()
      rateLimits.close()
      await background.close()
      await credentialEmail.close()
      await Promise.all([lastUsed.close(), usage.close()])
      await store.close()
    },
  })

  const auth: PlatformAuth = {
    ...resourceServer,
    ...authorizationServer,
    apis: [...publicApis.values()],
    brand: settings.brand,
    registration: { enabled: mailer !== undefined },
    registrationRouter: mailer ? registrationRouter : (_req, _res, next) => next(),
    portal: withCheckedArguments('portal', portal),
    portalRouter,
    applications: withCheckedArguments('applications', applications),
    outbox: withCheckedArguments('outbox', outbox),
    signingKeys: withCheckedArguments('signingKeys', signingKeyCalls),
    sessionSecret: withCheckedArguments('sessionSecret', sessionSecret.calls),
    audit: withCheckedArguments('audit', createAudit({ store, opened })),
    ...usage.calls,
    events,
    ...withCheckedArguments('platform', lifecycle),
  }
  return auth
}
