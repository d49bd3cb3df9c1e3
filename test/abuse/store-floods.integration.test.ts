import { afterAll, expect, it } from 'vitest'
import { floodClaims, floodKeys, floodRevocations } from './store-flood-cases.js'
import { openFloodedPlatform, percentile } from './store-floods.js'
import { timeBound } from '../support/time-bound.js'

// Smaller than the floods of store-floods.long.test.ts, which measures.

const suspensions = 5
/** Several times as long as on a busy machine. Without the limits a call waits for up to 5 s, and fails. */
const MAX_MS = 3000

const platform = await openFloodedPlatform()
afterAll(() => platform?.end())

it('a partner that revokes access tokens on many connections is refused over its limit, and delays no suspension', async () => {
  const { suspensions: times, statuses } = await floodRevocations(platform, { connections: 150, suspensions })
  expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '429']))
  expect(percentile(times, 1)).toBeLessThan(timeBound(MAX_MS))
})

it('a stranger that sends wrong claim links is refused, and delays no suspension', async () => {
  const { suspensions: times, statuses } = await floodClaims(platform, { perSecond: 200, suspensions })
  expect(Object.keys(statuses).filter((status) => !['400', '429', '503'].includes(status))).toEqual([])
  expect(statuses['400']).toBeLessThanOrEqual(20)
  expect(percentile(times, 1)).toBeLessThan(timeBound(MAX_MS))
})

it('new partners are served beside a stranger that sends random API keys from the same address', async () => {
  const { newcomers, suspensions: times } = await floodKeys(platform, {
    keys: 150,
    suspensions,
    newcomersFrom: 'the same address',
  })
  expect(newcomers).toEqual(Array<number>(11).fill(200))
  expect(percentile(times, 1)).toBeLessThan(timeBound(MAX_MS))
})
