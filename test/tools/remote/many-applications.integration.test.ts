import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createApplicationCache } from '../../../src/core/applications/records/application-cache.js'
import { createSharedKeys } from '../../../src/tools/remote/answer-proof.js'
import { createKnownPlans } from '../../../src/tools/remote/counting.js'
import { createRemoteSource } from '../../../src/tools/remote/remote-source.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const LIMIT = 500
/** All that is bounded by the limit is full then. */
const FULL = 10 * LIMIT
const COUNT = IS_LONG_LANE ? 1_000_000 : 45_000

function readHeap(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

it('any number of applications leaves a service without a database as large as some thousands do', async () => {
  const { nameOf } = createSharedKeys('Basic test')
  const plans = createKnownPlans()
  const id = (key: string) => `app_${key.padStart(32, '0')}`
  const source = createRemoteSource({
    // The platform's answers, each of another application, as `source-router` makes them.
    ask: async (_call, { id: asked, key = String(Number(String(asked).slice('app_'.length))) }) => ({
      application: {
        id: id(String(key)),
        name: `Application ${String(key)}`,
        status: 'active',
        apis: { catalog: { scopes: [] } },
        tokensRevokedAt: 0,
        plan: { name: 'free', windows: [{ name: 'day', limit: 10, soft: false, per: 'day', milliseconds: 0 }] },
        keys: [{ id: `credential ${String(key)}`, name: 'default' }],
        secrets: [],
      },
      credentialId: `credential ${String(key)}`,
    }),
    nameOf,
    maxStaleness: 5,
    entries: LIMIT,
    forget: (known) => cache.evict(known),
    learnPlan: plans.learn,
    noteCredentialUse: async () => undefined,
  })
  const cache = createApplicationCache({
    source,
    limit: LIMIT,
    limitLookups: (_caller, work) => work(),
    limitLookupsOfStrangers: (_caller, work) => work(),
    readAddress: () => '192.0.2.1',
    freshUntil: () => performance.now() + 5000,
    maxStaleness: 5,
  })
  const look = async (from: number, to: number): Promise<void> => {
    for (let each = from; each < to; each++) {
      const found = await cache.findByKeyHash(`hash ${each}`, String(each), undefined)
      if (found?.id !== id(String(each))) throw new Error(`Another application was found for ${each}.`)
    }
  }
  await look(0, FULL)
  const full = readHeap()
  await look(FULL, COUNT)
  // The first ones took this much for each; were all of them kept, it would be ten times as much as this at least.
  const grown = readHeap() - full
  expect(grown).toBeLessThan(((COUNT - FULL) * 500) / 10)
  await expect(cache.findByKeyHash('hash 1', '1', undefined)).resolves.toMatchObject({ id: id('1') })
}, 600_000)
