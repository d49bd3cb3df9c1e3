import { join } from 'node:path'
import { expect, it } from 'vitest'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { fuzz } from './fuzzer.js'
import { startAttackedPlatform } from './platform-process.js'
import { createTemporaryFolder } from '../support/temporary-folder.js'

const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9))
const REQUESTS = Number(process.env['REQUESTS'] ?? (IS_LONG_LANE ? 1500 : 400))

it.each(IS_LONG_LANE ? ([5, 4] as const) : ([5] as const))(
  'an Express %s app refuses hostile requests, and answers the honest ones among them',
  async (express) => {
    const folder = await createTemporaryFolder()
    const platform = await startAttackedPlatform({ express, file: join(folder, 'platform.sqlite') })
    try {
      const report = await fuzz(platform.port, platform.credentials, SEED, REQUESTS)
      const { violations, requests, honest, byStatus, seconds, hangs } = report
      const summary = `${requests} requests (${honest} honest) in ${seconds.toFixed(1)} s: ${JSON.stringify(byStatus)}. SEED=${SEED}`
      process.stdout.write(`Express ${express}: ${summary}\n`)
      expect(violations.join('\n\n'), summary).toBe('')
      expect(hangs).toBe(0)
      expect(honest).toBeGreaterThan(REQUESTS / 20)
      const { complaints, connections } = await platform.measureResources()
      expect(complaints).toEqual([])
      expect(connections).toBe(0)
    } finally {
      await platform.end()
    }
  },
)
