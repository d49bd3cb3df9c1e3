import { beforeAll, describe, expect, it } from 'vitest'
import type { NextFunction, Request, Response } from 'express'
import { ConfigurationError, type OAuthError, type PlatformEvent } from '../../../src/index.js'
import { accessToken, createApplication, expectRefusal, RETRY_AFTER_SECONDS } from '../../support/http.js'
import { onEveryPlatform, usePlatform } from '../../support/platform.js'
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
    const { auth } = usePlatform({
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
  })
})

describe('The limits of one application (docs/http.md G13)', () => {
  onEveryPlatform(
    (host) => {
      beforeAll(() => {
        for (const api of ['catalog', 'weather'] as const)
          host.app.get(`/${api}`, host.auth.requireApiKey(api), sendAuthInfo)
      })

      /** How many of `sent` requests pass. */
      async function count(api: string, key: string, sent: number): Promise<number> {
        let passed = 0
        for (let i = 0; i < sent; i++) {
          const { status, headers } = await request(host.app).get(`/${api}`).set('X-Api-Key', key)
          if (status === 200) passed += 1
          else expect([status, Number(headers['retry-after'])]).toEqual([429, expect.any(Number)])
        }
        return passed
      }

      it('count in place of those of the API, for that application alone, from the next request on', async () => {
        const { applications } = host.auth
        const [one, other] = [
          await createApplication(host.auth, ['catalog', 'weather']),
          await createApplication(host.auth, ['catalog']),
        ]
        expect(await count('catalog', one.clientId, 3)).toBe(2)
        const allowed = await applications.allow(one.id, 'catalog', { rateLimit: { limit: 4, window: 60 } })
        expect(allowed.rateLimits).toEqual({ catalog: { limit: 4, window: 60, until: undefined } })
        expect(await count('catalog', one.clientId, 6)).toBe(4)
        expect(await count('weather', one.clientId, 3)).toBe(2)
        expect(await count('catalog', other.clientId, 3)).toBe(2)
        await expect(host.auth.verifyApiKey('catalog', one.clientId)).rejects.toMatchObject({ status: 429 })
        await applications.allow(one.id, 'catalog', { rateLimit: { limit: 1, window: 30 } })
        expect(await count('catalog', one.clientId, 3)).toBe(1)
      })

      it('begin a new window when they are given again, also the same limit, and whether or not it was taken back', async () => {
        const { applications } = host.auth
        const { id, clientId } = await createApplication(host.auth, ['catalog'])
        const rateLimit = { limit: 1, window: 3000 }
        for (const earlier of [undefined, null, rateLimit]) {
          if (earlier !== undefined) await applications.allow(id, 'catalog', { rateLimit: earlier })
          await applications.allow(id, 'catalog', { rateLimit })
          expect(await count('catalog', clientId, 3)).toBe(1)
        }
        await applications.update(id, { rateLimits: { catalog: rateLimit } })
        expect(await count('catalog', clientId, 3)).toBe(1)
        await applications.update(id, { name: 'Renamed' })
        expect(await count('catalog', clientId, 3)).toBe(0)
      })

      it('can be for every API, end at a time, and be taken back', async () => {
        const { applications } = host.auth
        const { id, clientId } = await createApplication(host.auth, ['catalog', 'weather'])
        const until = new Date(host.clock.now() + 60_000)
        await applications.update(id, {
          rateLimits: { '*': { limit: 5, window: 60 }, catalog: { limit: 3, window: 60, until } },
        })
        expect(await count('catalog', clientId, 4)).toBe(3)
        expect(await count('weather', clientId, 6)).toBe(5)
        host.clock.advance(60_000)
        expect((await applications.get(id))?.rateLimits).toEqual({ '*': { limit: 5, window: 60, until: undefined } })
        expect(await count('catalog', clientId, 6)).toBe(5)
        await applications.update(id, { rateLimits: { '*': null } })
        expect(await count('catalog', clientId, 6)).toBe(2)
        expect((await applications.get(id))?.rateLimits).toEqual({})
      })

      it('grant no scopes, and end with the access', async () => {
        const { applications } = host.auth
        const { id } = await createApplication(host.auth, ['catalog'])
        await applications.allow(id, 'orders', { scopes: ['orders:read'] })
        const limited = await applications.allow(id, 'orders', { rateLimit: { limit: 9, window: 1 } })
        expect(limited.apis['orders']).toEqual({ scopes: ['orders:read'] })
        const [entry] = (await host.auth.audit.list({ applicationId: id, order: 'newest' })).items
        expect(entry?.details).toMatchObject({ allowed: 'orders', rateLimit: { limit: 9, window: 1 } })
        expect(JSON.stringify(entry?.details)).not.toContain('"id"')
        expect((await applications.disallow(id, 'orders')).rateLimits).toEqual({})
        expect((await applications.allow(id, 'orders')).rateLimits).toEqual({})
      })

      it('refuse what is no limit, and APIs that the application may not use', async () => {
        const { applications } = host.auth
        const { id } = await createApplication(host.auth, ['catalog'])
        const wrong: unknown[] = [0, false, {}, { limit: 1 }, { limit: 0, window: 1 }, { limit: 1.5, window: 1 }]
        wrong.push({ limit: 1, window: 31_536_001 }, { limit: 1, window: 1, unti: 1 }, { limit: '1', window: 1 })
        wrong.push({ limit: 1, window: 1, until: new Date(0) }, { limit: 1, window: 1, until: new Date(NaN) })
        for (const rateLimit of wrong) {
          const given = { rateLimit } as { rateLimit: null }
          await expect(applications.allow(id, 'catalog', given)).rejects.toMatchObject({ code: 'invalid_argument' })
          const rateLimits = { catalog: rateLimit as null }
          await expect(applications.update(id, { rateLimits })).rejects.toMatchObject({ code: 'invalid_argument' })
        }
        const limit = { limit: 1, window: 1 }
        for (const api of ['orders', 'nowhere', '__proto__', ''])
          await expect(
            applications.update(id, { rateLimits: Object.fromEntries([[api, limit]]) }),
          ).rejects.toMatchObject({ code: 'not_granted' })
      })
    },
    { rateLimits: { requests: { limit: 2, window: 60 } } },
  )
})
