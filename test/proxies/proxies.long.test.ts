import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { expect, it } from 'vitest'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { freshDatabase } from '../support/postgres.js'
import { ALL_ANSWERED, createCalls, createInstance, type Instance } from './instances.js'
import { startLoad } from './load.js'
import { startProxy } from './proxies.js'
import { listRefusedUploads, sendUploads } from '../core/http/refused-uploads.js'

const REQUESTS = 20_000

/** Two processes on a database of their own. */
async function startInstances(atEnd: (end: () => Promise<void>) => void) {
  const database = await freshDatabase()
  atEnd(database.remove)
  const pool = new Pool({ connectionString: database.url })
  const calls = await createCalls(postgresStore({ pool }))
  await pool.end()
  const create = (): Promise<Instance> => createInstance(database.url, { drain: 5000, maxStaleness: 5 })
  const instances: readonly [Instance, Instance] = [await create(), await create()]
  await Promise.all(instances.map(({ start }) => start()))
  atEnd(async () => void (await Promise.all(instances.map(({ stop }) => stop()))))
  const ports: readonly [number, number] = [instances[0].port, instances[1].port]
  return { calls, instances, ports }
}

it.each(['haproxy', 'nginx'] as const)(
  `behind %s, none of ${REQUESTS} requests fails while two processes are restarted in turn and uploads are refused`,
  { timeout: 600_000 },
  async (kind) => {
    const ends: (() => Promise<void>)[] = []
    const { calls, instances, ports } = await startInstances((end) => void ends.unshift(end))
    const proxy = await startProxy(kind, ports)
    const load = startLoad(proxy.port, calls, 16)
    let restarts = 0
    const uploads = sendAllSizes(proxy.port, kind)
    while (load.count() < REQUESTS || restarts < 4) {
      const instance = instances[restarts++ % 2]!
      expect(await instance.stop()).toBe(0)
      await instance.start()
      // As docs/operations.md says.
      await sleep(5000)
    }
    const answers = await load.stop()
    const { sent, wrong } = await uploads
    await proxy.end()
    for (const end of ends) await end()
    expect(wrong).toEqual([])
    process.stdout.write(
      `LONG proxies ${kind}: ${restarts} restarts, ${sent} refused uploads, ${JSON.stringify(answers)}\n`,
    )
    expect(Object.keys(answers).toSorted()).toEqual(ALL_ANSWERED)
  },
)

/** Above so many bytes nginx answers 413 itself (`client_max_body_size`). */
const NGINX_MAX_BYTES = 1024 * 1024

/** Refused uploads of all sizes, in each form. */
async function sendAllSizes(
  port: number,
  proxy: 'haproxy' | 'nginx',
): Promise<{ sent: number; wrong: readonly string[] }> {
  const uploads = [70_000, 200_000, 1_000_000, 4_000_000, 16_000_000].flatMap((bytes) =>
    (['length', 'chunked', 'expect'] as const).flatMap((how) => listRefusedUploads({ bytes, how })),
  )
  const statuses = await sendUploads(port, uploads)
  const wrong = uploads.flatMap(({ path, bytes, how, status }, i) => {
    const expected = proxy === 'nginx' && bytes > NGINX_MAX_BYTES ? '413' : status
    return statuses[i] === expected ? [] : [`${path} ${bytes} ${how}: ${statuses[i]}`]
  })
  return { sent: uploads.length, wrong }
}
