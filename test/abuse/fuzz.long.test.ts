import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fuzz } from './fuzzer.js'
import { startAttackedPlatform } from './platform-process.js'
import { createTemporaryFolder } from '../support/temporary-folder.js'

/** The same SEED repeats a run. */
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9))
const REQUESTS = Number(process.env['REQUESTS'] ?? 1_000_000)
const MB = 1e6

it.each([
  [5, REQUESTS / 2],
  [4, REQUESTS / 2],
] as const)(
  'an Express %s app answers %d mostly hostile requests without a 5xx, a hang or a leak',
  { timeout: 3_600_000 },
  async (express, requests) => {
    const folder = await createTemporaryFolder()
    const platform = await startAttackedPlatform({ express, file: join(folder, 'platform.sqlite') })
    try {
      // Warm-up: fills the bounded caches.
      await fuzz(platform.port, platform.credentials, SEED + 1, Math.min(30_000, requests / 4))
      const before = await platform.measureResources()
      await platform.begin()
      const report = await fuzz(platform.port, platform.credentials, SEED, requests)
      const after = await platform.measureResources()

      const { seconds, honest, hostile, byStatus, hangs, violationCount, violations } = report
      const errors = Object.entries(byStatus).reduce(
        (sum, [status, count]) => sum + (status.startsWith('5') ? count : 0),
        0,
      )
      const heap = [before, after].map(({ heapUsed, external, rss }) =>
        [heapUsed, external, rss].map((bytes) => (bytes / MB).toFixed(1)).join('/'),
      )
      process.stdout.write(
        [
          `LONG fuzz Express ${express}: ${report.requests} requests, ${hostile} hostile, ${honest} honest, in ${seconds.toFixed(0)} s (${Math.round(report.requests / seconds)}/s)`,
          `LONG fuzz Express ${express}: by status ${JSON.stringify(byStatus)}`,
          `LONG fuzz Express ${express}: 5xx = ${errors}, hangs = ${hangs}, violations = ${violationCount}`,
          `LONG fuzz Express ${express}: heap/external/rss MB before ${heap[0]}, after ${heap[1]}`,
          `LONG fuzz Express ${express}: event loop late by p99 ${after.loop.p99} ms, at most ${after.loop.max} ms; listeners ${before.listeners} -> ${after.listeners}; SEED=${SEED}`,
          '',
        ].join('\n'),
      )
      expect(violations.join('\n\n')).toBe('')
      expect({ errors, hangs }).toEqual({ errors: 0, hangs: 0 })
      expect(after.complaints).toEqual([])
      expect(after.connections).toBe(0)
      expect(after.listeners).toBe(before.listeners)
      for (const [resource, count] of Object.entries(after.resources)) {
        expect(count, resource).toBeLessThanOrEqual((before.resources[resource] ?? 0) + 3)
      }
      expect(after.heapUsed - before.heapUsed).toBeLessThan(24 * MB)
      expect(after.external - before.external).toBeLessThan(24 * MB)
      expect(after.loop.p99).toBeLessThan(500)
    } finally {
      await platform.end()
    }
  },
)
