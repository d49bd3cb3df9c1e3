import type { RequestHandler } from 'express'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PlatformEvent } from '../../../src/index.js'
import { accessToken, createApplication } from '../../support/http.js'
import { onEveryPlatform } from '../../support/platform.js'
import { waitUntil } from '../../support/wait-until.js'
import { request } from '../../support/request.js'

describe('One request has one outcome in events', () => {
  onEveryPlatform((host) => {
    const events: PlatformEvent[] = []
    let headers: Record<string, string>
    const types = (): string[] => events.map(({ type, api }) => `${type} ${api}`)
    const done: RequestHandler = (_req, res) => void res.json({})

    beforeAll(async () => {
      const shop = await createApplication(host.auth, ['orders', 'catalog'])
      const token = await accessToken(host.app, 'orders', shop, { scope: 'orders:read' })
      headers = { Authorization: `Bearer ${token}`, 'X-Api-Key': shop.clientId }
      for (const type of ['request.allowed', 'request.denied', 'request.reported'] as const)
        host.auth.events.on(type, (event) => void events.push(event))
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
