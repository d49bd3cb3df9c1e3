import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { memoryMailer } from 'express-platform-auth/testing'
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { createApp } from '../../example-app/app.js'
import { openDatabase } from '../../example-app/database/database.js'
import { demoCredentials, type DemoCredentials } from '../../example-app/demo/demo-application.js'
import { platformSecret } from '../../example-app/process/platform-secret.js'
import { createPlatform, type Platform } from '../../example-app/platform.js'
import { readMode, useExampleApps, type Example } from '../support/example-app.js'
import { freePort } from '../support/free-port.js'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { SECRET } from '../support/platform.js'
import { timeBound } from '../support/time-bound.js'
import { waitUntil } from '../support/wait-until.js'
import { bearer, listOrders, placeOrder } from './orders.js'

describe('After a restart, the example app', () => {
  const apps = useExampleApps()

  it('has the same credentials, orders and catalogue, also after kill -9, at any moment of its first start too', async () => {
    await killFirstStart(Math.random() * 400)
    const first = await apps.start()
    expect((await apps.client(first.baseUrl)).code).toBe(0)
    const made = await first.credentials()
    const order = await placeOrder(first)
    const key = { 'X-Api-Key': made.clientId }
    expect(
      (await fetch(`${first.baseUrl}/catalog/items/TEA-MATCHA-30`, { method: 'DELETE', headers: key })).status,
    ).toBe(204)
    // It exits at once: no request is running, although connections are open.
    const signalledAt = Date.now()
    expect(await first.end('SIGTERM')).toBe(0)
    expect(Date.now() - signalledAt).toBeLessThan(timeBound(4000))

    const second = await apps.start()
    expect(await second.credentials()).toEqual(made)
    expect(second.output()).toContain(made.clientSecret)
    expect(await listOrders(second)).toEqual([order])
    expect((await fetch(`${second.baseUrl}/catalog/items/TEA-MATCHA-30`, { headers: key })).status).toBe(404)
    const placed = [order]
    for (let i = 0; i < 5; i++) placed.push(await placeOrder(second))
    await second.end('SIGKILL')

    const third = await apps.start()
    expect(await third.credentials()).toEqual(made)
    expect(new Set(await listOrders(third))).toEqual(new Set(placed))
    // It does not wait for a request that never ends.
    const slow = await beginOrder(third)
    const endedAt = Date.now()
    expect(await third.end('SIGINT')).toBe(0)
    expect(Date.now() - endedAt).toBeLessThan(timeBound(9000))
    slow.destroy()
  })

  // In `npm test`, the first test does this at one moment.
  it.each(IS_LONG_LANE ? Array.from({ length: 20 }, (_, i) => 50 + i * 25) : [])(
    'starts after a kill -9, %d ms after its first start',
    async (delay) => {
      await killFirstStart(delay)
      const example = await apps.start()
      expect((await apps.client(example.baseUrl)).code).toBe(0)
    },
  )

  async function killFirstStart(delay: number): Promise<void> {
    const child = apps.spawn({ PORT: String(await freePort()) })
    const closed = once(child, 'close')
    await new Promise((resolve) => setTimeout(resolve, delay))
    child.kill('SIGKILL')
    await closed
  }

  it('makes a new demo application where the file of credentials is lost, damaged, empty, old, or of another database', async () => {
    const file = join(apps.folder(), 'var/demo-credentials.json')
    let former = await useFolder(apps.folder(), async ({ credentials }) => credentials)
    const other = { applicationId: 'app_1', clientId: 'epa_key_1', clientSecret: 'epa_sec_1' }
    for (const content of [undefined, '{ "clientId": ', '{}', JSON.stringify(other)]) {
      await (content === undefined ? rm(file) : writeFile(file, content))
      await useFolder(apps.folder(), async (opened) => {
        expect(opened.credentials).not.toEqual(former)
        expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(opened.credentials)
        expect(await readMode(file)).toBe('600')
        expect(await readOrders(opened)).toEqual([])
        former = opened.credentials
      })
    }
    await useFolder(apps.folder(), ({ auth }) => auth.applications.rotateSecret(former.applicationId, { overlap: 0 }))
    await useFolder(apps.folder(), async (opened) => {
      expect(opened.credentials.applicationId).not.toBe(former.applicationId)
      expect(await readOrders(opened)).toEqual([])
    })
  })

  it('prints what to do if its secret has changed', async () => {
    await useFolder(apps.folder(), async () => undefined)
    const { code, stdout, stderr } = await apps.tryServer({ PLATFORM_AUTH_SECRET: SECRET })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('secret is not the one that the store was written with.')
  })
})

describe('After a signal, the example app', () => {
  const apps = useExampleApps()

  it.each(IS_LONG_LANE ? (['SIGTERM', 'SIGINT'] as const) : (['SIGTERM'] as const))(
    'finishes the running request at %s, and exits with 0',
    async (signal) => {
      const example = await apps.start()
      const slow = await beginOrder(example)
      const idle = await openConnection(example.port)
      example.process.kill(signal)
      // npm passes Ctrl-C on a second time.
      example.process.kill(signal)
      await waitUntil(() => refusesConnections(example.port))
      slow.write('"quantity": 7 }')
      const answer = await everything(slow)
      expect(answer).toContain('HTTP/1.1 201 Created\r\n')
      expect(answer).toContain('"quantity": 7')
      idle.destroy()
      const signalledAt = Date.now()
      expect(await example.end()).toBe(0)
      expect(Date.now() - signalledAt).toBeLessThan(timeBound(4000))

      const orders = await useFolder(apps.folder(), readOrders)
      expect(orders).toMatchObject([{ quantity: 7 }])
    },
  )

  it('answers requests for DRAIN_SECONDS, and /health with 503, so that a proxy sends them elsewhere', async () => {
    const example = await apps.start({ DRAIN_SECONDS: '2' })
    const idle = await openConnection(example.port)
    // Without keep-alive, unlike fetch().
    const readStatus = async (path: string): Promise<number> => (await supertest(example.baseUrl).get(path)).status
    expect(await readStatus('/health')).toBe(200)
    example.process.kill('SIGTERM')
    await waitUntil(async () => (await readStatus('/health')) === 503)
    expect(await readStatus('/')).toBe(200)
    await waitUntil(() => refusesConnections(example.port))
    // It is the proxy that ends idle connections.
    idle.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(await everything(idle)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Connection: close\r\n/)
    expect(await example.end()).toBe(0)
  })
})

/** Opens the files of an example app that does not run, as server.js does, in this process. */
async function useFolder<Result>(folder: string, work: (opened: Opened) => Promise<Result>): Promise<Result> {
  const file = (name: string): string => join(folder, 'var', name)
  const baseUrl = 'http://localhost:3000'
  const database = await openDatabase(file('example.sqlite'))
  const secret = platformSecret(file('platform-auth-secret'))
  const auth = createPlatform({ baseUrl, store: database.store, secret, mailer: memoryMailer() })
  try {
    await auth.ready()
    const credentials = await demoCredentials(auth, file('demo-credentials.json'))
    return await work({ auth, credentials, api: supertest(createApp({ auth, database, baseUrl })) })
  } finally {
    await auth.close()
    await database.close()
  }
}

/** The orders of the demo application. */
async function readOrders({ api, credentials }: Opened): Promise<unknown> {
  const { clientId, clientSecret } = credentials
  const request = api.post('/orders/token').auth(clientId, clientSecret).type('form')
  const { body: token } = await request.send({ grant_type: 'client_credentials' }).expect(200)
  const { body } = await api.get('/orders/items').auth(token.access_token, { type: 'bearer' }).expect(200)
  return body.items
}

interface Opened {
  readonly auth: Platform
  readonly credentials: DemoCredentials
  readonly api: ReturnType<typeof supertest>
}

/** Sends the first half of an order. Resolves when the server has begun to read it. */
async function beginOrder(example: Example): Promise<Socket> {
  const { port } = example
  const { Authorization } = await bearer(example)
  const socket = await openConnection(port)
  const first = '{ "product": "TEA-MATCHA-30", '
  const head = [
    'POST /orders/items HTTP/1.1',
    `Host: localhost:${port}`,
    `Authorization: ${Authorization}`,
    'Content-Type: application/json',
    `Content-Length: ${first.length + '"quantity": 7 }'.length}`,
    'Expect: 100-continue',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const [continues] = (await once(socket, 'data')) as [string]
  expect(continues).toMatch(/^HTTP\/1\.1 100 /)
  socket.write(first)
  return socket
}

async function openConnection(port: number): Promise<Socket> {
  const socket = connect(port, 'localhost').setEncoding('utf8')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

async function everything(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk: string) => (text += chunk))
  await once(socket, 'close')
  return text
}

async function refusesConnections(port: number): Promise<boolean> {
  const socket = connect(port, 'localhost')
  const refused = await new Promise<boolean>((resolve) => {
    socket.on('connect', () => resolve(false)).on('error', () => resolve(true))
  })
  socket.destroy()
  return refused
}
