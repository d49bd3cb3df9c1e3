import { AsyncResource } from 'node:async_hooks'
import { hash, randomBytes } from 'node:crypto'
import type { Limit } from '../../shared/contracts/api.js'

export interface RateLimitState {
  readonly allowed: boolean
  readonly remaining: number
  /** Milliseconds until the next window starts. */
  readonly milliseconds: number
}

export type MemoryCounter = (key: string) => RateLimitState

interface Window {
  counted: number
  /** On the monotonic clock. */
  readonly endsAt: number
}

/** Windows that have ended are dropped when somebody counts; while nobody does, this often. */
const SWEEP_INTERVAL_MS = 1000

/** Counters of one process, with one timer for all: a timer for each key takes more memory than its count, and ends after 24.8 days at most. */
export function createMemoryCounters() {
  const sweeps = new Set<(now: number) => boolean>()
  let timer: NodeJS.Timeout | undefined

  function sweep(): void {
    const now = performance.now()
    for (const dropEnded of sweeps) if (dropEnded(now)) sweeps.delete(dropEnded)
    if (sweeps.size === 0) close()
  }
  // The function is bound here: the timer must not be part of the trace of the request that starts it.
  const start = AsyncResource.bind((): void => {
    timer = setInterval(sweep, SWEEP_INTERVAL_MS).unref()
  })
  function close(): void {
    clearInterval(timer)
    timer = undefined
  }

  /** Above `maxKeys`, new keys share a fixed number of windows: they neither fill the memory nor go uncounted. */
  function create({ limit, window }: Limit, maxKeys: number): MemoryCounter {
    const length = window * 1000
    /** Windows that have begun since the last turn, none of which has ended; and those of the turn before. */
    let young = new Map<string | number, Window>()
    let old = new Map<string | number, Window>()
    /** When the young windows become the old ones, and all old ones have ended. */
    let turnsAt = 0

    function dropEnded(now: number): boolean {
      if (now >= turnsAt) {
        old = now < turnsAt + length ? young : new Map<string | number, Window>()
        young = new Map<string | number, Window>()
        turnsAt = now + length
      }
      return young.size + old.size === 0
    }

    function find(key: string | number, now: number): Window | undefined {
      const known = young.get(key) ?? old.get(key)
      return known && known.endsAt > now ? known : undefined
    }

    function begin(key: string | number, now: number): Window {
      const begun = { counted: 0, endsAt: now + length }
      young.set(typeof key === 'string' ? copy(key) : key, begun)
      sweeps.add(dropEnded)
      if (!timer) start()
      return begun
    }

    function findOrBegin(key: string | number, now: number): Window {
      return find(key, now) ?? begin(key, now)
    }

    return function countInMemory(key) {
      const now = performance.now()
      dropEnded(now)
      const current = find(key, now) ?? (young.size < maxKeys ? begin(key, now) : findOrBegin(selectShared(key), now))
      current.counted += 1
      const remaining = limit - current.counted
      return {
        allowed: remaining >= 0,
        remaining: Math.max(0, remaining),
        milliseconds: Math.min(length, current.endsAt - now),
      }
    }
  }

  return { create, close }
}

/** V8 may keep a key as a part of the header that it was cut out of, and all of that header with it. */
function copy(key: string): string {
  return JSON.parse(JSON.stringify(key)) as string
}

/** So many windows that an honest new key rarely shares one with a flood. */
const SHARED_WINDOWS = 1024
/** The salt is random, so that nobody can find out which keys share a window. */
const SALT = randomBytes(32).toString('base64url')

function selectShared(key: string): number {
  return Number.parseInt(hash('sha256', SALT + key, 'hex').slice(0, 8), 16) % SHARED_WINDOWS
}
