import { join } from 'node:path'
import { expectSecured, memoryMailer } from 'express-platform-auth/testing'
import supertest from 'supertest'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../example-app/app.js'
import { openDatabase } from '../../example-app/database/database.js'
import { createPlatform } from '../../example-app/platform.js'
import { SECRET } from '../support/platform.js'
import { createTemporaryFolder } from '../support/temporary-folder.js'

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
    database = await openDatabase(join(await createTemporaryFolder(), 'example.sqlite'))
    auth = createPlatform({ baseUrl, store: database.store, secret: SECRET, mailer: memoryMailer() })
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

  it('are protected by the guard of their API, as the documents say', async () => {
    const app = createApp({ auth, database, baseUrl: 'http://localhost:3000' })
    const documents = {
      orders: 'example-app/apis/orders.openapi.json',
      catalog: 'example-app/apis/catalog.openapi.json',
    }
    await expectSecured(app, { auth, documents, public: { 'GET /': 'the home page', 'GET /health': 'proxies ask it' } })
  })

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
      '',
      'null',
      '[]',
      '"text"',
      '{ "quantity": ',
      { quantity: 1 },
      { ...order, product: '' },
      { ...order, product: 7 },
      { ...order, product: 'x'.repeat(41) },
      { ...order, quantity: 0 },
      { ...order, quantity: 1.5 },
      { ...order, quantity: '1' },
      { ...order, quantity: 1001 },
      { ...order, note: null },
      { ...order, note: 'x'.repeat(501) },
    ]
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
