import { randomBytes } from 'node:crypto'
import type { Api, ApiName, ApisOptions, ScopeOf } from './contracts/api.js'
import type { ApiSettings } from './options/read-apis.js'
import { createCredentials, type Credentials } from './applications/credentials.js'
import type { Applications } from './applications/applications-api.js'
import { createApplications } from './applications/applications.js'
import type { Outbox } from './applications/email-outbox.js'
import { createAudit, type Audit } from './applications/audit-log.js'
import { createAuthorizationServer } from './authorization-server/authorization-server.js'
import { createRegistrationRouter } from './registration/router.js'
import type { Middleware } from './http/middleware.js'
import { createChangeFeed } from './store-client/change-feed.js'
import { createEvents, type PlatformEvents } from './contracts/events.js'
import { createRefusalLog } from './http/refusal-log.js'
import { createReadiness, type Health } from './store-client/readiness.js'
import type { RateLimit } from './rate-limits/rate-limit.js'
import { createRateLimits } from './rate-limits/create.js'
import type { PlatformAuthOptions } from './options/options.js'
import { createStoreHealth } from './store-client/store-health.js'
import type { AuthInfo } from './resource-server/auth-info.js'
import { apiNamed, readGuardArguments, type GuardArguments } from './resource-server/guard-options.js'
import type { Guard } from './resource-server/guard.js'
import { createGuards, type BearerGuardOptions, type GuardOptions } from './resource-server/guards.js'
import { createIdentify } from './resource-server/authenticate.js'
import { createVerifiers } from './resource-server/verify.js'
import { createEncryption } from './store-client/encryption.js'
import { readSettings } from './options/read-options.js'
import { createBoundedStore } from './store-client/bounded-store.js'
import type { Change } from './contracts/store.js'
import { memoryStore } from './stores/memory/index.js'
import { createAccessTokens } from './tokens/access-token.js'
import { createRevokedTokens } from './tokens/revoked-tokens.js'
import { createKeyRotation, type SigningKeyRotation } from './tokens/key-rotation.js'
import { createSigningKeys } from './tokens/signing-keys.js'

/** What `createPlatformAuth()` gives. Nothing in it needs `this`: it can be taken apart. */
// oxlint-disable-next-line typescript/no-explicit-any -- whoever takes just any platform can't know its APIs' names
export interface PlatformAuth<Apis extends ApisOptions = any> {
  /** The APIs, in the order in which they were given. */
  readonly apis: readonly Api[]
  /** Token endpoints, revocation, introspection, metadata and key set. Mount it where `baseUrl`'s path arrives, before the guarded routes. */
  readonly router: Middleware
  /** The metadata documents at the origin's root; for `app.use(auth.wellKnownRouter)` where `baseUrl` has a path. */
  readonly wellKnownRouter: Middleware
  /** Where applications register: a form and JSON at `/`, claim links at `/claim`. Lets all go on where there is no `mailer`. */
  readonly registrationRouter: Middleware
  /** The guard below, where there is exactly one oauth2 API. */
  requireBearer(
    ...options: WhereOnlyOne<ApiName<Apis, 'oauth2'>, BearerGuardOptions<ScopeOf<Apis, ApiName<Apis, 'oauth2'>>>>
  ): Guard
  /**
   * A guard for a route of an oauth2 API: lets a request with a good access token pass, and answers every other
   * (RFC 6750). Throws `ConfigurationError` for an API or a scope that is not there.
   */
  requireBearer<Name extends ApiName<Apis, 'oauth2'>>(
    api: Name,
    options?: BearerGuardOptions<ScopeOf<Apis, Name>>,
  ): Guard
  /** The guard below, where there is exactly one key API. */
  requireApiKey(...options: WhereOnlyOne<ApiName<Apis, 'apiKey'>, GuardOptions>): Guard
  /** A guard for a route of a key API: lets a request with a good `X-Api-Key` pass, and answers every other. */
  requireApiKey<Name extends ApiName<Apis, 'apiKey'>>(api: Name, options?: GuardOptions): Guard
  /** What a bearer guard without scopes does, outside a request: look at `scopes` yourself. Rejects with the `OAuthError` that the guard would answer. */
  verifyAccessToken(api: ApiName<Apis, 'oauth2'>, token: string): Promise<AuthInfo>
  /** What a key guard does, outside a request; rejects with the `OAuthError` that the guard would answer. */
  verifyApiKey(api: ApiName<Apis, 'apiKey'>, key: string): Promise<AuthInfo>
  readonly applications: Applications<keyof Apis & string>
  readonly signingKeys: SigningKeyRotation
  /** The emails that are to be sent. */
  readonly outbox: Outbox
  readonly audit: Audit
  /** What happens, as it happens; never a secret, a key or a token. A listener that throws harms no request. */
  readonly events: PlatformEvents
  /**
   * Resolves once the store is migrated and a signing key is there. Rejects with `ConfigurationError` for a wrong secret
   * or a newer schema; an unreachable store is tried again. Requests wait up to 5 seconds for it, then get 503.
   */
  ready(): Promise<void>
  /** Whether requests are being answered in full knowledge, and what is wrong. Resolves within about a second. */
  health(): Promise<Health>
  /** Lets emails under way end, writes when credentials were last used, and closes what the store has opened. */
  close(): Promise<void>
}

/** An optional argument where the union `Name` has exactly one member; otherwise one that nothing can be. */
type WhereOnlyOne<Name, Argument> = [Name] extends [never]
  ? [thereIsNone: never]
  : [Name] extends [UnionToIntersection<Name>]
    ? [options?: Argument]
    : [nameTheApi: never]
type UnionToIntersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never

/** Milliseconds that the store has to answer. */
const STORE_TIMEOUT = 5000
/** Milliseconds between two looks for what need not be kept in memory any longer. */
const SWEEP = 60_000

/**
 * Everything a provider needs to publish APIs to other companies' applications. Synchronous: the store is opened
 * meanwhile. Throws `ConfigurationError` for options that can't be right, by name and with the cure.
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
export function createPlatformAuth<const Apis extends ApisOptions>(
  options: PlatformAuthOptions<Apis>,
): PlatformAuth<Apis> {
  const settings = readSettings(options)
  const { apis, logger, cache, now } = settings
  if (!settings.store) logger.warn('store is missing: applications are kept in memory and lost when the process ends.')

  if (settings.store && settings.store.kind !== 'memory' && settings.secrets.length === 0) {
    logger.warn('secret is missing: signing keys and pepper are stored in clear. Production refuses that.')
  }

  const { events, emit } = createEvents({
    now,
    onListenerError: (type, error) => logger.error(`A listener of ${type} failed.`, error),
  })
  const logRefusal = createRefusalLog(logger, settings.production)
  const storeHealth = createStoreHealth({ logger, emit, now })
  const store = createBoundedStore(settings.store ?? memoryStore(), {
    timeout: STORE_TIMEOUT,
    storeHealth,
    logger,
  })
  const encryption = createEncryption(settings.secrets)
  const { redis, headers, registration } = settings.rateLimits
  const limits = createRateLimits({
    // The same in all processes, and while secret is being changed.
    secret: settings.secrets.toSorted()[0] ?? '',
    baseUrl: settings.baseUrl, redis, headers, onChange: tellOfLimits,
  }) // prettier-ignore

  const signingKeys = createSigningKeys({
    store,
    encryption,
    now,
    readChanges,
    onRemoved: () => accessTokens.forgetAll(),
  })
  const accessTokens = createAccessTokens({
    signingKeys,
    issuers: [...apis.values()].filter(({ scheme }) => scheme === 'oauth2').map(({ resource }) => resource),
    clockTolerance: settings.clockTolerance,
    now,
    entries: cache.accessTokens,
  })
  const revokedTokens = createRevokedTokens({ store, now, limit: cache.revokedAccessTokens })
  const longestLifetime =
    Math.max(...[...apis.values()].map((api) => api.accessTokenLifetime)) + settings.clockTolerance
  const keyRotation = createKeyRotation({
    store,
    encryption,
    signingKeys,
    now,
    emit,
    longestLifetime,
    ...settings.signing,
  })
  const feed = createChangeFeed({
    store,
    maxStaleness: settings.maxStaleness,
    onChange: follow,
  })

  let made: Credentials | undefined
  const wing = createApplications({
    settings,
    store,
    credentials,
    opened,
    emit,
    limit: cache.applications,
  })
  const { applicationCache, activate, lastUsed } = wing
  const readiness = createReadiness({ start, stop, feed, storeHealth, logger, problemsElsewhere: [limits.problem] })
  const { available } = readiness

  const identify = createIdentify({
    accessTokens,
    revokedTokens,
    applicationCache,
    credentials,
    activate,
    lastUsed,
    now,
  })
  const requestLimits = new Map<ApiSettings, RateLimit>()
  for (const api of apis.values()) {
    const limit = limits.create(`requests:${api.name}`, api.rateLimit, { policy: api.name })
    if (limit) requestLimits.set(api, limit)
  }
  const guards = createGuards({
    identify,
    available,
    requestLimits,
    onDenied: settings.onDenied,
    emit,
    logRefusal,
  })
  const verifiers = createVerifiers({ identify, available, requestLimits })
  const { router, wellKnownRouter } = createAuthorizationServer({
    settings, clients: { applicationCache, credentials, activate, lastUsed }, accessTokens, revokedTokens, signingKeys, limits, available,
    waitForLatest: feed.waitForLatest, readChanges, emit, logRefusal,
    async verify(api, token) {
      const identity = await identify.byAccessToken(api, token)
      return typeof identity === 'string' || !identity.token ? undefined : { ...identity.token, scopes: identity.scopes }
    },
  }) // prettier-ignore

  const registrationRouter = createRegistrationRouter({
    apis,
    register: wing.register,
    claim: wing.claim,
    registrations: limits.create('registration', registration, { byAnybody: true }),
    available,
    logRefusal,
    home: settings.developersUrl,
  })

  /** May be called again after it rejected. */
  async function start(closing: AbortSignal): Promise<void> {
    await store.open()
    // From here on nothing that others change is missed; what is read below can only be newer.
    await feed.start()
    made = createCredentials(settings.credentialPrefix, await openPepper(), cache.applications * 2)
    await revokedTokens.load()
    await keyRotation.ensure()
    closing.throwIfAborted()
    wing.start()
  }

  /** 256 random bits, made once; sealed anew where an older secret sealed them. */
  async function openPepper(): Promise<Buffer> {
    const sealed = await store.establishPepper(await encryption.seal(randomBytes(32).toString('base64url')))
    const pepper = await encryption.open(sealed)
    if (!encryption.isNewest(sealed)) await store.resealPepper(sealed, await encryption.seal(pepper))
    return Buffer.from(pepper, 'base64url')
  }

  async function stop(): Promise<void> {
    limits.close()
    await wing.close()
    await store.close()
  }

  async function follow(change: Change): Promise<void> {
    if (change.kind === 'application') return applicationCache.forget(change.id)
    if (change.kind === 'accessTokenRevoked') return revokedTokens.note(change)
    if (change.kind === 'signingKeys') return signingKeys.load()
    applicationCache.forgetAll()
    await revokedTokens.load()
    await signingKeys.load()
  }

  function credentials(): Credentials {
    if (!made) throw new Error('The platform is not ready.')
    return made
  }

  async function opened(): Promise<Credentials> {
    await available()
    return credentials()
  }

  /** A store that says nothing is heard of by the feed, in its own time. */
  async function readChanges(): Promise<boolean> {
    return !storeHealth.isSilent() && feed.pollAgain()
  }

  /** Requests are answered all the same: this is no outage of the platform's. */
  function tellOfLimits(problem: unknown): void {
    const gone = problem !== undefined
    if (gone) logger.warn('Redis is out of reach: limits are counted in each process until it answers.', problem)
    else logger.warn('Redis answers again: limits are shared.')
    emit(gone ? 'limits.unavailable' : 'limits.available', problem instanceof Error ? { reason: problem.message } : {})
  }

  function rotateOnTime(): NodeJS.Timeout | undefined {
    const { rotateEvery } = settings.signing
    if (rotateEvery === undefined) return undefined
    const rotate = (): Promise<void> => readiness.ready().then(() => keyRotation.rotateWhenOlderThan(rotateEvery))
    const report = (error: unknown): void =>
      logger.error('The signing key could not be rotated; it is tried again.', error)
    return setInterval(() => void rotate().catch(report), Math.min(60, rotateEvery) * 1000).unref()
  }

  const rotating = rotateOnTime()
  const sweeping = setInterval(accessTokens.forgetExpired, SWEEP).unref()

  const auth: PlatformAuth = {
    apis: [...apis.values()].map(describeApi),
    router,
    wellKnownRouter,
    registrationRouter: settings.mailer ? registrationRouter : (_req, _res, next) => next(),
    requireBearer(...args: GuardArguments) {
      const { api, options } = readGuardArguments(apis, 'oauth2', args)
      return guards.bearer(api, options)
    },
    requireApiKey(...args: GuardArguments) {
      const { api, options } = readGuardArguments(apis, 'apiKey', args)
      return guards.apiKey(api, options)
    },
    async verifyAccessToken(name, token) {
      return verifiers.accessToken(apiNamed(apis, name, 'oauth2', 'verifyAccessToken'), token)
    },
    async verifyApiKey(name, key) {
      return verifiers.apiKey(apiNamed(apis, name, 'apiKey', 'verifyApiKey'), key)
    },
    applications: wing.applications,
    outbox: { retry: wing.outbox.retry },
    signingKeys: {
      list: () => opened().then(() => keyRotation.list()),
      rotate: (options) => opened().then(() => keyRotation.rotate(options)),
      revoke: (kid, options) => opened().then(() => keyRotation.revoke(kid, options)),
    },
    audit: createAudit({ store, opened }),
    events,
    ready: readiness.ready,
    health: readiness.health,
    close() {
      clearInterval(rotating)
      clearInterval(sweeping)
      return readiness.close()
    },
  }
  return auth
}

function describeApi({ name, title, description, scheme, scopes, tokenEndpoint, resource }: ApiSettings): Api {
  return Object.freeze({ name, title, description, scheme, scopes, tokenEndpoint, resource })
}
