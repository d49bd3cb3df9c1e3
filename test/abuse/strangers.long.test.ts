import { afterEach, expect, it } from 'vitest'
import { floodStrangers } from './store-flood-cases.js'
import { openFloodedPlatformOn, percentile, type FloodedPlatform } from './store-floods.js'

// Prints the figures of docs/scaling.md.

const MAX_RATIO = 5
const suspensions = 150
let platform: FloodedPlatform | undefined

afterEach(() => platform?.end())

it.each(
  (['SQLite', 'PostgreSQL'] as const).flatMap((store) =>
    (['well-formed', 'malformed'] as const).map((keys) => [store, keys] as const),
  ),
)(
  'on %s, suspend is at most five times slower while unknown, %s keys come from many addresses, and nobody who is known is refused',
  { timeout: 180_000 },
  async (store, keys) => {
    platform = await openFloodedPlatformOn(store)
    const idle = await platform.measureSuspend(suspensions)
    const startedAt = performance.now()
    const { suspensions: flooded, statuses, partners } = await floodStrangers(platform, { suspensions, keys })
    const perSecond = Math.round((statuses['401'] ?? 0) / ((performance.now() - startedAt) / 1000))
    const [before, during] = [idle, flooded].map((times) =>
      [0.5, 0.99, 1].map((share) => percentile(times, share).toFixed(1)).join(', '),
    )
    process.stdout.write(
      `LONG strangers with ${keys} keys on ${store}: suspend p50, p99, longest ${before} ms idle, ${during} ms in the flood, ${perSecond} refusals a second; ${JSON.stringify(statuses)}\n`,
    )
    expect(Object.keys(statuses)).toEqual(['401'])
    expect(new Set(partners)).toEqual(new Set([200]))
    expect(percentile(flooded, 0.5) / percentile(idle, 0.5)).toBeLessThan(MAX_RATIO)
  },
)
