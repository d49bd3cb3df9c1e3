import { afterEach, describe, expect, it } from 'vitest'
import { createServer } from 'node:http'
import { ConfigurationError, createPlatformAuth, memoryStore, type PlatformAuth } from '../../../src/index.js'
import { request } from '../../support/request.js'

const makeScopes = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`orders:${'x'.repeat(20)}:${i}`.padEnd(30, 'y'), `Scope ${i}`]),
  )

const platforms: PlatformAuth[] = []
afterEach(() => Promise.all(platforms.splice(0).map((auth) => auth.close())))

describe('an API with so many scopes that headers do not carry a token with all of them', () => {
  it('says so at the start', () => {
    expect(open(150).warnings).toEqual([])
    expect(open(200).warnings).toEqual([
      expect.stringMatching(/apis\.orders\.scopes.*200 scopes.*characters.*request fewer/s),
    ])
  })

  it('issues no token that its own guard refuses, and says what to do', async () => {
    const { auth, app, scopes } = open(200)
    const { credentials } = await auth.applications.create({
      name: 'Everything',
      contact: 'dev@example.com',
      apis: { orders: { scopes } },
    })
    const getToken = (scope?: string) =>
      request(app)
        .post('/orders/token')
        .type('form')
        .send({
          grant_type: 'client_credentials',
          client_id: credentials.clientId,
          client_secret: credentials.clientSecret,
          ...(scope && { scope }),
        })
    for (const scope of [undefined, scopes.join(' ')]) {
      const refused = await getToken(scope)
      expect(refused.status).toBe(400)
      expect(refused.body).toEqual({
        error: 'invalid_scope',
        error_description: expect.stringMatching(
          /^The access token would have \d+ characters.*request fewer scopes/,
        ) as string,
      })
    }
    const { body } = await getToken(scopes.slice(0, 150).join(' '))
    const token = (body as { access_token: string }).access_token
    await request(app).get('/orders/items').set('Authorization', `Bearer ${token}`).expect(200)
    const long = await request(app)
      .get('/orders/items')
      .set('Authorization', `Bearer ${'x'.repeat(8193)}`)
    expect(long.body).toEqual({
      error: 'invalid_request',
      error_description: 'The access token has more than 8192 characters',
    })
    await expect(auth.verifyAccessToken('orders', 'x'.repeat(8193))).rejects.toThrow(/more than 8192/)
  })

  it('refuses with headers that a buffer of 4 KB holds, and names the scopes where it can', async () => {
    const { auth, app, scopes } = open(200)
    const few = auth.requireBearer('orders', { scopes: scopes.slice(0, 10) })
    const many = auth.requireBearer('orders', { scopes: scopes.slice(0, 150) })
    const any = auth.requireBearer('orders', { anyScope: scopes })
    const either = auth.requireAny([
      auth.requireBearer('orders', { scopes: scopes.slice(0, 30) }),
      auth.requireApiKey('catalog'),
    ])
    for (const [path, guard] of Object.entries({ few, many, any, either }))
      app.on('request', (req, res) => req.url === `/${path}` && guard(req, res, () => res.end('reached')))
    const challenge = async (path: string): Promise<string> => {
      const { headers, status } = await request(app).get(`/${path}`)
      expect(status).toBe(401)
      expect(Object.entries(headers).flat().join('').length).toBeLessThan(3000)
      return headers['www-authenticate'] as string
    }
    expect(await challenge('few')).toContain(`scope="${scopes.slice(0, 10).join(' ')}"`)
    for (const path of ['many', 'any']) expect(await challenge(path)).not.toContain('scope=')
    expect(await challenge('either')).toMatch(/^Bearer realm="orders".*ApiKey realm="catalog"/)
  })

  it('has no guard that no token could satisfy', () => {
    const { auth, scopes } = open(200)
    expect(() => auth.requireBearer('orders', { scopes })).toThrow(/needs an access token of about \d+ characters/)
    expect(() => auth.requireBearer('orders', { scopes: { GET: scopes } })).toThrow(ConfigurationError)
  })
})

it('a scope or an address that headers would not hold is refused at the start', () => {
  const orders = { scheme: 'oauth2', scopes: { ['s'.repeat(513)]: 'Long' } } as const
  expect(() => createPlatformAuth({ baseUrl: 'http://localhost:3000', apis: { orders } })).toThrow(/513 characters/)
  const baseUrl = `http://localhost:3000/${'x'.repeat(500)}`
  expect(() => createPlatformAuth({ baseUrl, apis: { orders: { scheme: 'oauth2' } } })).toThrow(/baseUrl.*at most 512/s)
})

function open(count: number) {
  const warnings: string[] = []
  const scopes = makeScopes(count)
  const logger = {
    warn: (text: string) => void warnings.push(text),
    error: () => undefined,
    debug: () => undefined,
    info: () => undefined,
  }
  const auth = createPlatformAuth({
    baseUrl: 'http://localhost:3000',
    apis: { orders: { scheme: 'oauth2', scopes }, catalog: { scheme: 'apiKey' } },
    store: memoryStore(),
    logger,
  })
  platforms.push(auth)
  const guard = auth.requireBearer('orders')
  const app = createServer((req, res) => {
    if (req.url === '/orders/token') auth.router(req, res, () => res.writeHead(404).end())
    else if (req.url === '/orders/items') guard(req, res, () => res.end('items'))
  })
  return { auth, app, warnings, scopes: Object.keys(scopes) }
}
