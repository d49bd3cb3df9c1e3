import type { Credentials } from '../applications/credentials/credentials.js'
import { createEvents, type EmitEarly, type PlatformEvents } from '../contracts/events.js'
import type { Logger } from '../contracts/logger.js'
import type { StoreWith } from '../contracts/store.js'
import { createOriginReader } from '../http/origin.js'
import { createPacedStart, type PaceStarts } from '../http/paced-start.js'
import { createRefusalLog, type LogRefusal } from '../http/refusal-log.js'
import { createLateValue, type LateValue } from '../lib/late-value.js'
import type { Settings } from '../options/settings.js'
import { createOutageNotice, createRateLimits, type RateLimits } from '../rate-limits/create.js'
import type { RateLimit } from '../rate-limits/rate-limit.js'
import { createBoundedStore } from '../store-client/bounded-store.js'
import { createChangeFeed, type ChangeFeed } from '../store-client/change-feed.js'
import { createClientLimits, type ClientLimits } from '../store-client/client-limits.js'
import { createClockCheck } from '../store-client/clock-check.js'
import { createEncryption, type Encryption } from '../store-client/encryption.js'
import { createReadiness, type Readiness } from '../store-client/readiness.js'
import { createSessionSecret, type SessionSecret } from '../store-client/session-secret.js'
import { createStoreHealth } from '../store-client/store-health.js'
import { memoryStore } from '../stores/memory/index.js'

/** The parts on which all others rest: the store, its secrets, events, limits and readiness. */
export interface Foundation extends Pick<Readiness, 'available' | 'begin'> {
  readonly settings: Settings
  readonly events: PlatformEvents
  readonly emit: EmitEarly
  readonly logger: Logger
  readonly now: () => number
  readonly logRefusal: LogRefusal
  /** The store, whose calls have time-outs. */
  readonly store: StoreWith
  readonly feed: ChangeFeed
  readonly clientLimits: ClientLimits
  readonly paceStarts: PaceStarts
  readonly rateLimits: RateLimits
  readonly limitFailures: RateLimit | undefined
  readonly encryption: Encryption
  /** It is set when the platform has started. */
  readonly credentials: LateValue<Credentials>
  /** Resolves once the store is open, for calls. */
  opened(): Promise<Credentials>
  readonly sessionSecret: SessionSecret
  /** Parts that are created later add their problems for `health()`: undefined if nothing is wrong. */
  readonly problems: (() => string | undefined)[]
  readonly lifecycle: Pick<Readiness, 'ready' | 'health' | 'close'>
}

export function createFoundation(settings: Settings): Foundation {
  const { logger, now, clockTolerance, maxStaleness } = settings
  const { events, emit } = createEvents({ now, readOrigin: createOriginReader([...settings.apis.values()]), logger })
  const storeHealth = createStoreHealth({ logger, emit, now })
  const store = createBoundedStore(settings.store ?? memoryStore(), { storeHealth, logger }) as StoreWith
  const clockCheck = createClockCheck({ clockTolerance, logger, emit })
  const feed = createChangeFeed({ store, storeHealth, clockCheck, maxStaleness, now })
  const rateLimits = createRateLimits({
    ...settings.rateLimits,
    secrets: settings.secrets,
    baseUrl: settings.baseUrl,
    onChange: createOutageNotice({ logger, emit }),
  })
  const problems = [rateLimits.problem, clockCheck.problem]
  const { available, begin, ...lifecycle } = createReadiness({ feed, storeHealth, logger, otherProblems: problems })
  const encryption = createEncryption(settings.secrets, { importUnencrypted: settings.importUnencrypted })
  const credentials = createLateValue<Credentials>(() => new Error('The platform is not ready.'))

  async function opened(): Promise<Credentials> {
    await available()
    return credentials.get()
  }

  return {
    settings,
    events,
    emit,
    logger,
    now,
    logRefusal: createRefusalLog(logger, settings.development),
    store,
    feed,
    clientLimits: createClientLimits(store),
    paceStarts: createPacedStart(),
    rateLimits,
    limitFailures: rateLimits.create('failedAuthentication', settings.rateLimits.failedAuthentication, {
      untrustedKeys: true,
    }),
    available,
    begin,
    lifecycle,
    problems,
    encryption,
    credentials,
    opened,
    sessionSecret: createSessionSecret({ store, encryption, opened, emit, now }),
  }
}
