import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import type { Start } from './startup.js'

/** The result of `auth.health()`. */
export interface Health {
  /**
   * Whether the platform's data is fresh enough to answer: at most `maxStaleness` old. For a load balancer's health check. It
   * stays true when the store becomes unavailable, until requests of known callers get 503.
   */
  readonly ok: boolean
  /**
   * The problems, without addresses or secrets. There may be some while `ok`: the store is unavailable, slow or rejects writes
   * (full, read-only), rate limits are not shared because Redis is unavailable, the mail server takes no e-mails, the clock
   * differs from the database's, or another process has other settings.
   */
  readonly problems: readonly string[]
}

/** The options of `auth.ready()`. */
export interface ReadyOptions {
  /** Whether an unavailable store is retried; true if left out. With false the first failed attempt rejects. */
  readonly retry?: boolean | undefined
}

/** Tells from start-up to `close()` whether this process can answer, and why not. */
export interface Readiness {
  /**
   * Resolves once the platform has started. Rejects if waiting does not help, and with `retry: false` for any failure. It may be
   * called again.
   */
  ready(options?: ReadyOptions): Promise<void>
  /** Starts the platform. It is called once, when all parts have been created. */
  begin(steps: StartAndStop): void
  /** Lets a request pass, usually synchronously. Rejects with `StoreUnavailableError` if the answer must be 503. */
  available(): MaybePromise<void>
  /** Resolves within about half a second, even if the store does not answer. */
  health(): Promise<Health>
  /** Stores and sends what waits. Never rejects, and resolves within `CALL_TIMEOUT_MS` even if the store or the mailer hangs. */
  flush(): Promise<void>
  /** Resolves within seconds even if the store hangs; an e-mail that is being sent may take a minute. */
  close(): Promise<void>
}

export interface StartAndStop {
  readonly start: Start
  readonly flush: () => Promise<void>
  readonly stop: () => Promise<void>
}
