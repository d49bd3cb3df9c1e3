import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryCounters, type MemoryCounter } from '../../../src/core/rate-limits/memory-counter.js'
import { createRateLimits } from '../../../src/core/rate-limits/rate-limits.js'
import { OAuthError } from '../../../src/index.js'

const DAY = 86_400
const SECRETS = ['a secret of 32 characters or more']
const PLATFORM = { secrets: SECRETS, baseUrl: 'https://api.example.com', redis: undefined, onChange: () => undefined }

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** Counts so many different keys, and returns how many were refused. */
function flood(count: MemoryCounter, keys: number): number {
  let refused = 0
  for (let i = 0; i < keys; i++) if (!count(`flood ${i}`).allowed) refused += 1
  return refused
}

describe('a window', () => {
  it.each([1, 60, 30 * DAY, 365 * DAY])(
    'of %i seconds begins with the first request, and holds until its end',
    (window) => {
      const count = createMemoryCounters().create({ limit: 2, window }, Infinity)
      // Others, and steps, so that what has ended is dropped at every possible moment.
      count('other')
      for (const wait of [0, 0.4, 0.9, 1.3]) {
        vi.advanceTimersByTime(wait * window * 1000)
        const key = `after ${wait}`
        expect(count(key)).toEqual({ allowed: true, remaining: 1, milliseconds: window * 1000 })
        vi.advanceTimersByTime(window * 500)
        expect(count(key)).toMatchObject({ allowed: true, remaining: 0, milliseconds: window * 500 })
        vi.advanceTimersByTime(window * 499)
        expect(count(key)).toMatchObject({ allowed: false, remaining: 0, milliseconds: window })
        vi.advanceTimersByTime(window)
        expect(count(key)).toMatchObject({ allowed: true, remaining: 1, milliseconds: window * 1000 })
      }
    },
  )
})

describe('the timer', () => {
  it('is one for all keys and limits, and stops when all windows have ended', () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    const counters = createMemoryCounters()
    expect(vi.getTimerCount()).toBe(0)
    const short = counters.create({ limit: 1, window: 1 }, Infinity)
    const long = counters.create({ limit: 1, window: 100 }, Infinity)
    flood(short, 1000)
    flood(long, 1000)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(150_000)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(51_000)
    expect(vi.getTimerCount()).toBe(0)
    flood(short, 1)
    expect(vi.getTimerCount()).toBe(1)
    counters.close()
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a counter with more keys than maxKeys', () => {
  const MAX_KEYS = 20

  it('counts known keys separately', () => {
    const count = createMemoryCounters().create({ limit: 3, window: 60 }, MAX_KEYS)
    count('known')
    flood(count, 10_000)
    expect([count('known').remaining, count('known').remaining, count('known').allowed]).toEqual([1, 0, false])
    vi.advanceTimersByTime(40_000)
    flood(count, 10_000)
    expect(count('known').allowed).toBe(false)
  })

  it('counts any number of new keys in 1,024 shared windows', () => {
    const limit = 3
    const refused = flood(createMemoryCounters().create({ limit, window: 60 }, MAX_KEYS), 20_000)
    expect(20_000 - refused).toBeLessThanOrEqual(MAX_KEYS + 1024 * limit)
    expect(20_000 - refused).toBeGreaterThan(1024 * limit * 0.9)
  })

  it('counts new keys separately again when others have ended', () => {
    const count = createMemoryCounters().create({ limit: 1, window: 2 }, MAX_KEYS)
    flood(count, 8000)
    expect(count('new').allowed).toBe(false)
    vi.advanceTimersByTime(2000)
    expect(flood(count, MAX_KEYS)).toBe(0)
  })
})

describe('a limit without Redis', () => {
  const open = (headers: boolean) =>
    createRateLimits({ ...PLATFORM, headers }).create(
      'requests:orders',
      { limit: 1, window: 60 },
      { policy: 'orders' },
    )!

  it('decides at once, without a promise, and refuses without recording a stack', () => {
    const count = open(true)
    expect(count('one')).toEqual({ 'RateLimit-Policy': '"orders";q=1;w=60', RateLimit: '"orders";r=0;t=60' })
    let refusal: unknown
    try {
      void count('one')
    } catch (error) {
      refusal = error
    }
    expect(refusal).toBeInstanceOf(OAuthError)
    expect(refusal).toMatchObject({
      error: 'too_many_requests',
      status: 429,
      headers: { 'Retry-After': '60', 'Cache-Control': 'no-store', RateLimit: '"orders";r=0;t=60' },
    })
    expect((refusal as Error).stack).toBe(`OAuthError: ${(refusal as Error).message}`)
  })
})
