import { beforeAll, describe, expect, it } from 'vitest'
import {
  basic,
  createApplication,
  expectRefusal,
  createTokenForm,
  GRANT,
  post,
  RETRY_AFTER_SECONDS,
  type ClientCredentials,
} from '../../support/http.js'
import { onEveryPlatform } from '../../support/platform.js'
import { TOKEN, type KnownApplication, expectToken } from './token-requests.js'

describe('The failedAuthentication limit (docs/http.md T11, L1)', () => {
  onEveryPlatform(
    (host) => {
      let shop: KnownApplication
      const from = (address: string): { 'X-Forwarded-For': string } => ({ 'X-Forwarded-For': address })
      const fail = (client: ClientCredentials, address: string) =>
        post(host.app, TOKEN, createTokenForm({ ...client, clientSecret: 'wrong' }), from(address))

      beforeAll(async () => {
        host.app.set('trust proxy', true)
        shop = await createApplication(host.auth, ['orders'])
      })

      it('answers 429 too_many_requests with Retry-After, and a right secret still passes', async () => {
        for (let i = 0; i < 3; i++) expect((await fail(shop, '192.0.2.1')).status).toBe(401)
        const refused = await fail(shop, '192.0.2.1')
        expectRefusal(refused, 429, 'too_many_requests', { 'retry-after': RETRY_AFTER_SECONDS })
        expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
        await expectToken(post(host.app, TOKEN, createTokenForm(shop), from('192.0.2.1')))
        await expectToken(post(host.app, TOKEN, createTokenForm(shop), from('192.0.2.9')))
        const Authorization = basic(shop.clientId, shop.clientSecret)
        await expectToken(post(host.app, TOKEN, GRANT, { Authorization, ...from('192.0.2.1') }))
      })

      it('counts per known client', async () => {
        for (let i = 0; i < 4; i++) await fail(shop, '192.0.2.2')
        expect((await fail(await createApplication(host.auth, ['orders']), '192.0.2.2')).status).toBe(401)
      })

      it('counts per address', async () => {
        for (let i = 0; i < 4; i++) await fail(shop, '192.0.2.3')
        expect((await fail(shop, '192.0.2.4')).status).toBe(401)
      })

      it('counts unknown clients of an address together', async () => {
        const statuses = []
        for (const clientId of ['a', 'b', 'c', 'd']) {
          statuses.push((await fail({ clientId, clientSecret: '' }, '192.0.2.5')).status)
        }
        expect(statuses).toEqual([401, 401, 401, 429])
        expect((await fail(shop, '192.0.2.5')).status).toBe(401)
      })

      it('counts failures with the public id and with the key together, and unknown ids as one unknown client', async () => {
        const byId = { ...shop, clientId: shop.id }
        for (let i = 0; i < 3; i++) expect((await fail(i === 1 ? shop : byId, '192.0.2.11')).status).toBe(401)
        for (const client of [byId, shop]) expect((await fail(client, '192.0.2.11')).status).toBe(429)
        await expectToken(post(host.app, TOKEN, createTokenForm(byId), from('192.0.2.11')))

        const deleted = await createApplication(host.auth, ['orders'])
        await host.auth.applications.delete(deleted.id)
        const statuses = []
        for (const clientId of [`app_${'0'.repeat(32)}`, `app_${'1'.repeat(32)}`, 'someone', deleted.id]) {
          statuses.push((await fail({ clientId, clientSecret: '' }, '192.0.2.11')).status)
        }
        expect(statuses).toEqual([401, 401, 401, 429])
      })

      it('counts per /64 network of an IPv6 address, in every notation', async () => {
        const notations = [
          '2001:db8:1:2::1',
          '2001:DB8:1:2:ffff::',
          '2001:0db8:0001:0002:0:0:0:9',
          '2001:db8:1:2::a%eth0',
        ]
        const statuses = []
        for (const address of notations) statuses.push((await fail(shop, address)).status)
        expect(statuses).toEqual([401, 401, 401, 429])
        expect((await fail(shop, '2001:db8:1:3::1')).status).toBe(401)
      })

      it('counts at every endpoint that authenticates clients', async () => {
        const wrong = createTokenForm({ ...shop, clientSecret: 'wrong' }, { token: 'x' })
        for (let i = 0; i < 3; i++)
          expect((await post(host.app, '/orders/revoke', wrong, from('192.0.2.8'))).status).toBe(401)
        const refused = await post(host.app, '/orders/introspect', wrong, from('192.0.2.8'))
        expectRefusal(refused, 429, 'too_many_requests', { 'retry-after': RETRY_AFTER_SECONDS })
      })

      it('does not count requests without credentials, and malformed ones', async () => {
        for (let i = 0; i < 5; i++) await post(host.app, TOKEN, GRANT, from('192.0.2.10'))
        for (let i = 0; i < 5; i++) {
          await post(host.app, TOKEN, GRANT, { Authorization: 'Basic !', ...from('192.0.2.10') })
        }
        expect((await fail({ clientId: 'a', clientSecret: '' }, '192.0.2.10')).status).toBe(401)
      })
    },
    { rateLimits: { failedAuthentication: { limit: 3, window: 60 } } },
  )
})

describe('The default failedAuthentication limit', () => {
  onEveryPlatform((host) => {
    it('is 20 in 60 seconds', async () => {
      const wrong = { ...GRANT, client_id: 'a', client_secret: 'b' }
      const statuses = []
      for (let i = 0; i < 21; i++) statuses.push((await post(host.app, TOKEN, wrong)).status)
      expect(statuses).toEqual([...Array<number>(20).fill(401), 429])
    })

    it('counts by the peer address, not by X-Forwarded-For, if the host trusts no proxy', async () => {
      const wrong = { ...GRANT, client_id: 'a', client_secret: 'b' }
      expect((await post(host.app, TOKEN, wrong, { 'X-Forwarded-For': '192.0.2.77' })).status).toBe(429)
    })
  })
})

describe('The tokenRequests limit (docs/http.md T16)', () => {
  onEveryPlatform(
    (host) => {
      it('answers 429 too_many_requests with Retry-After, per application and API', async () => {
        const shop = await createApplication(host.auth, ['orders', 'invoices'])
        await expectToken(post(host.app, TOKEN, createTokenForm(shop)))
        await expectToken(post(host.app, TOKEN, createTokenForm(shop)))
        const refused = await post(host.app, TOKEN, createTokenForm(shop))
        expectRefusal(refused, 429, 'too_many_requests', { 'retry-after': RETRY_AFTER_SECONDS })
        await expectToken(post(host.app, '/invoices/token', createTokenForm(shop)))
        await expectToken(post(host.app, TOKEN, createTokenForm(await createApplication(host.auth, ['orders']))))
      })

      it('is checked last, and does not count refused requests', async () => {
        const shop = await createApplication(host.auth, ['orders'])
        for (let i = 0; i < 3; i++) {
          expectRefusal(await post(host.app, TOKEN, createTokenForm(shop, { scope: 'x' })), 400, 'invalid_scope')
          expectRefusal(await post(host.app, TOKEN, createTokenForm(shop, { resource: 'x' })), 400, 'invalid_target')
        }
        await expectToken(post(host.app, TOKEN, createTokenForm(shop)))
        await expectToken(post(host.app, TOKEN, createTokenForm(shop)))
        expectRefusal(await post(host.app, TOKEN, createTokenForm(shop, { resource: 'x' })), 400, 'invalid_target')
        expect((await post(host.app, TOKEN, createTokenForm(shop))).status).toBe(429)
      })
    },
    { rateLimits: { tokenRequests: { limit: 2, window: 60 } } },
  )
})
