import { once } from 'node:events'
import { readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import supertest from 'supertest'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../example-app/app.js'
import { openDatabase } from '../../example-app/database.js'
import type { DemoCredentials } from '../../example-app/demo-application.js'
import { createPlatform } from '../../example-app/platform.js'
import { EXAMPLE, useExampleApps, readMode, type Example, type ProgramResult } from '../support/example-app.js'
import { freePort } from '../support/free-port.js'
import { SECRET } from '../support/platform.js'
import { waitUntil } from '../support/wait-until.js'

const { start, runServer, spawn: spawnServer, client, ...apps } = useExampleApps()
const servers: Server[] = []
let folder: string

beforeEach(() => {
  folder = apps.folder()
})

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

describe('The example app', () => {
  it('prints commands that work in a shell', async () => {
    const example = await start()
    const lines = readCommands(example)
    expect(Object.keys(lines)).toHaveLength(7)
    const paste = (title: string): Promise<ProgramResult> => {
      const [line] =
        Object.entries(lines)
          .find(([name]) => name.includes(title))
          ?.slice(1) ?? []
      return apps.paste(line ?? `echo no line "${title}"; false`)
    }

    for (const way of ['in the form', 'by HTTP Basic']) {
      const { code, stdout, stderr } = await paste(way)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(stdout)).toEqual({
        access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        token_type: 'bearer',
        expires_in: 3600,
        scope: 'orders:read orders:write',
      })
    }
    const placed = JSON.parse((await paste('place an order')).stdout)
    expect(placed).toMatchObject({ product: 'TEA-SENCHA-100', quantity: 2 })
    expect(JSON.parse((await paste('list your orders')).stdout)).toEqual({ items: [placed] })
    const { items } = JSON.parse((await paste('Search the catalogue')).stdout)
    const sencha = { sku: 'TEA-SENCHA-100', priceInCents: 1390 }
    expect(items).toContainEqual(expect.objectContaining({ ...sencha, yourPriceInCents: 1251 }))
    // Another program changes the customer's discount. The server follows.
    expect(example.output()).toContain('C-1001, with a discount of 10 % (metadata)\n')
    const discounted = await paste('Give customer C-1001')
    expect(discounted).toEqual({ code: 0, stdout: 'Customer C-1001 has a discount of 20 % now.\n', stderr: '' })
    await expect
      .poll(async () => JSON.parse((await paste('Search the catalogue')).stdout).items, { timeout: 5000 })
      .toContainEqual(expect.objectContaining({ ...sencha, yourPriceInCents: 1112 }))
    const refused = await paste('Refused')
    expect(refused.stdout).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/)
    expect(refused.stdout).toContain(
      `\r\nWWW-Authenticate: Bearer realm="orders", scope="orders:read", resource_metadata="${example.baseUrl}/`,
    )
  })

  it('prints the demo credentials at start-up, and logs no credential and no access token', async () => {
    const example = await start()
    const { clientId, clientSecret } = await credentials()
    expect(example.output()).toContain(`key (client_id)         ${clientId}\n`)
    expect(example.output()).toContain(`secret (client_secret)  ${clientSecret}\n`)
    const printed = example.output().length
    for (const line of Object.values(readCommands(example))) await apps.paste(line)
    expect((await client(example.baseUrl)).code).toBe(0)
    await example.end('SIGTERM')
    const logged = example.output().slice(printed)
    expect(logged).toContain('insufficient_scope')
    expect(logged).not.toMatch(/epa_(?:key|sec)_|eyJ/)
  })

  it('writes files that only their owner can read', async () => {
    await start()
    const names = await readdir(join(folder, 'var'))
    expect(names).toEqual(expect.arrayContaining(['demo-credentials.json', 'example.sqlite', 'platform-auth-secret']))
    expect(
      names.filter(
        (name) => !/^(?:demo-credentials\.json|example\.sqlite(?:-wal|-shm)?|platform-auth-secret)$/.test(name),
      ),
    ).toEqual([])
    for (const name of names) expect(`${name} ${await readMode(join(folder, 'var', name))}`).toBe(`${name} 600`)
    expect(await readMode(join(folder, 'var'))).toBe('700')
    const ignored = await readFile(join(EXAMPLE, '../.gitignore'), 'utf8')
    expect(ignored).toContain('/example-app/var/\n')
  })

  it('uses PLATFORM_AUTH_SECRET and DATABASE_URL', async () => {
    const env = { PLATFORM_AUTH_SECRET: SECRET, DATABASE_URL: join(folder, 'elsewhere', 'shop.sqlite') }
    const example = await start(env)
    expect((await client(example.baseUrl)).code).toBe(0)
    expect(await readdir(join(folder, 'var'))).toEqual(['demo-credentials.json'])
    expect(await readMode(env.DATABASE_URL)).toBe('600')
  })

  it('prints one line for each setting that it cannot start with', async () => {
    const { port } = await start()
    const taken = await runServer({ PORT: String(port) })
    expect(taken).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Port \d+ is in use\..* npm start\n$/),
    })
    const lines = {
      PORT: ['http', 'PORT is "http". '],
      BASE_URL: ['localhost:3000', 'baseUrl is "localhost:3000". '],
      DATABASE_URL: ['mysql://me:sesame@db/shop', 'DATABASE_URL begins with mysql://. '],
      SMTP_URL: ['me:sesame@smtp.example.com', 'SMTP_URL is not the URL of a mail server. '],
      MAIL_FROM: ['The shop <shop@example.com>', 'MAIL_FROM is "The shop <shop@example.com>". '],
      PLATFORM_AUTH_SECRET: ['too short', 'secret is too short. '],
    }
    const runs = Object.entries(lines).map(async ([name, [value = '', line = '']]) => {
      const { code, stdout, stderr } = await runServer({ [name]: value })
      expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 1, stdout: '', lines: 2 })
      expect(stderr).toContain(line)
      expect(stderr).not.toContain('sesame')
    })
    await Promise.all(runs)
  })
})

describe('After a restart, the example app', () => {
  it('has the same credentials, orders and catalogue', async () => {
    const first = await start()
    const made = await credentials()
    const order = await placeOrder(first.baseUrl)
    const key = { 'X-Api-Key': made.clientId }
    expect(
      (await fetch(`${first.baseUrl}/catalog/items/TEA-MATCHA-30`, { method: 'DELETE', headers: key })).status,
    ).toBe(204)
    expect(await first.end('SIGTERM')).toBe(0)

    const second = await start()
    expect(await credentials()).toEqual(made)
    expect(second.output()).toContain(made.clientSecret)
    expect(await ordersAt(second.baseUrl)).toEqual([order])
    expect((await fetch(`${second.baseUrl}/catalog/items/TEA-MATCHA-30`, { headers: key })).status).toBe(404)
  })

  it('has the same data after kill -9', async () => {
    const first = await start()
    const made = await credentials()
    const placed = []
    for (let i = 0; i < 5; i++) placed.push(await placeOrder(first.baseUrl))
    await first.end('SIGKILL')

    const second = await start()
    expect(await credentials()).toEqual(made)
    expect(new Set(await ordersAt(second.baseUrl))).toEqual(new Set(placed))
  })

  it('starts after a kill -9 at any moment of its first start', { timeout: 60_000 }, async () => {
    for (const delay of [100, 220, 340]) {
      await rm(join(folder, 'var'), { recursive: true, force: true })
      const child = spawnServer({ PORT: String(await freePort()) })
      const closed = once(child, 'close')
      await new Promise((resolve) => setTimeout(resolve, delay))
      child.kill('SIGKILL')
      await closed
      const example = await start()
      expect((await client(example.baseUrl)).code).toBe(0)
      await example.end('SIGKILL')
    }
  })

  it.each([
    ['lost', undefined],
    ['damaged', '{ "clientId": '],
    ['empty', '{}'],
    [
      'that of another database',
      JSON.stringify({ applicationId: 'app_1', clientId: 'epa_key_1', clientSecret: 'epa_sec_1' }),
    ],
  ])('makes a new demo application where the file of credentials is %s', async (_, content) => {
    await (await start()).end('SIGTERM')
    const file = join(folder, 'var/demo-credentials.json')
    const former = await credentials()
    await (content === undefined ? rm(file) : writeFile(file, content))
    const example = await start()
    expect(await credentials()).not.toEqual(former)
    expect(await readMode(file)).toBe('600')
    expect(await ordersAt(example.baseUrl)).toEqual([])
  })

  it('creates a new demo application if the stored secret was rotated', async () => {
    const env = { PLATFORM_AUTH_SECRET: SECRET }
    await (await start(env)).end('SIGTERM')
    const former = await credentials()
    const database = await openDatabase(join(folder, 'var/example.sqlite'))
    const auth = createPlatform({ baseUrl: 'http://localhost:3000', store: database.store, secret: SECRET })
    await auth.applications.rotateSecret(former.applicationId, { overlap: 0 })
    await auth.close()
    await database.close()
    const example = await start(env)
    expect((await credentials()).applicationId).not.toBe(former.applicationId)
    expect((await client(example.baseUrl)).code).toBe(0)
  })

  it('prints what to do if its secret has changed', async () => {
    await (await start()).end('SIGTERM')
    const { code, stdout, stderr } = await runServer({ PLATFORM_AUTH_SECRET: SECRET })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('secret is not the one that the store was written with.')
  })
})

describe('After a signal, the example app', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('finishes the running request at %s, and exits with 0', async (signal) => {
    const example = await start()
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
    expect(Date.now() - signalledAt).toBeLessThan(4000)

    const again = await start()
    expect(await ordersAt(again.baseUrl)).toMatchObject([{ quantity: 7 }])
  })

  it('answers requests for DRAIN_SECONDS, and /health with 503, so that a proxy sends them elsewhere', async () => {
    const example = await start({ DRAIN_SECONDS: '2' })
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

  it('exits at once if no request is running, even with open connections', async () => {
    const example = await start()
    await placeOrder(example.baseUrl)
    const signalledAt = Date.now()
    expect(await example.end('SIGTERM')).toBe(0)
    expect(Date.now() - signalledAt).toBeLessThan(4000)
  })

  it('does not wait for a request that never ends', async () => {
    const example = await start()
    const slow = await beginOrder(example)
    const signalledAt = Date.now()
    expect(await example.end('SIGTERM')).toBe(0)
    expect(Date.now() - signalledAt).toBeLessThan(9000)
    slow.destroy()
  })
})

describe('With a path in BASE_URL, the example app', () => {
  it('serves everything below the path, and the well-known documents at the root', async () => {
    const port = await freePort()
    const origin = `http://localhost:${port}`
    const example = await start({ PORT: String(port), BASE_URL: `${origin}/v1/` })
    expect(example.output()).toContain(`running at ${origin}/v1\n`)
    for (const line of Object.values(readCommands(example))) {
      expect(line).toContain(`${origin}/v1/`)
      expect((await apps.paste(line)).stdout).toMatch(/"access_token"|"items"|"product"|401 Unauthorized/)
    }
    expect((await client(`${origin}/v1`)).code).toBe(0)
    expect((await fetch(`${origin}/v1/health`)).status).toBe(200)
    const metadata = await fetch(`${origin}/.well-known/oauth-authorization-server/v1/orders`)
    expect(await metadata.json()).toMatchObject({
      issuer: `${origin}/v1/orders`,
      token_endpoint: `${origin}/v1/orders/token`,
      jwks_uri: `${origin}/v1/orders/.well-known/jwks.json`,
    })
  })

  it('works behind a proxy that strips the path, and one that does not', async () => {
    for (const strip of [true, false]) {
      const port = await freePort()
      const proxy = await startProxy({ to: port, strip: strip ? '/platform' : '' })
      const example = await start({ PORT: String(port), BASE_URL: `${proxy}/platform` })
      expect(await client(`${proxy}/platform`)).toMatchObject({ code: 0 })
      await example.end('SIGTERM')
    }
  })

  it('refuses access tokens of another BASE_URL that the same key has signed', async () => {
    const here = await start()
    const port = await freePort()
    const there = await start({ PORT: String(port), BASE_URL: `http://localhost:${port}/v2` })
    for (const [from, to] of [
      [here, there],
      [there, here],
    ] as const) {
      const answer = await fetch(`${to.baseUrl}/orders/items`, { headers: await bearer(from.baseUrl) })
      expect(answer.status).toBe(401)
      expect(await answer.json()).toMatchObject({ error: 'invalid_token' })
    }
  })
})

describe('The example client', () => {
  it('prints a check mark for each step, and exits with 0', async () => {
    const example = await start()
    const { code, stdout, stderr } = await client(example.baseUrl)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const steps = stdout.split('\n').filter((line) => line !== '')
    expect(steps.length).toBeGreaterThan(15)
    expect(steps.slice(0, -1).filter((line) => !line.startsWith('✓ '))).toEqual([])
    expect(stdout).not.toMatch(/epa_(?:key|sec)_|eyJ/)
    // The client deletes its orders.
    expect(await ordersAt(example.baseUrl)).toEqual([])
    expect((await client(example.baseUrl)).code).toBe(0)
  })

  it('exits with 1 if the server accepts every request', async () => {
    await (await start()).end('SIGTERM')
    const acceptingServer = createServer((req, res) => void req.resume().on('end', () => res.end('{ "items": [] }')))
    const { code, stdout, stderr } = await client(await listen(acceptingServer))
    expect(code).toBe(1)
    expect(stdout).not.toContain('without an access token')
    expect(stderr).toContain('GET /orders/items, status: expected 401, got 200\n')
  })

  it('exits with 1 if no server answers, and if there are no credentials', async () => {
    const unusedAddress = `http://localhost:${await freePort()}`
    expect(await client(unusedAddress)).toMatchObject({ code: 1, stderr: expect.stringContaining('npm start') })
    await (await start()).end('SIGTERM')
    expect(await client(unusedAddress)).toMatchObject({ code: 1, stderr: expect.stringContaining('ECONNREFUSED') })
  })

  it('exits with 1 for each wrong answer of the server', { timeout: 60_000 }, async () => {
    const port = await freePort()
    let changeAnswer: ChangeAnswer | undefined
    const proxy = await startProxy({ to: port, changeAnswer: (exchange) => changeAnswer?.(exchange) })
    await start({ PORT: String(port), BASE_URL: proxy })
    expect(await client(proxy)).toMatchObject({ code: 0 })
    for (const [name, each] of Object.entries(WRONG_ANSWERS)) {
      let changed = 0
      changeAnswer = (exchange) => {
        const before = JSON.stringify([exchange.status, exchange.body, [...exchange.headers]])
        each(exchange)
        if (JSON.stringify([exchange.status, exchange.body, [...exchange.headers]]) !== before) changed++
      }
      const { code, stderr } = await client(proxy)
      expect({ name, changed: changed > 0, code, stderr }).toMatchObject({ changed: true, code: 1 })
      expect(stderr).toMatch(/expected .*, got /)
    }
  })
})

describe('The example app’s routes', () => {
  let database: Awaited<ReturnType<typeof openDatabase>>
  let auth: ReturnType<typeof createPlatform>
  let api: ReturnType<typeof supertest>
  let own: Record<string, string>
  let others: Record<string, string>
  let key: Record<string, string>

  beforeEach(async () => {
    // Refusals are not logged in production.
    vi.stubEnv('NODE_ENV', 'production')
    const baseUrl = 'http://localhost:3000'
    database = await openDatabase(join(folder, 'example.sqlite'))
    auth = createPlatform({ baseUrl, store: database.store, secret: SECRET })
    api = supertest(createApp({ auth, database, baseUrl }))
    const first = await newApplication()
    own = first.bearer
    others = (await newApplication()).bearer
    key = { 'X-Api-Key': first.clientId }
  })

  afterEach(async () => {
    vi.unstubAllEnvs()
    await auth.close()
    await database.close()
  })

  async function newApplication(): Promise<{ bearer: Record<string, string>; clientId: string }> {
    const { credentials: made } = await auth.applications.create({ name: 'Test', apis: ['orders', 'catalog'] })
    const form = { grant_type: 'client_credentials', client_id: made.clientId, client_secret: made.clientSecret }
    const { body } = await api.post('/orders/token').type('form').send(form).expect(200)
    return { bearer: { Authorization: `Bearer ${body.access_token}` }, clientId: made.clientId }
  }

  it('show an application only its own orders', async () => {
    const order = { product: 'TEA-MATCHA-30', quantity: 1 }
    const placed = await api.post('/orders/items').set(own).send(order).expect(201)
    const address = `/orders/items/${placed.body.id}`
    expect(placed.headers['location']).toBe(`items/${placed.body.id}`)
    await api.get(address).set(others).expect(404)
    await api.put(address).set(others).send(order).expect(404)
    await api.delete(address).set(others).expect(404)
    await api.get('/orders/items').set(others).expect(200, { items: [] })
    await api.get(address).set(own).expect(200, placed.body)
  })

  it('show each customer its own prices, and its own orders whatever application it uses', async () => {
    const { id } = (await auth.applications.list()).items[0]!
    const sencha = '/catalog/items/TEA-SENCHA-100'
    expect((await api.get(sencha).set(key).expect(200)).body).toMatchObject({ yourPriceInCents: 1390 })
    await auth.applications.update(id, { externalId: 'C-7', metadata: { discountPercent: 50 } })
    expect((await api.get(sencha).set(key).expect(200)).body).toMatchObject({ yourPriceInCents: 695 })
    const placed = await api.post('/orders/items').set(own).send({ product: 'TEA-SENCHA-100', quantity: 1 }).expect(201)

    // The customer replaces its application.
    await auth.applications.update(id, { externalId: null })
    await auth.applications.update((await auth.applications.list()).items[1]!.id, { externalId: 'C-7' })
    expect((await api.get('/orders/items').set(others).expect(200)).body).toEqual({ items: [placed.body] })
    expect((await api.get('/orders/items').set(own).expect(200)).body).toEqual({ items: [] })
    await expect(auth.applications.update(id, { metadata: { discountPercent: 51 } })).rejects.toThrow(
      'metadata.discountPercent: Too big: expected number to be <=50',
    )
  })

  it('return a long list in pages', async () => {
    for (let quantity = 1; quantity <= 5; quantity++) {
      await api.post('/orders/items').set(own).send({ product: 'TEA-MATCHA-30', quantity }).expect(201)
    }
    for (const [list, credential] of [
      ['/orders/items', own],
      ['/catalog/items', key],
    ] as const) {
      const all = await api.get(`${list}?limit=100`).set(credential).expect(200)
      const paged: unknown[] = []
      for (let after = ''; ;) {
        const { body } = await api.get(`${list}?limit=2&after=${after}`).set(credential).expect(200)
        expect(body.items.length).toBeLessThanOrEqual(2)
        paged.push(...body.items)
        if (body.next === undefined) break
        after = body.next
      }
      expect(paged).toEqual(all.body.items)
      expect(paged.length).toBeGreaterThan(4)
    }
  })

  it('search names, categories and descriptions of the catalogue, in any case', async () => {
    const found = async (search: string): Promise<string[]> => {
      const { body } = await api.get('/catalog/items').query({ search, limit: 100 }).set(key).expect(200)
      return body.items.map(({ sku }: { sku: string }) => sku)
    }
    expect(await found('SENCHA')).toEqual(['TEA-SENCHA-100'])
    expect(await found('bamboo')).toEqual(['WARE-CHASEN'])
    expect(await found('%')).toEqual([])
    expect(await found('')).toHaveLength(21)
  })

  it('answer invalid requests with 400 invalid_request', async () => {
    const order = { product: 'TEA-MATCHA-30', quantity: 1 }
    const bodies = [
      '', 'null', '[]', '"text"', '{ "quantity": ', { quantity: 1 }, { ...order, product: '' }, { ...order, product: 7 },
      { ...order, product: 'x'.repeat(41) }, { ...order, quantity: 0 }, { ...order, quantity: 1.5 },
      { ...order, quantity: '1' }, { ...order, quantity: 1001 }, { ...order, note: null }, { ...order, note: 'x'.repeat(501) },
    ] // prettier-ignore
    for (const body of bodies) {
      const answer = await api.post('/orders/items').set(own).type('json').send(body).expect(400)
      expect(answer.body).toEqual({ error: 'invalid_request', error_description: expect.stringMatching(/./) })
    }
    const form = await api.post('/orders/items').set(own).type('form').send(order).expect(400)
    expect(form.body.error_description).toContain('Content-Type: application/json')
    const queries = ['limit=0', 'limit=101', 'limit=x', 'limit=', 'limit=1&limit=2', 'after=1&after=2']
    for (const query of queries) {
      expect((await api.get(`/orders/items?${query}`).set(own).expect(400)).body.error).toBe('invalid_request')
      expect((await api.get(`/catalog/items?${query}`).set(key).expect(400)).body.error).toBe('invalid_request')
    }
    await api.get('/catalog/items/%E0%A4%A').set(key).expect(400)
    const product = { sku: 'NEW-1', name: 'New', category: 'tea', priceInCents: 100 }
    await api
      .post('/catalog/items')
      .set(key)
      .send({ ...product, sku: 'a b' })
      .expect(400)
    await api
      .post('/catalog/items')
      .set(key)
      .send({ ...product, priceInCents: -1 })
      .expect(400)
    await api.post('/catalog/items').set(key).send(product).expect(201)
    const twice = await api.post('/catalog/items').set(key).send(product).expect(409)
    expect(twice.body).toEqual({ error: 'conflict', error_description: 'There is a product NEW-1 already.' })
    const large = await api
      .post('/orders/items')
      .set(own)
      .send({ ...order, note: 'x'.repeat(200_000) })
      .expect(413)
    expect(large.body.error).toBe('invalid_request')
  })

  it('each require their scope or an API key', async () => {
    const { credentials: made } = await auth.applications.create({
      name: 'Reader',
      apis: { orders: { scopes: ['orders:read'] } },
    })
    const form = { grant_type: 'client_credentials', client_id: made.clientId, client_secret: made.clientSecret }
    const { body } = await api.post('/orders/token').type('form').send(form).expect(200)
    const reader = { Authorization: `Bearer ${body.access_token}` }
    const routes = [
      ['get', ''],
      ['get', '/1'],
      ['post', ''],
      ['put', '/1'],
      ['delete', '/1'],
    ] as const
    for (const [method, path] of routes) {
      await api[method](`/orders/items${path}`).expect(401)
      await api[method](`/orders/items${path}`).set(key).expect(401)
      await api[method](`/catalog/items${path}`).expect(401)
      await api[method](`/catalog/items${path}`).set(own).expect(401)
      await api[method](`/catalog/items${path}`).set({ 'X-Api-Key': made.clientId }).expect(403)
      if (method !== 'get') await api[method](`/orders/items${path}`).set(reader).expect(403)
    }
    await api.get('/orders/items').set(reader).expect(200)
  })

  it('answer an unknown path with 404, and list the APIs at /', async () => {
    const nowhere = await api.get('/nowhere').expect(404)
    expect(nowhere.body).toEqual({ error: 'not_found', error_description: 'There is nothing at GET /nowhere.' })
    const { body } = await api.get('/').expect(200)
    expect(body.apis.map(({ name }: { name: string }) => name)).toEqual(['orders', 'catalog'])
    expect(body.apis[0].tokenEndpoint).toBe('http://localhost:3000/orders/token')
  })

  it('answer /health with 200, and with 503 once the platform is closed', async () => {
    await api.get('/health').expect(200, { ok: true, problems: [] })
    await auth.close()
    const { body } = await api.get('/health').expect(503)
    expect(body).toEqual({ ok: false, problems: ['The platform has been closed.'] })
  })

  it('do not show internal errors to the caller', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    try {
      const broken = {
        ...database,
        products: { ...database.products, find: () => Promise.reject(new Error('disk on fire')) },
      }
      const app = createApp({ auth, database: broken, baseUrl: 'http://localhost:3000' })
      const answer = await supertest(app).get('/catalog/items/TEA-MATCHA-30').set(key).expect(500)
      expect(answer.body).toEqual({ error: 'server_error', error_description: 'Something went wrong here.' })
      expect(String(logged.mock.lastCall)).toContain('disk on fire')
    } finally {
      logged.mockRestore()
    }
  })
})

/** The printed commands by their titles. */
function readCommands(example: Example): Record<string, string> {
  return Object.fromEntries(
    [...example.output().matchAll(/^# (.*)\n((?:curl|node) .*)$/gm)].map(([, title = '', line = '']) => [title, line]),
  )
}

async function credentials(): Promise<DemoCredentials> {
  return JSON.parse(await readFile(join(folder, 'var/demo-credentials.json'), 'utf8')) as DemoCredentials
}

async function bearer(baseUrl: string): Promise<{ Authorization: string }> {
  const { clientId, clientSecret } = await credentials()
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  })
  const answer = await fetch(`${baseUrl}/orders/token`, { method: 'POST', body })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  return { Authorization: `Bearer ${token}` }
}

async function placeOrder(baseUrl: string): Promise<unknown> {
  const headers = { ...(await bearer(baseUrl)), 'Content-Type': 'application/json' }
  const body = JSON.stringify({ product: 'TEA-MATCHA-30', quantity: 1 })
  const answer = await fetch(`${baseUrl}/orders/items`, { method: 'POST', headers, body })
  expect(answer.status).toBe(201)
  return answer.json()
}

async function ordersAt(baseUrl: string): Promise<unknown[]> {
  const answer = await fetch(`${baseUrl}/orders/items`, { headers: await bearer(baseUrl) })
  return ((await answer.json()) as { items: unknown[] }).items
}

/** Sends the first half of an order. Resolves when the server has begun to read it. */
async function beginOrder({ baseUrl, port }: Example): Promise<Socket> {
  const { Authorization } = await bearer(baseUrl)
  const socket = await openConnection(port)
  const first = '{ "product": "TEA-MATCHA-30", '
  const head = [
    'POST /orders/items HTTP/1.1', `Host: localhost:${port}`, `Authorization: ${Authorization}`,
    'Content-Type: application/json', `Content-Length: ${first.length + '"quantity": 7 }'.length}`, 'Expect: 100-continue',
  ] // prettier-ignore
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

async function listen(server: Server): Promise<string> {
  servers.push(server.listen(0))
  await once(server, 'listening')
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

interface Exchange {
  readonly method: string
  readonly url: string
  /** The access token or API key in the header. */
  readonly credential: string | undefined
  readonly sent: string
  readonly headers: Headers
  status: number
  body: string
}

type ChangeAnswer = (exchange: Exchange) => void

/** A proxy that may strip a path from requests, and change answers. */
function startProxy({
  to,
  strip = '',
  changeAnswer,
}: {
  to: number
  strip?: string
  changeAnswer?: ChangeAnswer
}): Promise<string> {
  const proxy = createServer((req, res) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk as Buffer)
      const sent = Buffer.concat(chunks).toString()
      const { method = '', url = '', headers } = req
      const passed = Object.entries(headers).filter(
        ([name]) => !/^(?:host|connection|content-length|keep-alive)$/.test(name),
      )
      const answer = await fetch(`http://localhost:${to}${url.replace(strip, '')}`, {
        method,
        headers: passed as [string, string][],
        body: sent === '' ? null : sent,
      })
      const exchange: Exchange = {
        method, url, sent, headers: answer.headers, status: answer.status, body: await answer.text(),
        credential: headers.authorization ?? String(headers['x-api-key'] ?? ''),
      } // prettier-ignore
      const kept = new Headers(exchange.headers)
      changeAnswer?.(Object.assign(exchange, { headers: kept }))
      for (const name of ['content-length', 'connection', 'keep-alive', 'transfer-encoding']) kept.delete(name)
      res.writeHead(exchange.status, Object.fromEntries(kept)).end(exchange.body)
    })().catch(() => res.destroy())
  })
  return listen(proxy)
}

/** Wrong answers of a broken platform. */
const WRONG_ANSWERS: Record<string, ChangeAnswer> = {
  'accepts calls without an access token'(exchange) {
    if (exchange.url === '/orders/items' && !exchange.credential) exchange.status = 200
  },
  'omits the challenge'(exchange) {
    if (exchange.url === '/orders/items') exchange.headers.delete('www-authenticate')
  },
  'sends an error code without a credential'(exchange) {
    const { headers } = exchange
    const challenge = headers.get('www-authenticate')
    if (challenge && !exchange.credential) headers.set('www-authenticate', `${challenge}, error="invalid_token"`)
  },
  'allows caching of refusals'(exchange) {
    if (exchange.status === 401) exchange.headers.delete('cache-control')
  },
  'allows caching of access tokens'(exchange) {
    if (exchange.body.includes('access_token')) exchange.headers.delete('cache-control')
  },
  'writes bearer with a capital'(exchange) {
    exchange.body = exchange.body.replace('"bearer"', '"Bearer"')
  },
  'refuses Basic'(exchange) {
    if (exchange.url === '/orders/token' && exchange.credential) exchange.status = 401
  },
  'refuses good access tokens'(exchange) {
    if (exchange.url === '/orders/items' && exchange.credential) exchange.status = 401
  },
  'loses changes'(exchange) {
    if (exchange.method === 'GET' && /items\/ord_/.test(exchange.url)) {
      exchange.body = exchange.body.replace(/"quantity": 3/, '"quantity": 2')
    }
  },
  'does not delete'(exchange) {
    if (exchange.status === 404) exchange.status = 200
  },
  'leaves new orders out of the list'(exchange) {
    if (exchange.url.startsWith('/orders/items?')) exchange.body = '{ "items": [] }'
  },
  'accepts any order'(exchange) {
    if (exchange.sent.includes('many')) Object.assign(exchange, { status: 201, body: exchange.sent })
  },
  'ignores scopes'(exchange) {
    if (exchange.status === 403) exchange.status = 201
  },
  'does not name the missing scope'(exchange) {
    if (exchange.status === 403)
      exchange.headers.set('www-authenticate', 'Bearer realm="orders", error="insufficient_scope"')
  },
  'issues access tokens for any resource'(exchange) {
    if (exchange.sent.includes('resource=')) exchange.status = 200
  },
  'accepts access tokens as keys'(exchange) {
    if (exchange.url === '/catalog/items' && exchange.credential?.startsWith('Bearer ')) exchange.status = 200
  },
  'accepts forged access tokens'(exchange) {
    if (exchange.credential?.startsWith('Bearer eyJ') && exchange.status === 401) exchange.status = 200
  },
  'accepts keys as access tokens'(exchange) {
    if (exchange.credential?.startsWith('Bearer epa_key')) exchange.status = 200
  },
  'accepts secrets as access tokens'(exchange) {
    if (exchange.credential?.startsWith('Bearer epa_sec')) exchange.status = 200
  },
  'accepts wrong secrets'(exchange) {
    if (exchange.body.includes('invalid_client')) exchange.status = 200
  },
  'accepts secrets in the query'(exchange) {
    if (exchange.url.includes('client_secret=')) exchange.status = 200
  },
  'accepts access tokens in the query'(exchange) {
    if (exchange.url.includes('access_token=')) exchange.status = 200
  },
  'accepts calls without a key'(exchange) {
    if (exchange.url === '/catalog/items' && !exchange.credential) exchange.status = 200
  },
  'accepts keys in the query'(exchange) {
    if (exchange.url.includes('X-Api-Key=')) exchange.status = 200
  },
  'accepts wrong keys'(exchange) {
    if (exchange.body.includes('invalid_api_key')) exchange.status = 200
  },
  'refuses good keys'(exchange) {
    if (exchange.url.startsWith('/catalog/items?') && exchange.status === 200) exchange.status = 401
  },
}
