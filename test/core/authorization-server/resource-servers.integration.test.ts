import express from 'express'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { accessToken, basic, createApplication, post, type ClientCredentials } from '../../support/http.js'
import { openFailingPlatform } from '../../support/failing-store.js'
import { openPlatform, PLATFORMS, STORES, type FullPlatform, usePlatform } from '../../support/platform.js'
import { whilePolluted } from '../../support/while-polluted.js'

const APIS = {
  orders: { scheme: 'oauth2', scopes: { read: 'Read', write: 'Write' }, introspection: ['externalId', 'metadata'] },
  invoices: { scheme: 'oauth2' },
  catalog: { scheme: 'apiKey', scopes: { list: 'List', edit: 'Edit' }, header: ['X-Api-Key', 'Authorization'] },
  weather: { scheme: 'apiKey' },
  limited: { scheme: 'apiKey', rateLimit: { limit: 3, window: 60 } },
} as const

type Form = Readonly<Record<string, string>>
type Known = ClientCredentials & { readonly id: string }

/** A guard of each API at `/{api}/items`, and the resource server `server` of `orders`, `catalog` and `limited`. */
async function open(platform: { readonly auth: FullPlatform<typeof APIS> }, create: typeof express = express) {
  const { auth } = platform
  await auth.ready()
  const app = create().disable('x-powered-by').set('trust proxy', true).use(auth.router)
  const answer: express.RequestHandler = (_req, res) => void res.status(204).end()
  app.get('/orders/items', auth.requireBearer('orders', { scopes: ['read'] }), answer)
  app.get('/catalog/items', auth.requireApiKey('catalog', { scopes: ['list'] }), answer)
  app.get('/weather/items', auth.requireApiKey('weather'), answer)
  app.get('/limited/items', auth.requireApiKey('limited'), answer)
  const made = await auth.applications.create({ name: 'Backend', resourceServer: ['orders', 'catalog', 'limited'] })
  const server = { id: made.application.id, ...made.credentials } as Known
  const pathOf = (api: string, what: string) =>
    api === 'orders' || api === 'invoices' ? `/${api}/${what}` : `/_resource-server/${what}`
  const ask = (what: 'introspect' | 'check', api: string, form: Form, by: ClientCredentials = server) =>
    post(app, pathOf(api, what), { api, ...form }, { authorization: basic(by.clientId, by.clientSecret) })
  const introspect = async (api: string, token: string, more: Form = {}, by?: ClientCredentials) => {
    const { status, body, headers } = await ask('introspect', api, { token, ...more }, by)
    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
    return body as Record<string, unknown>
  }
  const check = (api: string, token: string, more: Form = {}) => ask('check', api, { token, ...more })
  const guard = (api: string, credential: string, ip = '192.0.2.1') =>
    request(app)
      .get(`/${api}/items`)
      .set({
        'x-forwarded-for': ip,
        ...(api === 'orders' ? { authorization: `Bearer ${credential}` } : { 'x-api-key': credential }),
      })
  return { auth, app, server, ask, introspect, check, guard }
}

type Opened = Awaited<ReturnType<typeof open>>

async function openHost(options: Parameters<typeof openPlatform>[0] = {}) {
  const platform = openPlatform({ ...options, apis: APIS })
  onTestFinished(() => platform.auth.close())
  return { ...platform, ...(await open(platform)) }
}

describe.each(PLATFORMS)('A resource server (docs/http.md S1 to S9), on %s', (_name, createExpress, openStore) => {
  let host: Opened
  let close: () => Promise<void>
  beforeAll(async () => {
    const { store, remove } = await openStore()
    const platform = openPlatform({ apis: APIS, store })
    host = await open(platform, createExpress)
    close = async () => {
      await platform.auth.close()
      await remove()
    }
  })
  afterAll(() => close())

  it('learns what a guard knows of every access token of its API, and its data where the API says so', async () => {
    const { auth, app, introspect, server } = host
    const shop = await createApplication(auth, { orders: {} })
    await auth.applications.update(shop.id, { externalId: `C-${shop.id}`, metadata: { tier: 'gold' } })
    const token = await accessToken(app, 'orders', shop)
    const answer = await introspect('orders', token)
    expect(answer).toEqual({
      active: true,
      token_type: 'bearer',
      iss: 'https://api.example.com/orders',
      aud: 'https://api.example.com/orders',
      sub: shop.id,
      client_id: shop.id,
      scope: 'read write',
      iat: expect.any(Number) as number,
      exp: expect.any(Number) as number,
      jti: expect.any(String) as string,
      externalId: `C-${shop.id}`,
      metadata: { tier: 'gold' },
      max_age: expect.any(Number) as number,
    })
    expect(answer['max_age']).toBeLessThanOrEqual(5)
    expect(await introspect('orders', token, { token_type_hint: 'access_token', scope: ' read  write' })).toEqual({
      ...answer,
      max_age: expect.any(Number) as number,
    })
    // Below the one path, too.
    const below = await post(app, '/_resource-server/introspect', {
      api: 'orders',
      token,
      client_id: server.id,
      client_secret: server.clientSecret,
    })
    expect(below.body).toEqual({ ...answer, max_age: expect.any(Number) as number })
  })

  it('learns it of every key of its API', async () => {
    const { auth, introspect } = host
    const shop = await createApplication(auth, { catalog: { scopes: ['list'] }, limited: {} })
    expect(await introspect('catalog', shop.clientId, { token_type_hint: 'api_key', scope: 'list' })).toEqual({
      active: true,
      token_type: 'api_key',
      iss: 'https://api.example.com/catalog',
      aud: 'https://api.example.com/catalog',
      sub: shop.id,
      client_id: shop.id,
      scope: 'list',
      max_age: expect.any(Number) as number,
    })
    expect(await introspect('limited', shop.clientId)).not.toHaveProperty('scope')
  })

  it('gets 204 of check, or the very answer of the guard, for each credential and address', async () => {
    const { auth, app, check, introspect, guard } = host
    const { applications } = auth
    const apis = { orders: {}, catalog: {} }
    const shop = async (change?: (id: string) => Promise<unknown>) => {
      const made = await createApplication(auth, apis)
      const token = await accessToken(app, 'orders', made)
      await change?.(made.id)
      return [token, made.clientId] as const
    }
    const none = await createApplication(auth, ['orders', 'catalog'])
    const [restricted, expired] = await Promise.all([
      applications.addKey(none.id, { name: 'narrow', apis: { catalog: { scopes: ['edit'] } } }),
      applications.addKey(none.id, { name: 'office', networks: ['198.51.100.0/24'] }),
    ])
    const cases: Readonly<Record<string, readonly [string, string]>> = {
      good: await shop(),
      suspended: await shop((id) => applications.suspend(id)),
      deleted: await shop((id) => applications.delete(id)),
      revoked: await shop((id) => applications.revokeTokens(id)),
      narrowed: await shop(async (id) => {
        await applications.allow(id, 'orders', { scopes: ['write'] })
        await applications.allow(id, 'catalog', { scopes: ['edit'] })
      }),
      'from another network': await shop((id) => applications.update(id, { networks: ['203.0.113.0/24'] })),
      'ended key': await shop(async (id) => applications.rotateKey(id, { overlap: 0 })),
      'narrow key': ['x', restricted.credentials.clientId],
      'key of an office': ['x.y', expired.credentials.clientId],
      nonsense: ['a b', 'nonsense'],
    }
    for (const [name, [token, key]] of Object.entries(cases))
      for (const ip of ['192.0.2.1', '198.51.100.3', '::ffff:203.0.113.7'])
        for (const [api, credential, scope] of [
          ['orders', token, 'read'],
          ['catalog', key, 'list'],
        ] as const) {
          const what = `${name} at ${api} from ${ip}`
          const expected = await guard(api, credential, ip)
          const { status, body, headers, text } = await check(api, credential, { ip, scope })
          expect({ what, status, text }).toEqual({ what, status: expected.status, text: expected.text })
          expect([what, headers['www-authenticate']]).toEqual([what, expected.headers['www-authenticate']])
          expect(headers['cache-control']).toBe('no-store')
          const document = await introspect(api, credential, { ip, scope })
          if (status === 204) {
            expect(document).toMatchObject({ active: true })
            expect(headers).toMatchObject({ 'client-id': document['client_id'], scope: document['scope'] })
            expect(Number(headers['max-age'])).toBeLessThanOrEqual(5)
          } else {
            expect(document).toEqual({ active: false, reason: (body as { error: string }).error, max_age: 0 })
            expect(headers['max-age']).toBe('0')
            expect(headers).not.toHaveProperty('client-id')
          }
        }
  })

  it('does not tell an application without access to its API from an unknown one', async () => {
    const { auth, app, check, introspect } = host
    const other = await createApplication(auth, ['orders', 'weather'])
    const gone = await createApplication(auth, ['weather'])
    await auth.applications.suspend(gone.id)
    const unknown = await check('catalog', 'nonsense', { ip: '192.0.2.77' })
    for (const [index, { clientId }] of [other, gone].entries()) {
      const ip = `192.0.2.${index}`
      const answer = await check('catalog', clientId, { ip })
      expect([answer.status, answer.text, answer.headers['www-authenticate']]).toEqual([
        401,
        unknown.text,
        unknown.headers['www-authenticate'],
      ])
      expect(await introspect('catalog', clientId, { ip })).toEqual(await introspect('catalog', 'nonsense', { ip }))
    }
    const token = await accessToken(app, 'orders', other)
    await auth.applications.disallow(other.id, 'orders')
    expect(await introspect('orders', token)).toEqual(await introspect('orders', 'nonsense'))
  })

  it('has its own APIs only, and every other application sees its own access tokens only', async () => {
    const { auth, app, ask, server, introspect } = host
    const shop = await createApplication(auth, ['orders', 'invoices', 'weather'])
    const [token, invoice] = await Promise.all([accessToken(app, 'orders', shop), accessToken(app, 'invoices', shop)])
    expect(await introspect('invoices', invoice)).toEqual({ active: false })
    const other = await createApplication(auth, ['orders'])
    expect(await introspect('orders', token, {}, other)).toEqual({ active: false })
    expect(await introspect('orders', token, {}, shop)).not.toHaveProperty('max_age')

    const unknown = await ask('introspect', 'nowhere', { token: shop.clientId })
    expect([unknown.status, unknown.body]).toMatchObject([400, { error: 'invalid_target' }])
    for (const api of ['weather', '', 'Catalog', 'constructor', '__proto__', 'invoices/introspect'])
      for (const what of ['introspect', 'check'] as const) {
        const answer = await post(
          app,
          `/_resource-server/${what}`,
          { api, token: shop.clientId },
          { authorization: basic(server.clientId, server.clientSecret) },
        )
        expect([api, answer.status, answer.text]).toEqual([api, 400, unknown.text])
      }
    // An application that is none is an unknown client there, and at check nothing is said at all.
    const stranger = await post(app, '/_resource-server/introspect', {
      token: shop.clientId,
      api: 'catalog',
      client_id: shop.clientId,
      client_secret: shop.clientSecret,
    })
    expect([stranger.status, stranger.body]).toMatchObject([401, { error: 'invalid_client' }])
    for (const path of ['/_resource-server/check', '/orders/check']) {
      const { status, body } = await post(app, path, {
        token,
        api: 'catalog',
        client_id: shop.clientId,
        client_secret: `${shop.clientSecret}x`,
      })
      expect([path, status, body]).toMatchObject([path, 503, { error: 'temporarily_unavailable' }])
    }
    expect((await ask('check', 'orders', { token }, other)).status).toBe(400)
  })

  it('is refused a parameter that does not exist: a misspelt scope would let pass what it names', async () => {
    const { auth, app, ask, server } = host
    const shop = await createApplication(auth, { orders: { scopes: ['read'] }, catalog: {} })
    const token = await accessToken(app, 'orders', shop)
    for (const [api, credential] of [
      ['orders', token],
      ['catalog', shop.clientId],
    ] as const)
      for (const what of ['introspect', 'check'] as const) {
        const refusals: (readonly [string, string])[] = [
          ['scopes', 'The parameter scopes is unknown. Did you mean scope?'],
          ['Ip', 'The parameter Ip is unknown. Did you mean ip?'],
          ['resource', 'The parameter resource is unknown.'],
          ['<b>', 'The parameter is unknown.'],
          // A credential that was sent without the name of its parameter.
          ['550e8400-e29b-41d4-a716-446655440000', 'The parameter is unknown.'],
          ['k_key_u1JbKtlVZx8pQ4nR7wS2yB5cD9fG3hLkT', 'The parameter is unknown.'],
        ]
        for (const [name, description] of refusals) {
          const { status, body } = await ask(what, api, { token: credential, [name]: 'write' })
          const expected = { error: 'invalid_request', error_description: description }
          expect([api, what, status, body]).toEqual([api, what, 400, expected])
        }
        const path = api === 'orders' ? `/orders/${what}` : `/_resource-server/${what}`
        const headers = { authorization: basic(server.clientId, server.clientSecret) }
        for (const [query, description] of [
          ['scope=write', 'The parameter scope belongs in the body, never in the query string'],
          ['scopes=write', 'The parameter scopes is unknown. Did you mean scope?'],
          [credential, 'The parameter is unknown.'],
        ] as const) {
          const inQuery = await post(app, `${path}?${query}`, { api, token: credential }, headers)
          const expected = { error: 'invalid_request', error_description: description }
          expect([path, inQuery.status, inQuery.body]).toEqual([path, 400, expected])
        }
      }
    // RFC 7662 leaves further parameters to the server: those of clients that read their own tokens are ignored.
    const own = await ask('introspect', 'orders', { token, scopes: 'write' }, shop)
    expect([own.status, own.body]).toMatchObject([200, { active: true }])
  })

  it('counts as a guard does, and hands the wait on', async () => {
    const { auth, check, introspect, guard } = host
    const { clientId, id } = await createApplication(auth, ['limited'])
    expect(await introspect('limited', clientId)).toMatchObject({ active: true })
    expect((await check('limited', clientId)).status).toBe(204)
    expect((await guard('limited', clientId)).status).toBe(204)
    const refused = await guard('limited', clientId)
    expect(refused.status).toBe(429)
    const { status, text, headers } = await check('limited', clientId)
    expect([status, text]).toEqual([429, refused.text])
    expect(await introspect('limited', clientId)).toEqual({
      active: false,
      reason: 'too_many_requests',
      retry_after: Number(headers['retry-after']),
      max_age: 0,
    })
    await auth.flush()
    const used = await auth.usage.list({ applicationId: id })
    expect(used.items).toMatchObject([{ api: 'limited', allowed: 3 }])
  })
})

describe('A resource server', () => {
  it('that describes a flood of bad keys from one address turns no good key away, nor other addresses', async () => {
    const { auth, app, ask, server, guard } = await openHost()
    const shop = await createApplication(auth, ['catalog'])
    const second = await auth.applications.create({ name: 'Second', resourceServer: ['catalog'] })
    const other = { clientId: second.application.id, clientSecret: second.credentials.clientSecret! }
    const statusOf = async (
      what: 'introspect' | 'check',
      token: string,
      ip: string,
      by = server as ClientCredentials,
    ) => (await ask(what, 'catalog', { token, ip }, by)).status
    const [ip, neighbour] = ['203.0.113.1', '203.0.113.2']
    for (let i = 0; i < 20; i++) expect(await statusOf('introspect', `bad-${i}`, ip)).toBe(200)
    const refused = await ask('introspect', 'catalog', { token: 'bad', ip })
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, expect.stringMatching(/^\d+$/)])
    const checked = await ask('check', 'catalog', { token: 'bad', ip })
    expect([checked.status, checked.headers['retry-after']]).toEqual([503, expect.stringMatching(/^\d+$/)])
    expect(await statusOf('check', shop.clientId, ip)).toBe(204)
    expect(await statusOf('introspect', shop.clientId, ip)).toBe(200)
    expect(await statusOf('check', 'bad', neighbour)).toBe(401)
    // Neither another resource server nor the platform's own guards have counted it.
    expect(await statusOf('check', 'bad', ip, other)).toBe(401)
    expect((await guard('catalog', 'bad', ip)).status).toBe(401)
    expect((await guard('catalog', 'bad', '127.0.0.1')).status).toBe(401)
    // A client that has no access is counted like an unknown one.
    const elsewhere = await createApplication(auth, ['weather'])
    expect(await statusOf('check', elsewhere.clientId, ip)).toBe(503)
    expect(app).toBeDefined()
  })

  it('that is suspended, ended, at another address or over the limit of failures is 503 for callers, never 401', async () => {
    const { auth, app, server } = await openHost()
    const { applications } = auth
    const shop = await createApplication(auth, ['catalog', 'orders'])
    const token = await accessToken(app, 'orders', shop)
    const send = (path: string, secret = server.clientSecret, ip = '192.0.2.9') =>
      post(
        app,
        path,
        { api: 'catalog', token: path.startsWith('/orders') ? token : shop.clientId },
        { authorization: basic(server.id, secret), 'x-forwarded-for': ip },
      )
    const PATHS = ['/orders/', '/_resource-server/'] as const
    const statuses = async (...more: [string?, string?]) => {
      const all: number[] = []
      for (const path of PATHS)
        for (const what of ['introspect', 'check']) all.push((await send(path + what, ...more)).status)
      return all
    }
    expect(await statuses()).toEqual([200, 204, 200, 204])
    await applications.update(server.id, { networks: ['198.51.100.0/24'] })
    expect(await statuses()).toEqual([403, 503, 403, 503])
    expect(await statuses(undefined, '198.51.100.7')).toEqual([200, 204, 200, 204])
    await applications.update(server.id, { networks: null })
    await applications.suspend(server.id)
    expect(await statuses()).toEqual([401, 503, 401, 503])
    await applications.resume(server.id)
    expect(await statuses()).toEqual([200, 204, 200, 204])
    for (let i = 0; i < 7; i++) await statuses('wrong')
    expect(await statuses('wrong')).toEqual([429, 503, 429, 503])
    expect(await statuses()).toEqual([200, 204, 200, 204])
    await applications.update(server.id, { resourceServer: null })
    expect(await statuses()).toEqual([200, 400, 401, 503])
    await applications.delete(server.id)
    expect(await statuses(undefined, '198.51.100.8')).toEqual([401, 503, 401, 503])
  })

  it('lets check read the header that the caller sent, where it authenticates in the form', async () => {
    const { auth, app, server } = await openHost()
    const shop = await createApplication(auth, { catalog: { scopes: ['list'] }, orders: {} })
    const token = await accessToken(app, 'orders', shop)
    const send = (path: string, headers: Form, more: Form = {}) =>
      post(app, path, { api: 'catalog', client_id: server.id, client_secret: server.clientSecret, ...more }, headers)
    const orders = (headers: Form, more?: Form) => send('/orders/check', headers, more)
    const catalog = (headers: Form, more?: Form) => send('/_resource-server/check', headers, more)
    const authorization = `Bearer ${token}`
    expect((await orders({ authorization }, { scope: 'read' })).status).toBe(204)
    expect((await orders({ authorization }, { scope: 'read', token: 'bad' })).status).toBe(401)
    expect((await orders({})).status).toBe(401)
    expect((await orders({})).headers['www-authenticate']).toMatch(/^Bearer realm="orders", resource_metadata=/)
    expect((await orders({ authorization: `Bearer ${token} ` })).status).toBe(204)
    expect((await orders({ authorization: 'Bearer a b' })).status).toBe(400)
    // A caller's Basic is no credential of the resource server.
    for (const [id, secret] of [
      ['x', 'y'],
      [server.id, server.clientSecret],
      ['', ''],
    ] as const)
      expect((await orders({ authorization: basic(id, secret) })).status).toBe(401)
    expect((await catalog({ 'x-api-key': shop.clientId })).status).toBe(204)
    expect((await catalog({ authorization: basic(shop.clientId, '') })).status).toBe(204)
    expect((await catalog({ authorization: `Bearer ${shop.clientId}` }, { scope: 'list' })).status).toBe(204)
    expect((await catalog({ 'x-api-key': shop.clientId }, { scope: 'edit' })).status).toBe(403)
    expect((await catalog({ 'x-api-key': shop.clientId, authorization: 'Bearer x' })).status).toBe(400)
    expect((await catalog({})).status).toBe(401)
    // Basic of the resource server itself needs the parameter token.
    const own = { authorization: basic(server.id, server.clientSecret), 'x-api-key': shop.clientId }
    expect((await post(app, '/_resource-server/check', { api: 'catalog' }, own)).status).toBe(503)
    // The address of a proxy is not that of the caller.
    await auth.applications.update(shop.id, { networks: ['203.0.113.0/24'] })
    const forwarded = { authorization, 'x-forwarded-for': '203.0.113.7' }
    expect((await orders(forwarded)).status).toBe(403)
    expect((await orders(forwarded, { ip: '203.0.113.7' })).status).toBe(204)
    expect((await orders({ authorization }, { ip: '203.0.113.7:443' })).status).toBe(204)
  })

  it('has the id of its own request in events and refusals, and no credential in its place', async () => {
    const { auth, server } = await openHost()
    const app = express()
    app.use((req, _res, next) => {
      Object.assign(req, { id: req.headers['x-request-id'] })
      next()
    })
    app.use(auth.router)
    const shop = await createApplication(auth, { catalog: { scopes: ['list'] } })
    const seen: unknown[] = []
    for (const type of ['request.allowed', 'request.denied'] as const)
      auth.events.on(type, ({ requestId, address }) => void seen.push([type, requestId, address]))
    const own = { client_id: server.id, client_secret: server.clientSecret }
    const form = { api: 'catalog', ip: '192.0.2.9', scope: 'list' }
    const basicly = { authorization: basic(server.id, server.clientSecret) }
    const presented = { 'x-api-key': shop.clientId }
    const asked: readonly (readonly [string, Form, Form, string | undefined])[] = [
      ['introspect', { ...form, token: shop.clientId }, { ...basicly, 'x-request-id': 'one' }, 'one'],
      ['introspect', { ...form, token: 'wrong' }, { ...basicly, 'x-request-id': 'two' }, 'two'],
      ['check', { ...form, ...own }, { ...presented, 'x-request-id': 'three' }, 'three'],
      ['check', { ...form, ...own, scope: 'edit' }, { ...presented, 'x-request-id': 'four' }, 'four'],
      ['check', { ...form, ...own }, { ...presented, 'x-request-id': `id-${shop.clientId}` }, undefined],
      ['check', { ...form, ...own }, { ...presented, 'x-request-id': `id-${server.clientSecret}` }, undefined],
      ['introspect', { ...form, token: 'wrong-key' }, { ...basicly, 'x-request-id': 'id-wrong-key' }, undefined],
      [
        'introspect',
        { ...form, token: shop.clientId },
        { ...basicly, 'x-request-id': basicly.authorization },
        undefined,
      ],
    ]
    for (const [what, sent, headers, id] of asked) {
      await post(app, `/_resource-server/${what}`, sent, headers)
      expect(seen.pop(), JSON.stringify(sent)).toEqual([expect.any(String), id, '192.0.2.9'])
    }
    expect(seen).toEqual([])
    await auth.flush()
    const { items } = await auth.usage.refusals(shop.id)
    expect(items).toMatchObject([{ error: 'insufficient_scope', requestId: 'four' }])
  })

  it('bounds the time that an answer is good for by what this process knows, and by the end of the credential', async () => {
    const { auth, app, introspect, clock } = await openHost()
    const shop = await createApplication(auth, ['catalog', 'orders'])
    const token = await accessToken(app, 'orders', shop)
    const maxAge = async (api: string, credential: string) => (await introspect(api, credential))['max_age']
    expect(await maxAge('orders', token)).toBeGreaterThanOrEqual(1)
    const key = await auth.applications.addKey(shop.id, { name: 'short', expiresAt: new Date(clock.now() + 1500) })
    expect(await maxAge('catalog', key.credentials.clientId)).toBe(1)
    clock.advance(1)
    expect(await maxAge('catalog', key.credentials.clientId)).toBe(0)
    const { exp } = await introspect('orders', token)
    clock.advance((exp as number) - clock.now() / 1000 - 1)
    expect(await maxAge('orders', token)).toBeLessThanOrEqual(1)
  })

  it('may keep no answer of a record that has changed, while the store does not tell how', async () => {
    const { store, remove } = await STORES.memory()
    let isAway = false
    const unlessAway =
      <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
      async (...args: Args) =>
        isAway ? Promise.reject(new Error('away')) : call(...args)
    const given = {
      ...store,
      findApplication: unlessAway(store.findApplication),
      findApplicationByKey: unlessAway(store.findApplicationByKey),
    }
    const { auth, introspect } = await openHost({ store: given, maxStaleness: 60 })
    const other = openPlatform({ apis: APIS, store })
    onTestFinished(async () => {
      await other.auth.close()
      await remove()
    })
    const shop = await createApplication(auth, ['catalog'])
    const maxAge = async () => (await introspect('catalog', shop.clientId))['max_age'] as number
    await expect.poll(maxAge).toBeGreaterThanOrEqual(1)
    isAway = true
    await other.auth.applications.update(shop.id, { name: 'Changed' })
    await expect.poll(maxAge).toBe(0)
    isAway = false
    await expect.poll(maxAge).toBeGreaterThanOrEqual(1)
  })

  it.each([60, 1])(
    'gets what the platform knows, or 503, while the store is away: maxStaleness %i',
    async (maxStaleness) => {
      const { auth, store, app, end } = await openFailingPlatform(express, STORES.memory, { maxStaleness })
      onTestFinished(end)
      const made = await auth.applications.create({ name: 'Backend', resourceServer: ['orders', 'catalog'] })
      const shop = await createApplication(auth, ['orders', 'catalog'])
      const elsewhere = usePlatform()
      const stranger = await createApplication(elsewhere.auth, ['catalog'])
      const ask = async (what: string, token = shop.clientId) => {
        const credentials = { client_id: made.application.id, client_secret: made.credentials.clientSecret! }
        return (await post(app, `/_resource-server/${what}`, { api: 'catalog', token, ...credentials })).status
      }
      expect([await ask('introspect'), await ask('check')]).toEqual([200, 204])
      store.fail()
      if (maxStaleness === 1) await expect.poll(() => ask('introspect')).toBe(503)
      else expect([await ask('introspect'), await ask('check')]).toEqual([200, 204])
      // A key that is not in memory may be a new one: it is never called inactive.
      expect(await ask('introspect', stranger.clientId)).toBe(503)
      expect(await ask('check', stranger.clientId)).toBe(503)
      store.recover()
      await expect.poll(() => ask('check', stranger.clientId)).toBe(401)
      expect(await ask('check')).toBe(204)
    },
  )

  it('gets one clear refusal for a hostile body', async () => {
    const { app, server, auth } = await openHost()
    const shop = await createApplication(auth, ['orders', 'catalog'])
    const token = await accessToken(app, 'orders', shop)
    const base = `client_id=${server.id}&client_secret=${server.clientSecret}`
    const bodies: readonly (readonly [string, string, number])[] = [
      ['', `${base}&token=${token}&token=${token}`, 400],
      ['', `${base}&token=${token}&ip=192.0.2.1&ip=203.0.113.1`, 400],
      ['', `${base}&token=${token}&ip=192.0.2.1,203.0.113.1`, 400],
      ['', `${base}&token=${token}&ip=unknown`, 400],
      ['', `${base}&token=${token}&ip=${'1'.repeat(10_000)}`, 400],
      ['', `${base}&token=${token}&scope=read+admin`, 400],
      ['', `${base}&token=${token}&scope=constructor`, 400],
      ['', `${base}&token=${token}&scope=__proto__`, 400],
      ['', `${base}&token=${token}&scope=${'read+'.repeat(4000)}`, 413],
      [`?token=${token}`, base, 400],
      ['?client_secret=x', `${base}&token=${token}`, 400],
      ['', `${base}&token=%ff`, 400],
      ['', '{"token":"x"}', 400],
    ]
    for (const [query, body, status] of bodies)
      for (const what of ['introspect', 'check']) {
        const answer = await post(app, `/orders/${what}${query}`, body)
        expect([what, body.slice(-40), answer.status]).toEqual([what, body.slice(-40), status])
        expect(answer.text).not.toContain(token)
      }
    expect((await request(app).get('/orders/check')).status).toBe(404)
    expect((await request(app).post('/orders/check').set('content-type', 'application/json').send('{}')).status).toBe(
      400,
    )
  })

  it('gets nothing of a polluted prototype', async () => {
    const { auth, ask, introspect } = await openHost()
    const shop = await createApplication(auth, ['catalog'])
    const members = {
      resourceServer: ['catalog', 'orders', 'weather'],
      introspection: ['metadata'],
      token: shop.clientId,
      api: 'catalog',
      ip: '203.0.113.7',
      'x-api-key': shop.clientId,
      scope: 'list',
      caller: { application: { id: 'x', keys: [] }, scopes: [] },
    }
    await auth.applications.update(shop.id, { networks: ['203.0.113.0/24'] })
    const plain = await auth.applications.create({ name: 'Plain', apis: ['orders'] })
    const by = { clientId: plain.application.id, clientSecret: plain.credentials.clientSecret! }
    await whilePolluted(members, async () => {
      expect((await ask('check', 'catalog', {})).status).toBe(503)
      expect(await introspect('catalog', shop.clientId)).toMatchObject({ reason: 'network_not_allowed' })
      expect((await ask('introspect', 'weather', { token: shop.clientId })).status).toBe(400)
      expect((await ask('introspect', 'catalog', { token: shop.clientId }, by)).status).toBe(401)
    })
  })
})
