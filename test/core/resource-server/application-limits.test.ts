import { beforeAll, describe, expect, it } from 'vitest'
import { createApplication } from '../../support/http.js'
import { onEveryPlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'
import { sendAuthInfo } from './guarded-routes.js'

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
