import express, { type Express } from 'express'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ConfigurationError, type Guard, type GuardOptions } from '../../../src/index.js'
import { accessToken, createApplication, exchange, expectRefusal } from '../../support/http.js'
import { openPlatform, usePlatform } from '../../support/platform.js'
import { request, type Response } from '../../support/request.js'
import { KEY_INVALID, KEY_MISSING, sendAuthInfo, TOKEN_INVALID, TOKEN_MISSING } from './guarded-routes.js'
import { recordEvents } from '../../support/record-events.js'

const { auth } = openPlatform()
const { auth: stranger } = openPlatform()
const bearer = auth.requireBearer('orders')
const apiKey = auth.requireApiKey('catalog')
const bearerFirst = appWith(auth.requireAny([bearer, apiKey]))
const keyFirst = appWith(auth.requireAny([apiKey, bearer]))
let token: string
let key: string
const events = recordEvents(auth, 'request.allowed', 'request.denied')

beforeAll(async () => {
  const shop = await createApplication(auth, ['orders', 'catalog'])
  key = shop.clientId
  token = await accessToken(express().use(auth.router), 'orders', shop)
})
afterAll(() => Promise.all([auth.close(), stranger.close()]))
beforeEach(() => void (events.length = 0))

function appWith(...guards: Guard[]): Express {
  return express()
    .disable('x-powered-by')
    .all('/', ...guards, sendAuthInfo)
}

async function send(app: Express, accessToken?: string, apiKey?: string): Promise<Response> {
  return request(app)
    .get('/')
    .set({ ...(accessToken && { Authorization: `Bearer ${accessToken}` }), ...(apiKey && { 'X-Api-Key': apiKey }) })
}

const BOTH = `${TOKEN_MISSING['www-authenticate']}, ${KEY_MISSING['www-authenticate']}`

describe('requireAny() (docs/http.md G28 to G30)', () => {
  it('lets either credential pass, and authOf(req) tells which', async () => {
    for (const app of [bearerFirst, keyFirst]) {
      expect((await send(app, token)).body).toMatchObject({ api: 'orders', scheme: 'oauth2' })
      expect((await send(app, undefined, key)).body).toMatchObject({ api: 'catalog', scheme: 'apiKey' })
    }
    expect(events.map(({ type, api }) => `${type} ${api}`)).toEqual(
      [0, 1].flatMap(() => ['request.allowed orders', 'request.allowed catalog']),
    )
  })

  it('answers a request without a credential with 401 and all challenges, in the order of the guards', async () => {
    const answer = await send(bearerFirst)
    expectRefusal(answer, 401, 'unauthorized', { 'www-authenticate': BOTH })
    expect(answer.body).toMatchObject({
      error_description: 'A credential is needed: Authorization: Bearer <access token>, or X-Api-Key: <API key>',
    })
    expectRefusal(await send(keyFirst), 401, 'unauthorized', {
      'www-authenticate': BOTH.replace(/^(.*), (ApiKey .*)$/, '$2, $1'),
    })
    expectRefusal(await request(bearerFirst).get('/').set('Authorization', 'Basic YTpi'), 401, 'unauthorized', {
      'www-authenticate': BOTH,
    })
    expect(events[0]).toMatchObject({ type: 'request.denied', api: 'orders', reason: 'no_credential' })
  })

  it('refuses a bad credential if there is none of the other kind', async () => {
    for (const app of [bearerFirst, keyFirst]) {
      expectRefusal(await send(app, 'garbage'), 401, 'invalid_token', TOKEN_INVALID)
      expectRefusal(await send(app, undefined, 'garbage'), 401, 'invalid_api_key', KEY_INVALID)
    }
  })

  it('with both credentials lets the first guard decide, whatever the other is', async () => {
    expect((await send(bearerFirst, token, key)).body).toMatchObject({ api: 'orders' })
    expect((await send(bearerFirst, token, 'garbage')).body).toMatchObject({ api: 'orders' })
    expectRefusal(await send(bearerFirst, 'garbage', key), 401, 'invalid_token', TOKEN_INVALID)
    expect((await send(keyFirst, token, key)).body).toMatchObject({ api: 'catalog' })
    expect((await send(keyFirst, 'garbage', key)).body).toMatchObject({ api: 'catalog' })
    expectRefusal(await send(keyFirst, token, 'garbage'), 401, 'invalid_api_key', KEY_INVALID)
  })

  it.each([
    ['two Authorization headers', 'Authorization: Bearer a', 'Authorization: Bearer b'],
    ['a Bearer header without a token', 'Authorization: Bearer', 'X-A: b'],
  ])('refuses %s although the key is good', async (_, ...headers) => {
    const answer = await exchange(bearerFirst, ['GET / HTTP/1.1', ...headers, `X-Api-Key: ${key}`])
    expectRefusal(answer, 400, 'invalid_request', {
      'www-authenticate': /^Bearer realm="orders", error="invalid_request"/,
    })
  })

  it('applies the conditions of the guard that decides', async () => {
    const app = appWith(
      auth.requireAny([
        auth.requireBearer('orders', { scopes: { POST: ['orders:write'] } }),
        auth.requireApiKey('catalog', { allow: (_auth, { method }) => method === 'GET' }),
      ]),
    )
    expectRefusal(await send(app, token), 403, 'access_denied', {
      'www-authenticate': /^Bearer realm="orders", error="access_denied"/,
    })
    expect((await send(app, undefined, key)).status).toBe(200)
    expect((await request(app).post('/').set('Authorization', `Bearer ${token}`)).status).toBe(200)
    expect((await request(app).post('/').set('X-Api-Key', key)).status).toBe(403)
    expectRefusal(await request(app).post('/'), 401, 'unauthorized', {
      'www-authenticate': /^Bearer realm="orders", scope="orders:write", .*, ApiKey realm/,
    })
  })

  it('reuses what an earlier guard of one of its APIs has established', async () => {
    const app = express()
      .disable('x-powered-by')
      .use(bearer, auth.requireAny([apiKey, bearer]), sendAuthInfo)
    expect((await send(app, token)).body).toMatchObject({ api: 'orders' })
    expect(events.map(({ type }) => type)).toEqual(['request.allowed'])
    const stripped = express().use(bearer, (req, _res, next) => {
      delete req.headers.authorization
      next()
    })
    stripped.use(auth.requireAny([apiKey, bearer]), sendAuthInfo)
    expect((await send(stripped, token)).body).toMatchObject({ api: 'orders' })
    expectRefusal(await send(app, token, 'garbage'), 401, 'invalid_api_key', KEY_INVALID)
  })

  it('forbids shared caching of every answer, by all headers that it reads', async () => {
    const optional = appWith(auth.requireAny([bearer, apiKey], { optional: true }))
    for (const answer of [
      await send(bearerFirst, token),
      await send(bearerFirst, undefined, key),
      await send(optional),
    ]) {
      expect(answer.status).toBe(200)
      expect(answer.headers).toMatchObject({ vary: 'Authorization, X-Api-Key', 'cache-control': 'private' })
    }
    const onlyBearer = appWith(auth.requireAny([bearer]))
    expect((await send(onlyBearer, token)).headers).not.toHaveProperty('vary')
  })

  it('optional lets a request without any credential pass, and no bad one', async () => {
    const app = appWith(bearer, auth.requireAny([auth.requireBearer('orders'), apiKey], { optional: true }))
    const optional = appWith(auth.requireAny([bearer, apiKey], { optional: true }))
    expect((await send(optional)).body).toBeNull()
    expect((await send(optional, token)).body).toMatchObject({ api: 'orders' })
    expectRefusal(await send(optional, 'garbage', key), 401, 'invalid_token', TOKEN_INVALID)
    expectRefusal(await send(optional, undefined, 'garbage'), 401, 'invalid_api_key', KEY_INVALID)
    expect((await send(app)).status).toBe(401)
  })

  it('onDenied replaces refusals, except those of a guard with an onDenied of its own', async () => {
    const name = (text: string): GuardOptions => ({ onDenied: ({ error }, _req, res) => res.end(`${text} ${error}`) })
    const app = appWith(auth.requireAny([auth.requireBearer('orders', name('bearer')), apiKey], name('any')))
    expect((await send(app)).text).toBe('any unauthorized')
    expect((await send(app, 'garbage')).text).toBe('bearer invalid_token')
    expect((await send(app, undefined, 'garbage')).text).toBe('any invalid_api_key')
  })

  it('accepts two key APIs with headers of different names', async () => {
    const { auth } = usePlatform({
      apis: { catalog: { scheme: 'apiKey' }, partners: { scheme: 'apiKey', header: ['X-Partner-Key', 'partner'] } },
    })
    const { clientId } = await createApplication(auth, ['partners'])
    const app = appWith(auth.requireAny([auth.requireApiKey('catalog'), auth.requireApiKey('partners')]))
    for (const name of ['X-Partner-Key', 'Partner']) {
      const answer = await request(app).get('/').set(name, clientId)
      expect(answer.body).toMatchObject({ api: 'partners' })
      expect(answer.headers).toMatchObject({ vary: 'X-Api-Key, X-Partner-Key, partner' })
    }
  })

  it.each([
    ['no list', undefined, /the guards are missing\. List them/],
    ['no guards', [], /the guards are \[\]/],
    ['an API name', ['orders'], /guard 1 is "orders"\. List what requireBearer/],
    ['a middleware', [bearer, () => undefined], /guard 2 is no guard of this platform/],
    [
      'a guard of another platform',
      [bearer, stranger.requireApiKey('catalog')],
      /guard 2 is no guard of this platform/,
    ],
    [
      'another requireAny()',
      [auth.requireAny([bearer, apiKey])],
      /guard 1 consists of several guards\. List those instead/,
    ],
    [
      'an optional guard',
      [bearer, auth.requireApiKey('catalog', { optional: true })],
      /guard 2 is optional\. Give the option to requireAny/,
    ],
    [
      'two guards of one header',
      [bearer, auth.requireBearer('invoices')],
      /two guards read the header authorization.*anyScope/,
    ],
    ['one guard twice', [apiKey, apiKey], /two guards read the header x-api-key/],
  ])('refuses %s at start-up', (_, guards, message) => {
    const call = (): unknown => auth.requireAny(guards as Guard[])
    expect(call).toThrow(message)
    expect(call).toThrow(ConfigurationError)
  })

  it.each([
    [{ scopes: [] }, /requireAny: scopes is not an option/],
    [{ optional: 'yes' }, /requireAny: optional is "yes"/],
    [7, /requireAny: the options are 7/],
  ])('refuses the options %j at start-up', (options, message) => {
    expect(() => auth.requireAny([bearer], options as GuardOptions)).toThrow(message)
  })
})
