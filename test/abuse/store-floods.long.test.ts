import { afterAll, expect, it } from 'vitest'
import { floodClaims, floodKeys, floodRevocations, type FloodOutcome } from './store-flood-cases.js'
import { openFloodedPlatform, percentile } from './store-floods.js'

// Prints the figures of docs/scaling.md.

const MAX_P99_MS = 250
/** As many as a p99 needs. */
const suspensions = 100
const ALL_SERVED = Array<number>(11).fill(200)

const platform = await openFloodedPlatform()
afterAll(() => platform?.end())

function report(name: string, { suspensions: times, statuses }: FloodOutcome): void {
  const figures = [0.5, 0.99, 1].map((share) => Math.round(percentile(times, share)))
  process.stdout.write(`${name}: suspend p50, p99, longest ${figures.join(', ')} ms; ${JSON.stringify(statuses)}\n`)
  expect(percentile(times, 0.99), name).toBeLessThan(MAX_P99_MS)
}

it('suspend is fast without a flood', { timeout: 60_000 }, async () => {
  report('No flood', { suspensions: await platform.measureSuspend(suspensions), statuses: {} })
})

it('suspend is fast while a partner revokes access tokens on 1,500 connections', { timeout: 120_000 }, async () => {
  report('1,500 connections to /revoke', await floodRevocations(platform, { connections: 1500, suspensions }))
})

it('suspend is fast while a stranger sends 470 claims a second', { timeout: 120_000 }, async () => {
  report('470 claims a second', await floodClaims(platform, { perSecond: 470, suspensions }))
})

it.each(['elsewhere', 'the same address'] as const)(
  'suspend is fast and new partners from %s are served beside 1,100 random API keys',
  { timeout: 120_000 },
  async (newcomersFrom) => {
    const { newcomers, ...outcome } = await floodKeys(platform, { keys: 1100, suspensions, newcomersFrom })
    expect(newcomers).toEqual(ALL_SERVED)
    report(`1,100 random keys, partners from ${newcomersFrom}`, outcome)
  },
)
