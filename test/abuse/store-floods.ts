import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freshDatabase } from '../support/postgres.js'
import { startTcpProxy } from '../support/tcp-proxy.js'

/** A platform in its own process. */
export interface FloodedPlatform {
  readonly port: number
  /** Creates applications that may use both APIs, and whose credentials the process has not seen yet. */
  createApplications(count: number): Promise<readonly FloodApplication[]>
  /** Milliseconds that each call of `suspend` takes, sorted. Rejects if one rejects. */
  measureSuspend(count: number): Promise<readonly number[]>
  end(): Promise<void>
}

export interface FloodApplication {
  readonly id: string
  readonly clientId: string
  readonly clientSecret: string
}

/** A flood from another process, as from another machine. */
export interface Flood {
  /** The number of answers by status so far. */
  count(): Promise<Readonly<Record<string, number>>>
  end(): Promise<void>
}

const ROUND_TRIP_MS = 3
const SERVER = fileURLToPath(new URL('store-flood-server.mjs', import.meta.url))
const CLIENT = fileURLToPath(new URL('store-flood-client.mjs', import.meta.url))

/** On PostgreSQL, with a pool of five connections and a simulated round trip of 3 ms. */
export async function openFloodedPlatform(): Promise<FloodedPlatform> {
  const database = await freshDatabase()
  const proxy = await startTcpProxy(database.url)
  proxy.delay(ROUND_TRIP_MS)
  return openFloodedServer(proxy.url, async () => {
    await proxy.end()
    await database.remove()
  })
}

/** The same without a delay, and on SQLite. */
export async function openFloodedPlatformOn(store: 'SQLite' | 'PostgreSQL'): Promise<FloodedPlatform> {
  if (store === 'PostgreSQL') {
    const database = await freshDatabase()
    return openFloodedServer(database.url, () => database.remove())
  }
  const folder = await mkdtemp(join(tmpdir(), 'flood-'))
  return openFloodedServer(join(folder, 'platform.sqlite'), () => rm(folder, { recursive: true }))
}

async function openFloodedServer(store: string, removeStore: () => Promise<void>): Promise<FloodedPlatform> {
  const env = { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' }
  const server = fork(SERVER, [store], { env })
  const [{ port }] = (await once(server, 'message')) as [{ port: number }]
  let commandCount = 0

  function sendCommand<Result>(command: string, argument: unknown): Promise<Result> {
    const id = ++commandCount
    return new Promise((resolve, reject) => {
      server.on('message', function onMessage(answer: { id: number; result: Result; problem?: string }) {
        if (answer.id !== id) return
        server.off('message', onMessage)
        if (answer.problem === undefined) resolve(answer.result)
        else reject(new Error(answer.problem))
      })
      server.send({ id, command, argument })
    })
  }

  return {
    port,
    createApplications: (count) => sendCommand('createApplications', count),
    measureSuspend: async (count) =>
      (await sendCommand<number[]>('measureSuspend', count)).toSorted((one, other) => one - other),
    async end() {
      await endProcess(server)
      await removeStore()
    },
  }
}

/** Resolves when the first requests have been answered. */
export async function startFlood(port: number, flood: string, argument: unknown): Promise<Flood> {
  const client = fork(CLIENT, [String(port)], { env: { ...process.env, NODE_OPTIONS: '' } })
  client.send({ flood, argument })
  await once(client, 'message')
  return {
    async count() {
      client.send({})
      const [statuses] = (await once(client, 'message')) as [Record<string, number>]
      return statuses
    },
    end: () => endProcess(client),
  }
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const exited = once(child, 'exit')
  child.disconnect()
  await exited
}

/** The smallest time that at least this share of the sorted times does not exceed. */
export function percentile(times: readonly number[], share: number): number {
  return times[Math.ceil(times.length * share) - 1]!
}
