import type { IncomingMessage, ServerResponse } from 'node:http'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { authOf, maybeAuthOf, type PlatformEvent } from '../../../src/index.js'
import { accessToken, createApplication, exchange, expectRefusal, listen } from '../../support/http.js'
import { onEveryFailingPlatform } from '../../support/failing-store.js'
import { onEveryPlatform, usePlatform } from '../../support/platform.js'
import { request, type Test } from '../../support/request.js'
import { type KnownApplication, sendAuthInfo, TOKEN_MISSING } from './guarded-routes.js'
import type { RequestHandler } from 'express'
import { waitUntil } from '../../support/wait-until.js'
import { recordEvents } from '../../support/record-events.js'

describe('An optional guard (docs/http.md G17)', () => {
  onEveryPlatform((host) => {
    let shop: KnownApplication
    let token: string

    beforeAll(async () => {
      const { app, auth } = host
      app.get('/orders/maybe', auth.requireBearer('orders', { optional: true, scopes: ['orders:write'] }), sendAuthInfo)
      app.get('/catalog/maybe', auth.requireApiKey('catalog', { optional: true }), sendAuthInfo)
      app.get('/strict', auth.requireBearer('orders', { optional: true }), (req, res) => void res.json(authOf(req)))
      app.get('/then', auth.requireBearer('orders', { optional: true }), auth.requireBearer('orders'), sendAuthInfo)
      shop = await createApplication(auth, ['orders', 'catalog'])
      token = await accessToken(app, 'orders', shop)
    })

    it.each([undefined, '', 'Basic YTpi', 'Digest x'])(
      'lets a request without a credential pass: Authorization: %s',
      async (value) => {
        const test = request(host.app).get('/orders/maybe')
        const { status, body } = await (value === undefined ? test : test.set('Authorization', value))
        expect({ status, body: body as unknown }).toEqual({ status: 200, body: null })
      },
    )

    it.each([
      ['Bearer', 400],
      ['Bearer a b', 400],
      ['Bearer x', 401],
    ])('refuses a bad credential: %s', async (value, status) => {
      expect((await request(host.app).get('/orders/maybe').set('Authorization', value)).status).toBe(status)
    })

    it('refuses a token without the scope', async () => {
      const reader = await accessToken(host.app, 'orders', shop, { scope: 'orders:read' })
      expect((await request(host.app).get('/orders/maybe').set('Authorization', `Bearer ${reader}`)).status).toBe(403)
    })

    it('sets authOf(req) if there is a credential', async () => {
      const { body } = await request(host.app).get('/orders/maybe').set('Authorization', `Bearer ${token}`)
      expect(body).toMatchObject({ application: { id: shop.id } })
    })

    it('lets a request without a key pass, and refuses a bad key and two keys', async () => {
      expect((await request(host.app).get('/catalog/maybe')).body).toBeNull()
      expect((await request(host.app).get('/catalog/maybe').set('X-Api-Key', 'x')).status).toBe(401)
      const twice = await exchange(host.app, ['GET /catalog/maybe HTTP/1.1', 'X-Api-Key:', 'X-Api-Key:'])
      expect(twice.status).toBe(400)
      const { body } = await request(host.app).get('/catalog/maybe').set('X-Api-Key', shop.clientId)
      expect(body).toMatchObject({ application: { id: shop.id } })
    })

    it('makes authOf(req) throw if there was no credential', async () => {
      expect((await request(host.app).get('/strict')).status).toBe(500)
      expect((await request(host.app).get('/strict').set('Authorization', `Bearer ${token}`)).status).toBe(200)
    })

    it('does not affect a guard behind it that is not optional', async () => {
      expectRefusal(await request(host.app).get('/then'), 401, 'unauthorized', TOKEN_MISSING)
      expect((await request(host.app).get('/then').set('Authorization', `Bearer ${token}`)).status).toBe(200)
    })
  })
})

describe('Two guards on one request (docs/http.md G20)', () => {
  onEveryFailingPlatform((host) => {
    let shop: KnownApplication
    let token: string
    let allowed: PlatformEvent[]

    beforeAll(async () => {
      shop = await createApplication(host.auth, ['orders', 'invoices', 'catalog', 'weather'])
      token = await accessToken(host.app, 'orders', shop)
      allowed = recordEvents(host.auth, 'request.allowed')
    })
    beforeEach(() => void (allowed.length = 0))

    it('of one API verify and count once with a guard of another API between them', async () => {
      const { auth } = host
      const app = host
        .express()
        .use(auth.requireBearer('orders'), auth.requireApiKey('catalog'), auth.requireBearer('orders'), sendAuthInfo)
      const { body } = await request(app)
        .get('/')
        .set({ Authorization: `Bearer ${token}`, 'X-Api-Key': shop.clientId })
      expect(body).toMatchObject({ api: 'orders', application: { id: shop.id } })
      expect(allowed.map(({ api }) => api)).toEqual(['orders', 'catalog'])
    })

    it('of two APIs: authOf(req, api) is what the guard of that API established', async () => {
      const { auth } = host
      const optional = { optional: true }
      const app = host
        .express()
        .use(auth.requireBearer('orders', optional), auth.requireApiKey('catalog', optional))
        .use((req, res) => {
          const names = [undefined, 'orders', 'catalog', 'invoices']
          res.json(names.map((name) => maybeAuthOf(req, name)?.api ?? null))
        })
      const both = { Authorization: `Bearer ${token}`, 'X-Api-Key': shop.clientId }
      expect((await request(app).get('/').set(both)).body).toEqual(['catalog', 'orders', 'catalog', null])
      const onlyToken = { Authorization: both.Authorization }
      expect((await request(app).get('/').set(onlyToken)).body).toEqual([null, 'orders', null, null])
      const onlyKey = { 'X-Api-Key': shop.clientId }
      expect((await request(app).get('/').set(onlyKey)).body).toEqual(['catalog', null, 'catalog', null])
      expect((await request(app).get('/')).body).toEqual([null, null, null, null])
    })

    it('of two APIs: the last one decides what authOf(req) is, also if it is optional and there is no credential for it', async () => {
      const { auth } = host
      const app = host
        .express()
        .use(auth.requireBearer('orders'))
        .get('/optional', auth.requireApiKey('catalog', { optional: true }), sendAuthInfo)
        .get('/again', auth.requireApiKey('catalog', { optional: true }), auth.requireBearer('orders'), sendAuthInfo)
      const get = (path: string) => request(app).get(path).set('Authorization', `Bearer ${token}`)
      expect((await get('/optional')).body).toBeNull()
      expect((await get('/again')).body).toMatchObject({ api: 'orders' })
    })

    it('of one API use the scopes of the token, not an authOf(req) that a handler changed', async () => {
      const reader = await accessToken(host.app, 'orders', shop, { scope: 'orders:read' })
      const app = host
        .express()
        .use(
          host.auth.requireBearer('orders'),
          (req, _res, next) => next(void authOf(req).scopes.push('orders:write')),
          host.auth.requireBearer('orders', { scopes: ['orders:write'] }),
          sendAuthInfo,
        )
      expect((await request(app).get('/').set('Authorization', `Bearer ${reader}`)).status).toBe(403)
    })

    it('of both schemes must both let the request pass, and authOf(req) is that of the last', async () => {
      const app = host
        .express()
        .use(host.auth.requireBearer('orders'), host.auth.requireApiKey('catalog'), sendAuthInfo)
      const withToken = (): Test => request(app).get('/').set('Authorization', `Bearer ${token}`)
      expect((await withToken()).status).toBe(401)
      expect((await request(app).get('/').set('X-Api-Key', shop.clientId)).status).toBe(401)
      expect((await withToken().set('X-Api-Key', shop.clientId)).body).toMatchObject({ api: 'catalog' })
    })

    it('of two platforms do not share what they verified', async () => {
      const other = usePlatform().auth
      const app = host.express().use(host.auth.requireBearer('orders'), other.requireBearer('orders'), sendAuthInfo)
      expect((await request(app).get('/').set('Authorization', `Bearer ${token}`)).status).toBe(401)
    })
  })
})

describe('A guard without Express', () => {
  it('works as middleware for node:http', async () => {
    const { auth } = usePlatform()
    const guard = auth.requireApiKey('catalog')
    const { clientId } = await createApplication(auth, ['catalog'])
    const handler = (req: IncomingMessage, res: ServerResponse): void =>
      guard(req, res, () => void res.end(authOf(req).application.name))
    const { port, close } = await listen(handler)
    const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'X-Api-Key': clientId } })
    expect(await answer.text()).toBe('Shop')
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(401)
    await close()
  })
})

describe('One request has one outcome in events', () => {
  onEveryPlatform((host) => {
    let events: PlatformEvent[]
    let headers: Record<string, string>
    const types = (): string[] => events.map(({ type, api }) => `${type} ${api}`)
    const done: RequestHandler = (_req, res) => void res.json({})

    beforeAll(async () => {
      const shop = await createApplication(host.auth, ['orders', 'catalog'])
      const token = await accessToken(host.app, 'orders', shop, { scope: 'orders:read' })
      headers = { Authorization: `Bearer ${token}`, 'X-Api-Key': shop.clientId }
      events = recordEvents(host.auth, 'request.allowed', 'request.denied', 'request.reported')
    })
    beforeEach(() => void (events.length = 0))

    async function send(...handlers: RequestHandler[]): Promise<number> {
      const { status } = await request(host.express().get('/', ...handlers))
        .get('/')
        .set(headers)
      await waitUntil(() => events.length > 0)
      return status
    }
    const orders = (): RequestHandler => host.auth.requireBearer('orders')
    const wait: RequestHandler = (_req, _res, next) => void setTimeout(next, 20)

    it('if the second guard of an API refuses it, by scopes or by allow', async () => {
      expect(await send(orders(), host.auth.requireBearer('orders', { scopes: ['orders:write'] }), done)).toBe(403)
      expect(types()).toEqual(['request.denied orders'])
      events.length = 0
      const allow = async (): Promise<boolean> => (await new Promise((resolve) => setTimeout(resolve, 20)), false)
      expect(await send(orders(), wait, host.auth.requireBearer('orders', { allow }), done)).toBe(403)
      expect(types()).toEqual(['request.denied orders'])
    })

    it('if the guard of another API refuses it', async () => {
      const allow = (): boolean => false
      expect(await send(orders(), wait, host.auth.requireApiKey('catalog', { allow }), done)).toBe(403)
      expect(types()).toEqual(['request.denied catalog'])
    })

    it('for each API, if guards of two let it pass', async () => {
      expect(await send(orders(), wait, host.auth.requireApiKey('catalog'), done)).toBe(200)
      expect(types()).toEqual(['request.allowed orders', 'request.allowed catalog'])
    })

    it('if a guard reports it', async () => {
      const reporting = { scopes: ['orders:write'], reportOnly: true } as const
      expect(await send(orders(), host.auth.requireBearer('orders', reporting), done)).toBe(200)
      expect(types()).toEqual(['request.reported orders'])
    })

    it('if onDenied passes it on to another guard', async () => {
      const onDenied = (_denial: unknown, _req: unknown, _res: unknown, next: (error?: unknown) => void): void =>
        next(new Error('x'))
      const app = host
        .express()
        .get('/', orders(), host.auth.requireBearer('orders', { scopes: ['orders:write'], onDenied }))
      const again = host.auth.requireBearer('orders', { scopes: ['orders:write'] })
      app.use(((_error: unknown, req: never, res: never, next: () => void) => again(req, res, next)) as never)
      expect((await request(app).get('/').set(headers)).status).toBe(403)
      expect(types()).toEqual(['request.denied orders'])
    })

    it('if its connection ends first', async () => {
      const gone: RequestHandler = (req) => void req.socket.destroy()
      await expect(send(orders(), gone)).rejects.toThrow()
      await waitUntil(() => events.length > 0)
      expect(types()).toEqual(['request.allowed orders'])
    })
  })
})
