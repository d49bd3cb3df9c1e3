import { expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { readPlans } from '../../../src/features/plans/plans-options.js'
import { createAddReported } from '../../../src/features/plans/reported-units.js'

const NOW = Date.parse('2026-11-27T12:00:00Z')

it('units of a report that are not added bring no notice about a quota', async () => {
  const { plans } = readPlans({ free: { requests: [{ limit: 10, per: 'day' }] } }, undefined)
  const written: number[] = []
  const tell = (_account: unknown, units: number): void => void written.push(units)
  const add = createAddReported(memoryStore().quotas, plans, tell, () => NOW)
  const row = { applicationId: 'app_1', day: '2026-11-27', count: 1000, plan: 'free' }
  await add({ id: 'first', at: NOW }, [row])
  await add({ id: 'second', at: NOW }, [row])
  expect(written).toEqual([20, 0])
})
