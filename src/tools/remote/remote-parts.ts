import { randomBytes } from 'node:crypto'
import { createCredentials, type Credentials } from '../../core/applications/credentials/credentials.js'
import { createLastUsed } from '../../core/applications/credentials/last-used.js'
import { createApplicationCache } from '../../core/applications/records/application-cache.js'
import { createOriginReader } from '../../core/http/origin.js'
import { createRefusalLog } from '../../core/http/refusal-log.js'
import { createEvents } from '../../core/platform/events.js'
import { createOutageNotice, createRateLimits } from '../../core/rate-limits/rate-limits.js'
import { loadApiKeyStrategy } from '../../core/resource-server/passport-adapter.js'
import { createResourceServer } from '../../core/resource-server/resource-server.js'
import { createBoundedCalls } from '../../core/store-client/bounded-store.js'
import { createChangeApplier, createChangeFeed } from '../../core/store-client/change-feed.js'
import { createClientLimits } from '../../core/store-client/client-limits.js'
import { createReadiness, loadAtStart } from '../../core/store-client/readiness.js'
import { createStoreHealth } from '../../core/store-client/store-health.js'
import { createRevokedTokens } from '../../core/tokens/revoked-tokens.js'
import { createSigningKeys } from '../../core/tokens/signing-keys.js'
import { createAccessTokenVerifier } from '../../core/tokens/verify-access-token.js'
import { ConfigurationError, StoreUnavailableError } from '../../shared/contracts/errors.js'
import { createLateValue } from '../../shared/lib/late-value.js'
import { createBoundedCache } from '../../shared/lib/bounded-cache.js'
import { readClientAddress } from '../../shared/lib/request.js'
import { createCounting, createKnownPlans } from './counting.js'
import { checkPlatformSettings } from './platform-settings.js'
import { createPlatformClient, createPlatformClock } from './platform-client.js'
import type { RemoteSettings } from './read-remote-options.js'
import { createReports } from './remote-reports.js'
import { createRemoteSource } from './remote-source.js'

const CONCURRENT_CALLS = 64
/** The platform lists no more revoked access tokens at once. */
const MAX_LISTED_TOKENS = 10_000

export function createRemoteParts(settings: RemoteSettings) {
  const { address, apis, cache, logger, maxStaleness } = settings
  const clock = createPlatformClock()
  const { now } = clock
  const { events, emit } = createEvents({ now, readOrigin: createOriginReader([...apis.values()]), logger })
  const storeHealth = createStoreHealth({ logger, emit, now, name: 'platform' })
  const taken = createTakenApis([...apis.keys()], () => applicationCache.evictAll())
  const client = createPlatformClient({ settings, clock, onServed: taken.note })
  const plans = createKnownPlans()
  const { source, reports, closeCalls } = createSource(settings, client, storeHealth, {
    forget: (id) => applicationCache.evict(id),
    learnPlan: plans.learn,
  })
  const feed = createChangeFeed({ store: source, storeHealth, maxStaleness, now })
  const { available, begin, ...lifecycle } = createReadiness({ feed, storeHealth, logger, address })
  const { rateLimits, limitFailures } = createLimits(settings, createOutageNotice({ logger, emit }))
  const clientLimits = createClientLimits({ concurrentCalls: CONCURRENT_CALLS })
  const credentials = createLateValue<Credentials>(
    () => new StoreUnavailableError('The platform has not answered yet.'),
  )
  const applicationCache = createApplicationCache({
    source,
    limit: cache.applications,
    limitLookups: clientLimits.limitLookups,
    limitLookupsOfStrangers: clientLimits.limitLookupsOfStrangers,
    readAddress: readClientAddress,
    freshUntil: feed.freshUntil,
    maxStaleness,
  })
  const lastUsed = createLastUsed({ store: source, now })
  const { signingKeys, accessTokens, revokedTokens } = createTokenParts(settings, {
    source,
    clientLimits,
    nameOf: client.nameOf,
    readChanges: feed.pollAgain,
    now,
  })
  const counting = createCounting({ settings, reports, plans, rateLimits, clientLimits, logger, now })
  const { calls: guards, guardParts } = createResourceServer({
    apis,
    accessTokens,
    revokedTokens,
    applicationCache,
    credentials: credentials.get,
    // The platform activates an application when its key is looked up; the record here is older.
    activate: async (id) => applicationCache.evict(id),
    lastUsed,
    limitFailures,
    rateLimits,
    plans: counting.planLimits,
    available: ({ name }) => taken.refuse(name) ?? available(),
    observers: counting.observers,
    emit,
    logRefusal: createRefusalLog(logger, process.env['NODE_ENV'] === 'development'),
    waitToRefuse: clientLimits.waitToRefuse,
    onDenied: settings.onDenied,
    warn: (message) => logger.warn(message),
    now,
  })
  begin({
    async start() {
      await loadAtStart([loadApiKeyStrategy([...apis.values()])])
      const answer = await client.ask('settings', {})
      const { acceptsImported } = checkPlatformSettings(answer, settings)
      counting.begin(answer['usage'])
      await feed.start(
        createChangeApplier({ applicationCache, revokedTokens, signingKeys, sessionSecret: NONE, processes: NONE }),
      )
      // Keys are known here by an HMAC that is of no use elsewhere, and after this process has ended.
      const given = { cacheSize: cache.applications * 2, acceptsImported }
      credentials.set(createCredentials('', randomBytes(32), given))
      await revokedTokens.load()
      await signingKeys.load()
    },
    problems: () =>
      [rateLimits.problem(), ...taken.problems(), ...client.problems()].filter((each) => each !== undefined),
    async flush() {
      await Promise.all([lastUsed.flush(), counting.flush()])
    },
    async stop() {
      accessTokens.close()
      await Promise.all([lastUsed.close(), counting.close()])
      rateLimits.close()
      closeCalls()
      client.close()
    },
  })
  return { guards, guardParts, events, lifecycle }
}

/** The APIs that operators have taken from this service while it runs. Nothing is known of their callers. */
function createTakenApis(apis: readonly string[], forgetApplications: () => void) {
  let taken: readonly string[] = []
  const describe = (api: string): string =>
    `The platform has taken API ${api} from this service, whose requests there get 503.`
  return {
    note(names: readonly string[]): void {
      taken = apis.filter((name) => !names.includes(name))
      // Who was unknown may have access to an API that was given back.
      forgetApplications()
    },
    refuse(api: string): Promise<never> | undefined {
      if (taken.length === 0 || !taken.includes(api)) return undefined
      return Promise.reject(new StoreUnavailableError(describe(api)))
    },
    problems: (): readonly string[] => taken.map(describe),
  }
}

/** The session secret and other processes concern the platform only. */
const NONE = { load: async (): Promise<void> => undefined, noteChange: (): void => undefined }

function createLimits(
  { rateLimits: given, clientSecret, baseUrl }: RemoteSettings,
  onChange: ReturnType<typeof createOutageNotice>,
) {
  const { redis, headers, failedAuthentication } = given
  const rateLimits = createRateLimits({ redis, headers, secrets: [clientSecret], baseUrl, onChange })
  const limitFailures = rateLimits.create('failedAuthentication', failedAuthentication, {
    untrustedKeys: true,
    setBy: 'rateLimits.failedAuthentication',
  })
  return { rateLimits, limitFailures }
}

function createSource(
  { cache: { applications: entries }, maxStaleness }: RemoteSettings,
  { ask, nameOf }: Pick<ReturnType<typeof createPlatformClient>, 'ask' | 'nameOf'>,
  storeHealth: ReturnType<typeof createStoreHealth>,
  { forget, learnPlan }: Pick<Parameters<typeof createRemoteSource>[0], 'forget' | 'learnPlan'>,
) {
  const { usage, quotas, noteCredentialUse } = createReports(ask)
  const remote = createRemoteSource({ ask, nameOf, maxStaleness, entries, forget, learnPlan, noteCredentialUse })
  const { boundCalls, close: closeCalls } = createBoundedCalls({ storeHealth, name: 'platform' })
  const { hasOtherHashes, pollInterval, watch, clock: _none, ...calls } = remote
  const bounded = boundCalls<typeof calls>(calls, {
    findApplication: 'read',
    findApplicationByKey: 'read',
    listVerificationKeys: 'read',
    listRevokedAccessTokens: 'read',
    isAccessTokenRevoked: 'read',
    noteCredentialUse: 'write',
    changesSince: 'feed',
  })
  const reports = {
    usage: boundCalls(usage, { add: 'write', addRefusals: 'write', addReported: 'write' }, 'usage.'),
    quotas: boundCalls(quotas, { add: 'write', list: 'read' }, 'quotas.'),
  }
  return { source: { ...bounded, hasOtherHashes, pollInterval, ...(watch && { watch }) }, reports, closeCalls }
}

function createTokenParts(
  { apis, cache, logger }: RemoteSettings,
  parts: {
    readonly source: ReturnType<typeof createSource>['source']
    readonly clientLimits: ReturnType<typeof createClientLimits>
    readonly nameOf: (kind: 'token', id: string) => string
    readonly readChanges: () => Promise<boolean>
    readonly now: () => number
  },
) {
  const { source, clientLimits, nameOf, readChanges, now } = parts
  const signingKeys = createSigningKeys({
    store: {
      listSigningKeys: async () =>
        (await source.listVerificationKeys()).map((key) => ({ ...key, sealedPrivateJwk: '' })),
    },
    encryption: PUBLIC_KEYS_ONLY,
    logger,
    now,
    readChanges,
  })
  const issuers = [...apis.values()].filter(({ scheme }) => scheme === 'oauth2')
  const accessTokens = createAccessTokenVerifier({
    signingKeys,
    lifetimes: new Map(issuers.map(({ resource, accessTokenLifetime }) => [resource, accessTokenLifetime])),
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    now,
    entries: cache.accessTokens,
  })
  const names = createBoundedCache<string>({ entries: cache.accessTokens })
  const revokedTokens = createRevokedTokens({
    store: source,
    revokeAccessToken: () => Promise.reject(new StoreUnavailableError('Tokens are revoked at the platform.')),
    // Asked at every request, but only while some token is revoked: so names are kept.
    nameOf(id) {
      const known = names.get(id)
      if (known !== undefined) return known
      const name = nameOf('token', id)
      names.set(id, name)
      return name
    },
    now,
    limit: Math.min(cache.revokedAccessTokens, MAX_LISTED_TOKENS),
    clientLimits,
  })
  return { signingKeys, accessTokens, revokedTokens }
}

/** The platform's time is known to within the time of an answer. */
const CLOCK_TOLERANCE_SECONDS = 5

/** The platform has answered its own keys, without private ones: they verify here and sign nothing. */
const PUBLIC_KEYS_ONLY: Parameters<typeof createSigningKeys>[0]['encryption'] = {
  seal: refusePrivateKey,
  unseal: refusePrivateKey,
  isNewest: () => true,
  authenticate: () => 'authentic',
}

async function refusePrivateKey(): Promise<never> {
  throw new ConfigurationError({ problem: 'There is no private key here', fix: 'Sign at the platform.' })
}
