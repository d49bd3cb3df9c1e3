import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { openAdmin } from '../../../src/tools/admin/index.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { createTemporaryFolder } from '../../support/temporary-folder.js'

const PROCESS = fileURLToPath(new URL('usage-process.mjs', import.meta.url))

it('A process that is killed loses what it has counted since its last write, and nothing else', async ({
  onTestFinished,
}) => {
  const folder = await createTemporaryFolder()
  const file = join(folder, 'platform.sqlite')
  const child = spawn(process.execPath, [PROCESS, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  await once(lines, 'line')

  const admin = await openAdmin(sqliteStore(file))
  onTestFinished(() => admin.close())
  const countAllowed = async (): Promise<number> =>
    (await admin.usage!.list({ from: '2000-01', to: '2100-01', by: 'month' })).items[0]?.allowed ?? 0
  await expect.poll(countAllowed, { timeout: 60_000 }).toBeGreaterThan(0)
  const first = await countAllowed()
  await expect.poll(countAllowed, { timeout: 60_000 }).toBeGreaterThan(first)
  const written = await countAllowed()
  let answers = 0
  lines.on('line', (line) => (answers = Number.parseInt(line, 10)))
  await expect.poll(() => answers, { timeout: 60_000 }).toBeGreaterThan(written)
  child.kill('SIGKILL')
  await exited
  const counted = await countAllowed()
  expect(counted).toBeGreaterThanOrEqual(written)
  // The answer that was being sent is counted before it arrives.
  expect(counted).toBeLessThanOrEqual(answers + 1)
}, 90_000)
