import type { Change } from '../../shared/contracts/store-records.js'

/** Keeps a process up to date with what other processes commit, and knows how old its knowledge is. */
export interface ChangeFeed {
  /** Starts at the present end of the feed. What is read from the store afterwards cannot be older than that. */
  start(onChange: ApplyChange): Promise<void>
  /** Whether what this process knows is at most `maxStaleness` old. */
  isFresh(): boolean
  /** The time on the monotonic clock until which it is, if no read is answered. While a change is applied, that of the read before. */
  freshUntil(): number
  /** Whether the last read got no answer in time. A request then need not wait for another: they are repeated in the background. */
  isLate(): boolean
  /** Reads the feed, or joins a read that is under way. Resolves true if the store answered in time. */
  poll(): Promise<boolean>
  /** Reads like `poll`, but starts after this call, so that it brings everything that was committed before the call. */
  pollAgain(): Promise<boolean>
  /**
   * fresh.
   */
  waitForLatest(): Promise<boolean>
  close(): void
}

/**
 * Handles one change. If it rejects, the same change is delivered again with the next poll. A change may be delivered more than
 * once.
 */
export type ApplyChange = (change: Change) => void | Promise<void>
