import { beforeAll, describe, expect, it } from 'vitest'
import type { NextFunction, Request, Response } from 'express'
import { ConfigurationError, type OAuthError, type PlatformEvent } from '../../../src/index.js'
import { accessToken, createApplication, expectRefusal, RETRY_AFTER_SECONDS } from '../../support/http.js'
import { onEveryPlatform, openPlatform } from '../../support/platform.js'
import { request, type Test } from '../../support/request.js'
import { sendAuthInfo } from './guarded-routes.js'

describe('The requests limit of an application (docs/http.md G13)', () => {
  onEveryPlatform(
    (host) => {
      const limited: PlatformEvent[] = []

      beforeAll(() => {
        const { app, auth } = host
        app.use('/orders/items', auth.requireBearer('orders'))
        app.get('/orders/items', auth.requireBearer('orders', { scopes: ['orders:read'] }), sendAuthInfo)
        app.get('/orders/both', auth.requireBearer('orders', { scopes: ['orders:read', 'orders:write'] }), sendAuthInfo)
        app.get('/invoices/items', auth.requireBearer('invoices'), sendAuthInfo)
        app.get('/catalog/items', auth.requireApiKey('catalog'), auth.requireApiKey('catalog'), sendAuthInfo)
        app.get('/weather/now', auth.requireApiKey('weather'), sendAuthInfo)
        auth.events.on('request.denied', (event) => void limited.push(event))
      })

      it('G13: answers 429 too_many_requests with Retry-After and no challenge, per application and API', async () => {
        const [one, two] = [
          await createApplication(host.auth, ['orders', 'invoices']),
          await createApplication(host.auth, ['orders']),
        ]
        const tokens = {
          one: await accessToken(host.app, 'orders', one),
          again: await accessToken(host.app, 'orders', one),
          elsewhere: await accessToken(host.app, 'invoices', one),
          two: await accessToken(host.app, 'orders', two),
        }
        const get = (path: string, token: string): Test =>
          request(host.app).get(path).set('Authorization', `Bearer ${token}`)
        expect((await get('/orders/items', tokens.one)).status).toBe(200)
        expect((await get('/orders/items', tokens.again)).status).toBe(200)
        limited.length = 0
        const refused = await get('/orders/items', tokens.one)
        expectRefusal(refused, 429, 'too_many_requests', { 'retry-after': RETRY_AFTER_SECONDS })
        expect(limited).toEqual([
          expect.objectContaining({ reason: 'too_many_requests', applicationId: one.id, api: 'orders' }) as object,
        ])
        expect((await get('/invoices/items', tokens.elsewhere)).status).toBe(200)
        expect((await get('/orders/items', tokens.two)).status).toBe(200)
        await expect(host.auth.verifyAccessToken('orders', tokens.one)).rejects.toMatchObject({ status: 429 })
      })

      it('G13, G20: applies to key guards, and two guards of one API count a request once', async () => {
        const { clientId } = await createApplication(host.auth, ['catalog', 'weather'])
        const get = (path: string): Test => request(host.app).get(path).set('X-Api-Key', clientId)
        for (let i = 0; i < 2; i++) expect((await get('/catalog/items')).status).toBe(200)
        expectRefusal(await get('/catalog/items'), 429, 'too_many_requests', { 'retry-after': RETRY_AFTER_SECONDS })
        expect((await get('/weather/now')).status).toBe(200)
        const refused = await Promise.all(
          [1, 2].map(() => host.auth.verifyApiKey('catalog', clientId).catch((error: unknown) => error as OAuthError)),
        )
        expect(refused).toMatchObject([{ status: 429 }, { status: 429 }])
        // Each caller gets an error of its own, to which hosts add what they like.
        expect(refused[0]).not.toBe(refused[1])
        expect(() => refused.forEach((error) => Object.assign(error, { statusCode: 420 }))).not.toThrow()
      })

      it.each(['guard', 'verifier'])(
        'counts a request once for guards and verifiers that get it, the %s first',
        async (first) => {
          const [one, other] = [
            await createApplication(host.auth, ['catalog']),
            await createApplication(host.auth, ['catalog']),
          ]
          const path = `/verified-${first}`
          const verify = (req: Request, _res: Response, next: NextFunction): void => {
            // Express' own object, one that has it as its prototype, and twice at once.
            const requests = [req, Object.create(req) as Request, req]
            const keys = [one.clientId, ...(req.get('other') ? [other.clientId] : [])]
            Promise.all(
              requests.flatMap((req) => keys.map((key) => host.auth.verifyApiKey('catalog', key, { req }))),
            ).then(() => next(), next)
          }
          const handlers = [host.auth.requireApiKey('catalog'), verify]
          host.app.get(path, ...(first === 'guard' ? handlers : handlers.toReversed()), sendAuthInfo)
          const get = (): Test => request(host.app).get(path).set('X-Api-Key', one.clientId)
          expect((await get().set('other', 'too')).status).toBe(200)
          expect((await get()).status).toBe(200)
          expect((await get()).status).toBe(429)
          // The other application was counted once.
          await host.auth.verifyApiKey('catalog', other.clientId)
          await expect(host.auth.verifyApiKey('catalog', other.clientId)).rejects.toMatchObject({ status: 429 })
        },
      )

      it('refuses something else than a request, and unknown options', async () => {
        const { clientId } = await createApplication(host.auth, ['catalog'])
        const verify = host.auth.verifyApiKey as (api: string, key: string, options: unknown) => Promise<unknown>
        for (const options of [null, 'req', { req: 'GET /' }, { request: {} }])
          await expect(verify('catalog', clientId, options)).rejects.toBeInstanceOf(ConfigurationError)
        await verify('catalog', clientId, { req: undefined })
      })

      it('does not count refused requests', async () => {
        const client = await createApplication(host.auth, ['orders'])
        const reader = await accessToken(host.app, 'orders', client, { scope: 'orders:read' })
        const get = (path: string, token: string): Test =>
          request(host.app).get(path).set('Authorization', `Bearer ${token}`)
        for (let i = 0; i < 3; i++) expect((await get('/orders/both', reader)).status).toBe(403)
        for (let i = 0; i < 3; i++) expect((await get('/orders/items', `${reader}x`)).status).toBe(401)
        for (let i = 0; i < 2; i++) expect((await get('/orders/items', reader)).status).toBe(200)
        expect((await get('/orders/items', reader)).status).toBe(429)
      })
    },
    { rateLimits: { requests: { limit: 2, window: 60 } } },
  )
})

describe('The rateLimit of an API', () => {
  it('overrides rateLimits.requests, and false removes the limit', async () => {
    const { auth } = openPlatform({
      apis: {
        narrow: { scheme: 'apiKey', rateLimit: { limit: 1, window: 60 } },
        usual: { scheme: 'apiKey' },
        free: { scheme: 'apiKey', rateLimit: false },
      },
      rateLimits: { requests: { limit: 2, window: 60 } },
    })
    const { clientId } = await createApplication(auth, ['narrow', 'usual', 'free'])
    const count = async (api: 'narrow' | 'usual' | 'free'): Promise<number> => {
      const answers = Array.from({ length: 5 }, () => auth.verifyApiKey(api, clientId))
      return (await Promise.allSettled(answers)).filter(({ status }) => status === 'fulfilled').length
    }
    expect([await count('narrow'), await count('usual'), await count('free')]).toEqual([1, 2, 5])
    await auth.close()
  })
})
