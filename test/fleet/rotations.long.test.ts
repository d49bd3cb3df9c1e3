import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SigningKeyInfo } from '../../src/index.js'
import { createCachedApplication } from './changes.js'
import { printFigures } from './figures.js'
import { startFleet, type Fleet } from './fleet.js'
import { rotateRepeatedly, startLoad } from './load.js'
import { freshStores, type FleetStores, type Way } from './stores.js'

const ROTATIONS = 100

let stores: FleetStores

beforeAll(async () => {
  stores = await freshStores()
})
afterAll(() => stores?.remove())

it.each(['PostgreSQL', 'SQLite'] as const)(
  '100 rotations under load on four processes fail no request, %s',
  { timeout: 120_000 },
  async (way) => {
    const fleet: Fleet<Way> = await startFleet(Array.from({ length: 4 }, () => stores.planOf(way)))
    try {
      const members = fleet.members(way)
      const { credentials } = await createCachedApplication(members[0]!, members)
      const startedAt = performance.now()
      const load = startLoad(members, credentials, 8)
      await rotateRepeatedly(members, ROTATIONS, 100)
      const { requests, failures } = await load.stop()
      const seconds = Math.round((performance.now() - startedAt) / 100) / 10
      const { value } = await members[0]!.operate<{ items: SigningKeyInfo[] }>('signingKeys', 'list')
      const keys = value.items
      const figures = { rotations: keys.length - 1, processes: members.length, requests, seconds }
      printFigures(`rotations under load, ${way}`, { ...figures, failures: failures.length })
      expect(failures).toEqual([])
      expect(keys).toHaveLength(ROTATIONS + 1)
    } finally {
      await fleet.stop()
    }
  },
)
