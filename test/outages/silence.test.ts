import { expect, it } from 'vitest'
import { createCredentials } from '../../src/applications/credentials.js'
import { StoreUnavailableError } from '../../src/index.js'
import { all, openWiredHost, recovery } from '../support/outages.js'

it(
  'A silent PostgreSQL has few waiting and not for long; then all are refused at once',
  { timeout: 60_000 },
  async ({ onTestFinished: atEnd }) => {
    const { host, wire, pool } = await openWiredHost(atEnd, {}, { maxStaleness: 3 })
    const nobody = createCredentials('epa', Buffer.alloc(32))
    wire.stall()
    expect(await host.byMemory()).toEqual(all(200))
    let longestQueue = 0
    const watching = setInterval(() => (longestQueue = Math.max(longestQueue, pool.waitingCount)), 5)
    atEnd(() => clearInterval(watching))
    const keys = Array.from({ length: 3000 }, () => nobody.mint('key', 1).plain)
    const since = performance.now()
    const memory = process.memoryUsage.rss()
    const flood = Promise.allSettled(keys.map((key) => host.auth.verifyApiKey('catalog', key)))
    const first = await host.firstSight()
    expect(first.status).toBe(503)
    // One too many: it is not even asked, though the machine has thousands to refuse before.
    expect(first.ms).toBeLessThan(3000)
    const health = await host.health()
    expect(health.ms).toBeLessThan(1500)
    for (const end of await flood) expect(end).toMatchObject({ status: 'rejected', reason: { status: 503 } })
    expect(performance.now() - since).toBeLessThan(10_000)
    expect(longestQueue).toBeLessThanOrEqual(1000)
    expect(process.memoryUsage.rss() - memory).toBeLessThan(150e6)

    expect(await host.health()).toMatchObject({
      ok: false,
      problems: expect.stringMatching(
        /^The store has been out of reach since .*: it does not answer in time\. What is/,
      ),
    })
    for (const answer of [await host.byMemory(), await host.firstSight(), await host.tokenRequest()].flat()) {
      expect(answer.status).toBe(503)
      expect(answer.ms).toBeLessThan(1000)
    }
    await expect(host.auth.applications.suspend(host.credentials.id)).rejects.toBeInstanceOf(StoreUnavailableError)
    expect(host.told).toEqual(['unavailable'])
    await wire.forward()
    expect(await recovery(host)).toBeLessThan(1000)
    expect(host.told).toEqual(['unavailable', 'available'])
    expect(await host.auth.health()).toEqual({ ok: true, problems: [] })
    // What it was asked in vain is not in its way.
    await expect.poll(() => pool.waitingCount).toBe(0)
    for (const about of [/^The store is out of reach/, /^The store answers again/])
      expect(host.logger.lines.filter((line) => about.test(line))).toHaveLength(1)
  },
)
