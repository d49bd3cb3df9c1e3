import type { IncomingMessage } from 'node:http'
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import { beforeAll, describe, expect, it } from 'vitest'
import { authOf, maybeAuthOf, memoryStore } from '../../../src/index.js'
import { accessToken, basic, createApplication, exchange } from '../../support/http.js'
import { failingStore } from '../../support/failing-store.js'
import { EXPRESSES, openPlatform, usePlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'
import { recordEvents } from '../../support/record-events.js'

const apis = {
  orders: { scheme: 'oauth2', scopes: { write: 'Write' }, hideCredential: true },
  catalog: { scheme: 'apiKey', header: ['X-Api-Key', 'Authorization'], hideCredential: true },
  weather: { scheme: 'apiKey' },
} as const
const store = failingStore(memoryStore())
const { auth, logger } = usePlatform({ apis, store, imports: {} })
const IMPORTED = 'k9+Xq2/vR7pL4wZ1tB8=='
/** A token of another system, and one without an issuer. */
const FOREIGN_TOKEN = `${Buffer.from('{"alg":"RS256"}').toString('base64url')}.${Buffer.from('{"iss":"https://other.example"}').toString('base64url')}.c2ln`
let key: string
let token: string

beforeAll(async () => {
  const shop = await createApplication(auth, { orders: { scopes: [] }, catalog: {}, weather: {} })
  key = shop.clientId
  token = await accessToken(express().use(auth.router), 'orders', shop)
  await auth.imports.run([{ externalId: 'old', name: 'Old', apis: ['catalog'], keys: [{ plain: IMPORTED }] }], {
    confirm: true,
    by: 'test',
  })
})

/** Everything that Node offers to read headers by. */
const showHeaders = (req: IncomingMessage): unknown[] => [req.headers, req.rawHeaders, req.headersDistinct]
const show: RequestHandler = (req, res) =>
  void res.json({ api: maybeAuthOf(req)?.api, headers: JSON.stringify(showHeaders(req)).toLowerCase() })
const send = async (app: express.Application, headers: Record<string, string>) =>
  (
    await request(app)
      .get('/')
      .set({ 'X-Other': 'stays', ...headers })
  ).body as { api?: string; headers: string }

function expectHidden({ headers }: { readonly headers: string }, ...names: string[]): void {
  expect(headers).toContain('stays')
  for (const hidden of [token, key, ...names]) expect(headers).not.toContain(hidden.toLowerCase())
}

describe.each(Object.entries(EXPRESSES))('hideCredential on %s (docs/http.md G70)', (_name, create) => {
  const behind = (...handlers: RequestHandler[]) => create().get('/', ...handlers, show)

  it('removes the credential of each scheme, in each of its forms, and leaves who calls', async () => {
    const byToken = await send(behind(auth.requireBearer('orders')), { Authorization: `Bearer ${token}` })
    expect(byToken.api).toBe('orders')
    expectHidden(byToken, 'authorization')
    for (const headers of [
      { 'X-Api-Key': key },
      { Authorization: `Bearer ${key}` },
      { Authorization: basic(key, '') },
      // One key in both headers is one credential.
      { 'X-Api-Key': key, Authorization: `Bearer ${key}` },
      { 'X-Api-Key': key, Authorization: basic(key, '') },
    ]) {
      const byKey = await send(behind(auth.requireApiKey('catalog')), headers)
      expect(byKey.api).toBe('catalog')
      expectHidden(byKey, 'x-api-key', 'authorization', basic(key, '').slice(6))
    }
  })

  it('also where headersDistinct was read before, and where the store had to be asked', async () => {
    const { clientId } = await createApplication(auth, ['catalog'])
    const read: RequestHandler = (req, _res, next) => next(showHeaders(req).length === 0)
    const shown = await send(behind(read, auth.requireApiKey('catalog')), { 'X-Api-Key': clientId })
    expectHidden(shown, 'x-api-key', clientId)
  })
})

const appWith = (...handlers: RequestHandler[]): Express => express().get('/', ...handlers, show)

describe('what still works behind a guard that hides', () => {
  it('a second guard, authOf() and a verifier with { req }', async () => {
    const app = express().get('/', auth.requireApiKey('catalog'), auth.requireApiKey('catalog'), (req, res, next) => {
      const { api } = authOf(req)
      auth.verifyApiKey('catalog', key, { req }).then((verified) => res.json({ api, verified: verified.api }), next)
    })
    expect((await request(app).get('/').set('X-Api-Key', key)).body).toEqual({ api: 'catalog', verified: 'catalog' })
    const either = auth.requireAny([auth.requireBearer('orders'), auth.requireApiKey('catalog')])
    expect((await send(appWith(either, either), { 'X-Api-Key': key })).api).toBe('catalog')
  })

  it('a guard of another API, whose header stays until it has passed', async () => {
    const headers = { Authorization: `Bearer ${token}`, 'X-Api-Key': key }
    for (const guards of [
      [auth.requireApiKey('catalog'), auth.requireBearer('orders')],
      [auth.requireBearer('orders'), auth.requireApiKey('catalog')],
    ])
      expectHidden(await send(appWith(...guards), headers), 'x-api-key', 'authorization')
    const onlyKey = await send(appWith(auth.requireApiKey('catalog')), { ...headers, Authorization: 'Basic eDp5' })
    expect(onlyKey.headers).toContain('basic edp5')
    const shown = await send(appWith(auth.requireApiKey('weather')), { 'X-Api-Key': key })
    expect(shown.headers).toContain(key.toLowerCase())
  })

  it('requireAny() forwards no credential for a guard that did not decide', async () => {
    const either = auth.requireAny([auth.requireBearer('orders'), auth.requireApiKey('catalog')])
    const shown = await send(appWith(either), { Authorization: `Bearer ${token}`, 'X-Api-Key': key })
    expect(shown.api).toBe('orders')
    expectHidden(shown, 'x-api-key', 'authorization')
  })

  it('events name the client, and have no request id that is the credential', async () => {
    const events = recordEvents(auth, 'request.allowed', 'request.denied')
    const app = express().get(
      '/',
      (req, _res, next) => next(void Object.assign(req, { id: req.get('X-Id') })),
      auth.requireApiKey('catalog'),
      auth.requireApiKey('catalog', { allow: (_caller, req) => req.url === '/' }),
      show,
    )
    for (const url of ['/', '/?refused']) await request(app).get(url).set({ 'X-Api-Key': key, 'X-Id': 'an id' })
    await request(app)
      .get('/')
      .set({ Authorization: basic(IMPORTED, ''), 'X-Id': IMPORTED })
    await expect.poll(() => events.length).toBe(3)
    const told = events.map(({ type, client, requestId }) => [type, client, requestId])
    const client = key.slice(0, 12)
    expect(told).toEqual([
      ['request.allowed', client, 'an id'],
      ['request.denied', client, 'an id'],
      ['request.allowed', undefined, undefined],
    ])
  })
})

describe('a request whose headers cannot be removed', () => {
  const freeze: RequestHandler = (req, _res, next) => {
    for (const each of [req.headers, req.headersDistinct, req.rawHeaders]) Object.freeze(each)
    next()
  }
  const copyAtEachReading: RequestHandler = (req, _res, next) => {
    const headers = { ...req.headers }
    Object.defineProperty(req, 'headers', { get: () => ({ ...headers }) })
    next()
  }

  it.each([freeze, copyAtEachReading])('is refused, and the log says why (docs/http.md G15, G70)', async (prepare) => {
    const fail: ErrorRequestHandler = (error: Error, _req, res, _next) => void res.status(500).json(error.name)
    const byKey = auth.requireApiKey('catalog')
    for (const guard of [byKey, auth.requireAny([auth.requireBearer('orders'), byKey])]) {
      const answer = await request(appWith(prepare, guard).use(fail)).get('/').set('X-Api-Key', key)
      expect([answer.status, answer.body]).toMatchObject([500, { error: 'server_error' }])
      expect(logger.lines.at(-1)).toMatch(
        /^catalog: 500 server_error ConfigurationError: hideCredential could not .* x-api-key/,
      )
    }
    const reporting = appWith(prepare, auth.requireApiKey('catalog', { reportOnly: true })).use(fail)
    const answer = await request(reporting).get('/').set('X-Api-Key', key)
    expect([answer.status, answer.body]).toEqual([500, 'ConfigurationError'])
  })
})

describe('a guard that only reports', () => {
  const reporting = { reportOnly: true } as const
  const byKey = () => auth.requireApiKey('catalog', reporting)

  it('forwards what the platform does not know, and no credential of its own', async () => {
    const app = appWith(byKey())
    expect((await send(app, { 'X-Api-Key': 'of-another-system' })).headers).toContain('of-another-system')
    expectHidden(await send(app, { 'X-Api-Key': key }))
    const { id, clientId } = await createApplication(auth, ['catalog'])
    await auth.applications.suspend(id)
    expectHidden(await send(app, { 'X-Api-Key': clientId }), clientId)
    const scoped = appWith(auth.requireBearer('orders', { ...reporting, scopes: ['write'] }))
    expectHidden(await send(scoped, { Authorization: `Bearer ${token}` }), 'authorization')
    const other = await createApplication(auth, ['weather'])
    expectHidden(await send(app, { Authorization: `Bearer ${other.clientId}` }), other.clientId)
  })

  it('forwards no credential of the platform, of whatever kind, in a header that it reads', async () => {
    const { applications } = auth
    const { id, clientId, clientSecret } = await createApplication(auth, ['orders', 'catalog'])
    const live = await accessToken(express().use(auth.router), 'orders', { clientId, clientSecret })
    const added = await applications.addKey(id, { name: 'ended' })
    await applications.endCredential(id, added.credential.id)
    const ended = added.credentials.clientId
    const credentials = { live, key: clientId, secret: clientSecret, ended, imported: IMPORTED }
    const inAuthorization = Object.values(credentials).flatMap((each) => [
      `Bearer ${each}`,
      `bearer  ${each}`,
      each,
      `Token ${each}`,
      `Bearer ${each} x`,
      basic(each, ''),
      basic('x', each),
    ])
    const pairs = [basic(clientId, clientSecret), basic(id, 'the secret of another system')]
    const reporting = { reportOnly: true } as const
    const guards = {
      bearer: auth.requireBearer('orders', reporting),
      key: auth.requireApiKey('catalog', reporting),
      scoped: auth.requireBearer('orders', { ...reporting, scopes: ['write'] }),
      any: auth.requireAny([auth.requireBearer('orders'), auth.requireApiKey('catalog')], reporting),
    }
    for (const [name, guard] of Object.entries(guards)) {
      const app = appWith(auth.requireApiKey('weather', reporting), guard)
      const alone = appWith(guard)
      const headers = [...inAuthorization, ...pairs].map((value) => ({ Authorization: value }))
      const all =
        name === 'key' || name === 'any'
          ? [...headers, ...Object.values(credentials).map((each) => ({ 'X-Api-Key': each }))]
          : headers
      for (const sent of all)
        for (const each of [app, alone]) {
          const { headers: seen } = await send(each, sent)
          const value = JSON.stringify(Object.values(sent)[0]).slice(1, -1).toLowerCase()
          expect([name, sent, seen.includes(value)]).toEqual([name, sent, false])
        }
      const legacy = ['Bearer of-another-system', basic('someone', 'else'), `Bearer ${FOREIGN_TOKEN}`]
      for (const value of legacy)
        expect((await send(alone, { Authorization: value })).headers).toContain(value.toLowerCase())
    }
  })

  it('forwards neither of two credentials, nor one that a later guard would have judged', async () => {
    const app = appWith(byKey())
    const twice = await exchange(app, [
      'GET / HTTP/1.1',
      `X-Api-Key: ${key}`,
      `Authorization: Bearer ${token}`,
      `Authorization: Bearer ${key}`,
      'X-Other: stays',
    ])
    expectHidden(twice.body as { headers: string }, 'x-api-key', 'authorization')
    const skipped = appWith(auth.requireApiKey('weather', reporting), auth.requireBearer('orders', reporting))
    expectHidden(await send(skipped, { Authorization: `Bearer ${token}` }), 'authorization')
  })

  it('forwards no credential that cannot be checked', async () => {
    const { clientId } = await createApplication(auth, ['catalog'])
    store.fail()
    const shown = await send(appWith(byKey()), { 'X-Api-Key': clientId })
    store.recover()
    expectHidden(shown, clientId)
    expect(shown.api).toBeUndefined()
  })
})

it('is refused unless it is true or false', () => {
  const open = () => openPlatform({ apis: { catalog: { scheme: 'apiKey', hideCredential: 'yes' as never } } })
  expect(open).toThrow('apis.catalog.hideCredential is "yes". Write true or false.')
})
