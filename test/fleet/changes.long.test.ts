import { availableParallelism, loadavg } from 'node:os'
import { afterAll, expect, it } from 'vitest'
import { createCachedApplication, measureDelays, KINDS } from './changes.js'
import { describeDelays, printFigures } from './figures.js'
import { startFleet, type Fleet } from './fleet.js'
import { freshStores, WAYS, type Way } from './stores.js'

const OF_EACH_KIND = 46
/** The target for the 99th percentile, and the bound for every change. */
const TARGET_P99_MS = 100
const MAX_DELAY_MS = 1000

const stores = await freshStores()
afterAll(() => stores?.remove())

it.each(WAYS)(
  'every kind of change is followed by three other processes within a second, %s',
  { timeout: 180_000 },
  async (way) => {
    // An overloaded machine measures its own load.
    const [load = 0] = loadavg()
    const isOverloaded = load > 2 * availableParallelism()
    const fleet: Fleet<Way> = await startFleet(Array.from({ length: 4 }, () => stores.planOf(way)))
    try {
      const members = fleet.members(way)
      const all: number[] = []
      const byKind = new Map<string, number[]>()
      let changes = 0
      for (let round = 0; round < OF_EACH_KIND; round++) {
        for (const kind of Object.keys(KINDS)) {
          const maker = members[changes % members.length]!
          const others = members.filter((member) => member !== maker)
          const known = await createCachedApplication(maker, members)
          const delays = await measureDelays(kind, maker, others, known)
          changes += 1
          all.push(...delays)
          byKind.set(kind, [...(byKind.get(kind) ?? []), ...delays])
        }
      }
      for (const [name, delays] of byKind) printFigures(`change delay, ${way}, ${name}`, describeDelays(delays))
      const failures = all.filter((delay) => delay > MAX_DELAY_MS).length
      const { count, ...figures } = describeDelays(all)
      printFigures(`change delay, ${way}, all kinds`, {
        changes,
        'followed by others': count,
        ...figures,
        failures,
        'load before': load,
      })
      expect(changes).toBeGreaterThanOrEqual(500)
      expect(failures).toBe(0)
      if (!isOverloaded) expect(Number.parseFloat(figures.p99)).toBeLessThanOrEqual(TARGET_P99_MS)
    } finally {
      await fleet.stop()
    }
  },
)
