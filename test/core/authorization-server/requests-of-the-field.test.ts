import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basic, createApplication, createTokenForm, expectRefusal, GRANT, post } from '../../support/http.js'
import { onEveryPlatform, openPlatform } from '../../support/platform.js'
import { expectToken, TOKEN, type KnownApplication } from './token-requests.js'

/** docs/http.md T8, T15, T30: what libraries and people really send. */
describe('The token endpoint takes', () => {
  onEveryPlatform((host) => {
    let shop: KnownApplication
    beforeAll(async () => {
      shop = await createApplication(host.auth, { orders: {} })
    })

    it.each(['\n', '\r\n', ' ', '\t'])(
      'a pasted secret with %j behind it, in the form and in Basic',
      async (surplus) => {
        const pasted = { ...shop, clientSecret: `${shop.clientSecret}${surplus}` }
        await expectToken(post(host.app, TOKEN, createTokenForm(pasted)))
        if (surplus !== '\t')
          await expectToken(post(host.app, TOKEN, GRANT, { Authorization: basic(shop.clientId, pasted.clientSecret) }))
      },
    )

    it.each([' ', '\n'])('a pasted id with %j around it', async (surplus) => {
      await expectToken(
        post(host.app, TOKEN, createTokenForm({ ...shop, clientId: `${surplus}${shop.clientId}${surplus}` })),
      )
    })

    it.each(['Basic', 'Basic ', 'Basic Og==', 'basic Og=='])(
      'the header %j as none, beside a secret in the form',
      async (Authorization) => {
        await expectToken(post(host.app, TOKEN, createTokenForm(shop), { Authorization }))
      },
    )

    it.each(['staging:password', 'x:', ':x'])('no Basic pair %s beside a secret in the form', async (pair) => {
      const Authorization = `Basic ${Buffer.from(pair).toString('base64')}`
      const refused = await post(host.app, TOKEN, createTokenForm(shop), { Authorization })
      expectRefusal(refused, 400, 'invalid_request')
      expect((refused.body as { error_description: string }).error_description).toContain('Authorization header')
    })

    it('the identifier of the API with a slash at its end as `resource`', async () => {
      const resource = 'https://api.example.com/orders/'
      await expectToken(post(host.app, TOKEN, createTokenForm(shop, { resource })))
      expectRefusal(
        await post(host.app, TOKEN, createTokenForm(shop, { resource: `${resource}/` })),
        400,
        'invalid_target',
      )
    })

    it.each([
      'application/x-www-form-urlencoded; charset="UTF-8"',
      'application/x-www-form-urlencoded;charset=utf8;boundary=x',
      'Application/X-WWW-Form-Urlencoded ; q=1',
    ])('the media type %s', async (type) => {
      await expectToken(post(host.app, TOKEN, createTokenForm(shop), { 'Content-Type': type }))
    })
  })
})

it('counts all readings of one request as one failed authentication', async () => {
  const { auth } = openPlatform({ rateLimits: { failedAuthentication: { limit: 3, window: 60 } } })
  afterAll(() => auth.close())
  const app = express().use(auth.router)
  const Authorization = basic('shop', 'a%3Ab%20c+ ')
  for (let count = 0; count < 3; count++) expect((await post(app, TOKEN, GRANT, { Authorization })).status).toBe(401)
  expect((await post(app, TOKEN, GRANT, { Authorization })).status).toBe(429)
})
