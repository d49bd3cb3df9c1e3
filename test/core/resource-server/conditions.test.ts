import { setTimeout as sleep } from 'node:timers/promises'
import express, { type Express } from 'express'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  authOf,
  ConfigurationError,
  OAuthError,
  StoreUnavailableError,
  type AllowRequest,
  type BearerGuardOptions,
  type Guard,
} from '../../../src/index.js'
import { accessToken, createApplication, exchange, expectRefusal } from '../../support/http.js'
import { usePlatform } from '../../support/platform.js'
import { request, type Response } from '../../support/request.js'
import {
  createApiKeyChallenge,
  createBearerChallenge,
  createMissingTokenChallenge,
  sendAuthInfo,
  TOKEN_MISSING,
} from './guarded-routes.js'
import { throwing } from '../../support/throwing.js'

const { auth, logger } = usePlatform({ rateLimits: { requests: { limit: 1000, window: 60 } } })
const tokenApp = express().use(auth.router)
const tokens: Record<'none' | 'read' | 'write' | 'both', string> = { none: '', read: '', write: '', both: '' }
let key: string
let id: string

beforeAll(async () => {
  const shop = await createApplication(auth, ['orders', 'invoices', 'catalog'])
  key = shop.clientId
  id = shop.id
  tokens.both = await accessToken(tokenApp, 'orders', shop)
  tokens.read = await accessToken(tokenApp, 'orders', shop, { scope: 'orders:read' })
  tokens.write = await accessToken(tokenApp, 'orders', shop, { scope: 'orders:write' })
  const scopeless = await createApplication(auth, { orders: { scopes: [] } })
  tokens.none = await accessToken(tokenApp, 'orders', scopeless)
})
beforeEach(() => void (logger.lines.length = 0))

function appWith(...guards: Guard[]): Express {
  return express()
    .disable('x-powered-by')
    .all('/orders{/:id}', ...guards, sendAuthInfo)
}

async function send(app: Express, method: string, token: string | undefined, path = '/orders'): Promise<Response> {
  const test = request(app)[method.toLowerCase() as 'get'](path)
  return token === undefined ? test : test.set('Authorization', `Bearer ${token}`)
}

/** The scopes that the challenge names are those that an access token lacks. */
async function expectLack(app: Express, method: string, token: string, scopes: string): Promise<void> {
  const challenge = createBearerChallenge('insufficient_scope', LACKS, `scope="${scopes}", `)
  expectRefusal(await send(app, method, token), 403, 'insufficient_scope', challenge)
}

async function expectMissing(app: Express, method: string, challenge: Record<string, string>): Promise<void> {
  expectRefusal(await send(app, method, undefined), 401, 'unauthorized', challenge)
}

const LACKS = 'The access token lacks a scope that this needs'

describe('scopes per method (docs/http.md G26)', () => {
  const scopes = { GET: ['orders:read'], POST: ['orders:write', 'orders:read'] } as const
  const app = appWith(auth.requireBearer('orders', { scopes }))
  const withOthers = appWith(auth.requireBearer('orders', { scopes: { GET: [], '*': ['orders:write'] } }))
  const withHead = appWith(auth.requireBearer('orders', { scopes: { GET: ['orders:read'], HEAD: [] } }))

  it('are those of the request’s method', async () => {
    expect((await send(app, 'GET', tokens.read)).status).toBe(200)
    expect((await send(app, 'POST', tokens.both)).status).toBe(200)
    await expectLack(app, 'GET', tokens.write, 'orders:read')
    await expectLack(app, 'POST', tokens.read, 'orders:write orders:read')
  })

  it('are named in the challenge of that method if there is no credential', async () => {
    await expectMissing(app, 'GET', createMissingTokenChallenge('orders:read'))
    await expectMissing(app, 'POST', createMissingTokenChallenge('orders:write orders:read'))
    await expectMissing(app, 'DELETE', TOKEN_MISSING)
  })

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('refuse %s with 403 if they do not name it', async (method) => {
    const challenge = createBearerChallenge('access_denied', 'No access token allows this method here')
    expectRefusal(await send(app, method, tokens.both), 403, 'access_denied', challenge)
  })

  it('of "*" are for every method that is not named', async () => {
    expect((await send(withOthers, 'GET', tokens.none)).status).toBe(200)
    for (const method of ['POST', 'DELETE', 'OPTIONS', 'PURGE']) {
      expect((await send(withOthers, method, tokens.write)).status, method).toBe(200)
      expectRefusal(await send(withOthers, method, tokens.read), 403, 'insufficient_scope', {
        'www-authenticate': /scope="orders:write"/,
      })
    }
  })

  it('of GET are for HEAD too, unless HEAD is named', async () => {
    expect((await send(app, 'HEAD', tokens.read)).status).toBe(200)
    expect((await send(app, 'HEAD', tokens.write)).status).toBe(403)
    expect((await send(withHead, 'HEAD', tokens.none)).status).toBe(200)
    const postOnly = appWith(auth.requireBearer('orders', { scopes: { POST: [] } }))
    expect((await send(postOnly, 'HEAD', tokens.both)).status).toBe(403)
  })

  it('are not changed through the list that was given', async () => {
    const given = { GET: ['orders:read'] as 'orders:read'[] }
    const app = appWith(auth.requireBearer('orders', { scopes: given }))
    given.GET.length = 0
    expect((await send(app, 'GET', tokens.write)).status).toBe(403)
  })

  it('hold at each of two guards of one API', async () => {
    const app = appWith(
      auth.requireBearer('orders', { scopes: { GET: [], POST: [] } }),
      auth.requireBearer('orders', { scopes: { GET: [], DELETE: [] } }),
    )
    expect((await send(app, 'GET', tokens.none)).status).toBe(200)
    for (const method of ['POST', 'DELETE']) expect((await send(app, method, tokens.both)).status).toBe(403)
  })
})

describe('anyScope (docs/http.md G8)', () => {
  const either = appWith(auth.requireBearer('orders', { anyScope: ['orders:write', 'orders:read'] }))
  const besides = appWith(
    auth.requireBearer('orders', { scopes: { GET: ['orders:read'], POST: [] }, anyScope: ['orders:write'] }),
  )

  it('needs one of them', async () => {
    for (const token of [tokens.read, tokens.write, tokens.both])
      expect((await send(either, 'GET', token)).status).toBe(200)
    await expectLack(either, 'GET', tokens.none, 'orders:write orders:read')
    await expectMissing(either, 'GET', createMissingTokenChallenge('orders:write orders:read'))
  })

  it('is needed besides all scopes of the method, and the challenge names both', async () => {
    expect((await send(besides, 'GET', tokens.both)).status).toBe(200)
    expect((await send(besides, 'POST', tokens.write)).status).toBe(200)
    for (const token of [tokens.read, tokens.write]) {
      const challenge = { 'www-authenticate': /scope="orders:read orders:write"/ }
      expectRefusal(await send(besides, 'GET', token), 403, 'insufficient_scope', challenge)
    }
  })
})

describe('allow (docs/http.md G27)', () => {
  const ask = (allow: unknown) =>
    send(appWith(auth.requireBearer('orders', { allow } as BearerGuardOptions<never>)), 'GET', tokens.both)
  const REFUSED = createBearerChallenge('access_denied', 'This request is not allowed')

  it('gets the caller and the request, with its params, and is not called before everything else is met', async () => {
    const seen: unknown[] = []
    const app = appWith(
      auth.requireBearer('orders', {
        scopes: ['orders:read'],
        allow(caller, req: express.Request) {
          seen.push([caller.application.id, caller.token.id.length > 0, caller.scopes, req.params['id']])
          return req.params['id'] === '7'
        },
      }),
    )
    expect((await send(app, 'GET', tokens.read, '/orders/7')).status).toBe(200)
    expectRefusal(await send(app, 'GET', tokens.read, '/orders/8'), 403, 'access_denied', REFUSED)
    expect(seen).toEqual(['7', '8'].map((order) => [id, true, ['orders:read'], order]))
    for (const token of [undefined, 'garbage', tokens.write])
      expect((await send(app, 'GET', token)).status).not.toBe(200)
    expect(seen).toHaveLength(2)
  })

  it.each([
    ['true', true, 200],
    ['a promise of true', Promise.resolve(true), 200],
    // oxlint-disable-next-line unicorn/no-thenable -- a promise of another realm
    ['a thenable of true', { then: (done: (answer: boolean) => void) => done(true) }, 200],
    ['false', false, 403],
    ['a promise of false', Promise.resolve(false), 403],
    ['an empty denial', {}, 403],
    ['nothing', undefined, 500],
    ['null', null, 500],
    ['a truthy text', 'yes', 500],
    ['1', 1, 500],
    ['a list', [], 500],
    ['a promise of nothing', Promise.resolve(undefined), 500],
    ['a status below 400', { status: 200 }, 500],
    ['a status that is no number', { status: '403' }, 500],
    ['an error code with a line break', { error: 'a\r\nb' }, 500],
    ['a description that is no text', { description: 7 }, 500],
    ['a header with a line break', { headers: { 'X-A': 'a\r\nX-B: b' } }, 500],
    ['a header name with a colon', { headers: { 'a:b': 'c' } }, 500],
  ])('that answers %s', async (_, answer, status) => {
    const answered = await ask(() => answer)
    expect(answered.status).toBe(status)
    if (status === 403) expectRefusal(answered, 403, 'access_denied', REFUSED)
    if (status === 500) {
      expectRefusal(answered, 500, 'server_error')
      expect(logger.lines).toEqual([expect.stringMatching(/^orders: 500 server_error TypeError/) as string])
    }
  })

  it.each([
    ['throws', throwing(new Error('no database'))],
    ['throws nothing', throwing(undefined)],
    ['throws a refusal', throwing(new OAuthError('access_denied', 'No'))],
    ['rejects', () => Promise.reject(new Error('no database'))],
    ['rejects with nothing', () => Promise.reject()],
    ['rejects with "route"', () => Promise.reject('route')],
  ] as [string, () => never][])('that %s: 500, and the log has the cause', async (_, allow) => {
    expectRefusal(await ask(allow), 500, 'server_error')
    expect(logger.lines).toHaveLength(1)
  })

  it('that meets an outage of the store, or takes longer than 5 seconds: 503', async () => {
    const outage = await ask(() => Promise.reject(new StoreUnavailableError('down')))
    const unavailable = { 'retry-after': '1' }
    expectRefusal(outage, 503, 'temporarily_unavailable', unavailable)
    vi.useFakeTimers({ toFake: ['setTimeout'], shouldAdvanceTime: true, advanceTimeDelta: 200 })
    const answer = ask(() => new Promise(() => undefined))
    await vi.advanceTimersByTimeAsync(1)
    while (vi.getTimerCount() === 0) await new Promise(setImmediate)
    await vi.advanceTimersByTimeAsync(5001)
    vi.useRealTimers()
    expectRefusal(await answer, 503, 'temporarily_unavailable', unavailable)
  })

  it('may answer a refusal of its own: status, error, description and headers', async () => {
    const text = 'Order 7 is "another\'s" für\r\nACME'
    const own = { error: 'not_your_order', description: text, headers: { 'X-Order': '7' } }
    const answer = await ask(() => own)
    const description = "Order 7 is 'another's' f r  ACME"
    expectRefusal(answer, 403, 'not_your_order', createBearerChallenge('not_your_order', description))
    expect(answer.body).toEqual({ error: 'not_your_order', error_description: description })
    expect(answer.headers['x-order']).toBe('7')
    const hidden = await ask(async () => ({ status: 404, error: 'not_found' }))
    expectRefusal(hidden, 404, 'not_found')
    const limited = new OAuthError('too_many_requests', 'Two orders a minute', { headers: { 'Retry-After': '30' } })
    expectRefusal(await ask(() => limited), 429, 'too_many_requests', { 'retry-after': '30' })
  })

  it('can not change what authOf(req) says', async () => {
    const allow: AllowRequest = (caller) => (caller.scopes.push('orders:write'), true)
    const app = appWith(
      auth.requireBearer('orders', { allow }),
      auth.requireBearer('orders', { scopes: ['orders:write'] }),
    )
    expect((await send(app, 'GET', tokens.read)).status).toBe(403)
  })

  it('is asked after the requests limit, whose headers its refusal keeps', async () => {
    const { auth } = usePlatform({ rateLimits: { requests: { limit: 1, window: 60 }, headers: true } })
    const { clientId } = await createApplication(auth, ['catalog'])
    const allow = vi.fn<AllowRequest>(() => false)
    const app = express().get('/', auth.requireApiKey('catalog', { allow }), sendAuthInfo)
    const first = await request(app).get('/').set('X-Api-Key', clientId)
    expectRefusal(first, 403, 'access_denied', createApiKeyChallenge('access_denied', 'This request is not allowed'))
    expect(first.headers).toMatchObject({ ratelimit: '"catalog";r=0;t=60' })
    expect((await request(app).get('/').set('X-Api-Key', clientId)).status).toBe(429)
    expect(allow).toHaveBeenCalledTimes(1)
  })

  it('of a key guard gets the caller without a token, and is not asked where an optional guard found no key', async () => {
    const allow = vi.fn<AllowRequest>((caller) => caller.scheme === 'apiKey' && caller.token === undefined)
    const app = express().get('/', auth.requireApiKey('catalog', { allow, optional: true }), sendAuthInfo)
    expect((await request(app).get('/').set('X-Api-Key', key)).body).toMatchObject({ api: 'catalog' })
    expect((await request(app).get('/')).body).toBeNull()
    expect(allow).toHaveBeenCalledTimes(1)
  })

  it('does not reach the handler of a request that the host has answered meanwhile', async () => {
    let isReached = false
    const app = express()
      .use((_req, res, next) => (next(), void setTimeout(() => res.status(504).end(), 10)))
      .get('/', auth.requireApiKey('catalog', { allow: () => sleep(40, true) }), () => void (isReached = true))
    expect((await exchange(app, ['GET / HTTP/1.1', `X-Api-Key: ${key}`])).status).toBe(504)
    await sleep(60)
    expect(isReached).toBe(false)
  })
})

describe('a wrong condition', () => {
  it.each([
    [{ scopes: {} }, /^requireBearer\("orders"\): scopes is \{\}\. Name the methods/],
    [{ scopes: { get: [] } }, /scopes\.get is no HTTP method\. Methods are in capital letters.* Did you mean "GET"/],
    [{ scopes: { FETCH: [] } }, /scopes\.FETCH is no HTTP method/],
    [{ scopes: { GET: 'orders:read' } }, /scopes\.GET is "orders:read"\. Write a list of scopes/],
    [
      { scopes: { GET: ['orders:reed'] } },
      /the API "orders" has no scope "orders:reed"\. There are: orders:read, orders:write/,
    ],
    [{ scopes: null }, /scopes is null\. Write a list of scopes, or a list per method/],
    [{ anyScope: [] }, /anyScope is \[\]\. No access token has one of no scopes/],
    [{ anyScope: 'orders:read' }, /anyScope is "orders:read"/],
    [{ anyScope: ['x'] }, /has no scope "x"/],
    [{ allow: true }, /allow is true\. Give it a function/],
    [{ anyscope: [] }, /anyscope is not an option\. Did you mean "anyScope"/],
  ])('%j is refused at start-up', (options, message) => {
    const call = (): unknown => auth.requireBearer('orders', options as never)
    expect(call).toThrow(message)
    expect(call).toThrow(ConfigurationError)
  })

  it('of a bearer guard is refused by requireApiKey', () => {
    expect(() => auth.requireApiKey('catalog', { otherIssuers: [] } as never)).toThrow('otherIssuers is not an option')
    expect(() => authOf({})).toThrow(/No guard/)
  })
})
