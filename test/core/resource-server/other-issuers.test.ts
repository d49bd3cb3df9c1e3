import express, { type Express, type RequestHandler } from 'express'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { authOf, maybeAuthOf, memoryStore, type OtherIssuersGuard, type Guard } from '../../../src/index.js'
import { createOtherIssuerTest } from '../../../src/core/resource-server/other-issuers.js'
import { accessToken, createApplication, exchange, expectRefusal, type ClientCredentials } from '../../support/http.js'
import { EXPRESSES, openPlatform, usePlatform } from '../../support/platform.js'
import { failingStore } from '../../support/failing-store.js'
import { timeBound } from '../../support/time-bound.js'
import { request, type Response } from '../../support/request.js'
import { ISSUER } from '../tokens/signer.js'
import { TOKEN_INVALID, TOKEN_MALFORMED, TOKEN_MISSING } from './guarded-routes.js'
import { throwing } from '../../support/throwing.js'

const encode = (part: unknown): string =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')
const HEADER = encode({ alg: 'RS256', typ: 'JWT' })
/** An unsigned token with these claims, or with this text as its claims. */
const jwt = (claims: unknown, header = HEADER): string => `${header}.${encode(claims)}.c2lnbmF0dXJl`
const FOREIGN = jwt({ iss: 'https://id.example/', sub: 'ann' })

const store = failingStore(memoryStore())
const { auth, clock } = usePlatform({ store })
/** The host's guard: who sent the token is its business. */
const otherIssuers = vi.fn<RequestHandler>((req, res, next) => {
  if (req.get('Authorization')?.endsWith('refused')) res.status(401).json({ error: 'refused by the host' })
  else next()
})
const app = appWith(auth.requireBearer('orders', { scopes: ['orders:write'], otherIssuers }))
let shop: ClientCredentials & { readonly id: string }
let token: string

beforeAll(async () => {
  shop = await createApplication(auth, ['orders', 'invoices', 'catalog'])
  token = await accessToken(tokenApp, 'orders', shop)
})
beforeEach(() => void otherIssuers.mockClear())

const tokenApp = express().use(auth.router)
function appWith(...guards: Guard[]): Express {
  return express()
    .disable('x-powered-by')
    .use(...guards, (req, res) => void res.json(maybeAuthOf(req)?.api ?? 'user'))
}
async function send(token: string | undefined, to: Express = app): Promise<Response> {
  const test = request(to).get('/')
  return token === undefined ? test : test.set('Authorization', `Bearer ${token}`)
}

describe('otherIssuers (docs/http.md G31 to G33)', () => {
  it.each([
    ['a JWT of another issuer', FOREIGN],
    ['a JWT without an issuer', jwt({ sub: 'ann' })],
    ['a JWT for this API of another issuer', jwt({ iss: 'https://id.example', aud: ISSUER })],
    ['an opaque token', 'gho_16C7e42F292c6912E7710c838347Ae178B4a'],
    ['an opaque token with dots', 'abc.def.ghi'],
    ['an encrypted JWT', `${encode({ alg: 'dir', enc: 'A256GCM' })}..aXY.Y2lwaGVydGV4dA.dGFn`],
    ['a PASETO', `v4.public.${encode({ iss: 'https://id.example' })}`],
  ])('gets %s, and its route has no caller of the platform', async (_, credential) => {
    expect((await send(credential)).body).toBe('user')
    expect(otherIssuers).toHaveBeenCalledTimes(1)
  })

  it('decides about its tokens alone', async () => {
    const answer = await send('refused')
    expect([answer.status, answer.body]).toEqual([401, { error: 'refused by the host' }])
  })

  it('makes authOf(req) throw, whatever earlier guards established', async () => {
    const key = auth.requireApiKey('catalog')
    const app = express().use(key, auth.requireBearer('orders', { otherIssuers }), (req, res) => {
      res.json([maybeAuthOf(req) ?? null, maybeAuthOf(req, 'orders') ?? null, authOf(req, 'catalog').api])
    })
    const { body } = await request(app)
      .get('/')
      .set({ Authorization: `Bearer ${FOREIGN}`, 'X-Api-Key': shop.clientId })
    expect(body).toEqual([null, null, 'catalog'])
  })

  it('does not get the platform’s own tokens: good, expired, revoked, of another API, or of a suspended application', async () => {
    expect((await send(token)).body).toBe('orders')
    const revoked = await accessToken(tokenApp, 'orders', shop)
    const { clientId: client_id, clientSecret: client_secret } = shop
    await request(tokenApp)
      .post('/orders/revoke')
      .type('form')
      .send({ token: revoked, client_id, client_secret })
      .expect(200)
    const invoices = await accessToken(tokenApp, 'invoices', shop)
    const suspended = await createApplication(auth, ['orders'])
    const ofSuspended = await accessToken(tokenApp, 'orders', suspended)
    await auth.applications.suspend(suspended.id)
    const cold = await accessToken(tokenApp, 'orders', shop, { scope: 'orders:read' })
    expectRefusal(await send(cold), 403, 'insufficient_scope', { 'www-authenticate': /scope="orders:write"/ })
    for (const each of [revoked, invoices, ofSuspended])
      expect((await send(each)).body).toMatchObject({ error: 'invalid_token' })
    clock.advance(3606)
    for (const each of [token, revoked]) {
      expect((await send(each)).body).toMatchObject({
        error: 'invalid_token',
        error_description: 'The access token expired',
      })
    }
    expect(otherIssuers).not.toHaveBeenCalled()
    token = await accessToken(tokenApp, 'orders', shop)
  })

  it.each([
    ['a forged token', jwt({ iss: ISSUER, sub: 'x' })],
    ['one of another API', jwt({ iss: 'https://api.example.com/invoices' })],
    ['one of a key API', jwt({ iss: 'https://api.example.com/catalog' })],
    ['one without a signature', `${HEADER}.${encode({ iss: ISSUER })}.`],
    ['one of two parts', `${HEADER}.${encode({ iss: ISSUER })}`],
    ['one with more parts', `${jwt({ iss: ISSUER })}.more.parts`],
    ['one in base64 with an ignored character', `${HEADER}.~${encode({ iss: ISSUER })}.c2ln`],
    ['one whose header cannot be read', jwt({ iss: ISSUER }, 'bm90IGpzb24')],
    ['one whose header names the issuer', jwt('encrypted', encode({ alg: 'dir', iss: ISSUER }))],
    ['a byte order mark before the claims', jwt(`\uFEFF{"iss":"${ISSUER}"}`)],
    ['white space before the claims', jwt(` \r\n\t{"iss":"${ISSUER}"}`)],
    ['an issuer in capital letters', jwt({ iss: ISSUER.toUpperCase() })],
    ['an issuer with a slash at its end', jwt({ iss: `${ISSUER}//` })],
    ['an issuer with http', jwt({ iss: ISSUER.replace('https', 'http') })],
    ['an issuer with its port', jwt({ iss: 'https://api.example.com:443/orders' })],
    ['a percent-encoded issuer', jwt({ iss: 'https://api.example.com/%6frders' })],
    ['an issuer with dots in its path', jwt({ iss: 'https://api.example.com/x/../orders' })],
    ['an issuer in full-width letters', jwt({ iss: 'https://\uFF41pi.example.com/orders' })],
    ['an issuer with spaces around it', jwt({ iss: ` ${ISSUER}\n` })],
    ['an issuer with a query', jwt({ iss: `${ISSUER}?a` })],
    ['an issuer with escapes', jwt(`{"iss":"${ISSUER.replace('o', '\\u006f')}"}`)],
    ['an escaped name', jwt(`{"\\u0069ss":"${ISSUER}"}`)],
    ['a name in capital letters', jwt({ ISS: ISSUER })],
    ['the issuer twice, ours first', jwt(`{"iss":"${ISSUER}","iss":"https://id.example"}`)],
    ['the issuer twice, ours last', jwt(`{"iss":"https://id.example","iss":"${ISSUER}"}`)],
    ['the issuer twice, ours escaped', jwt(`{"i\\u0073s":"${ISSUER}","iss":"https://id.example"}`)],
    ['a list of issuers', jwt({ iss: ['https://id.example', ISSUER] })],
    ['an issuer that is no text', jwt({ iss: { toString: ISSUER } })],
    ['an issuer of null', jwt({ iss: null })],
    ['claims that are no JSON', jwt('{"iss":')],
    ['claims that are a list', jwt([{ iss: ISSUER }])],
    ['claims that are text', jwt('"claims"')],
    ['claims that are another JWT', jwt(FOREIGN)],
    ['claims that are no base64', `${HEADER}.~~~~.c2ln`],
    ['no claims', `${HEADER}..c2ln`],
  ])('does not get what could be read as one of the platform’s: %s', async (_, credential) => {
    expectRefusal(await send(credential), 401, 'invalid_token', TOKEN_INVALID)
    expect(otherIssuers).not.toHaveBeenCalled()
  })

  it.each([
    [
      'two Authorization headers',
      [`Authorization: Bearer ${FOREIGN}`, `Authorization: Bearer ${FOREIGN}`],
      'invalid_request',
    ],
    ['two words', [`Authorization: Bearer ${FOREIGN} ${FOREIGN}`], 'invalid_request'],
    ['a tab', [`Authorization: Bearer\t${FOREIGN}`], 'invalid_request'],
    ['a token over 8 KiB', [`Authorization: Bearer ${'x'.repeat(8193)}`], 'invalid_request'],
    ['nothing', ['Authorization: Bearer'], 'invalid_request'],
    ['another scheme', ['Authorization: Basic YTpi'], 'unauthorized'],
    ['no header', ['X-A: b'], 'unauthorized'],
  ] as const)('does not get a request with %s', async (_, headers, error) => {
    const answer = await exchange(app, ['GET / HTTP/1.1', ...headers])
    expect(answer.body).toMatchObject({ error })
    expect(otherIssuers).not.toHaveBeenCalled()
  })

  it('changes nothing where it is left out', async () => {
    const app = appWith(auth.requireBearer('orders'))
    expectRefusal(await send(FOREIGN, app), 401, 'invalid_token', TOKEN_INVALID)
    expectRefusal(await send('a b', app), 400, 'invalid_request', TOKEN_MALFORMED)
    expectRefusal(await send(undefined, app), 401, 'unauthorized', TOKEN_MISSING)
  })

  it('needs nothing of the platform: its tokens pass while the store is out of reach, and before it is ready', async () => {
    const store = failingStore(memoryStore())
    store.fail()
    const { auth } = openPlatform({ store })
    const unhandled = vi.fn<(reason: unknown) => void>()
    process.on('unhandledRejection', unhandled)
    expect((await send(FOREIGN, appWith(auth.requireBearer('orders', { otherIssuers })))).body).toBe('user')
    await auth.close()
    await new Promise(setImmediate)
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
    expect(store.calls('findApplication')).toBe(0)
  })

  it.each(Object.entries(EXPRESSES))('that rejects or throws does not reach the route: %s', async (_, express) => {
    for (const fail of [
      () => Promise.reject(new Error('no')),
      () => Promise.reject(),
      () => Promise.reject('route'),
      throwing(new Error('no')),
      () => {
        // oxlint-disable-next-line typescript/only-throw-error -- Express's next('route') would go on
        throw 'route'
      },
    ]) {
      const app = express().use(
        auth.requireBearer('orders', { otherIssuers: fail }),
        (_req, res) => void res.send('reached'),
      )
      app.use(((_error, _req, res, _next) => void res.status(555).end()) as express.ErrorRequestHandler)
      expect((await request(app).get('/').set('Authorization', `Bearer ${FOREIGN}`)).status).toBe(555)
    }
  })

  it('works in requireAny(), and with optional', async () => {
    const bearer = auth.requireBearer('orders', { otherIssuers })
    const any = appWith(auth.requireAny([bearer, auth.requireApiKey('catalog')]))
    const answer = await send(FOREIGN, any)
    expect(answer.body).toBe('user')
    expect(answer.headers).toMatchObject({ vary: 'Authorization, X-Api-Key', 'cache-control': 'private' })
    expect((await request(any).get('/').set('X-Api-Key', shop.clientId)).body).toBe('catalog')
    expect((await send(jwt({ iss: ISSUER }), any)).status).toBe(401)
    expect((await send(undefined, any)).status).toBe(401)
    const optional = appWith(auth.requireBearer('orders', { otherIssuers, optional: true }))
    otherIssuers.mockClear()
    expect((await send(undefined, optional)).body).toBe('user')
    expect(otherIssuers).not.toHaveBeenCalled()
    expect((await send('refused', optional)).body).toEqual({ error: 'refused by the host' })
  })

  it('must be a function', () => {
    expect(() => auth.requireBearer('orders', { otherIssuers: 'jwt' as unknown as OtherIssuersGuard })).toThrow(
      /requireBearer\("orders"\): otherIssuers is "jwt"\. Give it a function/,
    )
  })

  it('recognizes 8 KiB of hostile text in a few milliseconds', () => {
    const isOfOtherIssuer = createOtherIssuerTest([ISSUER])
    const hostile = [
      '.'.repeat(8000),
      jwt({ iss: `https://a/${'/'.repeat(5000)}x` }),
      jwt('['.repeat(3000)),
      jwt(`{"a":"${'\\\\'.repeat(2500)}`),
      jwt(`{${'"":1,'.repeat(1000)}"a":1}`),
      jwt({ iss: '%'.repeat(5000) }),
      jwt({ iss: `${' '.repeat(5000)}x` }),
    ]
    const startedAt = performance.now()
    for (let i = 0; i < 20; i++) hostile.map(isOfOtherIssuer)
    expect(performance.now() - startedAt).toBeLessThan(timeBound(2000))
  })
})
