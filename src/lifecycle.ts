import { setTimeout as sleep } from 'node:timers/promises'
import type { ChangeFeed } from './change-feed.js'
import { ConfigurationError, StoreUnavailableError } from './errors.js'
import type { Eventually } from './eventually.js'
import type { Logger } from './options.js'

/** What `auth.health()` resolves. */
export interface Health {
  /** Whether requests are being answered in full knowledge. */
  readonly ok: boolean
  /** What is wrong, for an operator; empty while `ok`. */
  readonly problems: readonly string[]
}

/** From start-up to `close()`: whether this process can answer, and why not. */
export interface Lifecycle {
  /** Resolves once everything is there; rejects for what waiting can't cure. */
  ready(): Promise<void>
  /** For a request: at once in the common case; rejects with `StoreUnavailableError` where it must be answered with 503. */
  available(): Eventually<void>
  health(): Promise<Health>
  close(): Promise<void>
}

interface LifecycleOptions {
  /** Everything that must be there before the first answer; tried again until it succeeds. */
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
  readonly feed: ChangeFeed
  readonly logger: Logger
}

/** Milliseconds that a request waits for the start. */
const PATIENCE = 5000
/** Milliseconds between two attempts to start. */
const PAUSE = 500

export function createLifecycle({ start, stop, feed, logger }: LifecycleOptions): Lifecycle {
  let started = false
  let closed: Promise<void> | undefined
  /** Why the last attempt to start failed. */
  let problem = 'its store has not been opened yet.'
  const closing = new AbortController()
  const starting = keepStarting()
  // Whoever never asks ready() is told by the log; an unhandled rejection would end the host.
  starting.catch(() => undefined)

  async function keepStarting(): Promise<void> {
    // A turn for the host, so that what fails at once finds its listeners.
    await sleep(0)
    for (;;) {
      if (closing.signal.aborted) throw new StoreUnavailableError('The platform was closed before it was ready.')
      try {
        await start()
        started = true
        return
      } catch (error) {
        const before = problem
        problem = messageOf(error)
        if (error instanceof ConfigurationError) {
          logger.error(`The platform cannot start. ${problem}`)
          throw error
        }
        // Said once, not with every attempt.
        if (problem !== before) logger.error(`The platform could not start yet, and goes on trying: ${problem}`)
      }
      await sleep(PAUSE, undefined, { ref: false, signal: closing.signal }).catch(() => undefined)
    }
  }

  async function waitForStart(): Promise<void> {
    const patience = new AbortController()
    const tooLate = sleep(PATIENCE, undefined, { ref: false, signal: patience.signal }).then(() => {
      throw new StoreUnavailableError('The platform is not ready yet.')
    })
    tooLate.catch(() => undefined)
    try {
      await Promise.race([starting, tooLate])
    } catch (cause) {
      throw new StoreUnavailableError('The platform is not ready.', { cause })
    } finally {
      patience.abort()
    }
  }

  async function refresh(): Promise<void> {
    const answered = await feed.catchUp()
    if (!answered && !feed.isFresh())
      throw new StoreUnavailableError('The store has been out of reach for longer than stalenessBound.')
  }

  async function close(): Promise<void> {
    closing.abort()
    feed.close()
    await starting.catch(() => undefined)
    feed.close()
    await stop()
  }

  return {
    ready: () => starting,
    available() {
      if (!started) return waitForStart()
      return feed.isFresh() ? undefined : refresh()
    },
    async health() {
      if (!started) return { ok: false, problems: [`The platform is not ready: ${problem}`] }
      const answered = await feed.catchUp()
      return answered ? { ok: true, problems: [] } : { ok: false, problems: ['The store is out of reach.'] }
    },
    close: () => (closed ??= close()),
  }
}

/** A message with those of its causes: the innermost one says what happened. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message} ${messageOf(error.cause)}`
}
