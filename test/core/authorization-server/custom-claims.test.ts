import express from 'express'
import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { authOf, StoreUnavailableError, type ApisOptions, type PlatformEvent } from '../../../src/index.js'
import { accessToken, createTokenForm, expectRefusal, post, type ClientCredentials } from '../../support/http.js'
import { usePlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'
import { throwing } from '../../support/throwing.js'

/** Functions that give no claims that a token could have. */
const FAILING: Record<string, () => unknown> = {
  throws: throwing(new Error('the price list is gone')),
  rejects: () => Promise.reject(new StoreUnavailableError('the price list does not answer')),
  undefined: () => undefined,
  text: () => 'gold',
  list: () => ['gold'],
  date: () => ({ since: new Date(0) }),
  bigint: async () => ({ cents: 5n }),
  registered: () => ({ discount: 10, aud: 'https://other.example' }),
  large: () => ({ note: 'x'.repeat(3000) }),
}

const apis = {
  orders: {
    scheme: 'oauth2',
    scopes: { 'orders:read': 'Read orders' },
    claims: ({ id, name, externalId, metadata }) => ({
      caller: [id, name, externalId ?? null],
      discount: (metadata?.['discount'] as number | undefined) ?? 0,
    }),
  },
  invoices: { scheme: 'oauth2' },
  async: { scheme: 'oauth2', claims: async () => ({ tier: 'gold' }) },
  empty: { scheme: 'oauth2', claims: () => ({}) },
  largest: { scheme: 'oauth2', claims: () => ({ note: 'x'.repeat(2037) }) },
  greedy: {
    scheme: 'oauth2',
    claims: ({ metadata }) => {
      Object.assign(metadata ?? {}, { discount: 99 })
      return { discount: 99 }
    },
  },
  ...Object.fromEntries(
    Object.entries(FAILING).map(([name, claims]) => [name, { scheme: 'oauth2', claims: claims as () => object }]),
  ),
} satisfies ApisOptions as ApisOptions

describe('the option claims of an API', () => {
  const { auth, logger } = usePlatform({ apis })
  const app = express().use(auth.router)
  app.get(
    '/:api/me',
    (req, res, next) => auth.requireBearer(req.params.api)(req, res, next),
    (req, res) => {
      res.json(authOf(req).token)
    },
  )
  const refused: PlatformEvent[] = []
  let shop: ClientCredentials & { readonly id: string }
  beforeAll(async () => {
    await auth.ready()
    auth.events.on('token.refused', (event) => refused.push(event))
    const { application, credentials } = await auth.applications.create({
      name: 'Shop',
      apis: Object.keys(apis),
      externalId: 'C-1001',
      metadata: { discount: 10 },
    })
    shop = { id: application.id, ...credentials } as typeof shop
  })

  async function readClaims(api: string): Promise<Record<string, unknown>> {
    const token = await accessToken(app, api, shop)
    const form = { token, client_id: shop.clientId, client_secret: shop.clientSecret }
    const introspected = (await post(app, `/${api}/introspect`, form)).body as object
    // The second request finds the token in memory.
    for (let i = 0; i < 2; i++) {
      const { body } = await request(app).get(`/${api}/me`).set('Authorization', `Bearer ${token}`)
      const { claims } = body as { claims: object }
      expect(decodeJwt(token)).toMatchObject(claims)
      expect(introspected).toMatchObject({ active: true, sub: shop.id, ...claims })
    }
    return (await auth.verifyAccessToken(api, token)).token.claims
  }

  it('T1, I6: adds claims to access tokens, authOf() and introspection', async () => {
    expect(await readClaims('orders')).toEqual({ caller: [shop.id, 'Shop', 'C-1001'], discount: 10 })
    expect(await readClaims('async')).toEqual({ tier: 'gold' })
  })

  it('adds none where it returns none, and where there is no such option', async () => {
    expect(await readClaims('empty')).toEqual({})
    expect(await readClaims('invoices')).toEqual({})
  })

  it('may add 2 KiB: the token still fits into a header', async () => {
    expect(await readClaims('largest')).toEqual({ note: 'x'.repeat(2037) })
  })

  it('gets a copy of the metadata', async () => {
    await readClaims('greedy')
    expect((await auth.applications.get(shop.id))?.metadata).toEqual({ discount: 10 })
    expect(await readClaims('orders')).toMatchObject({ discount: 10 })
  })

  it('gets the metadata of the last change, and changes no token that is out', async () => {
    const former = await accessToken(app, 'orders', shop)
    await auth.applications.update(shop.id, { metadata: { discount: 20 } })
    expect(await readClaims('orders')).toMatchObject({ discount: 20 })
    expect((await auth.verifyAccessToken('orders', former)).token.claims).toMatchObject({ discount: 10 })
    await auth.applications.update(shop.id, { metadata: { discount: 10 } })
  })

  it.each([
    ['throws', 'Error: the price list is gone'],
    ['rejects', 'StoreUnavailableError: the price list does not answer'],
    ['undefined', 'The result of apis.undefined.claims must be a JSON object, and is undefined.'],
    ['text', 'The result of apis.text.claims must be a JSON object, and is text.'],
    ['list', 'The result of apis.list.claims must be a JSON object, and is a list.'],
    ['date', 'The result of apis.date.claims.since is a Date.'],
    ['bigint', 'The result of apis.bigint.claims.cents is a bigint.'],
    ['registered', 'The result of apis.registered.claims has "aud", which other specifications define.'],
    ['large', 'The result of apis.large.claims is larger than 2048 bytes of JSON.'],
  ])('T18: issues no token if it fails: %s', async (api, cause) => {
    refused.length = 0
    logger.lines.length = 0
    const answer = await post(app, `/${api}/token`, createTokenForm(shop))
    expectRefusal(answer, 500, 'server_error')
    expect(answer.text).not.toMatch(/price list|claims/)
    expect(logger.lines).toEqual([expect.stringContaining(`${api}: 500 server_error`)])
    expect(logger.lines[0]).toContain(cause)
    expect(refused).toMatchObject([{ api, error: 'server_error', applicationId: shop.id }])
  })

  it('is not asked for a token that is refused anyway', async () => {
    const answer = await post(app, '/throws/token', createTokenForm(shop, { scope: 'orders:read' }))
    expectRefusal(answer, 400, 'invalid_scope')
  })
})
