import { availableParallelism, loadavg } from 'node:os'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { aKnownApplication, delaysOf, KINDS } from './changes.js'
import { describeDelays, printFigures } from './figures.js'
import { startFleet, type Fleet } from './fleet.js'
import { freshStores, WAYS, type FleetStores, type Way } from './stores.js'

const OF_EACH_KIND = 46
/** Milliseconds: what is aimed at, and what is never exceeded. */
const P99 = 100
const MAXIMUM = 1000

let stores: FleetStores

beforeAll(async () => {
  stores = await freshStores()
})
afterAll(() => stores?.remove())

it.each(WAYS)('changes of all kinds are held by three other processes, %s', { timeout: 180_000 }, async (way) => {
  // A machine with more to do than it can shows how busy it is, not how fast a change is.
  const [load = 0] = loadavg()
  const isOverloaded = load > 2 * availableParallelism()
  const fleet: Fleet<Way> = await startFleet(Array.from({ length: 4 }, () => stores.planOf(way)))
  try {
    const members = fleet.members(way)
    const all: number[] = []
    const ofKind = new Map<string, number[]>()
    let changes = 0
    for (let round = 0; round < OF_EACH_KIND; round++) {
      for (const kind of Object.keys(KINDS)) {
        const maker = members[changes % members.length]!
        const others = members.filter((member) => member !== maker)
        const known = await aKnownApplication(maker, members)
        const delays = await delaysOf(kind, maker, others, known)
        changes += 1
        all.push(...delays)
        ofKind.set(kind, [...(ofKind.get(kind) ?? []), ...delays])
      }
    }
    for (const [name, delays] of ofKind) printFigures(`change delay, ${way}, ${name}`, describeDelays(delays))
    const failures = all.filter((delay) => delay > MAXIMUM).length
    const { count, ...figures } = describeDelays(all)
    printFigures(`change delay, ${way}, all kinds`, {
      changes,
      'seen by others': count,
      ...figures,
      failures,
      'load before': load,
    })
    expect(changes).toBeGreaterThanOrEqual(500)
    expect(failures).toBe(0)
    if (!isOverloaded) expect(Number.parseFloat(figures.p99)).toBeLessThanOrEqual(P99)
  } finally {
    await fleet.stop()
  }
})
