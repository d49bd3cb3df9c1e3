import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { describe, it } from 'vitest'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { freshDatabase } from '../support/postgres.js'
import { startTcpProxy } from '../support/tcp-proxy.js'
import { waitUntil } from '../support/wait-until.js'
import { listRefusedUploads, sendUploads } from '../core/http/refused-uploads.js'
import { ALL_ANSWERED, createCalls, createInstance } from './instances.js'
import { startLoad } from './load.js'
import { startProxy } from './proxies.js'

/** Hundreds of requests a second, and time for the tests beside this one. */
const PAUSE_MS = 15

// Concurrent, because these tests mostly wait.
describe.concurrent('Behind the proxies of docs/operations.md,', () => {
  it('no request fails when one of two processes stops', async ({ expect, onTestFinished: atEnd }) => {
    const folder = await mkdtemp(join(tmpdir(), 'proxies-'))
    atEnd(() => rm(folder, { recursive: true, force: true }))
    const database = join(folder, 'platform.sqlite')
    const calls = await createCalls(sqliteStore(database))
    const instances = await Promise.all([3000, 3000].map((drain) => createInstance(database, { drain })))
    atEnd(async () => void (await Promise.all(instances.map(({ stop }) => stop()))))
    const [first, second] = instances as [(typeof instances)[0], (typeof instances)[0]]
    await Promise.all([first.start(), second.start()])
    const proxies = await Promise.all(
      (['haproxy', 'nginx'] as const).map((kind) => startProxy(kind, [first.port, second.port])),
    )
    for (const { end } of proxies) atEnd(end)

    const loads = proxies.map(({ port }) => startLoad(port, calls, 4, PAUSE_MS))
    await waitUntil(() => loads.every(({ count }) => count() > 50), { timeout: 60_000 })
    const stopped = first.stop()
    const isRefused = (): Promise<boolean> => refusesConnections(first.port)
    await waitUntil(isRefused, { timeout: 60_000, interval: 50 })
    // Requests that were under way when it stopped accepting connections have ended.
    const counts = loads.map(({ count }) => count())
    await waitUntil(() => loads.every(({ count }, i) => count() > counts[i]! + 50), { timeout: 60_000 })
    for (const load of loads) {
      const answers = await load.stop()
      expect(Object.keys(answers).toSorted()).toEqual(ALL_ANSWERED)
    }
    // The process waits until the proxies have ended their idle connections.
    await Promise.all(proxies.map(({ end }) => end()))
    expect(await stopped).toBe(0)
  })

  it('refused uploads get their status, and take no process out of service', async ({
    expect,
    onTestFinished: atEnd,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'proxies-'))
    atEnd(() => rm(folder, { recursive: true, force: true }))
    const database = join(folder, 'platform.sqlite')
    const calls = await createCalls(sqliteStore(database))
    const instances = await Promise.all([1, 2].map(() => createInstance(database, { drain: 0 })))
    atEnd(async () => void (await Promise.all(instances.map(({ stop }) => stop()))))
    const [first, second] = instances as [(typeof instances)[0], (typeof instances)[0]]
    await Promise.all([first.start(), second.start()])
    const uploads = ([70_000, 1_000_000] as const).flatMap((bytes) => [
      ...listRefusedUploads({ bytes, how: 'length' }),
      ...listRefusedUploads({ bytes, how: 'chunked' }),
    ])
    for (const kind of ['haproxy', 'nginx'] as const) {
      const proxy = await startProxy(kind, [first.port, second.port])
      const load = startLoad(proxy.port, calls, 4, PAUSE_MS)
      expect(await sendUploads(proxy.port, uploads), kind).toEqual(uploads.map(({ status }) => status))
      await waitUntil(() => load.count() > 100, { timeout: 60_000 })
      expect(Object.keys(await load.stop()).toSorted(), kind).toEqual(ALL_ANSWERED)
      await proxy.end()
    }
  })

  it('no request fails in an outage of the database that is shorter than maxStaleness', async ({
    expect,
    onTestFinished: atEnd,
  }) => {
    const database = await freshDatabase()
    atEnd(database.remove)
    const pool = new Pool({ connectionString: database.url })
    const calls = await createCalls(postgresStore({ pool }))
    await pool.end()
    const link = await startTcpProxy(database.url)
    atEnd(link.end)
    const instances = await Promise.all([1, 2].map(() => createInstance(link.url, { drain: 0, maxStaleness: 60 })))
    const [first, second] = instances as [(typeof instances)[0], (typeof instances)[0]]
    await Promise.all([first.start(), second.start()])
    atEnd(async () => void (await Promise.all(instances.map(({ stop }) => stop()))))
    atEnd(link.forward)
    // Both know the caller.
    for (const { port } of instances) {
      const load = startLoad(port, calls, 1)
      await waitUntil(() => load.count() >= 2 * calls.length)
      await load.stop()
    }
    const { port, end } = await startProxy('haproxy', [first.port, second.port])
    atEnd(end)
    const load = startLoad(port, calls, 2, PAUSE_MS)
    await link.refuse()
    // Longer than HAProxy needs to take both out of service: `inter` x `fall` is 2 s.
    await sleep(4000)
    const answers = await load.stop()
    expect(Object.keys(answers).toSorted()).toEqual(ALL_ANSWERED)
  })
})

/** On a connection that is closed at once: the process waits for open ones. */
function refusesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket
      .on('error', () => resolve(true))
      .on('connect', () => {
        socket.destroy()
        resolve(false)
      })
  })
}
