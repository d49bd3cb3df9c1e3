import { setTimeout as sleep } from 'node:timers/promises'
import type { RequestHandler } from 'express'
import request, { type Test } from 'supertest'
import { describe, expect, it } from 'vitest'
import { maybeAuthOf } from '../../src/index.js'
import { accessToken, createApplication, expectRefusal, formOf, post, SECONDS } from '../support/http.js'
import { openFailingPlatform, PLATFORMS, type FailingHost } from '../support/outage.js'
import { platform } from '../support/platform.js'

const sayWho: RequestHandler = (req, res) => void res.json(maybeAuthOf(req) ?? null)

/** Every way to ask the platform something, and what each needs. */
async function everyWay({ app, auth }: FailingHost) {
  app.get('/orders/items', auth.requireBearer('orders'), sayWho)
  app.get('/catalog/items', auth.requireApiKey('catalog'), sayWho)
  const shop = await createApplication(auth, ['orders', 'catalog'])
  const token = await accessToken(app, 'orders', shop)
  const ways: Record<string, () => Promise<request.Response>> = {
    'bearer guard': () => request(app).get('/orders/items').set('Authorization', `Bearer ${token}`).then(same),
    'key guard': () => request(app).get('/catalog/items').set('X-Api-Key', shop.clientId).then(same),
    token: () => post(app, '/orders/token', formOf(shop)),
    introspect: () => post(app, '/orders/introspect', formOf(shop, { token })),
    'key set': () => request(app).get('/.well-known/jwks.json').then(same),
  }
  const ask = async (): Promise<Record<string, request.Response>> =>
    Object.fromEntries(await Promise.all(Object.entries(ways).map(async ([name, way]) => [name, await way()] as const)))
  const statuses = async (): Promise<Record<string, number>> =>
    Object.fromEntries(Object.entries(await ask()).map(([name, { status }]) => [name, status]))
  const all = (status: number): Record<string, number> =>
    Object.fromEntries(Object.keys(ways).map((name) => [name, status]))
  return { shop, token, ask, statuses, all }
}

// Waiting is most of what these do: they wait together.
describe.concurrent.each(PLATFORMS)('While the store is out of reach, on %s,', (_, express, openStore) => {
  it('the platform serves what it knows for maxStaleness, then answers 503, and recovers within a second', async () => {
    const host = await openFailingPlatform(express, openStore, { maxStaleness: 1 })
    const { shop, token, ask, statuses, all } = await everyWay(host)
    const seen: string[] = []
    host.auth.events.on('store.unavailable', () => seen.push('unavailable'))
    host.auth.events.on('store.available', () => seen.push('available'))
    expect(await statuses()).toEqual(all(200))

    host.store.fail()
    expect(await statuses()).toEqual(all(200))
    // A revocation that can't be kept is not acknowledged.
    const revocation = await post(host.app, '/orders/revoke', formOf(shop, { token }))
    expectRefusal(revocation, 503, 'temporarily_unavailable', { 'retry-after': SECONDS })
    expect(await statuses()).toEqual(all(200))
    await sleep(1100)
    const answers = await ask()
    for (const answer of Object.values(answers)) {
      expectRefusal(answer, 503, 'temporarily_unavailable', { 'retry-after': SECONDS })
      expect(answer.text).not.toMatch(/ECONNREFUSED|10\.1\.2\.3/)
    }
    expect(answers['key set']?.headers['access-control-allow-origin']).toBe('*')
    // Whoever shows no credential needs no store to be told so, and metadata is never out of reach.
    expect((await request(host.app).get('/orders/items')).status).toBe(401)
    expect((await request(host.app).get('/orders/.well-known/openid-configuration')).status).toBe(200)
    await expect(host.auth.verifyApiKey('catalog', shop.clientId)).rejects.toMatchObject({ status: 503 })
    expect(await host.auth.health()).toMatchObject({ ok: false })

    host.store.recover()
    expect(await statuses()).toEqual(all(200))
    expect(await host.auth.health()).toEqual({ ok: true, problems: [] })
    expect(seen).toEqual(['unavailable', 'available'])
    await host.end()
  })

  it('a suspension made meanwhile by another process holds with the first answer after it', async () => {
    const host = await openFailingPlatform(express, openStore, { maxStaleness: 1 })
    const { shop, statuses, all } = await everyWay(host)
    expect(await statuses()).toEqual(all(200))
    host.store.fail()
    await sleep(1100)
    expect(await statuses()).toEqual(all(503))
    const other = platform({ store: { ...host.working, close: async () => undefined } }).auth
    await other.applications.suspend(shop.id)
    host.store.recover()
    expect(await statuses()).toEqual({ ...all(401), 'key guard': 403, 'key set': 200 })
    await other.close()
    await host.end()
  })

  it('a slow store slows down first sights alone, and refuses nobody', async () => {
    const host = await openFailingPlatform(express, openStore, { maxStaleness: 1 })
    const { statuses, all } = await everyWay(host)
    expect(await statuses()).toEqual(all(200))
    const fresh = await createApplication(host.auth, ['catalog'])
    host.store.slowDown(800)
    const get = (key: string): Test => request(host.app).get('/catalog/items').set('X-Api-Key', key)
    const since = performance.now()
    expect(await statuses()).toEqual(all(200))
    expect(performance.now() - since).toBeLessThan(800)
    expect((await get(fresh.clientId)).status).toBe(200)
    await sleep(400)
    expect(await statuses()).toEqual(all(200))
    await host.end()
  })
})

describe.concurrent('Before the platform is ready', () => {
  it('requests wait for the store, and are answered when it comes', async () => {
    const [, express, openStore] = PLATFORMS[0]!
    const working = await openFailingPlatform(express, openStore)
    const { shop } = await everyWay(working)
    const { store } = working
    const { open } = store
    let opening = 0
    Object.assign(store, { open: async () => (++opening < 2 ? Promise.reject(new Error('not yet')) : open()) })
    const late = platform({ store }).auth
    const answer = await post(express().use(late.router), '/orders/token', formOf(shop))
    expect(answer.status).toBe(200)
    expect(opening).toBe(2)
    await late.close()
    await working.end()
  })

  it('requests wait up to 5 seconds, then get 503', async () => {
    const [, express, openStore] = PLATFORMS[0]!
    const { store } = await openStore()
    const { auth } = platform({ store: { ...store, open: () => new Promise<never>(() => undefined) } })
    const app = express().use(auth.router)
    app.get('/orders/items', auth.requireBearer('orders'), sayWho)
    const since = performance.now()
    const answers = await Promise.all([
      post(app, '/orders/token', { grant_type: 'client_credentials', client_id: 'a', client_secret: 'b' }),
      request(app).get('/orders/items').set('Authorization', 'Bearer x').then(same),
      request(app).get('/.well-known/jwks.json').then(same),
    ])
    for (const answer of answers) expectRefusal(answer, 503, 'temporarily_unavailable', { 'retry-after': SECONDS })
    expect(performance.now() - since).toBeGreaterThan(4900)
    expect(performance.now() - since).toBeLessThan(7000)
  })

  it('a store that never answers any more keeps nobody waiting longer than 5 seconds', async () => {
    const [, express, openStore] = PLATFORMS[3]!
    const host = await openFailingPlatform(express, openStore, { maxStaleness: 1 })
    const { statuses, all } = await everyWay(host)
    const unseen = await createApplication(host.auth, ['catalog'])
    expect(await statuses()).toEqual(all(200))
    host.store.slowDown(3_600_000)
    const since = performance.now()
    const lookedUp = request(host.app).get('/catalog/items').set('X-Api-Key', unseen.clientId).then(same)
    await sleep(1100)
    expect(await statuses()).toEqual(all(503))
    expectRefusal(await lookedUp, 503, 'temporarily_unavailable', { 'retry-after': SECONDS })
    expect(performance.now() - since).toBeLessThan(7000)
    await host.end()
  })
})

function same(answer: request.Response): request.Response {
  return answer
}
