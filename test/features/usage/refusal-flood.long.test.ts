import { once } from 'node:events'
import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import express from 'express'
import { expect, it } from 'vitest'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { useSqliteFiles } from '../../stores/sqlite/files.js'
import { failingStore } from '../../support/failing-store.js'
import { accessToken, createApplication, useServer } from '../../support/http.js'
import { openPlatform } from '../../support/platform.js'

const SECONDS = 60
const CONNECTIONS = 16
/** Requests that a connection sends without waiting for their answers. */
const PIPELINED = 32
const MAX_GROWTH_BYTES = 32 * 1024 * 1024
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const files = useSqliteFiles()

it('as many refusals in a minute as the machine allows are one write a second, and bounded in memory', async () => {
  const store = failingStore(sqliteStore(files.file))
  const { auth } = openPlatform({ store, now: Date.now })
  await auth.ready()
  const app = express().use(auth.router)
  app.get('/orders/items', auth.requireBearer('orders', { scopes: ['orders:write'] }), (_req, res) => void res.json([]))
  const { port } = await useServer(app)
  const credentials = await createApplication(auth, { orders: { scopes: ['orders:read'] } })
  const token = await accessToken(app, 'orders', credentials)
  const request = `GET /orders/items HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`

  const before = measureHeap()
  let largest = 0
  const sampling = setInterval(() => (largest = Math.max(largest, measureHeap())), 5000)
  const since = performance.now()
  const counts = await Promise.all(Array.from({ length: CONNECTIONS }, () => flood(port, request, SECONDS * 1000)))
  const seconds = (performance.now() - since) / 1000
  clearInterval(sampling)
  const refused = counts.reduce((sum, count) => sum + count, 0)
  const writes = { refusals: store.calls('usage.addRefusals'), counts: store.calls('usage.add') }
  await auth.close()
  process.stdout.write(
    `${refused} refusals in ${seconds.toFixed(1)} s: ${writes.refusals} writes of refusals, ${writes.counts} of counts, heap ${Math.round(before / 1e6)} to ${Math.round(largest / 1e6)} MB\n`,
  )
  expect(refused).toBeGreaterThan(10_000)
  expect(writes.refusals).toBeLessThanOrEqual(seconds + 1)
  expect(writes.counts).toBeLessThanOrEqual(seconds / 60 + 1)
  expect(largest - before).toBeLessThan(MAX_GROWTH_BYTES)
  const [row, ...others] = files.openDatabase().prepare(COUNTS).all() as { count: number }[]
  expect([row?.count, others]).toEqual([refused, []])
}, 180_000)

/** What is in use, without garbage. */
function measureHeap(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

const COUNTS = `SELECT count FROM platform_auth_usage WHERE outcome = 'insufficient_scope'`

/** Sends requests on one connection for that time; resolves how many were refused. */
async function flood(port: number, request: string, milliseconds: number): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const end = performance.now() + milliseconds
  let [sent, answered, rest] = [0, 0, '']
  const send = (times: number): void => {
    sent += times
    socket.write(request.repeat(times))
  }
  send(PIPELINED)
  for await (const chunk of socket) {
    const parts = (rest + String(chunk)).split(HEAD)
    rest = parts.at(-1)!.slice(-HEAD.length)
    const arrived = parts.length - 1
    answered += arrived
    if (performance.now() < end) send(arrived)
    else if (answered === sent) socket.end()
  }
  expect(answered).toBe(sent)
  return answered
}

const HEAD = 'HTTP/1.1 403 '
