import { expect, it } from 'vitest'
import { PLATFORMS } from '../../support/platform.js'
import { compareReportWithRefusals, type Counts } from './report-only-comparison.js'

/** Of these more than a million are refused. */
const REQUESTS = 1_250_000

it('the report of 1,000,000 requests equals what guards refuse', { timeout: 3_600_000 }, async () => {
  const [, express, openStore] = PLATFORMS.find(([name]) => name.includes('SQLite'))!
  const { store, remove } = await openStore()
  const startedAt = performance.now()
  const { refused, reported, refusedByReporting } = await compareReportWithRefusals(express, store, {
    requestCount: REQUESTS,
    seed: 1,
  })
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  // oxlint-disable-next-line no-console -- the figures of this lane are printed
  console.info(
    `${sum(reported)} of ${REQUESTS} requests reported in ${Object.keys(reported).length} rows, ${sum(refused)} refused; ${seconds} s`,
  )
  expect(reported).toEqual(refused)
  expect(sum(reported)).toBeGreaterThanOrEqual(1_000_000)
  expect(refusedByReporting).toBe(0)
  await store.close()
  await remove()
})

function sum(counts: Counts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}
