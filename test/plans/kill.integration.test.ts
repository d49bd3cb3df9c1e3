import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createPlatformAuth } from '../../src/index.js'
import { plans } from '../../src/features/plans/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { waitUntil } from '../support/wait-until.js'

const PROCESS = fileURLToPath(new URL('quota-process.mjs', import.meta.url))
const LIMIT = 400
/** 1 % of the quota. */
const UNWRITTEN = 4

it('Four processes, one of them killed, let pass the quota and no more than 1 % of it each, and count nothing twice', async ({
  onTestFinished,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'quota-kill-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'platform.sqlite')
  const store = sqliteStore(file)
  const apis = { catalog: { scheme: 'apiKey' } } as const
  const auth = createPlatformAuth({
    baseUrl: 'http://localhost:3000',
    apis,
    store,
    features: [plans({ free: { requests: [] } })],
  })
  await auth.ready()
  const { application, credentials } = await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
  await auth.plans.set(application.id, 'free')

  const processes = Array.from({ length: 4 }, () => {
    const child = spawn(process.execPath, [PROCESS, file, credentials.clientId], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const state = { child, passed: 0, last: '' }
    createInterface({ input: child.stdout }).on('line', (line) => {
      state.last = line
      if (line.startsWith('passed ')) state.passed = Number(line.slice('passed '.length))
    })
    return state
  })
  await waitUntil(() => processes[0]!.passed >= 20 || processes[0]!.last === '429')
  const exited = once(processes[0]!.child, 'exit')
  processes[0]!.child.kill('SIGKILL')
  await exited
  await waitUntil(() => processes.slice(1).every(({ last }) => last === '429'))

  const passed = processes.reduce((sum, each) => sum + each.passed, 0)
  const counted = (await store.quotas.list(application.id, '2000-01-01', '2999-12-31')).reduce(
    (sum, { count }) => sum + count,
    0,
  )
  // The answer that was being sent by the process that was killed is counted before it arrives.
  expect(passed).toBeGreaterThanOrEqual(LIMIT - 1)
  expect(passed).toBeLessThanOrEqual(LIMIT + processes.length * UNWRITTEN)
  expect(counted).toBeLessThanOrEqual(passed + 1)
  expect(counted).toBeGreaterThanOrEqual(passed - processes.length * UNWRITTEN)
  await auth.close()
}, 90_000)
