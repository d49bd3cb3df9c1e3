import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fuzz } from './fuzzer.js'
import { startAbusedPlatform } from './platform-process.js'

const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9))
const REQUESTS = Number(process.env['REQUESTS'] ?? 8000)

it.each([5, 4] as const)(
  'hostile requests to an Express %s app get nothing but refusals, and honest ones among them what they ask for',
  { timeout: 120_000 },
  async (express) => {
    const folder = await mkdtemp(join(tmpdir(), 'fuzz-'))
    const platform = await startAbusedPlatform({ express, file: join(folder, 'platform.sqlite') })
    try {
      const report = await fuzz(platform.port, platform.cast, SEED, REQUESTS)
      const { violations, requests, honest, byStatus, seconds, hangs } = report
      const said = `${requests} requests (${honest} honest) in ${seconds.toFixed(1)} s: ${JSON.stringify(byStatus)}. SEED=${SEED}`
      process.stdout.write(`Express ${express}: ${said}\n`)
      expect(violations.join('\n\n'), said).toBe('')
      expect(hangs).toBe(0)
      expect(honest).toBeGreaterThan(REQUESTS / 20)
      const { complaints, connections } = await platform.holdings()
      expect(complaints).toEqual([])
      expect(connections).toBe(0)
    } finally {
      await platform.end()
      await rm(folder, { recursive: true, force: true })
    }
  },
)
