import { expect, it, vi } from 'vitest'
import { useExampleApps } from '../support/example-app.js'
import { freshDatabase } from '../support/postgres.js'
import { startTcpProxy } from '../support/tcp-proxy.js'
import { timeBound } from '../support/time-bound.js'

const apps = useExampleApps()

it("the example app's /health reports an outage of its store, and its end", async ({ onTestFinished: atEnd }) => {
  const database = await freshDatabase()
  atEnd(database.remove)
  const proxy = await startTcpProxy(database.url)
  atEnd(proxy.end)
  const { baseUrl, output, end } = await apps.start({ DATABASE_URL: proxy.url })
  const health = async () => {
    const startedAt = performance.now()
    const answer = await fetch(`${baseUrl}/health`)
    const { ok, problems } = (await answer.json()) as { ok: boolean; problems: string[] }
    return { status: answer.status, ok, problems: problems.join(' '), ms: performance.now() - startedAt }
  }
  const healthy = { status: 200, ok: true, problems: '' }
  expect(await health()).toMatchObject(healthy)

  await proxy.refuse()
  const refused = await health()
  // Callers are answered from memory for maxStaleness.
  expect(refused).toMatchObject({ status: 200, ok: true })
  expect(refused.problems).toMatch(
    /^The store has been unavailable since \d{4}-.*Z: (the connection was lost|it refuses)/,
  )
  expect(refused.problems).not.toMatch(/127\.0\.0\.1/)
  await vi.waitFor(async () => expect(await health()).toMatchObject({ status: 503, ok: false }), 60_000)
  await proxy.forward()
  await vi.waitFor(async () => expect(await health()).toMatchObject(healthy), {
    timeout: timeBound(1000),
    interval: 50,
  })

  proxy.stall()
  const stalled = await health()
  expect(stalled).toMatchObject({ status: 200, ok: true, problems: expect.stringMatching(/^The store is slow/) })
  expect(stalled.ms).toBeLessThan(timeBound(1500))
  await vi.waitFor(
    async () =>
      expect(await health()).toMatchObject({
        status: 503,
        problems: expect.stringMatching(/unavailable since .*: it does not answer in time\./),
      }),
    { timeout: 60_000, interval: 200 },
  )
  await proxy.forward()
  await vi.waitFor(async () => expect(await health()).toMatchObject(healthy), {
    timeout: timeBound(1000),
    interval: 50,
  })
  // Each outage is logged once, and so is its end. A line about work that fails meanwhile quotes the error.
  const logged = output().match(/^The store (?:is unavailable|answers again)/gm)
  const outage = ['The store is unavailable', 'The store answers again']
  expect(logged, output()).toEqual([...outage, ...outage])
  expect(await end('SIGTERM')).toBe(0)
})
