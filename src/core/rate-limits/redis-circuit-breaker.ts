import { setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '../../shared/lib/timeout.js'
import type { RedisConnection } from '../options/options.js'

/** Every guarded request waits for its count; Redis usually answers within a few milliseconds. */
const REDIS_CALL_TIMEOUT_MS = 250
/** Limits are shared again soon after Redis is back, and a probe is cheap. */
const PROBE_INTERVAL_MS = 100
/** Probes run one at a time, so one that hangs must time out. */
const PROBE_TIMEOUT_MS = 5000
/** The host's ioredis instance gets no listeners from this package, so its status is polled while it connects. */
const STATUS_POLL_INTERVAL_MS = 5

/** States of an ioredis instance in which it sends commands at once; one in `wait` (`lazyConnect`) connects for the first. */
const SENDING_STATES: readonly unknown[] = ['ready', 'wait', undefined]
const CONNECTING_STATES: readonly unknown[] = ['connecting', 'connect']

/** A circuit breaker in front of Redis: after one failure nothing is sent but a probe, until that is answered in time. */
export function createRedisCircuitBreaker(options: {
  readonly redis: Pick<RedisConnection, 'status'>
  /** Does the same work in Redis as a command, without any effect on limits. */
  readonly probe: () => Promise<unknown>
  /** Called with the problem when Redis becomes unavailable, and with undefined when it answers again. */
  readonly onChange: (problem: unknown) => void
}) {
  const { redis, probe, onChange } = options
  let isOpen = false
  let outages = 0
  const closing = new AbortController()

  async function send<Answer>(command: () => Promise<Answer>): Promise<Answer> {
    // Otherwise ioredis would queue the command or reject it, depending on its options.
    while (mustWaitForConnection()) await sleep(STATUS_POLL_INTERVAL_MS, undefined, { ref: false })
    if (isOpen || !SENDING_STATES.includes(redis.status))
      throw new Error(`The connection to Redis is in state "${redis.status}".`)
    return command()
  }

  function mustWaitForConnection(): boolean {
    return !isOpen && CONNECTING_STATES.includes(redis.status)
  }

  function open(problem: unknown): void {
    if (isOpen || closing.signal.aborted) return
    isOpen = true
    outages += 1
    void probeUntilAnswered()
    onChange(problem)
  }

  async function probeUntilAnswered(): Promise<void> {
    while (isOpen && !closing.signal.aborted) {
      await sleep(PROBE_INTERVAL_MS, undefined, { ref: false, signal: closing.signal }).catch(() => undefined)
      if (!closing.signal.aborted && SENDING_STATES.includes(redis.status) && (await isProbeAnsweredInTime())) {
        isOpen = false
        onChange(undefined)
      }
    }
  }

  async function isProbeAnsweredInTime(): Promise<boolean> {
    const startedAt = performance.now()
    try {
      await withTimeout(probe(), PROBE_TIMEOUT_MS, () => createTimeoutError(PROBE_TIMEOUT_MS), { background: true })
      return performance.now() - startedAt <= REDIS_CALL_TIMEOUT_MS && !closing.signal.aborted
    } catch {
      return false
    }
  }

  return {
    /** Runs a command and resolves Redis's answer; undefined while Redis is unavailable. Never rejects. */
    async ask<Answer>(command: () => Promise<Answer>): Promise<Answer | undefined> {
      if (isOpen) return undefined
      const outagesBefore = outages
      try {
        return await withTimeout(send(command), REDIS_CALL_TIMEOUT_MS, () => createTimeoutError(REDIS_CALL_TIMEOUT_MS))
      } catch (problem) {
        // A command that was sent before an outage that has ended does not start a new one.
        if (outages === outagesBefore) open(problem)
        return undefined
      }
    },
    isOpen: () => isOpen,
    close: () => closing.abort(),
  }
}

function createTimeoutError(milliseconds: number): Error {
  return new Error(`Redis did not answer within ${milliseconds} ms.`)
}
