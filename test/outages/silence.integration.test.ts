import { expect, it, vi } from 'vitest'
import { createCredentials } from '../../src/core/applications/credentials/credentials.js'
import { StoreUnavailableError } from '../../src/index.js'
import { answersWith, MAX_ANSWER_MS, openProxiedHost, measureRecovery } from '../support/outage-host.js'
import { timeBound } from '../support/time-bound.js'

it('bounds the requests that wait for a PostgreSQL that does not answer, then answers all of them with 503 at once', async ({
  onTestFinished: atEnd,
}) => {
  const { host, proxy, pool } = await openProxiedHost(atEnd, {}, { maxStaleness: 3 })
  const unknown = createCredentials('epa', Buffer.alloc(32))
  proxy.stall()
  expect(await host.askCached()).toEqual(answersWith(200))
  let longestQueue = 0
  const watchQueue = setInterval(() => (longestQueue = Math.max(longestQueue, pool.waitingCount)), 5)
  atEnd(() => clearInterval(watchQueue))
  const keys = Array.from({ length: 3000 }, () => unknown.mint('key', 1).plain)
  const startedAt = performance.now()
  const memory = process.memoryUsage.rss()
  const flood = Promise.allSettled(keys.map((key) => host.auth.verifyApiKey('catalog', key)))
  const first = await host.askUncached()
  expect(first.status).toBe(503)
  // Another caller fills the queue; this one still gets a place in it, and waits for the time-out of the store.
  expect(first.ms).toBeLessThan(timeBound(MAX_ANSWER_MS))
  const health = await host.health()
  expect(health.ms).toBeLessThan(timeBound(1500))
  for (const end of await flood) expect(end).toMatchObject({ status: 'rejected', reason: { status: 503 } })
  expect(performance.now() - startedAt).toBeLessThan(timeBound(10_000))
  // The look-ups wait in front of the pool, so that nothing else waits behind them.
  expect(longestQueue).toBeLessThanOrEqual(20)
  expect(process.memoryUsage.rss() - memory).toBeLessThan(150e6)

  const isOutageReported = async (): Promise<unknown> =>
    expect(await host.health()).toMatchObject({
      ok: false,
      problems: expect.stringMatching(/^The store has been unavailable since .*: it does not answer in time\. What is/),
    })
  await vi.waitFor(isOutageReported, 60_000)
  for (const answer of [await host.askCached(), await host.askUncached(), await host.requestToken()].flat()) {
    expect(answer.status).toBe(503)
    expect(answer.ms).toBeLessThan(timeBound(1000))
  }
  await expect(host.auth.applications.suspend(host.credentials.id)).rejects.toBeInstanceOf(StoreUnavailableError)
  expect(host.storeEvents).toEqual(['unavailable'])
  await proxy.forward()
  expect(await measureRecovery(host)).toBeLessThan(timeBound(1000))
  expect(host.storeEvents).toEqual(['unavailable', 'available'])
  expect(await host.auth.health()).toEqual({ ok: true, problems: [] })
  // Calls that timed out do not stay in the pool's queue.
  await expect.poll(() => pool.waitingCount).toBe(0)
  for (const message of [/^The store is unavailable/, /^The store answers again/])
    expect(host.logger.lines.filter((line) => message.test(line))).toHaveLength(1)
})
