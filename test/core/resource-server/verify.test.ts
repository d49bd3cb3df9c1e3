import { beforeAll, describe, expect, it } from 'vitest'
import { OAuthError } from '../../../src/index.js'
import { accessToken, createApplication, expectRefusal } from '../../support/http.js'
import { onEveryFailingPlatform } from '../../support/failing-store.js'
import { request } from '../../support/request.js'
import { type KnownApplication, mountGuardedRoutes, KEY_MISSING } from './guarded-routes.js'

describe('auth.verifyAccessToken() and auth.verifyApiKey()', () => {
  onEveryFailingPlatform((host) => {
    let shop: KnownApplication
    let token: string

    beforeAll(async () => {
      mountGuardedRoutes(host)
      shop = await createApplication(host.auth, ['orders', 'catalog'])
      token = await accessToken(host.app, 'orders', shop)
    })

    it('resolve what authOf(req) returns behind a guard', async () => {
      const { body } = await request(host.app).get('/orders/items').set('Authorization', `Bearer ${token}`)
      expect(JSON.parse(JSON.stringify(await host.auth.verifyAccessToken('orders', token)))).toEqual(body)
      expect(await host.auth.verifyApiKey('catalog', shop.clientId)).toEqual({
        scheme: 'apiKey',
        api: 'catalog',
        application: { id: shop.id, name: 'Shop' },
        scopes: [],
      })
    })

    it.each(['', 'x', 'a b', 'a.b.c', 'x'.repeat(9000), '\u00fc', 'x\r\ny: z'])(
      'reject "%s" with the OAuthError of the answer that the guard sends',
      async (credential) => {
        const sendable = /^[\x20-\x7e]*$/.test(credential)
        const rejected = await host.auth.verifyAccessToken('orders', credential).catch((error: unknown) => error)
        expect(rejected).toBeInstanceOf(OAuthError)
        const { status, code, description, headers } = rejected as OAuthError
        expect({ status, code }).toEqual(
          credential === 'x' || credential === 'a.b.c'
            ? { status: 401, code: 'invalid_token' }
            : credential === ''
              ? { status: 401, code: 'unauthorized' }
              : { status: 400, code: 'invalid_request' },
        )
        if (!sendable) return
        const authorization = credential === '' ? '' : `Bearer ${credential}`
        const answer = await request(host.app).get('/orders/items').set('Authorization', authorization)
        expectRefusal(answer, status, code, { 'www-authenticate': headers['WWW-Authenticate']! })
        expect(answer.body).toMatchObject({ error_description: description })
      },
    )

    it.each(['', 'x', 'a b', 'x'.repeat(9000), '\u00fc'])(
      'reject the key "%s" with the OAuthError of the answer that the guard sends',
      async (key) => {
        const rejected = await host.auth.verifyApiKey('catalog', key).catch((error: unknown) => error)
        expect(rejected).toMatchObject({
          name: 'OAuthError',
          status: 401,
          code: key === '' ? 'unauthorized' : 'invalid_api_key',
          headers: key === '' ? { 'WWW-Authenticate': KEY_MISSING['www-authenticate'] } : (expect.anything() as object),
        })
      },
    )

    it('reject undefined as the guard refuses a missing header', async () => {
      const absent = undefined as unknown as string
      const refused = { name: 'OAuthError', status: 401, code: 'unauthorized' }
      await expect(host.auth.verifyAccessToken('orders', absent)).rejects.toMatchObject(refused)
      await expect(host.auth.verifyApiKey('catalog', absent)).rejects.toMatchObject(refused)
    })

    it('reject with status 503 and the cause while the store fails', async () => {
      const { clientId } = await createApplication(host.auth, ['catalog'])
      host.store.fail()
      const rejected = await host.auth.verifyApiKey('catalog', clientId).catch((error: unknown) => error)
      host.store.recover()
      expect(rejected).toMatchObject({ name: 'OAuthError', status: 503, code: 'temporarily_unavailable' })
      expect((rejected as Error).cause).toBeInstanceOf(Error)
    })

    it('reject an API of the other scheme and an unknown API with ConfigurationError', async () => {
      for (const api of ['catalog', 'unknown', '__proto__', '']) {
        await expect(host.auth.verifyAccessToken(api as 'orders', token)).rejects.toMatchObject({
          name: 'ConfigurationError',
        })
      }
      await expect(host.auth.verifyApiKey('orders' as 'catalog', shop.clientId)).rejects.toMatchObject({
        name: 'ConfigurationError',
      })
    })
  })
})
