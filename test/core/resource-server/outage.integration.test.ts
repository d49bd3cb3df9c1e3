import { setTimeout as sleep } from 'node:timers/promises'
import type { RequestHandler } from 'express'
import type supertest from 'supertest'
import { describe, expect, it, vi } from 'vitest'
import { maybeAuthOf } from '../../../src/index.js'
import { accessTokenFor } from '../../../src/tools/testing/index.js'
import {
  accessToken,
  createApplication,
  expectRefusal,
  createTokenForm,
  post,
  RETRY_AFTER_SECONDS,
} from '../../support/http.js'
import { openFailingPlatform, type FailingHost } from '../../support/failing-store.js'
import { openPlatform, PLATFORMS } from '../../support/platform.js'
import { timeBound } from '../../support/time-bound.js'
import { request } from '../../support/request.js'

const sendAuthInfo: RequestHandler = (req, res) => void res.json(maybeAuthOf(req) ?? null)

/** One request to each kind of endpoint and guard. */
async function createRequests({ app, auth }: FailingHost) {
  app.get('/orders/items', auth.requireBearer('orders'), sendAuthInfo)
  app.get('/catalog/items', auth.requireApiKey('catalog'), sendAuthInfo)
  const shop = await createApplication(auth, ['orders', 'catalog'])
  const token = await accessToken(app, 'orders', shop)
  const requests: Record<string, () => Promise<supertest.Response>> = {
    'bearer guard': () => request(app).get('/orders/items').set('Authorization', `Bearer ${token}`).then(keepResponse),
    'key guard': () => request(app).get('/catalog/items').set('X-Api-Key', shop.clientId).then(keepResponse),
    token: () => post(app, '/orders/token', createTokenForm(shop)),
    introspect: () => post(app, '/orders/introspect', createTokenForm(shop, { token })),
    'key set': () => request(app).get('/.well-known/jwks.json').then(keepResponse),
  }
  const sendAll = async (): Promise<Record<string, supertest.Response>> =>
    Object.fromEntries(
      await Promise.all(Object.entries(requests).map(async ([name, send]) => [name, await send()] as const)),
    )
  const readStatuses = async (): Promise<Record<string, number>> =>
    Object.fromEntries(Object.entries(await sendAll()).map(([name, { status }]) => [name, status]))
  const allWith = (status: number): Record<string, number> =>
    Object.fromEntries(Object.keys(requests).map((name) => [name, status]))
  return { shop, token, sendAll, readStatuses, allWith }
}

// Concurrent, since these tests mostly wait.
describe.concurrent.each(PLATFORMS)(
  'While the store is unavailable, on %s (docs/http.md G14, G21, T17, I5, M4),',
  (_, express, openStore) => {
    it('cached answers are served for maxStaleness, then 503, until the store answers again', async () => {
      const host = await openFailingPlatform(express, openStore, { maxStaleness: 5 })
      const { shop, token, sendAll, readStatuses, allWith } = await createRequests(host)
      const seen: string[] = []
      host.auth.events.on('store.unavailable', () => seen.push('unavailable'))
      host.auth.events.on('store.available', () => seen.push('available'))
      expect(await readStatuses()).toEqual(allWith(200))

      host.store.fail()
      const failedAt = performance.now()
      expect(await readStatuses()).toEqual(allWith(200))
      // Callers are still answered.
      expect(await host.auth.health()).toMatchObject({ ok: true, problems: [/unavailable since/] })
      // A revocation that cannot be stored is not acknowledged.
      const revocation = await post(host.app, '/orders/revoke', createTokenForm(shop, { token }))
      expectRefusal(revocation, 503, 'temporarily_unavailable', { 'retry-after': RETRY_AFTER_SECONDS })
      expect(await readStatuses()).toEqual(allWith(200))
      const unavailable = async () => expect(await readStatuses()).toEqual(allWith(503))
      await vi.waitFor(unavailable, { timeout: 60_000, interval: 100 })
      // The last answered poll may be an interval older than the failure.
      expect(performance.now() - failedAt).toBeGreaterThan(5000 - host.store.pollInterval - 100)
      const answers = await sendAll()
      for (const answer of Object.values(answers)) {
        expectRefusal(answer, 503, 'temporarily_unavailable', { 'retry-after': RETRY_AFTER_SECONDS })
        expect(answer.text).not.toMatch(/ECONNREFUSED|10\.1\.2\.3/)
      }
      expect(answers['key set']?.headers['access-control-allow-origin']).toBe('*')
      // A request without a credential and the metadata need no store.
      expect((await request(host.app).get('/orders/items')).status).toBe(401)
      expect((await request(host.app).get('/orders/.well-known/openid-configuration')).status).toBe(200)
      await expect(host.auth.verifyApiKey('catalog', shop.clientId)).rejects.toMatchObject({ status: 503 })
      expect(await host.auth.health()).toEqual({
        ok: false,
        problems: [
          expect.stringMatching(/^The store has been unavailable since \d{4}-.*Z: the log has the reason\.$/),
          'What is known is older than maxStaleness: requests get 503.',
        ],
      })

      host.store.recover()
      expect(await readStatuses()).toEqual(allWith(200))
      expect(await host.auth.health()).toEqual({ ok: true, problems: [] })
      expect(seen).toEqual(['unavailable', 'available'])
      for (const message of [/^The store is unavailable\./, /^The store answers again\./])
        expect(host.logger.lines.filter((line) => message.test(line))).toHaveLength(1)
      await host.end()
    })
  },
)

describe.concurrent('Before the platform is ready', () => {
  it('requests wait 5 seconds, then get 503', async () => {
    const [, express, openStore] = PLATFORMS[0]!
    const { store } = await openStore()
    const { auth } = openPlatform({ store: { ...store, open: () => new Promise<never>(() => undefined) } })
    const app = express().use(auth.router)
    app.get('/orders/items', auth.requireBearer('orders'), sendAuthInfo)
    app.get('/catalog/items', auth.requireApiKey('catalog'), sendAuthInfo)
    const since = performance.now()
    const answers = await Promise.all([
      post(app, '/orders/token', { grant_type: 'client_credentials', client_id: 'a', client_secret: 'b' }),
      request(app).get('/orders/items').set('Authorization', 'Bearer x').then(keepResponse),
      request(app).get('/catalog/items').set('X-Api-Key', 'epa_key_x').then(keepResponse),
      request(app).get('/.well-known/jwks.json').then(keepResponse),
    ])
    for (const answer of answers)
      expectRefusal(answer, 503, 'temporarily_unavailable', { 'retry-after': RETRY_AFTER_SECONDS })
    expect(performance.now() - since).toBeGreaterThan(4900)
    expect(performance.now() - since).toBeLessThan(timeBound(7000))
  })

  it('no request waits longer than 5 seconds for a store that stops answering', async ({ onTestFinished: atEnd }) => {
    const [, express, openStore] = PLATFORMS.at(-1)!
    const host = await openFailingPlatform(express, openStore, { maxStaleness: 1 })
    const { shop, readStatuses, allWith } = await createRequests(host)
    const unseen = await createApplication(host.auth, ['orders', 'catalog'])
    const other = openPlatform()
    atEnd(() => other.auth.close())
    // Signed with a key that this platform does not know.
    const ofUnknownKey = await accessTokenFor(other.auth, 'orders')
    expect(await readStatuses()).toEqual(allWith(200))
    host.store.slowDown(3_600_000)
    const since = performance.now()
    const { app } = host
    const lookedUp = Promise.all([
      request(app).get('/catalog/items').set('X-Api-Key', unseen.clientId).then(keepResponse),
      post(app, '/orders/token', createTokenForm({ clientId: 'nosuch', clientSecret: 'x' })),
      post(app, '/orders/token', createTokenForm({ ...shop, clientSecret: 'wrong' })),
      post(app, '/orders/token', createTokenForm(unseen)),
      request(app).get('/orders/items').set('Authorization', `Bearer ${ofUnknownKey}`).then(keepResponse),
      post(app, '/orders/revoke', createTokenForm(unseen, { token: ofUnknownKey })),
      post(app, '/orders/introspect', createTokenForm(shop, { token: ofUnknownKey })),
    ])
    const verified = host.auth.verifyApiKey('catalog', unseen.clientId).catch((error: unknown) => error)
    await sleep(1100)
    const staleAt = performance.now()
    expect(await readStatuses()).toEqual(allWith(503))
    // Known callers get their 503 at once.
    expect(performance.now() - staleAt).toBeLessThan(timeBound(1500))
    for (const answer of await lookedUp)
      expectRefusal(answer, 503, 'temporarily_unavailable', { 'retry-after': RETRY_AFTER_SECONDS })
    expect(await verified).toMatchObject({ status: 503 })
    expect(performance.now() - since).toBeLessThan(timeBound(7000))
    await host.end()
  })
})

function keepResponse(answer: supertest.Response): supertest.Response {
  return answer
}
