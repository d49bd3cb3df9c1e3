import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { RequestHandler } from 'express'
import { describe, it } from 'vitest'
import type { PlatformAuth } from '../../../../src/index.js'
import { waitUntil } from '../../../support/wait-until.js'
import { BIN } from '../command-line.js'
import { BROKEN, BROKEN_SERVICES, expectFound } from './broken.js'
import { CORRECT } from './correct.js'
import { proveDeployment, startDeployment, type Report } from './deployment.js'

// Concurrent, because these tests mostly wait.
describe.concurrent('prove', { timeout: 300_000 }, () => {
  it.for([...BROKEN.slice(0, 2), ...BROKEN_SERVICES.slice(0, 1)])(
    'finds that $name, and says how to fix it',
    expectFound,
  )

  it.for(Object.entries(CORRECT).slice(0, 2))(
    'finds nothing in %s, and deletes what it created',
    async ([, options], { expect, onTestFinished }) => {
      const deployment = await startDeployment(options)
      onTestFinished(deployment.end)
      const { code, stdout, stderr } = await deployment.prove('--by', 'ci')
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(/^\d+ checks of http:\S+, no deviations\.$/m)
      expect(stdout).not.toMatch(/DEVIATION|epa_(?:key|sec)_\w|eyJ\w/)
      expect(await listApplications(deployment.auth)).toEqual({ live: 0, deleted: 1 })
      const { items } = await deployment.auth.audit.list({ limit: 100 })
      expect(items.filter(({ type, by }) => type === 'application.deleted' && by === 'ci')).toHaveLength(1)
    },
  )

  it('sends no more requests than --rate allows, and deletes its application after --timeout', async ({
    expect,
    onTestFinished,
  }) => {
    let requests = 0
    const count: RequestHandler = (_req, _res, next) => {
      requests += 1
      next()
    }
    const deployment = await startDeployment({ instances: [{ trustProxy: false, before: (app) => app.use(count) }] })
    onTestFinished(deployment.end)
    const { code, stdout } = await deployment.prove('--rate', '5', '--timeout', '2', '--json')
    expect(code).toBe(1)
    expect((JSON.parse(stdout) as { ended: string }).ended).toContain('--timeout')
    expect(requests).toBeGreaterThan(0)
    // One at once, then one every 200 ms.
    expect(requests).toBeLessThanOrEqual(11)
    expect(await listApplications(deployment.auth)).toEqual({ live: 0, deleted: 1 })
  })

  it.for(['SIGINT', 'SIGTERM'] as const)(
    'deletes its application after %s, and prints what it found',
    async (signal, { expect, onTestFinished }) => {
      const deployment = await startDeployment({ instances: [{ trustProxy: false }] })
      onTestFinished(deployment.end)
      const program = spawn(process.execPath, [BIN, ...deployment.commandLine, '--rate', '5'], {
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      let stdout = ''
      program.stdout.setEncoding('utf8').on('data', (text: string) => void (stdout += text))
      const exited = once(program, 'exit')
      await waitUntil(async () => (await listApplications(deployment.auth)).live === 1, {
        timeout: 60_000,
        interval: 50,
      })
      program.kill(signal)
      expect(await exited).toEqual([1, null])
      expect(stdout).toContain('It was interrupted.')
      expect(await listApplications(deployment.auth)).toEqual({ live: 0, deleted: 1 })
    },
  )

  it('reports that no server answers, and creates nothing', async ({ expect, onTestFinished }) => {
    const deployment = await startDeployment({})
    onTestFinished(deployment.end)
    const { code, stdout } = await deployment.prove('--url', 'http://127.0.0.1:9', '--json')
    expect(code).toBe(1)
    expect((JSON.parse(stdout) as Report).deviations).toMatchObject([
      { row: 'M3', fix: expect.stringContaining('Start the server') },
    ])
    expect(await listApplications(deployment.auth)).toEqual({ live: 0, deleted: 0 })
  })

  it('tells once that a route is not there, and checks nothing else of it', async ({ expect }) => {
    const { report, result } = await proveDeployment({
      path: '/v1',
      instances: [{ prefix: '/v1', trustProxy: false }],
      args: ['--route', 'orders=/v1/orders/items', '--route', 'catalog=/catalog/other'],
    })
    expect(result.code).toBe(1)
    const told = {
      row: 'G16',
      received: expect.stringMatching(/^404 /),
      fix: expect.stringContaining('from baseUrl on'),
    }
    expect(report.deviations).toMatchObject([
      { api: 'orders', ...told },
      { api: 'catalog', ...told },
    ])
    const skipped = report.skipped.filter((each) => each.skipped.includes('does not get 2xx from the route'))
    expect(skipped.length).toBeGreaterThan(15)
  })

  it('refuses routes, addresses and numbers that are none', async ({ expect, onTestFinished }) => {
    const deployment = await startDeployment({})
    onTestFinished(deployment.end)
    for (const [args, message] of [
      [['--route', 'ordres=/orders/items'], 'Did you mean "orders"?'],
      [['--route', 'orders'], 'Write API=PATH'],
      [['--url', 'staging'], 'http or https address'],
      [['--instances', '0'], '--instances must be 1 to 20'],
    ] as const) {
      const { code, stderr } = await deployment.prove(...args)
      expect([args, code, stderr]).toEqual([args, 2, expect.stringContaining(message)])
    }
  })
})

async function listApplications({ applications }: PlatformAuth): Promise<{ live: number; deleted: number }> {
  const live = (await applications.list()).items.length
  return { live, deleted: (await applications.list({ status: 'deleted' })).items.length }
}
