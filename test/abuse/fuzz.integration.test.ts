import { join } from 'node:path'
import { expect, it } from 'vitest'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { createTemporaryFolder } from '../support/temporary-folder.js'
import { fuzz } from './fuzzer.js'
import { startAttackedPlatform } from './platform-process.js'

/** The same SEED repeats a run. */
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9))
const REQUESTS = Number(process.env['REQUESTS'] ?? (IS_LONG_LANE ? 500_000 : 400))
const MB = 1e6

it.each(IS_LONG_LANE ? ([5, 4] as const) : ([5] as const))(
  'an Express %s app refuses hostile requests, and answers the honest ones among them, without a 5xx, a hang or a leak',
  { timeout: 3_600_000 },
  async (express) => {
    const folder = await createTemporaryFolder()
    const platform = await startAttackedPlatform({ express, file: join(folder, 'platform.sqlite') })
    try {
      // Warm-up: fills the bounded caches.
      await fuzz(platform.port, platform.credentials, SEED + 1, Math.min(30_000, Math.floor(REQUESTS / 4)))
      const before = await platform.measureResources()
      await platform.begin()
      const report = await fuzz(platform.port, platform.credentials, SEED, REQUESTS)
      const after = await platform.measureResources()

      const { seconds, requests, honest, byStatus, hangs, violations } = report
      const [was, is] = [before, after].map(({ heapUsed, external, rss }) =>
        [heapUsed, external, rss].map((bytes) => (bytes / MB).toFixed(1)).join('/'),
      )
      const summary = [
        `${requests} requests (${honest} honest) in ${seconds.toFixed(1)} s: ${JSON.stringify(byStatus)}`,
        `heap/external/rss MB before ${was}, after ${is}; listeners ${before.listeners} -> ${after.listeners}`,
        `event loop late by p99 ${after.loop.p99} ms, at most ${after.loop.max} ms; SEED=${SEED}`,
      ].join('\n')
      process.stdout.write(`LONG fuzz Express ${express}: ${summary}\n`)
      expect(violations.join('\n\n'), summary).toBe('')
      expect(Object.keys(byStatus).filter((status) => status.startsWith('5'))).toEqual([])
      expect(hangs).toBe(0)
      expect(honest).toBeGreaterThan(REQUESTS / 20)
      expect(after.complaints).toEqual([])
      expect(after.connections).toBe(0)
      expect(after.listeners).toBe(before.listeners)
      for (const [resource, count] of Object.entries(after.resources)) {
        expect(count, resource).toBeLessThanOrEqual((before.resources[resource] ?? 0) + 3)
      }
      expect(after.heapUsed - before.heapUsed).toBeLessThan(24 * MB)
      expect(after.external - before.external).toBeLessThan(24 * MB)
      if (IS_LONG_LANE) expect(after.loop.p99).toBeLessThan(500)
    } finally {
      await platform.end()
    }
  },
)
