import type { Credentials } from '../applications/credentials/credentials.js'
import { createEvents } from './events.js'
import { createLateValue } from '../../shared/lib/late-value.js'
import type { StoreWith } from '../../shared/contracts/store.js'
import { createOriginReader } from '../http/origin.js'
import { createPacedStart } from '../http/endpoints.js'
import { createRefusalLog } from '../http/refusal-log.js'
import type { Settings } from '../options/read-platform-options.js'
import { createOutageNotice, createRateLimits } from '../rate-limits/rate-limits.js'
import { createBoundedStore } from '../store-client/bounded-store.js'
import { createChangeFeed, createChangeWaits } from '../store-client/change-feed.js'
import { createClientLimits } from '../store-client/client-limits.js'
import { createClockCheck } from '../store-client/clock-check.js'
import { createEncryption } from '../store-client/encryption.js'
import { createReadiness } from '../store-client/readiness.js'
import { createSessionSecret } from '../store-client/session-secret.js'
import { createStoreHealth } from '../store-client/store-health.js'
import { memoryStore } from '../../stores/memory/index.js'

/** The parts on which all others rest: the store, its secrets, events, limits and readiness. */
export type Foundation = ReturnType<typeof createFoundation>

export function createFoundation(settings: Settings) {
  const { logger, now, maxStaleness } = settings
  const { clockTolerance } = settings.tokens
  const { events, emit } = createEvents({ now, readOrigin: createOriginReader([...settings.apis.values()]), logger })
  const storeHealth = createStoreHealth({ logger, emit, now })
  const store = createBoundedStore(settings.store ?? memoryStore(), { storeHealth, logger }) as StoreWith
  const clockCheck = createClockCheck({ clockTolerance, logger, emit })
  const feed = createChangeFeed({ store, storeHealth, clockCheck, maxStaleness, now })
  const rateLimits = createRateLimits({
    redis: settings.rateLimits.redis,
    headers: settings.rateLimits.headers,
    secrets: settings.secrets,
    baseUrl: settings.baseUrl,
    onChange: createOutageNotice({ logger, emit }),
  })
  const { available, begin, ...lifecycle } = createReadiness({ feed, storeHealth, logger, address: undefined })
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
    changeWaits: createChangeWaits(),
    clockCheck,
    clientLimits: createClientLimits(store),
    paceStarts: createPacedStart(),
    rateLimits,
    limitFailures: rateLimits.create('failedAuthentication', settings.rateLimits.failedAuthentication, {
      untrustedKeys: true,
      setBy: 'rateLimits.failedAuthentication',
    }),
    available,
    begin,
    lifecycle,
    encryption,
    credentials,
    opened,
    sessionSecret: createSessionSecret({ store, encryption, opened, emit, now }),
  }
}
