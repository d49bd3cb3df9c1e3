import express, { type Express } from 'express'
import { beforeAll, describe, expect, it } from 'vitest'
import { guardsFromDocument } from '../../../src/tools/document-guards/index.js'
import { maybeAuthOf, type Guard, type OtherIssuersGuard } from '../../../src/index.js'
import { accessToken, basic, createApplication, exchange, expectRefusal } from '../../support/http.js'
import { EXPRESSES, openPlatform, usePlatform } from '../../support/platform.js'
import { request, type Test } from '../../support/request.js'
import { sendAuthInfo } from './guarded-routes.js'
import { recordEvents } from '../../support/record-events.js'

const header = ['X-Api-Key', 'Authorization'] as const
const { auth, logger } = usePlatform({
  imports: {},
  apis: {
    orders: { scheme: 'oauth2' },
    catalog: { scheme: 'apiKey', header },
    prices: { scheme: 'apiKey', header: ['X-Price-Key', 'authorization'] },
    weather: { scheme: 'apiKey' },
  },
})
const appWith = (...guards: Guard[]): Express =>
  express()
    .disable('x-powered-by')
    .get('/', ...guards, sendAuthInfo)
const app = appWith(auth.requireApiKey('catalog'))
const get = (value: string, to: express.Application = app): Test => request(to).get('/').set('Authorization', value)
const exchangeWith = (to: Express, ...lines: string[]) => exchange(to, ['GET / HTTP/1.1', ...lines])

const IMPORTED = {
  plain: 'k9+Xq2/vR7pL4%2FwZ1tB8==',
  tokenLike: 'eyJhbGciOiJIUzI1NiJ9.eyJuIjoiazlYcTJ2UiJ9.c2lnX3E4',
  dotted: 'SG.k9Xq2vR7pL4w_Z1.tB8-mN3cY6dF',
}
let key: string
let token: string

beforeAll(async () => {
  const shop = await createApplication(auth, ['orders', 'catalog', 'prices', 'weather'])
  key = shop.clientId
  token = await accessToken(express().use(auth.router), 'orders', shop)
  const keys = Object.values(IMPORTED).map((plain) => ({ plain }))
  const line = { externalId: 'old', name: 'Old', apis: ['catalog', 'orders'], keys }
  await auth.imports.run([line], { confirm: true, by: 'test' })
})

const URLLIB_CHALLENGE = /(?:^|,)[ \t]*([^ \t,]+)[ \t]+realm=(["']?)([^"']*)\2/g
const SCHEMES = ', Bearer realm="catalog", Basic realm="catalog", charset="UTF-8"'
const MISSING = { 'www-authenticate': `ApiKey realm="catalog", header="X-Api-Key"${SCHEMES}` }
const TWICE = { 'www-authenticate': /^ApiKey realm="catalog", error="invalid_request".*header="X-Api-Key"$/ }

describe.each(Object.entries(EXPRESSES))('a key in Authorization on %s (docs/http.md G68)', (_name, create) => {
  const own = create().get('/', auth.requireApiKey('catalog'), sendAuthInfo)

  it('is accepted after Bearer and as user name of Basic, in the spellings of clients', async () => {
    const forms = [
      `Bearer ${key}`,
      `bearer ${key}`,
      `BEARER   ${key}`,
      basic(key, ''),
      basic(key, '').replace('Basic', 'basic'),
      `Basic ${Buffer.from(`${key}\n:`).toString('base64')}`,
      basic(key.replaceAll('_', '%5F'), ''),
    ]
    for (const form of forms) {
      const { status, body, headers } = await get(form, own)
      expect([form, status, body.scheme]).toEqual([form, 200, 'apiKey'])
      expect(headers).toMatchObject({ vary: 'X-Api-Key, Authorization', 'cache-control': 'private' })
    }
    expect((await request(own).get('/').set('X-Api-Key', key)).status).toBe(200)
  })
})

describe('what is no key in Authorization', () => {
  it.each([
    ['an access token', () => `Bearer ${token}`],
    ['Basic with a password', () => basic(key, 'secret')],
    ['Basic without a user name', () => basic('', '')],
    ['Basic that cannot be decoded', () => 'Basic ä?'],
    ['nothing after Bearer', () => 'Bearer'],
    ['two words', () => `Bearer ${key} x`],
    ['another scheme', () => `Digest ${key}`],
    ['the key alone', () => key],
    ['nothing', () => ''],
  ])('%s is ignored (G10)', async (_name, form) => {
    expectRefusal(await exchangeWith(app, `Authorization: ${form()}`), 401, 'unauthorized', MISSING)
    const both = await exchangeWith(app, `Authorization: ${form()}`, `X-Api-Key: ${key}`)
    expect(both.status).toBe(200)
  })

  it('an unknown key gets the answer of one in X-Api-Key', async () => {
    const known = await request(app)
      .get('/')
      .set('X-Api-Key', `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`)
    for (const form of [
      `Bearer ${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`,
      basic('unknown', ''),
      'Bearer opaque',
    ])
      expectRefusal(await get(form), 401, 'invalid_api_key', {
        'www-authenticate': known.headers['www-authenticate'] as string,
      })
  })

  it('a 401 of the guard or of its allow asks for Bearer and Basic too, and no other answer does', async () => {
    const allow = (status: number) => auth.requireApiKey('catalog', { allow: () => ({ status, error: 'own' }) })
    const challengeOf = async (guard: Guard, sent = `Bearer ${key}`): Promise<unknown> =>
      (await get(sent, appWith(guard))).headers['www-authenticate']
    expect(await challengeOf(allow(401))).toMatch(new RegExp(`^ApiKey .*, header="X-Api-Key"${SCHEMES}$`))
    expect(await challengeOf(allow(403))).toMatch(/^ApiKey .*, header="X-Api-Key"$/)
    expect(await challengeOf(auth.requireApiKey('weather'))).toBe('ApiKey realm="weather", header="X-Api-Key"')
    const keys = auth.requireAny([auth.requireApiKey('prices'), auth.requireApiKey('weather')])
    expect(await challengeOf(keys, '')).toBe(
      'ApiKey realm="prices", header="X-Price-Key", Bearer realm="prices", Basic realm="prices", charset="UTF-8", ApiKey realm="weather", header="X-Api-Key"',
    )
  })

  it('a client that sends Basic only after a challenge sends it', async () => {
    // The expression by which Python's urllib finds challenges; wget reads each scheme of the list too.
    const offered = [...String((await get('')).headers['www-authenticate']).matchAll(URLLIB_CHALLENGE)]
    expect(offered.map(([, scheme, , realm]) => [scheme, realm])).toContainEqual(['Basic', 'catalog'])
    expect((await get(basic(key, ''))).status).toBe(200)
  })

  it('two credentials are refused (G9)', async () => {
    const [bearer, inHeader] = [`Authorization: Bearer ${key}`, `X-Api-Key: ${key}`]
    for (const lines of [
      [bearer, `X-Api-Key: ${IMPORTED.plain}`],
      [`X-Api-Key: ${IMPORTED.plain}`, bearer],
      [bearer, 'X-Api-Key:'],
      [`X-Api-Key: ${IMPORTED.plain}`, `Authorization: ${basic(key, '')}`],
      [bearer, bearer],
      [`Authorization: Bearer ${token}`, bearer],
      [inHeader, inHeader],
    ]) {
      const answer = await exchangeWith(app, ...lines)
      expectRefusal(answer, 400, 'invalid_request', TWICE)
      expect(answer.body).toMatchObject({ error_description: 'Send one key, in X-Api-Key or in Authorization' })
    }
  })

  it('the same key in both headers is one credential, in any order', async () => {
    for (const lines of [
      [`Authorization: Bearer ${key}`, `X-Api-Key: ${key}`],
      [`X-Api-Key: ${key}`, `Authorization: ${basic(key, '')}`],
    ])
      expect((await exchangeWith(app, ...lines)).status).toBe(200)
  })

  it('a key of an API that does not read the header stays none', async () => {
    expect((await get(`Bearer ${key}`, appWith(auth.requireApiKey('weather')))).status).toBe(401)
    expect((await get(`Bearer ${key}`, appWith(auth.requireBearer('orders')))).status).toBe(401)
  })
})

describe('an imported key', () => {
  it('works in Authorization unless it looks like a JWT, and in X-Api-Key always', async () => {
    for (const plain of Object.values(IMPORTED))
      expect((await request(app).get('/').set('X-Api-Key', plain)).status).toBe(200)
    for (const plain of [IMPORTED.plain, IMPORTED.dotted]) {
      expect((await get(`Bearer ${plain}`)).status).toBe(200)
      expect((await get(basic(plain, ''))).status).toBe(200)
    }
    expect((await get(`Bearer ${IMPORTED.tokenLike}`)).status).toBe(401)
    expect((await get(basic(IMPORTED.tokenLike, ''))).status).toBe(200)
  })
})

describe('requireAny() with an access token and a key in one header (docs/http.md G69)', () => {
  const tokenGuard = auth.requireBearer('orders')
  const keyGuard = auth.requireApiKey('catalog')

  it.each([
    ['token first', auth.requireAny([tokenGuard, keyGuard])],
    ['key first', auth.requireAny([keyGuard, tokenGuard])],
  ])('%s: each decides about its own', async (_name, guard) => {
    const either = appWith(guard)
    const apiOf = async (test: Test): Promise<unknown> => (await test).body.api
    expect(await apiOf(get(`Bearer ${token}`, either))).toBe('orders')
    expect(await apiOf(get(`Bearer ${key}`, either))).toBe('catalog')
    expect(await apiOf(get(basic(key, ''), either))).toBe('catalog')
    expect(await apiOf(request(either).get('/').set('X-Api-Key', key))).toBe('catalog')
    expect((await get(`Bearer ${key}`, either)).headers['vary']).toMatch(
      /^(?=.*X-Api-Key)(?=.*Authorization)[^,]*,[^,]*$/,
    )
    const forged = await get(`Bearer ${token.slice(0, -4)}AAAA`, either)
    expectRefusal(forged, 401, 'invalid_token', { 'www-authenticate': /^Bearer realm="orders", error="invalid_token"/ })
    const unknown = await get(`Bearer ${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`, either)
    expectRefusal(unknown, 401, 'invalid_api_key', { 'www-authenticate': new RegExp(`^ApiKey .*${SCHEMES}$`) })
    const malformed = await get('Bearer', either)
    expectRefusal(malformed, 400, 'invalid_request', { 'www-authenticate': /^Bearer realm="orders"/ })
    const none = await request(either).get('/')
    expect(
      String(none.headers['www-authenticate'])
        .match(/(?:Bearer|ApiKey|Basic) realm="\w+"/g)
        ?.toSorted(),
    ).toEqual(['ApiKey realm="catalog"', 'Basic realm="catalog"', 'Bearer realm="orders"'])
  })

  it('leaves opaque tokens of other issuers to the host, and knows keys of this package beside them', async () => {
    const otherIssuers: OtherIssuersGuard = (_req, _res, next) => next()
    const others = auth.requireBearer('orders', { otherIssuers })
    for (const guard of [auth.requireAny([others, keyGuard]), auth.requireAny([keyGuard, others])]) {
      const either = express().get('/', guard, (req, res) => void res.json(maybeAuthOf(req)?.api ?? 'host'))
      const whoFor = async (form: string): Promise<unknown> => (await get(form, either)).body
      expect(await whoFor('Bearer opaque-token')).toBe('host')
      expect(await whoFor(`Bearer ${IMPORTED.plain.replaceAll('%', 'x')}`)).toBe('host')
      expect(await whoFor(`Bearer ${IMPORTED.tokenLike}`)).toBe('host')
      expect(await whoFor(`Bearer ${key}`)).toBe('catalog')
      expect(await whoFor(basic(IMPORTED.plain, ''))).toBe('catalog')
      expect(await whoFor(`Bearer ${token}`)).toBe('orders')
    }
  })

  it('a route with both guards needs both, and two key guards cannot share the header', async () => {
    const both = appWith(tokenGuard, keyGuard)
    expect((await get(`Bearer ${token}`, both).set('X-Api-Key', key)).status).toBe(200)
    expect((await get(`Bearer ${key}`, both)).status).toBe(401)
    expect(() => auth.requireAny([keyGuard, auth.requireApiKey('prices')])).toThrow(
      /two guards read the header authorization/,
    )
    expect(() => auth.requireAny([tokenGuard, tokenGuard])).toThrow(/two guards read the header authorization/)
  })
})

it('an OpenAPI document may declare the scheme as apiKey in the first header, as bearer or as basic', async () => {
  const documentWith = (scheme: object) => ({
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths: { '/items': { get: { security: [{ key: [] }] } } },
    components: { securitySchemes: { key: scheme } },
  })
  for (const scheme of [
    { type: 'http', scheme: 'bearer' },
    { type: 'http', scheme: 'Basic' },
    { type: 'apiKey', in: 'header', name: 'x-api-key' },
  ]) {
    const own = express().use(guardsFromDocument(auth, 'catalog', documentWith(scheme)), sendAuthInfo)
    expect((await request(own).get('/items').set('Authorization', `Bearer ${key}`)).status).toBe(200)
    if (scheme.type === 'http')
      expect(() => guardsFromDocument(auth, 'weather', documentWith(scheme))).toThrow(/"key", which/)
  }
})

it('neither logs nor events have the key, and events name its client', async () => {
  const events = recordEvents(auth, 'request.allowed', 'request.denied')
  const identified = express().use((req, _res, next) => {
    Object.assign(req, { id: `id-${req.get('X-Id')}` })
    next()
  }, app)
  await get(`Bearer ${key}`, identified).set('X-Id', key)
  await get(basic(IMPORTED.plain, ''), identified).set('X-Id', IMPORTED.plain)
  await get(basic('unknown-key-1', ''), identified).set('X-Id', 'unknown-key-1')
  await expect.poll(() => events.length).toBe(3)
  expect(events[0]!.client).toBe(key.slice(0, 12))
  const written = JSON.stringify([events, logger.lines])
  for (const secret of [key, IMPORTED.plain, 'unknown-key-1']) expect(written).not.toContain(secret)
})

it.each(['Authorization', ['Authorization', 'X-Api-Key'], ['authorization']])('the header %j is refused', (given) => {
  const open = () => openPlatform({ apis: { catalog: { scheme: 'apiKey', header: given } } })
  expect(open).toThrow(/apis\.catalog\.header is "[Aa]uthorization".*and this second: \['X-Api-Key', 'Authorization'\]/)
})
