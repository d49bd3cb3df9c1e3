import type { Express } from 'express'
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { Passport, type Strategy as PassportStrategy } from 'passport'
import { Strategy as BearerStrategy } from 'passport-http-bearer'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { guardsFromDocument } from '../../src/tools/document-guards/index.js'
import { authOf, maybeAuthOf } from '../../src/index.js'
import { accessTokenFor, apiKeyFor } from '../../src/tools/testing/index.js'
import { EXPRESSES, usePlatform } from '../support/platform.js'
import { request } from '../support/request.js'
import { runBlock } from './run-block.js'

/** Runs the blocks of this page about routes for several kinds of callers. */
const PAGE = 'docs/guards.md'

describe.each(Object.entries(EXPRESSES))('docs/guards.md, %s', (_name, express) => {
  const { auth } = usePlatform({ now: Date.now })
  let accessToken: string
  let key: string
  let app: Express

  beforeAll(async () => {
    accessToken = await accessTokenFor(auth, 'orders', { scopes: ['orders:read'] })
    key = await apiKeyFor(auth, 'catalog')
  })
  beforeEach(() => void (app = express().use(auth.router)))

  const get = (path: string, headers: Readonly<Record<string, string>>) => request(app).get(path).set(headers)

  it('"Several kinds of credentials": access tokens and keys on one route', async () => {
    const pricesFor = (id: string): string[] => [id]
    await runBlock(PAGE, 'Several kinds of credentials', { variables: { app, auth, authOf, pricesFor } })
    const byToken = await get('/prices', { Authorization: `Bearer ${accessToken}` }).expect(200)
    expect(byToken.body).toEqual({ api: 'orders', prices: [expect.stringMatching(/^app_/)] })
    expect((await get('/prices', { 'X-Api-Key': key }).expect(200)).body).toMatchObject({ api: 'catalog' })
    await get('/prices', { 'X-Api-Key': 'wrong' }).expect(401)
    const { headers } = await get('/prices', {}).expect(401)
    expect(headers['www-authenticate']).toMatch(/^Bearer realm="orders", scope="orders:read".*, ApiKey realm="catalog"/)
  })

  it('"Guards from an OpenAPI document": the document decides', async () => {
    const ordersRouter = express.Router().get('/items', (req, res) => void res.json({ caller: authOf(req).api }))
    const paths = { '/items': { get: { security: [{ oauth2: ['orders:read'] }] } } }
    const ordersDocument = { openapi: '3.1.0', info: { title: 'Orders', version: '1.0.0' }, paths }
    const variables = { app, auth, ordersDocument, ordersRouter }
    const modules = { 'express-platform-auth/document-guards': { guardsFromDocument } }
    await runBlock(PAGE, 'Guards from an OpenAPI document', { variables, modules })
    const headers = { Authorization: `Bearer ${accessToken}` }
    expect((await get('/orders/items', headers).expect(200)).body).toEqual({ caller: 'orders' })
    await get('/orders/items', {}).expect(401)
    await get('/orders/nothing', headers).expect(404)
  })

  it('"Users and partners on one route": access tokens of the platform and of an identity provider', async () => {
    const provider = await openIdentityProvider('https://id.example')
    const variables = { app, auth, maybeAuthOf, passport: provider.passport, ordersOf: (id: string) => [id] }
    await runBlock(PAGE, 'Users and partners on one route', { variables })
    const send = (token: string) => get('/orders/items', { Authorization: `Bearer ${token}` })
    expect((await send(accessToken).expect(200)).body).toEqual({ orders: [expect.stringMatching(/^app_/)] })
    expect((await send(await provider.sign('ann')).expect(200)).body).toEqual({ orders: ['ann'] })
    await send(await (await openIdentityProvider('https://other.example')).sign('eve')).expect(401)
    await send('garbage').expect(401)

    const [application] = (await auth.applications.list({ api: 'orders' })).items
    await auth.applications.suspend(application!.id)
    expect((await send(accessToken).expect(401)).body).toMatchObject({ error: 'invalid_token' })
    await auth.applications.resume(application!.id)
    const { headers } = await get('/orders/items', {}).expect(401)
    expect(headers['www-authenticate']).toMatch(/^Bearer realm="orders", scope="orders:read"/)
  })
})

/** An issuer of tokens for users, and a Passport with the strategy `jwt` that verifies them. */
async function openIdentityProvider(issuer: string) {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256' }] })
  const passport = new Passport()
  const strategy = new BearerStrategy((token, done) => {
    jwtVerify(token, keys, { issuer }).then(
      ({ payload }) => done(null, { id: payload.sub }),
      () => done(null, false),
    )
  })
  passport.use('jwt', strategy as unknown as PassportStrategy)
  const sign = (sub: string): Promise<string> =>
    new SignJWT({ sub }).setProtectedHeader({ alg: 'ES256' }).setIssuer(issuer).setExpirationTime('1h').sign(privateKey)
  return { passport, sign }
}
