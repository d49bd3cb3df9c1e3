import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { expect, it } from 'vitest'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { openOutageHost, type Timed } from '../support/outages.js'
import { startPostgres, type PostgresServer } from '../support/postgres.js'
import { tcpProxy, type TcpProxy } from '../support/tcp-proxy.js'

const SECONDS = Number(process.env['OUTAGE_SECONDS'] ?? 60)
const SEED = Number(process.env['OUTAGE_SEED'] ?? 20_260_731)

/** What befalls the store, and how it passes. */
const OUTAGES: Readonly<Record<string, (server: PostgresServer, wire: TcpProxy, lasts: number) => Promise<void>>> = {
  async stalled(_, wire, lasts) {
    wire.stall()
    await sleep(lasts)
    await wire.forward()
  },
  async cut(_, wire, lasts) {
    await wire.refuse()
    await sleep(lasts)
    await wire.forward()
  },
  async reset(_, wire) {
    wire.reset()
  },
  async 'stalled, then cut'(_, wire, lasts) {
    wire.stall()
    await sleep(lasts)
    wire.reset()
    await wire.forward()
  },
  async killed(server, _, lasts) {
    await server.crash()
    await sleep(lasts)
    await server.start()
  },
  async restarted(server) {
    await server.stop()
    await server.start()
  },
  async slow(_, wire, lasts) {
    wire.delay(400)
    await sleep(lasts)
    await wire.forward()
  },
}

it(
  `answers 200 or 503 for ${SECONDS} seconds of outages, and recovers from each within a second`,
  {
    timeout: SECONDS * 1000 + 120_000,
  },
  async ({ onTestFinished: atEnd }) => {
    const unhandled: unknown[] = []
    const keep = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', keep)
    atEnd(() => void process.off('unhandledRejection', keep))
    const server = await startPostgres()
    atEnd(() => server.end())
    const wire = await tcpProxy(server.url)
    atEnd(wire.end)
    const pool = new Pool({ connectionString: wire.url })
    atEnd(() => pool.end())
    atEnd(wire.forward)
    const host = await openOutageHost(atEnd, postgresStore({ pool }), { maxStaleness: 1 })

    const random = generator(SEED)
    const statuses: Record<string, number> = {}
    const recoveries: number[] = []
    const outages: Record<string, number> = {}
    const slowest = { known: 0, any: 0 }
    let longestQueue = 0
    const over = new AbortController()
    const note = (kind: string, { status, ms }: Timed): void => {
      statuses[`${kind} ${status}`] = (statuses[`${kind} ${status}`] ?? 0) + 1
      slowest.any = Math.max(slowest.any, ms)
      if (kind === 'known' && status === 200) slowest.known = Math.max(slowest.known, ms)
    }
    // The caller's own checks throw at anything that is neither 200 (nobody's key: 401) nor a whole 503.
    const ask = {
      known: async () => (await host.byMemory()).forEach((answer) => note('known', answer)),
      nobody: async () => note('nobody', await host.byNobodysKey()),
      token: async () => note('token', await host.tokenRequest()),
    }
    const callers = Object.values(ask).flatMap((each) =>
      Array.from({ length: 4 }, async () => {
        while (!over.signal.aborted) {
          await each()
          longestQueue = Math.max(longestQueue, pool.waitingCount)
          await sleep(5)
        }
      }),
    )
    const settled = Promise.all(callers)
    settled.catch(() => undefined)

    for (const end = performance.now() + SECONDS * 1000; performance.now() < end;) {
      await sleep(500 + random() * 1000)
      const names = Object.keys(OUTAGES)
      const name = names[Math.floor(random() * names.length)]!
      outages[name] = (outages[name] ?? 0) + 1
      await OUTAGES[name]!(server, wire, random() < 0.25 ? 6000 : random() * 2500)
      const back = performance.now()
      for (;;) {
        const answers = await Promise.all([host.byMemory(), host.byNobodysKey(), host.tokenRequest()])
        if (answers.flat().every(({ status }) => status !== 503)) break
        await sleep(10)
      }
      recoveries.push(performance.now() - back)
    }
    over.abort()
    await settled

    const sorted = recoveries.toSorted((a, b) => a - b)
    const at = (part: number): number =>
      Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!)
    const said = [
      `seed ${SEED}, ${SECONDS} s: ${JSON.stringify(outages)}`,
      `answers: ${JSON.stringify(statuses)}`,
      `recovery in ms: p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)} of ${sorted.length}`,
      `slowest answer in ms: known and 200 ${Math.round(slowest.known)}, any ${Math.round(slowest.any)}`,
      `longest queue of the pool ${longestQueue}, told ${host.told.length}, unhandled ${unhandled.length}`,
    ]
    for (const line of said) process.stdout.write(`LONG outages ${line}\n`)
    expect(unhandled).toEqual([])
    expect(at(1)).toBeLessThan(1000)
    // Each outage is told of once, and so is its end.
    for (const [i, what] of host.told.entries()) expect(what).toBe(i % 2 === 0 ? 'unavailable' : 'available')
    expect(host.told.at(-1)).toBe('available')
    expect((await host.auth.health()).ok).toBe(true)
  },
)

/** The same numbers for the same seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
