import type { Credentials } from '../applications/credentials/credentials.js'
import type { EmitEarly, PlatformEvents } from '../contracts/events.js'
import type { Logger } from '../contracts/logger.js'
import type { StoreWith } from '../contracts/store.js'
import type { PaceStarts } from '../http/paced-start.js'
import type { LogRefusal } from '../http/refusal-log.js'
import type { LateValue } from '../lib/late-value.js'
import type { Settings } from '../options/all-settings.js'
import type { RateLimits } from '../rate-limits/rate-limits.js'
import type { RateLimit } from '../rate-limits/rate-limit.js'
import type { ChangeFeed } from '../store-client/change-feed-api.js'
import type { ClientLimits } from '../store-client/client-limits.js'
import type { Encryption } from '../store-client/encryption.js'
import type { Readiness } from '../store-client/lifecycle.js'
import type { SessionSecret } from '../store-client/session-secret.js'

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
