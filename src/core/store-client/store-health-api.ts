/** A `write` can fail in a store that answers reads; `feed` polls the feed; a `notice` says nothing of health. */
export type StoreCallKind = 'read' | 'write' | 'feed' | 'notice'

/** A call of the store. */
export interface StoreCall {
  readonly name: string
  readonly kind: StoreCallKind
  /** The start of the call on the monotonic clock. */
  readonly startedAt: number
}

/** Whether the store answers, rejects writes or is slow, as the ends of its calls show. */
export interface StoreHealth {
  answered(call: StoreCall): void
  failed(call: StoreCall, problem: unknown): void
  /** The call has timed out. A late answer is ignored. */
  timedOut(call: StoreCall, problem: unknown): void
  /** Whether a call has timed out and none was answered since. Other calls then fail at once instead of waiting. */
  isUnresponsive(): boolean
  /** Whether `problems()` says why the changes cannot be read: in an outage, or where only they fail. */
  isUnavailable(): boolean
  /** The problems for `auth.health()`; empty if all is well. */
  problems(): string[]
}
