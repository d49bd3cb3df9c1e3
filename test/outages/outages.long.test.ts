import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { expect, it } from 'vitest'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { createRandom } from '../abuse/random.js'
import { openOutageHost, type Answer } from '../support/outage-host.js'
import { startPostgres, type PostgresServer } from '../support/postgres.js'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js'

const SECONDS = Number(process.env['OUTAGE_SECONDS'] ?? 60)
const SEED = Number(process.env['OUTAGE_SEED'] ?? 20_260_731)

/** Kinds of outages; each resolves when it is over. */
const OUTAGES: Readonly<Record<string, (server: PostgresServer, proxy: TcpProxy, duration: number) => Promise<void>>> =
  {
    async stalled(_, proxy, duration) {
      proxy.stall()
      await sleep(duration)
      await proxy.forward()
    },
    async cut(_, proxy, duration) {
      await proxy.refuse()
      await sleep(duration)
      await proxy.forward()
    },
    async reset(_, proxy) {
      proxy.reset()
    },
    async 'stalled, then cut'(_, proxy, duration) {
      proxy.stall()
      await sleep(duration)
      proxy.reset()
      await proxy.forward()
    },
    async killed(server, _, duration) {
      await server.crash()
      await sleep(duration)
      await server.start()
    },
    async restarted(server) {
      await server.stop()
      await server.start()
    },
    async slow(_, proxy, duration) {
      proxy.delay(400)
      await sleep(duration)
      await proxy.forward()
    },
  }

it(
  `answers 200 or 503 for ${SECONDS} seconds of outages, and recovers from each within a second`,
  { timeout: SECONDS * 1000 + 120_000 },
  async ({ onTestFinished: atEnd }) => {
    const unhandled: unknown[] = []
    const record = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', record)
    atEnd(() => void process.off('unhandledRejection', record))
    const server = await startPostgres()
    atEnd(() => server.end())
    const proxy = await startTcpProxy(server.url)
    atEnd(proxy.end)
    const pool = new Pool({ connectionString: proxy.url })
    atEnd(() => pool.end())
    atEnd(proxy.forward)
    const host = await openOutageHost(atEnd, postgresStore({ pool }), { maxStaleness: 1 })

    const random = createRandom(SEED)
    const statuses: Record<string, number> = {}
    const recoveries: number[] = []
    const outages: Record<string, number> = {}
    const slowest = { cached: 0, any: 0 }
    let longestQueue = 0
    const finished = new AbortController()
    const note = (kind: string, { status, ms }: Answer): void => {
      statuses[`${kind} ${status}`] = (statuses[`${kind} ${status}`] ?? 0) + 1
      slowest.any = Math.max(slowest.any, ms)
      if (kind === 'cached' && status === 200) slowest.cached = Math.max(slowest.cached, ms)
    }
    // OutageHost rejects any answer but 200, a complete 503, and 401 for an unknown API key.
    const ask = {
      cached: async () => (await host.askCached()).forEach((answer) => note('cached', answer)),
      unknown: async () => note('unknown', await host.askUnknownKey()),
      token: async () => note('token', await host.requestToken()),
    }
    const callers = Object.values(ask).flatMap((each) =>
      Array.from({ length: 4 }, async () => {
        while (!finished.signal.aborted) {
          await each()
          longestQueue = Math.max(longestQueue, pool.waitingCount)
          await sleep(5)
        }
      }),
    )
    const settled = Promise.all(callers)
    settled.catch(() => undefined)

    for (const end = performance.now() + SECONDS * 1000; performance.now() < end;) {
      await sleep(500 + random.below(1000))
      const name = random.pick(Object.keys(OUTAGES))
      outages[name] = (outages[name] ?? 0) + 1
      await OUTAGES[name]!(server, proxy, random.chance(0.25) ? 6000 : random.below(2500))
      const endedAt = performance.now()
      for (;;) {
        const answers = await Promise.all([host.askCached(), host.askUnknownKey(), host.requestToken()])
        if (answers.flat().every(({ status }) => status !== 503)) break
        await sleep(10)
      }
      recoveries.push(performance.now() - endedAt)
    }
    finished.abort()
    await settled

    const sorted = recoveries.toSorted((a, b) => a - b)
    const at = (part: number): number =>
      Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!)
    const report = [
      `seed ${SEED}, ${SECONDS} s: ${JSON.stringify(outages)}`,
      `answers: ${JSON.stringify(statuses)}`,
      `recovery in ms: p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)} of ${sorted.length}`,
      `slowest answer in ms: cached and 200 ${Math.round(slowest.cached)}, any ${Math.round(slowest.any)}`,
      `longest queue of the pool ${longestQueue}, store events ${host.storeEvents.length}, unhandled ${unhandled.length}`,
    ]
    for (const line of report) process.stdout.write(`LONG outages ${line}\n`)
    expect(unhandled).toEqual([])
    expect(at(1)).toBeLessThan(1000)
    // One event at the start of each outage and one at its end.
    for (const [i, event] of host.storeEvents.entries()) expect(event).toBe(i % 2 === 0 ? 'unavailable' : 'available')
    expect(host.storeEvents.at(-1)).toBe('available')
    expect((await host.auth.health()).ok).toBe(true)
  },
)
