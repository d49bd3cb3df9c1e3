import express from 'express'
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { basic, createApplication, createTokenForm, exchange, expectRefusal, GRANT, post } from '../../support/http.js'
import { onEveryPlatform, openPlatform } from '../../support/platform.js'
import { BOTH, CHALLENGE, encode, expectToken, FORM, TOKEN, type KnownApplication } from './token-requests.js'

const description = (answer: { body: unknown }): string =>
  (answer.body as { error_description: string }).error_description

describe('Token requests as libraries send them (docs/http.md T2, T8, T14, T15, T30)', () => {
  onEveryPlatform((host) => {
    let shop: KnownApplication

    beforeAll(async () => {
      shop = await createApplication(host.auth, ['orders'])
    })

    it.each([
      "; charset='utf-8'",
      '; charset=utf8',
      ' ;  CHARSET=utf-8',
      '; foo=bar',
      '; charset = UTF-8',
      '; charset=UTF-8;',
      ';;charset=utf-8',
      '; boundary="a;charset=utf-16"',
      '; q="\\";charset=x"; charset="utf-8"',
    ])(`the Content-Type ${FORM}%s gets an access token`, async (parameters) => {
      await expectToken(post(host.app, TOKEN, createTokenForm(shop), { 'Content-Type': FORM + parameters }))
    })

    it('T2: the refusal of another charset names it', async () => {
      for (const charset of ['iso-8859-1', '"UTF-16"', '=UTF-16']) {
        const type = `${FORM}; charset${charset.startsWith('=') ? ' = UTF-16' : `=${charset}`}`
        const answer = await post(host.app, TOKEN, createTokenForm(shop), { 'Content-Type': type })
        expectRefusal(answer, 400, 'invalid_request')
        expect(description(answer)).toMatch(/charset.*UTF-8, not (?:iso-8859-1|utf-16)/)
      }
    })

    it.each([
      ['between two scopes', 'orders:read  orders:write'],
      ['at both ends', '  orders:read orders:write '],
    ])('T14: surplus spaces %s do no harm', async (_, scope) => {
      const { status, body } = await post(host.app, TOKEN, createTokenForm(shop, { scope }))
      expect({ status, scope: (body as { scope: string }).scope }).toEqual({ status: 200, scope: BOTH })
    })

    it('T14: the refusal says which of the scopes is wrong, and repeats none', async () => {
      for (const wrong of ['orders:delete', shop.clientSecret, 'a"b']) {
        const answer = await post(host.app, TOKEN, createTokenForm(shop, { scope: `orders:read ${wrong}` }))
        expectRefusal(answer, 400, 'invalid_scope')
        expect(description(answer)).toContain('Scope number 2 is none of this API. There are: orders:read orders:write')
        expect(description(answer)).not.toContain(wrong)
      }
    })

    it('T15: the resource may end with a slash', async () => {
      const resource = 'https://api.example.com/orders/'
      await expectToken(post(host.app, TOKEN, createTokenForm(shop, { resource })))
      for (const other of [`${resource}/`, `${resource}x`, 'https://api.example.com/'])
        expectRefusal(await post(host.app, TOKEN, createTokenForm(shop, { resource: other })), 400, 'invalid_target')
    })

    it.each(['\n', '\r\n', ' ', '\t', '\n\n'])('T30: %j after a pasted key and secret does no harm', async (end) => {
      const { id, clientId, clientSecret } = shop
      await expectToken(post(host.app, TOKEN, createTokenForm({ clientId, clientSecret: clientSecret + end })))
      await expectToken(post(host.app, TOKEN, createTokenForm({ clientId: end + clientId + end, clientSecret })))
      await expectToken(post(host.app, TOKEN, GRANT, { Authorization: basic(clientId, clientSecret + end) }))
      await expectToken(post(host.app, TOKEN, GRANT, { Authorization: basic(id + end, clientSecret + end) }))
      await expectToken(
        post(host.app, TOKEN, GRANT, { Authorization: basic(clientId, encodeURIComponent(clientSecret + end)) }),
      )
      const form = { ...GRANT, client_id: clientId + end }
      await expectToken(post(host.app, TOKEN, form, { Authorization: basic(clientId, clientSecret) }))
    })

    it('T30: a line break in the middle of a secret is refused', async () => {
      const broken = `${shop.clientSecret.slice(0, 20)}\n${shop.clientSecret.slice(20)}`
      const answer = await post(host.app, TOKEN, GRANT, { Authorization: basic(shop.clientId, broken) })
      expectRefusal(answer, 400, 'invalid_request')
      const inForm = createTokenForm({ ...shop, clientSecret: broken })
      expectRefusal(await post(host.app, TOKEN, inForm), 401, 'invalid_client', CHALLENGE)
    })

    it.each(['Basic', 'Basic ', 'basic Og==', 'Basic Og'])(
      'T8: credentials in the form beside the empty header "%s" get an access token',
      async (Authorization) => {
        await expectToken(post(host.app, TOKEN, createTokenForm(shop), { Authorization }))
      },
    )

    it('T9: an empty pair alone counts as no credentials', async () => {
      expectRefusal(
        await post(host.app, TOKEN, GRANT, { Authorization: 'Basic Og==' }),
        401,
        'invalid_client',
        CHALLENGE,
      )
    })

    it.each([
      ['of a proxy in front', basic('staging', 'password')],
      ['without a password', basic('staging', '')],
      ['without a user', basic('', 'password')],
      ['that cannot be decoded', 'Basic !!!!'],
    ])(
      'T8: a secret in the form beside a Basic header %s is refused, and the text names the header',
      async (_, Authorization) => {
        const answer = await post(host.app, TOKEN, createTokenForm(shop), { Authorization })
        expectRefusal(answer, 400, 'invalid_request')
        expect(description(answer)).toMatch(/Authorization header/)
      },
    )

    it('T22: the same after express.urlencoded() has read the body', async () => {
      const body = encode(
        createTokenForm({ ...shop, clientSecret: `${shop.clientSecret}\n` }, { scope: ' orders:read' }),
      )
      const head = [
        `POST ${TOKEN} HTTP/1.1`,
        `Content-Type: ${FORM}`,
        `Content-Length: ${body.length}`,
        'Authorization: Basic Og==',
      ]
      expect((await exchange(host.app, head, body)).status).toBe(200)
    })
  })
})

describe('Secrets that another system issued (docs/http.md T30)', () => {
  it.each(['p@ss:w/rd+100%25 & =~', 'a%3Ab+c', 'x+y/z==', 'with a space at the end '])(
    'an imported secret %j is found in every spelling of Basic and in the form',
    async (clientSecret) => {
      const { auth } = openPlatform({ imports: true })
      const app = express().use(auth.router)
      const clientId = 'special+client%41'
      const sha256 = createHash('sha256').update(clientSecret).digest('hex')
      const line = { externalId: '1', name: 'Special', apis: ['orders'], clientId, secrets: [{ sha256 }] } as const
      expect(await auth.imports.run([line] as never, { confirm: true })).toMatchObject({ refused: 0 })
      const colons = (text: string): string => text.replaceAll(':', '%3A')
      const form = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
      for (const spell of [(text: string) => text, colons, form]) {
        const Authorization = basic(spell(clientId), spell(clientSecret))
        await expectToken(post(app, TOKEN, GRANT, { Authorization }))
      }
      await expectToken(post(app, TOKEN, createTokenForm({ clientId, clientSecret })))
    },
  )

  it('all readings of a wrong secret count as one failure', async () => {
    const { auth } = openPlatform({ rateLimits: { failedAuthentication: { limit: 3, window: 60 } } })
    const app = express().use(auth.router)
    const shop = await createApplication(auth, ['orders'])
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) {
      const Authorization = basic(shop.clientId, 'a+b%3Ac%20 \n')
      statuses.push((await post(app, TOKEN, GRANT, { Authorization })).status)
    }
    expect(statuses).toEqual([401, 401, 401, 429])
  })
})
