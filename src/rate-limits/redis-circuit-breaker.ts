import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisConnection } from '../options/options.js'

/** The way to Redis, on which nobody waits for long, and which says once when it is gone and once when it is back. */
export interface RedisCircuitBreaker {
  /** What Redis answers; undefined while it doesn't. Never rejects. */
  ask<Answer>(question: () => Promise<Answer>): Promise<Answer | undefined>
  isGone(): boolean
  close(): void
}

interface RedisLinkOptions {
  readonly redis: RedisConnection
  /** Does once what `ask()` is for, and changes nothing that counts. */
  readonly probe: () => Promise<unknown>
  /** Told what is wrong, and undefined when it is over. */
  readonly onChange: (problem: unknown) => void
}

/** Milliseconds that a request waits for Redis. */
const PATIENCE = 250
/** Milliseconds between two looks whether it is back. */
const PAUSE = 100
/** Milliseconds after which a look is given up: one that hangs must not be the last. */
const GIVEN_UP = 5000

export function createRedisCircuitBreaker({ redis, probe, onChange }: RedisLinkOptions): RedisCircuitBreaker {
  let gone = false
  let outages = 0
  const closing = new AbortController()

  async function send<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    // ioredis would keep the command, or refuse it, as it is configured: neither is an answer.
    while (isStarting()) await sleep(5, undefined, { ref: false })
    if (gone || !SENDING.includes(redis.status))
      throw new Error(`The connection to Redis is in state "${redis.status}".`)
    return question()
  }

  function isStarting(): boolean {
    return !gone && CONNECTING.includes(redis.status)
  }

  function lose(problem: unknown): void {
    if (gone || closing.signal.aborted) return
    gone = true
    outages += 1
    void lookUntilBack()
    onChange(problem)
  }

  /** Costs no request anything: they are counted in memory meanwhile. */
  async function lookUntilBack(): Promise<void> {
    while (gone && !closing.signal.aborted) {
      await sleep(PAUSE, undefined, { ref: false, signal: closing.signal }).catch(() => undefined)
      if (!closing.signal.aborted && SENDING.includes(redis.status) && (await answersInTime())) {
        gone = false
        onChange(undefined)
      }
    }
  }

  async function answersInTime(): Promise<boolean> {
    const since = performance.now()
    try {
      await within(GIVEN_UP, probe())
      return performance.now() - since <= PATIENCE && !closing.signal.aborted
    } catch {
      return false
    }
  }

  return {
    async ask(question) {
      if (gone) return undefined
      const before = outages
      try {
        return await within(PATIENCE, send(question))
      } catch (problem) {
        // What was asked before an outage that is over by now says nothing new.
        if (outages === before) lose(problem)
        return undefined
      }
    },
    isGone: () => gone,
    close: () => closing.abort(),
  }
}

/** The states of an ioredis instance in which a command is on its way at once; `wait` is one that connects when asked. */
const SENDING: readonly unknown[] = ['ready', 'wait', undefined]
/** Those that it passes through while it starts. */
const CONNECTING: readonly unknown[] = ['connecting', 'connect']

function within<Value>(milliseconds: number, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const tooLate = (): void => reject(new Error(`Redis did not answer within ${milliseconds} ms.`))
    // Where it was this process that had no time, the answer lies there already, and is read before setImmediate's turn.
    const timer = setTimeout(() => setImmediate(tooLate), milliseconds).unref()
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
