import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessToken, basic, createApplication, expectRefusal, createTokenForm, post } from '../../support/http.js'
import { onEveryPlatform, openPlatform, STORES } from '../../support/platform.js'
import { timeBound } from '../../support/time-bound.js'
import { waitUntil } from '../../support/wait-until.js'
import { request } from '../../support/request.js'

type Known = Awaited<ReturnType<typeof createApplication>>

const CHALLENGE = { 'www-authenticate': 'Basic realm="orders", charset="UTF-8", error="invalid_client"' }

describe('POST /{api}/revoke (RFC 7009, docs/http.md I1 to I4, I8 and I9)', () => {
  onEveryPlatform(
    (host) => {
      let shop: Known
      let other: Known
      const revoke = (client: Known, token: string, api = 'orders', more: object = {}) =>
        post(host.app, `/${api}/revoke`, {
          token,
          client_id: client.clientId,
          client_secret: client.clientSecret,
          ...more,
        })
      const call = async (token: string, api = 'orders'): Promise<number> =>
        (await request(host.app).get(`/${api}/items`).set('Authorization', `Bearer ${token}`)).status

      beforeAll(async () => {
        for (const api of ['orders', 'invoices'] as const) {
          host.app.get(`/${api}/items`, host.auth.requireBearer(api), (_req, res) => void res.end())
        }
        shop = await createApplication(host.auth, ['orders', 'invoices'])
        other = await createApplication(host.auth, ['orders'])
      })

      it('I8: answers 200 with an empty body and no-store', async () => {
        const token = await accessToken(host.app, 'orders', shop)
        const { status, text, headers } = await revoke(shop, token)
        expect({ status, text }).toEqual({ status: 200, text: '' })
        expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-length': '0' })
        expect(headers).not.toHaveProperty('content-type')
      })

      it('I8: makes guards refuse this access token from the next request on, and no other', async () => {
        const [one, two] = [await accessToken(host.app, 'orders', shop), await accessToken(host.app, 'orders', shop)]
        expect(await call(one)).toBe(200)
        await revoke(shop, one)
        expect(await call(one)).toBe(401)
        expect(await call(two)).toBe(200)
        await expect(host.auth.verifyAccessToken('orders', one)).rejects.toMatchObject({ code: 'invalid_token' })
      })

      it('I4, I8: accepts the public id of the application as client_id', async () => {
        const token = await accessToken(host.app, 'orders', shop)
        expect((await revoke({ ...shop, clientId: shop.id }, token)).status).toBe(200)
        expect(await call(token)).toBe(401)
      })

      it('accepts Basic, and any token_type_hint', async () => {
        const Authorization = basic(shop.clientId, shop.clientSecret)
        for (const token_type_hint of ['access_token', 'refresh_token', 'nonsense', '']) {
          const token = await accessToken(host.app, 'orders', shop)
          const answer = await post(host.app, '/orders/revoke', { token, token_type_hint }, { Authorization })
          expect(answer.status).toBe(200)
          expect(await call(token)).toBe(401)
        }
      })

      it('I9: answers 200 without effect for a token of another application', async () => {
        const token = await accessToken(host.app, 'orders', shop)
        expect((await revoke(other, token)).status).toBe(200)
        expect(await call(token)).toBe(200)
      })

      it('I9: answers 200 without effect for a token with white space around it', async () => {
        const token = await accessToken(host.app, 'orders', shop)
        for (const spaced of [` ${token}`, `${token} `, `${token}\t`, `${token}\n`, `\r\n${token}`, `\u00a0${token}`]) {
          expect((await revoke(shop, spaced)).status).toBe(200)
          expect(await call(token)).toBe(200)
        }
      })

      it('I9: answers 200 without effect for a token of another API', async () => {
        const token = await accessToken(host.app, 'invoices', shop)
        expect((await revoke(shop, token)).status).toBe(200)
        expect(await call(token, 'invoices')).toBe(200)
      })

      it('I9: answers 200 without effect for malformed, expired and revoked tokens', async () => {
        const token = await accessToken(host.app, 'orders', shop)
        await revoke(shop, token)
        const expired = await accessToken(host.app, 'orders', shop)
        host.clock.advance(3700)
        for (const each of ['nonsense', 'a.b.c', ' ', 'x'.repeat(10_000), token, expired]) {
          const { status, text } = await revoke(shop, each)
          expect({ status, text }).toEqual({ status: 200, text: '' })
        }
      })

      it('I9: answers 200 to an application that may not use the API', async () => {
        expect((await revoke(other, 'x', 'invoices')).status).toBe(200)
      })

      it('emits token.revoked once, with the API and the application', async () => {
        const seen: object[] = []
        host.auth.events.on('token.revoked', (event) => void seen.push(event))
        const token = await accessToken(host.app, 'orders', shop)
        await revoke(other, token)
        await revoke(shop, token)
        await revoke(shop, token)
        expect(seen).toEqual([
          expect.objectContaining({ type: 'token.revoked', api: 'orders', applicationId: shop.id }) as object,
        ])
      })

      it('I2: answers a missing or empty token with 400 invalid_request', async () => {
        expectRefusal(await post(host.app, '/orders/revoke', createTokenForm(shop)), 400, 'invalid_request')
        expectRefusal(
          await post(host.app, '/orders/revoke', createTokenForm(shop, { token: '' })),
          400,
          'invalid_request',
        )
      })

      it('I1, I3: answers a repeated token, and one in the query string, with 400 invalid_request', async () => {
        const form = new URLSearchParams(createTokenForm(shop, { token: 'x' })).toString()
        expectRefusal(await post(host.app, '/orders/revoke', `${form}&token=x`), 400, 'invalid_request')
        expectRefusal(await post(host.app, '/orders/revoke?token=x', form), 400, 'invalid_request')
        expectRefusal(await post(host.app, '/orders/revoke?client_secret=x', form), 400, 'invalid_request')
      })

      it('I4: answers wrong and missing credentials with 401 invalid_client, and revokes nothing', async () => {
        const token = await accessToken(host.app, 'orders', shop)
        const wrong = await revoke({ ...shop, clientSecret: other.clientSecret }, token)
        expectRefusal(wrong, 401, 'invalid_client', CHALLENGE)
        expectRefusal(await post(host.app, '/orders/revoke', { token }), 401, 'invalid_client', CHALLENGE)
        expect(await call(token)).toBe(200)
      })

      it('I1, I4: answers another media type, and credentials sent twice, with 400 invalid_request', async () => {
        const json = await request(host.app)
          .post('/orders/revoke')
          .send(createTokenForm(shop, { token: 'x' }))
        expectRefusal(json, 400, 'invalid_request')
        const Authorization = basic(shop.clientId, shop.clientSecret)
        const twice = await post(host.app, '/orders/revoke', createTokenForm(shop, { token: 'x' }), { Authorization })
        expectRefusal(twice, 400, 'invalid_request')
      })
    },
    { rateLimits: { failedAuthentication: false } },
  )
})

describe.each(Object.entries(STORES))('A revocation, with the %s store,', (_, openStore) => {
  const closing: (() => Promise<void>)[] = []
  afterAll(async () => {
    for (const close of closing) await close()
  })

  it('applies in another process of the same store within a second, and after a restart', async () => {
    const { store, remove } = await openStore()
    const [here, there] = [openPlatform({ store }).auth, openPlatform({ store }).auth]
    closing.push(here.close, there.close, remove)
    const { default: express } = await import('express')
    const app = express().use(here.router)
    const shop = await createApplication(here, ['orders'])
    const token = await accessToken(app, 'orders', shop)
    await expect(there.verifyAccessToken('orders', token)).resolves.toMatchObject({ application: { id: shop.id } })

    await post(app, '/orders/revoke', createTokenForm(shop, { token }))
    const isRefused = (): Promise<boolean> =>
      there.verifyAccessToken('orders', token).then(
        () => false,
        () => true,
      )
    expect(await waitUntil(isRefused, { interval: 20 })).toBeLessThan(timeBound(1000))

    const later = openPlatform({ store }).auth
    closing.unshift(later.close)
    await expect(later.verifyAccessToken('orders', token)).rejects.toMatchObject({ code: 'invalid_token' })
  })
})
