import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { describe, it } from 'vitest'
import { createTemporaryFolder } from '../support/temporary-folder.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { freshDatabase } from '../support/postgres.js'
import { startTcpProxy } from '../support/tcp-proxy.js'
import { waitUntil } from '../support/wait-until.js'
import { listRefusedUploads, sendUploads } from '../core/http/refused-uploads.js'
import { ALL_ANSWERED, createCalls, createInstance } from './instances.js'
import { startLoad } from './load.js'
import { startProxy } from './proxies.js'

/** A hundred requests a second, and time for the tests beside this one; the long lane sends more, and uploads of all sizes. */
const PAUSE_MS = 60

// Concurrent, because these tests mostly wait.
describe.concurrent('Behind the proxies of docs/operations.md,', () => {
  it('refused uploads get their status and take no process out of service, and no request fails when one of two stops', async ({
    expect,
    onTestFinished: atEnd,
  }) => {
    const database = join(await createTemporaryFolder({ onTestFinished: atEnd }), 'platform.sqlite')
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
    const uploads = [
      ...listRefusedUploads({ bytes: 1_000_000, how: 'length' }),
      ...listRefusedUploads({ bytes: 70_000, how: 'chunked' }),
    ]
    for (const { port } of proxies)
      expect(await sendUploads(port, uploads)).toEqual(uploads.map(({ status }) => status))
    const before = loads.map(({ count }) => count())
    await waitUntil(() => loads.every(({ count }, i) => count() > before[i]! + 50), { timeout: 60_000 })
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

describe.concurrent.for(['', '/v1', '/shop/v1'])(
  'With the path "%s" in baseUrl, nginx of docs/operations.md',
  (path) => {
    it('sends a token request again whose connection was lost, and no other POST', async ({
      expect,
      onTestFinished,
    }) => {
      const received: string[] = []
      const instances = await Promise.all([1, 2].map(() => startLossyInstance(received)))
      onTestFinished(async () => void (await Promise.all(instances.map(({ end }) => end()))))
      const { port, end } = await startProxy(
        'nginx',
        instances.map((each) => each.port),
      )
      onTestFinished(end)
      const post = async (to: string) =>
        (await fetch(`http://127.0.0.1:${port}${path}${to}`, { method: 'POST' })).status

      expect(await post('/orders/items')).toBe(502)
      // Longer than `fail_timeout`: nginx asks both instances again.
      await sleep(3000)
      expect(await post('/orders/token')).toBe(200)
      expect(received).toEqual(['/orders/items', '/orders/token', '/orders/token'].map((each) => path + each))
    })
  },
)

/** Closes the connection of the first request to each path, whichever instance gets it. */
async function startLossyInstance(received: string[]) {
  const server = createServer(({ url = '', method, socket }, res) => {
    const isFirst = method === 'POST' && !received.includes(url)
    if (method === 'POST') received.push(url)
    if (isFirst) socket.destroy()
    else res.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    end: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

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
