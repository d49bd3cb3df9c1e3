import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { accessToken, basic, createApplication, expectRefusal, createTokenForm, post } from '../../support/http.js'
import { onEveryPlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'

type Known = Awaited<ReturnType<typeof createApplication>>

/** What `trim()` removes, and more. */
const WHITE_SPACE = [' ', '\t', '\n', '\r\n', '\u00a0', '\ufeff', ' x', '\0']

const CHALLENGE = { 'www-authenticate': 'Basic realm="orders", charset="UTF-8", error="invalid_client"' }

describe('POST /{api}/introspect (RFC 7662, docs/http.md I1 to I7)', () => {
  onEveryPlatform(
    (host) => {
      let shop: Known
      let other: Known
      const introspect = async (client: Known, token: string, api = 'orders'): Promise<Record<string, unknown>> => {
        const form = { token, client_id: client.clientId, client_secret: client.clientSecret }
        const { status, body } = await post(host.app, `/${api}/introspect`, form)
        expect(status).toBe(200)
        return body as Record<string, unknown>
      }

      beforeAll(async () => {
        shop = await createApplication(host.auth, ['orders', 'invoices'])
        other = await createApplication(host.auth, ['orders'])
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

      it('I4, I6: accepts the public id of the application as client_id', async () => {
        const byId = { ...shop, clientId: shop.id }
        expect(await introspect(byId, await accessToken(host.app, 'orders', shop))).toMatchObject({ active: true })
        expect(await introspect(shop, await accessToken(host.app, 'orders', byId))).toMatchObject({ active: true })
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

      it('I1, I2, I3: answers a missing, empty or repeated token, and one in the query string, with 400 invalid_request', async () => {
        const form = new URLSearchParams(createTokenForm(shop, { token: 'x' })).toString()
        expectRefusal(await post(host.app, '/orders/introspect', createTokenForm(shop)), 400, 'invalid_request')
        expectRefusal(
          await post(host.app, '/orders/introspect', createTokenForm(shop, { token: '' })),
          400,
          'invalid_request',
        )
        expectRefusal(await post(host.app, '/orders/introspect', `${form}&token=y`), 400, 'invalid_request')
        expectRefusal(await post(host.app, '/orders/introspect?token=x', form), 400, 'invalid_request')
        const json = await request(host.app)
          .post('/orders/introspect')
          .send(createTokenForm(shop, { token: 'x' }))
        expectRefusal(json, 400, 'invalid_request')
      })

      it('I4: answers wrong and missing credentials and a bearer token with 401 invalid_client', async () => {
        const token = await accessToken(host.app, 'orders', shop)
        const attempts = [
          post(host.app, '/orders/introspect', { token }),
          post(host.app, '/orders/introspect', { token }, { Authorization: `Bearer ${token}` }),
          post(host.app, '/orders/introspect', { token }, { Authorization: basic(shop.clientId, other.clientSecret) }),
        ]
        for (const answer of await Promise.all(attempts)) expectRefusal(answer, 401, 'invalid_client', CHALLENGE)
      })
    },
    { rateLimits: { failedAuthentication: false } },
  )
})
