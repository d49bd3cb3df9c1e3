import express from 'express'
import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { accessToken, basic, createApplication, expectRefusal, createTokenForm, post } from '../../support/http.js'
import { onEveryPlatform, STORES, usePlatform } from '../../support/platform.js'
import { timeBound } from '../../support/time-bound.js'
import { waitUntil } from '../../support/wait-until.js'
import { request } from '../../support/request.js'
import { atEnd } from '../../support/at-end.js'

type Known = Awaited<ReturnType<typeof createApplication>>

/** What `trim()` removes, and more. */
const WHITE_SPACE = [' ', '\t', '\n', '\r\n', '\u00a0', '\ufeff', ' x', '\0']

const CHALLENGE = { 'www-authenticate': 'Basic realm="orders", charset="UTF-8", error="invalid_client"' }

describe('Introspection (RFC 7662) and revocation (RFC 7009) of access tokens (docs/http.md I1 to I9)', () => {
  onEveryPlatform(
    (host) => {
      let shop: Known
      let other: Known
      const introspect = async (client: Known, token: string, api = 'orders'): Promise<Record<string, unknown>> => {
        const { status, body } = await post(host.app, `/${api}/introspect`, createTokenForm(client, { token }))
        expect(status).toBe(200)
        return body as Record<string, unknown>
      }
      const revoke = (client: Known, token: string, api = 'orders') =>
        post(host.app, `/${api}/revoke`, createTokenForm(client, { token }))
      const call = async (token: string, api = 'orders'): Promise<number> =>
        (await request(host.app).get(`/${api}/items`).set('Authorization', `Bearer ${token}`)).status

      beforeAll(async () => {
        for (const api of ['orders', 'invoices'] as const) {
          host.app.get(`/${api}/items`, host.auth.requireBearer(api), (_req, res) => void res.end())
        }
        shop = await createApplication(host.auth, ['orders', 'invoices'])
        other = await createApplication(host.auth, ['orders'])
      })

      describe.each(['introspect', 'revoke'])('POST /{api}/%s', (endpoint) => {
        const path = `/orders/${endpoint}`

        it('I1, I2, I3: answers a missing, empty or repeated token, one in the query string, and JSON with 400 invalid_request', async () => {
          const form = createTokenForm(shop, { token: 'x' })
          const encoded = new URLSearchParams(form).toString()
          for (const answer of [
            await post(host.app, path, createTokenForm(shop)),
            await post(host.app, path, createTokenForm(shop, { token: '' })),
            await post(host.app, path, `${encoded}&token=x`),
            await post(host.app, `${path}?token=x`, encoded),
            await post(host.app, `${path}?client_secret=x`, encoded),
            await request(host.app).post(path).send(form),
          ])
            expectRefusal(answer, 400, 'invalid_request')
        })

        it('I4: takes the public id as client_id, and answers wrong, missing and doubled credentials and a bearer token', async () => {
          const token = await accessToken(host.app, 'orders', { ...shop, clientId: shop.id })
          for (const headers of [
            {},
            { Authorization: `Bearer ${token}` },
            { Authorization: basic(shop.clientId, other.clientSecret) },
          ])
            expectRefusal(await post(host.app, path, { token }, headers), 401, 'invalid_client', CHALLENGE)
          const Authorization = basic(shop.clientId, shop.clientSecret)
          const twice = await post(host.app, path, createTokenForm(shop, { token }), { Authorization })
          expectRefusal(twice, 400, 'invalid_request')
          expect(await call(token)).toBe(200)
          const byId = await post(host.app, path, createTokenForm({ ...shop, clientId: shop.id }, { token }))
          expect([byId.status, byId.text.includes('"active":true')]).toEqual([200, endpoint === 'introspect'])
          expect(await call(token)).toBe(endpoint === 'introspect' ? 200 : 401)
        })
      })

      it('I6: answers the claims of a valid token of the client, and active: true', async () => {
        const token = await accessToken(host.app, 'orders', shop, { scope: 'orders:write' })
        const { iat, exp, jti } = decodeJwt(token)
        expect(await introspect(shop, token)).toEqual({
          active: true,
          token_type: 'bearer',
          iss: 'https://api.example.com/orders',
          aud: 'https://api.example.com/orders',
          sub: shop.id,
          client_id: shop.id,
          iat,
          exp,
          jti,
          scope: 'orders:write',
        })
      })

      it('I6: has no scope if the token has none, and no null', async () => {
        const answer = await introspect(shop, await accessToken(host.app, 'invoices', shop), 'invoices')
        expect(answer).toMatchObject({ active: true, sub: shop.id })
        expect(answer).not.toHaveProperty('scope')
        expect(Object.values(answer)).not.toContain(null)
      })

      it('C1, C3: answers JSON with no-store and nosniff', async () => {
        const { headers } = await post(host.app, '/orders/introspect', createTokenForm(shop, { token: 'x' }))
        expect(headers).toMatchObject({
          'content-type': 'application/json; charset=utf-8',
          'x-content-type-options': 'nosniff',
          'cache-control': 'no-store',
        })
      })

      it('I7: answers exactly {"active":false} for every other token', async () => {
        const revoked = await accessToken(host.app, 'orders', shop)
        await post(host.app, '/orders/revoke', createTokenForm(shop, { token: revoked }))
        const good = await accessToken(host.app, 'orders', shop)
        const tokenOfAnother = await accessToken(host.app, 'orders', other)
        const tokenForAnotherApi = await accessToken(host.app, 'invoices', shop)
        const presented = {
          nonsense: 'x',
          revoked,
          tokenOfAnother,
          tokenForAnotherApi,
          changed: `${good}A`,
          ...Object.fromEntries(
            WHITE_SPACE.flatMap((space) => [
              [`before ${space}`, space + good],
              [`after ${space}`, good + space],
            ]),
          ),
        }
        for (const [what, token] of Object.entries(presented)) {
          const { status, text } = await post(host.app, '/orders/introspect', createTokenForm(shop, { token }))
          expect({ what, status, text }).toEqual({ what, status: 200, text: '{"active":false}' })
        }
        expect(await introspect(shop, good)).toMatchObject({ active: true })
      })

      it('I7: answers {"active":false} when the token has expired, and not before', async () => {
        const token = await accessToken(host.app, 'orders', shop)
        host.clock.advance(3600)
        expect(await introspect(shop, token)).toMatchObject({ active: true })
        host.clock.advance(5)
        expect(await introspect(shop, token)).toEqual({ active: false })
      })

      it('I7: answers {"active":false} after revokeTokens, and after disallow until allow', async () => {
        const client = await createApplication(host.auth, ['orders'])
        const first = await accessToken(host.app, 'orders', client)
        await host.auth.applications.revokeTokens(client.id)
        expect(await introspect(client, first)).toEqual({ active: false })
        const second = await accessToken(host.app, 'orders', client)
        expect(await introspect(client, second)).toMatchObject({ active: true })
        await host.auth.applications.disallow(client.id, 'orders')
        expect(await introspect(client, second)).toEqual({ active: false })
        await host.auth.applications.allow(client.id, 'orders')
        expect(await introspect(client, second)).toMatchObject({ active: true })
      })

      it("I6: answers the token's scopes that are still granted", async () => {
        const client = await createApplication(host.auth, ['orders'])
        const token = await accessToken(host.app, 'orders', client)
        await host.auth.applications.allow(client.id, 'orders', { scopes: ['orders:write'] })
        expect(await introspect(client, token)).toMatchObject({ active: true, scope: 'orders:write' })
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

      it('accepts Basic, and any token_type_hint', async () => {
        const Authorization = basic(shop.clientId, shop.clientSecret)
        for (const token_type_hint of ['access_token', 'refresh_token', 'nonsense', '']) {
          const token = await accessToken(host.app, 'orders', shop)
          const answer = await post(host.app, '/orders/revoke', { token, token_type_hint }, { Authorization })
          expect(answer.status).toBe(200)
          expect(await call(token)).toBe(401)
        }
      })

      it('I9: answers 200 without effect for a token of another application, and of another API', async () => {
        const token = await accessToken(host.app, 'orders', shop)
        const elsewhere = await accessToken(host.app, 'invoices', shop)
        expect([(await revoke(other, token)).status, (await revoke(shop, elsewhere)).status]).toEqual([200, 200])
        expect([await call(token), await call(elsewhere, 'invoices')]).toEqual([200, 200])
      })

      it('I9: answers 200 without effect for a token with white space around it', async () => {
        const token = await accessToken(host.app, 'orders', shop)
        for (const spaced of [` ${token}`, `${token} `, `${token}\t`, `${token}\n`, `\r\n${token}`, `\u00a0${token}`]) {
          expect((await revoke(shop, spaced)).status).toBe(200)
          expect(await call(token)).toBe(200)
        }
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
    },
    { rateLimits: { failedAuthentication: false } },
  )
})

describe.each(Object.entries(STORES))('A revocation, with the %s store,', (_, openStore) => {
  it('applies in another process of the same store within a second, and after a restart', async () => {
    const { store, remove } = await openStore()
    atEnd(remove)
    const [here, there] = [usePlatform({ store }).auth, usePlatform({ store }).auth]
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

    const later = usePlatform({ store }).auth
    await expect(later.verifyAccessToken('orders', token)).rejects.toMatchObject({ code: 'invalid_token' })
  })
})
