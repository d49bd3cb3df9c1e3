import { expect, it, vi } from 'vitest'
import { exampleApps } from '../support/example-app.js'
import { freshDatabase } from '../support/postgres.js'
import { tcpProxy } from '../support/tcp-proxy.js'

const apps = exampleApps()

it(
  "the example app's /health says what is wrong with its store, and that all is well again",
  {
    timeout: 60_000,
    retry: 2,
  },
  async ({ onTestFinished: atEnd }) => {
    const database = await freshDatabase()
    atEnd(database.remove)
    const wire = await tcpProxy(database.url)
    atEnd(wire.end)
    const { baseUrl, output, end } = await apps.start({ DATABASE_URL: wire.url })
    const health = async () => {
      const since = performance.now()
      const answer = await fetch(`${baseUrl}/health`)
      const { ok, problems } = (await answer.json()) as { ok: boolean; problems: string[] }
      return { status: answer.status, ok, said: problems.join(' '), ms: performance.now() - since }
    }
    const well = { status: 200, ok: true, said: '' }
    expect(await health()).toMatchObject(well)

    await wire.refuse()
    const refused = await health()
    expect(refused).toMatchObject({ status: 503, ok: false })
    expect(refused.said).toMatch(
      /^The store has been out of reach since \d{4}-.*Z: (the connection was lost|it refuses)/,
    )
    expect(refused.said).not.toMatch(/127\.0\.0\.1/)
    await wire.forward()
    await vi.waitFor(async () => expect(await health()).toMatchObject(well), { timeout: 1000, interval: 50 })

    wire.stall()
    const stalled = await health()
    expect(stalled).toMatchObject({ status: 200, ok: true, said: expect.stringMatching(/^The store is slow/) })
    expect(stalled.ms).toBeLessThan(2000)
    await vi.waitFor(
      async () =>
        expect(await health()).toMatchObject({
          status: 503,
          said: expect.stringMatching(/out of reach since .*: it does not answer in time\./),
        }),
      { timeout: 8000, interval: 200 },
    )
    await wire.forward()
    await vi.waitFor(async () => expect(await health()).toMatchObject(well), { timeout: 1000, interval: 50 })
    expect(output().match(/The store is out of reach/g)).toHaveLength(2)
    expect(output().match(/The store answers again/g)).toHaveLength(2)
    expect(await end('SIGTERM')).toBe(0)
  },
)
