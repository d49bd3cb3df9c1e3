import express, { type Express } from 'express'
import { beforeAll, describe, expect, it } from 'vitest'
import { memoryStore, type IssuedCredentials } from '../../../src/index.js'
import { openAdmin } from '../../../src/tools/admin/index.js'
import { type RefusalEntry, type Usage } from '../../../src/features/usage/index.js'
import type { StoreWith } from '../../../src/store.js'
import { createCaller, type Caller } from '../../support/caller.js'
import { openPlatform, type TestOptions, type TestPlatform } from '../../support/platform.js'

/** Closed and read by another process's calls: `close()` writes what was collected. */
interface Visit {
  readonly store: StoreWith
  readonly platform: TestPlatform
  readonly caller: Caller
  readonly id: string
  readonly credentials: IssuedCredentials
}

async function visit(work: (visit: Visit) => Promise<unknown>, options: TestOptions = {}): Promise<Usage> {
  const store = memoryStore()
  const platform = openPlatform({ ...options, store })
  const { auth } = platform
  await auth.ready()
  const app = createApp(platform)
  const { application, credentials } = await auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] })
  await work({ store, platform, caller: createCaller({ app }), id: application.id, credentials })
  await auth.close()
  return (await openAdmin(store)).usage!
}

function createApp({ auth }: TestPlatform): Express {
  const app = express()
  app.use((req, _res, next) => {
    Object.assign(req, { id: req.get('X-Request-Id') })
    next()
  })
  app.use(auth.router)
  const send = (_req: unknown, res: express.Response): void => void res.json([])
  app.get('/orders/items', auth.requireBearer('orders'), send)
  app.get('/orders/customers/:name', auth.requireBearer('orders', { scopes: ['orders:write'] }), send)
  app.get(
    '/orders/twice',
    auth.requireBearer('orders'),
    auth.requireBearer('orders', { scopes: ['orders:write'] }),
    send,
  )
  app.get('/orders/thrice', auth.requireBearer('orders'), auth.requireBearer('orders', { allow: () => false }), send)
  app.get('/orders/asked', auth.requireBearer('orders'), auth.requireBearer('orders', { allow: () => true }), send)
  app.get('/orders/mine', auth.requireBearer('orders', { allow: () => ({ error: 'not_yours' }) }), send)
  app.get('/invoices/items', auth.requireBearer('invoices'), send)
  app.get('/catalog/items', auth.requireApiKey('catalog'), send)
  app.get('/weather/now', auth.requireApiKey('weather'), send)
  return app
}

describe('auth.usage.refusals()', () => {
  it('has every reason, with what to do about it', async () => {
    let id = ''
    const usage = await visit(async ({ platform, caller, credentials, ...visited }) => {
      const { applications } = platform.auth
      id = visited.id
      const token = await caller.accessToken('orders', credentials, { scope: 'orders:read' })
      await caller.bearer('/orders/items', token).expect(200)
      await caller.bearer('/orders/customers/Alice?page=1', token).set('X-Request-Id', 'r-1').expect(403)
      await caller.bearer('/orders/mine', token).expect(403)
      await caller.bearer('/invoices/items', token).expect(401)
      await caller.key('/weather/now', credentials.clientId).expect(403)
      await caller.token('orders', { ...credentials, clientSecret: 'wrong' }).expect(401)
      await caller.token('orders', credentials, { scope: 'none' }).expect(400)
      await caller.token('invoices', credentials).expect(400)
      await caller.revoke('orders', credentials, token).expect(200)
      await caller.bearer('/orders/items', token).expect(401)
      const expiring = await caller.accessToken('orders', credentials)
      const rotated = await applications.rotateKey(id, { overlap: 60 })
      await applications.rotateSecret(id, { overlap: 60 })
      platform.clock.advance(3600 + 7200 + 5)
      await caller.bearer('/orders/items', expiring).expect(401)
      await caller.key('/catalog/items', credentials.clientId).expect(401)
      await caller.token('orders', { ...credentials, clientId: rotated.credentials.clientId }).expect(401)
      await applications.suspend(id)
      await caller.key('/catalog/items', rotated.credentials.clientId).expect(403)
      await expect.poll(async () => (await platform.auth.usage.refusals(id)).items.length).toBe(12)
      // In words as of now: with the clock of the platform.
      listed = (await platform.auth.usage.refusals(id)).items
    })
    expect(listed.map(({ api, error, reason, problem }) => [api, error, reason, problem]).toReversed()).toEqual([
      ['orders', 'insufficient_scope', 'insufficient_scope', 'Access token without a required scope (orders:write)'],
      ['orders', 'not_yours', 'refused_by_host', 'Refused by the API itself'],
      ['invoices', 'invalid_token', 'token_of_another_api', 'Access token of another API ("orders")'],
      ['weather', 'access_denied', 'not_allowed', 'No access to this API'],
      ['orders', 'invalid_client', 'wrong_secret', 'Wrong client secret'],
      ['orders', 'invalid_scope', 'invalid_scope', 'No scope that can be granted'],
      ['invoices', 'unauthorized_client', 'not_allowed', 'No access to this API'],
      ['orders', 'invalid_token', 'revoked_token', 'Revoked access token'],
      ['orders', 'invalid_token', 'expired_token', 'Expired access token'],
      ['catalog', 'invalid_api_key', 'expired_key', 'Expired API key "default"'],
      ['orders', 'invalid_client', 'expired_secret', 'Expired client secret "default"'],
      ['catalog', 'access_denied', 'suspended', 'Suspended application'],
    ])
    expect(listed.find(({ reason }) => reason === 'expired_token')?.fix).toMatch(/^Request a new access token:/)
    expect(listed.map(({ route }) => route).toReversed()).toEqual([
      'GET /orders/customers/:name',
      'GET /orders/mine',
      'GET /invoices/items',
      'GET /weather/now',
      'POST /orders/token',
      'POST /orders/token',
      'POST /invoices/token',
      'GET /orders/items',
      'GET /orders/items',
      'GET /catalog/items',
      'POST /orders/token',
      'GET /catalog/items',
    ])
    expect(listed.find(({ reason }) => reason === 'insufficient_scope')).toMatchObject({
      requestId: 'r-1',
      address: '127.0.0.1',
    })
    for (const { problem, fix } of listed) {
      expect(problem).toMatch(/[^.]$/)
      expect(fix).toMatch(/\.$/)
    }
    const { items } = await usage.list({ applicationId: id, from: '2000-01', to: '2100-01', by: 'month' })
    expect(
      Object.fromEntries(
        items.map(({ api, allowed, accessTokens, refused }) => [api, [allowed, accessTokens, refused]]),
      ),
    ).toEqual({
      orders: [1, 2, { insufficient_scope: 1, not_yours: 1, invalid_client: 2, invalid_scope: 1, invalid_token: 2 }],
      invoices: [0, 0, { invalid_token: 1, unauthorized_client: 1 }],
      weather: [0, 0, { access_denied: 1 }],
      catalog: [0, 0, { access_denied: 1, invalid_api_key: 1 }],
    })
  })

  let listed: RefusalEntry[] = []

  it('never has a credential or a query, and of the path only the pattern of the route', async () => {
    const secrets: string[] = []
    let stored = ''
    await visit(async ({ store, platform, caller, credentials, id }) => {
      const token = await caller.accessToken('orders', credentials, { scope: 'orders:read' })
      secrets.push(token, credentials.clientId, credentials.clientSecret!, 'Alice', 'page=1')
      for (const requestId of [token, credentials.clientId, `/customers/Alice?page=1`]) {
        await caller.bearer('/orders/customers/Alice?page=1', token).set('X-Request-Id', requestId)
        await caller.bearer('/invoices/items?page=1', token).set('X-Request-Id', requestId)
        await caller.key('/weather/now?page=1', credentials.clientId).set('X-Request-Id', requestId)
        await caller.token('orders', { ...credentials, clientSecret: 'Alice' }).set('X-Request-Id', requestId)
        await caller.token('orders', credentials, { scope: token }).set('X-Request-Id', requestId)
      }
      await platform.auth.close()
      const everything = { after: undefined, applicationId: undefined, api: undefined, from: '', to: '9', limit: 1000 }
      stored = JSON.stringify([await store.usage.listRefusals(id, 0), await store.usage.list(everything)])
    })
    expect(stored).toContain('wrong_secret')
    expect(stored).toContain('GET /orders/customers/:name')
    for (const secret of secrets) expect(stored).not.toContain(secret)
  })

  it('has nothing of callers who are not known', async () => {
    let id = ''
    const usage = await visit(async ({ platform, caller, credentials, ...visited }) => {
      id = visited.id
      const token = await caller.accessToken('orders', credentials)
      const forged = `${token.slice(0, -8)}AAAAAAAA`
      const other = openPlatform()
      await other.auth.ready()
      const elsewhere = await other.auth.applications.create({ name: 'Other', apis: ['orders', 'catalog'] })
      await caller.bearer('/orders/items', forged).expect(401)
      await caller.bearer('/orders/items', 'garbage').expect(401)
      await caller.key('/catalog/items', elsewhere.credentials.clientId).expect(401)
      await caller.key('/catalog/items', 'garbage').expect(401)
      await caller.token('orders', elsewhere.credentials).expect(401)
      await caller.token('orders', {}).expect(401)
      await other.auth.close()
      await platform.auth.applications.delete(id)
      await caller.bearer('/orders/items', token).expect(401)
    })
    expect(await usage.refusals(id)).toEqual({ items: [] })
    const { items } = await usage.list({ from: '2000-01', to: '2100-01', by: 'month' })
    expect(items).toMatchObject([{ applicationId: id, api: 'orders', allowed: 0, accessTokens: 1, refused: {} }])
  })
})

describe('auth.usage.list()', () => {
  const everything = { from: '2000-01', to: '2100-01', by: 'month' } as const

  it('counts a request once that passes several guards of an API, and as refused if one refuses it', async () => {
    const usage = await visit(async ({ caller, credentials }) => {
      const token = await caller.accessToken('orders', credentials, { scope: 'orders:read' })
      await caller.bearer('/orders/twice', token).expect(403)
      await caller.bearer('/orders/thrice', token).expect(403)
      await caller.bearer('/orders/asked', token).expect(200)
    })
    const refused = { access_denied: 1, insufficient_scope: 1 }
    expect((await usage.list(everything)).items).toMatchObject([{ allowed: 1, accessTokens: 1, refused }])
  })

  it('counts what a limit refuses', async () => {
    const limit = { limit: 2, window: 60 }
    const usage = await visit(
      async ({ caller, credentials }) => {
        const { clientId } = credentials
        for (const status of [200, 200, 429, 429]) await caller.key('/catalog/items', clientId).expect(status)
        for (const status of [200, 200, 429]) await caller.token('orders', credentials).expect(status)
      },
      { rateLimits: { requests: limit, tokenRequests: limit } },
    )
    expect((await usage.list(everything)).items).toMatchObject([
      { api: 'catalog', allowed: 2, refused: { too_many_requests: 2 } },
      { api: 'orders', accessTokens: 2, refused: { too_many_requests: 1 } },
    ])
  })

  describe.each<[string, TestOptions]>([
    ['without usage()', { usage: false }],
    ['with usage({ collect: false })', { usage: { collect: false } }],
  ])('%s', (_, options) => {
    let usage: Usage
    beforeAll(async () => {
      const use = async ({ caller, credentials }: Visit): Promise<void> => {
        await caller.bearer('/orders/items', await caller.accessToken('orders', credentials)).expect(200)
        await caller.key('/weather/now', credentials.clientId).expect(403)
      }
      usage = await visit(use, options)
    })

    it('is empty', async () => expect(await usage.list(everything)).toEqual({ items: [] }))
  })
})
