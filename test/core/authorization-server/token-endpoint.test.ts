import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  accessToken,
  basic,
  createApplication,
  encodedBasic,
  createTokenForm,
  GRANT,
  post,
} from '../../support/http.js'
import { onEveryPlatform } from '../../support/platform.js'
import {
  TOKEN,
  FORM,
  BOTH,
  type KnownApplication,
  UNLIMITED,
  whole,
  expectToken,
  encode,
  escapeAll,
  escapeUnderscores,
} from './token-requests.js'

describe('POST /{api}/token answers 200 (docs/http.md T19 to T24)', () => {
  onEveryPlatform((host) => {
    let shop: KnownApplication

    beforeAll(async () => {
      shop = await createApplication(host.auth, { orders: {}, invoices: {} })
    })

    it('T19: with exactly access_token, token_type, expires_in and scope', async () => {
      const answer = await post(host.app, TOKEN, createTokenForm(shop)).then(whole)
      expect(answer.status).toBe(200)
      expect(Object.keys(answer.body)).toEqual(['access_token', 'token_type', 'expires_in', 'scope'])
      expect(answer.body).toEqual({
        access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) as string,
        token_type: 'bearer',
        expires_in: 3600,
        scope: BOTH,
      })
    })

    it('T19: with exactly these headers', async () => {
      const answer = await post(host.app, TOKEN, createTokenForm(shop)).then(whole)
      expect(answer.headers).toEqual({
        'content-type': 'application/json; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        pragma: 'no-cache',
        'content-length': String(answer.text.length),
        date: expect.any(String) as string,
        connection: 'close',
      })
    })

    it('T20: without scope and null at an API without scopes', async () => {
      const { body, text } = await post(host.app, '/invoices/token', createTokenForm(shop)).then(whole)
      expect(Object.keys(body)).toEqual(['access_token', 'token_type', 'expires_in'])
      expect(text).not.toContain('null')
    })

    it('T20: without scope to an application that has no scope there', async () => {
      const unscoped = await createApplication(host.auth, { orders: { scopes: [] } })
      const { status, body } = await post(host.app, TOKEN, createTokenForm(unscoped)).then(whole)
      expect({ status, members: Object.keys(body) }).toEqual({
        status: 200,
        members: ['access_token', 'token_type', 'expires_in'],
      })
    })

    it.each(['text/html', 'application/xml;q=0.9, text/plain', 'image/gif, */*; q=.2'])(
      'C1: in JSON to a client that accepts %s',
      async (Accept) => {
        const { status, headers } = await post(host.app, TOKEN, createTokenForm(shop), { Accept })
        expect({ status, type: headers['content-type'] }).toEqual({
          status: 200,
          type: 'application/json; charset=utf-8',
        })
      },
    )

    it.each([
      ['raw', basic],
      ['form-encoded', encodedBasic],
    ])('to Basic credentials, %s', async (_, spell) => {
      await expectToken(post(host.app, TOKEN, GRANT, { Authorization: spell(shop.clientId, shop.clientSecret) }))
    })

    it.each([
      ['the key percent-encoded to the last character', (text: string) => escapeAll(text), (text: string) => text],
      ['the secret percent-encoded to the last character', (text: string) => text, (text: string) => escapeAll(text)],
      ['both percent-encoded in lower case', escapeAll, (text: string) => escapeAll(text).toLowerCase()],
      ['_ escaped alone, as openid-client does', (text: string) => text.replaceAll('_', '%5F'), escapeUnderscores],
    ])('to Basic with %s', async (_, spellId, spellSecret) => {
      const Authorization = basic(spellId(shop.clientId), spellSecret(shop.clientSecret))
      await expectToken(post(host.app, TOKEN, GRANT, { Authorization }))
    })

    it.each(['basic', 'BASIC', 'bAsIc'])('to the scheme %s', async (scheme) => {
      const Authorization = basic(shop.clientId, shop.clientSecret).replace('Basic', scheme)
      await expectToken(post(host.app, TOKEN, GRANT, { Authorization }))
    })

    it('to Basic with the same client_id in the body', async () => {
      const form = { ...GRANT, client_id: shop.clientId }
      await expectToken(post(host.app, TOKEN, form, { Authorization: basic(shop.clientId, shop.clientSecret) }))
      const Authorization = basic(escapeUnderscores(shop.clientId), shop.clientSecret)
      await expectToken(post(host.app, TOKEN, form, { Authorization }))
    })

    it('T21: to Basic with an empty client_secret in the body', async () => {
      const Authorization = basic(shop.clientId, shop.clientSecret)
      await expectToken(post(host.app, TOKEN, { ...GRANT, client_secret: '' }, { Authorization }))
    })

    it.each(['Bearer abc', 'Digest username="x"', 'Negotiate', ''])(
      'to credentials in the body beside Authorization: %s',
      async (Authorization) => {
        await expectToken(post(host.app, TOKEN, createTokenForm(shop), { Authorization }))
      },
    )

    it('to the media type in capitals', async () => {
      await expectToken(post(host.app, TOKEN, createTokenForm(shop), { 'Content-Type': FORM.toUpperCase() }))
    })

    it('T21: to a request with unknown parameters in the body and in the query string', async () => {
      const form = `${encode(createTokenForm(shop))}&audience=x&audience=y&code=&__proto__=1&constructor=2`
      await expectToken(post(host.app, `${TOKEN}?tenant=a&tenant=b&grant_type=password`, form))
    })

    it.each([
      ['all scopes of the application if none is requested', {}, BOTH],
      ['all scopes of the application if an empty scope is requested', { scope: '' }, BOTH],
      ['the requested scopes', { scope: 'orders:write' }, 'orders:write'],
      ['the scopes in the requested order', { scope: 'orders:write orders:read' }, 'orders:write orders:read'],
      ['one scope if it is requested twice', { scope: 'orders:read orders:read' }, 'orders:read'],
    ])('with %s', async (_, more, scope) => {
      const { status, body } = await post(host.app, TOKEN, createTokenForm(shop, more)).then(whole)
      expect({ status, scope: body['scope'] }).toEqual({ status: 200, scope })
    })

    it('T14, T20: with those of the requested scopes that the application was granted, and names them', async () => {
      const reader = await createApplication(host.auth, { orders: { scopes: ['orders:read'] } })
      for (const scope of [BOTH, 'orders:write orders:read', 'orders:write orders:read orders:read']) {
        const { status, body } = await post(host.app, TOKEN, createTokenForm(reader, { scope })).then(whole)
        expect({ status, scope: body['scope'] }).toEqual({ status: 200, scope: 'orders:read' })
        expect(decodeJwt(body['access_token'] as string)).toMatchObject({ scope: 'orders:read' })
      }
    })

    it("T25: to the application's public id instead of its key", async () => {
      const { id, clientSecret } = shop
      for (const [form, headers] of [
        [createTokenForm({ clientId: id, clientSecret }), {}],
        [GRANT, { Authorization: basic(id, clientSecret) }],
        [GRANT, { Authorization: encodedBasic(id, clientSecret) }],
        [GRANT, { Authorization: basic(escapeUnderscores(id), escapeUnderscores(clientSecret)) }],
        [{ ...GRANT, client_id: id }, { Authorization: basic(id, clientSecret) }],
      ] as const) {
        const { status, body } = await post(host.app, TOKEN, form, headers).then(whole)
        expect({ status, scope: body['scope'] }).toEqual({ status: 200, scope: BOTH })
        expect(decodeJwt(body['access_token'] as string)).toMatchObject({ sub: id, client_id: id })
      }
    })

    it('T25: to the public id after the key was rotated, and to the secret that replaced the first', async () => {
      const client = await createApplication(host.auth, ['orders'])
      const { auth } = host
      await auth.applications.rotateKey(client.id, { overlap: 0 })
      await expectToken(post(host.app, TOKEN, createTokenForm({ ...client, clientId: client.id })))
      const { credentials } = await auth.applications.rotateSecret(client.id, { overlap: 0 })
      const clientSecret = credentials.clientSecret ?? ''
      await expectToken(post(host.app, TOKEN, createTokenForm({ clientId: client.id, clientSecret })))
      expect((await post(host.app, TOKEN, createTokenForm({ ...client, clientId: client.id }))).status).toBe(401)
    })

    it('to the resource identifier of the API', async () => {
      await expectToken(post(host.app, TOKEN, createTokenForm(shop, { resource: 'https://api.example.com/orders' })))
      await expectToken(post(host.app, TOKEN, createTokenForm(shop, { resource: '' })))
    })

    it('with a different access token each time', async () => {
      const tokens = await Promise.all(Array.from({ length: 5 }, () => accessToken(host.app, 'orders', shop)))
      expect(new Set(tokens).size).toBe(5)
    })
  }, UNLIMITED)
})
