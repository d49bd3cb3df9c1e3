import express from 'express'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { plans } from '../../../src/features/plans/index.js'
import { createApplication, createTokenForm, post } from '../../support/http.js'
import { openPlatform, usePlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'

function createApp() {
  const made = openPlatform()
  const app = express().use(made.auth.router)
  app.get(
    '/orders/items',
    made.auth.requireBearer('orders', { scopes: ['orders:read'] }),
    (_req, res) => void res.end(),
  )
  app.get('/catalog/items', made.auth.requireApiKey('catalog'), (_req, res) => void res.end())
  return { ...made, app }
}

/** Sends requests that are refused; resolves the credentials in them. */
async function sendRefusedRequests({ app, auth }: ReturnType<typeof createApp>): Promise<string[]> {
  const shop = await createApplication(auth, ['orders'])
  const key = { 'X-Api-Key': shop.clientId }
  await request(app).get('/orders/items')
  await request(app).get('/orders/items').set('Authorization', 'Bearer nonsense')
  await request(app).get('/catalog/items').set(key)
  await post(app, '/orders/token', createTokenForm({ ...shop, clientSecret: 'guess' }))
  await post(app, '/orders/token', createTokenForm(shop, { scope: 'orders:all' }))
  const consumed = express().use((req, _res, next) => void req.resume().on('end', next), app)
  await post(consumed, '/orders/token', createTokenForm(shop))
  return [shop.clientId, shop.clientSecret, 'nonsense', 'guess']
}

describe('In development', () => {
  beforeEach(() => void vi.stubEnv('NODE_ENV', undefined))
  afterEach(() => void vi.unstubAllEnvs())

  it('each refusal is one log line with the API, the reason and the fix, without the credential', async () => {
    const host = createApp()
    const credentials = await sendRefusedRequests(host)
    await host.auth.close()
    expect(host.logger.lines).toEqual([
      expect.stringMatching(/^orders: 401 unauthorized: An access token is needed.* WWW-Authenticate/),
      expect.stringMatching(/^orders: 401 invalid_token: The access token is not valid\. .*token endpoint/),
      expect.stringMatching(/^catalog: 403 access_denied: .*allow\(id, api\)/),
      expect.stringMatching(/^orders: 401 invalid_client: Client authentication failed\. Check the key and the secret/),
      expect.stringMatching(/^orders: 400 invalid_scope: .*allow\(id, api, \{ scopes \}\)/),
      expect.stringMatching(/^orders: 500 server_error .*Mount auth\.router before/),
    ])
    for (const credential of credentials) expect(host.logger.lines.join('\n')).not.toContain(credential)
  })

  it('the line of a 503 that hides from callers why a resource server is refused says why', async () => {
    const { auth, logger } = usePlatform({ rateLimits: { failedAuthentication: { limit: 1, window: 60 } } })
    const app = express().use(auth.router)
    const { application, credentials } = await auth.applications.create({ name: 'Proxy', resourceServer: ['catalog'] })
    const check = async (secret: string, api = 'catalog') => {
      logger.lines.length = 0
      const form = { client_id: application.id, client_secret: secret, token: 'x', api }
      return (await post(app, '/_resource-server/check', form)).status
    }
    expect(await check(credentials.clientSecret!, 'weather')).toBe(400)
    expect(logger.lines).toEqual([expect.stringMatching(/400 invalid_target: .* names one of its own APIs/)])
    expect(await check('guess')).toBe(503)
    expect(logger.lines).toEqual([
      expect.stringMatching(
        /^platform: 503 temporarily_unavailable: .* itself is refused: invalid_client: .* Check the key/,
      ),
    ])
    expect(await check('guess')).toBe(503)
    expect(logger.lines).toEqual([
      expect.stringMatching(/itself is refused: too_many_requests: .* it is set by rateLimits\.failedAuthentication/),
    ])
  })

  it('the line of a 429 names the option that has set the limit', async () => {
    const limit = { limit: 1, window: 60 }
    const { auth, logger } = usePlatform({
      apis: {
        orders: { scheme: 'oauth2' },
        catalog: { scheme: 'apiKey', rateLimit: limit },
        weather: { scheme: 'apiKey' },
      },
      rateLimits: { tokenRequests: limit, failedAuthentication: limit },
      features: [plans({ free: { requests: [limit] } })],
    })
    const app = express().use(auth.router)
    for (const api of ['catalog', 'weather'] as const)
      app.get(`/${api}`, auth.requireApiKey(api), (_req, res) => void res.end())
    const shop = await createApplication(auth, ['orders', 'catalog', 'weather'])
    const twice = async (send: () => PromiseLike<unknown>) => {
      await send()
      logger.lines.length = 0
      await send()
      return logger.lines.join('\n')
    }
    const call = (api: string, key = shop.clientId) => request(app).get(`/${api}`).set('X-Api-Key', key)
    expect(await twice(() => call('catalog'))).toContain('set by apis.catalog.rateLimit')
    await auth.applications.allow(shop.id, 'catalog', { rateLimit: limit })
    expect(await twice(() => call('catalog'))).toContain("set by the application's rateLimit")
    expect(await twice(() => post(app, '/orders/token', createTokenForm(shop)))).toContain(
      'set by rateLimits.tokenRequests',
    )
    const guess = createTokenForm({ ...shop, clientSecret: 'guess' })
    expect(await twice(() => post(app, '/orders/token', guess))).toContain('set by rateLimits.failedAuthentication')
    await auth.plans.set(shop.id, 'free')
    expect(await twice(() => call('weather'))).toContain('set by plans.free.requests')
  })

  it('the line of an expired credential says that it has expired, which the answer does not', async () => {
    const { app, auth, clock, logger } = createApp()
    const shop = await createApplication(auth, ['orders', 'catalog'])
    await auth.applications.rotateKey(shop.id, { overlap: 60 })
    await auth.applications.rotateSecret(shop.id, { overlap: 60 })
    clock.advance(60)
    await request(app).get('/catalog/items').set({ 'X-Api-Key': shop.clientId })
    await post(app, '/orders/token', createTokenForm(shop))
    await post(app, '/orders/token', createTokenForm({ ...shop, clientId: shop.id }))
    await auth.close()
    expect(logger.lines).toEqual([
      expect.stringMatching(/^catalog: 401 invalid_api_key: The API key is not valid\. The key has expired\./),
      expect.stringMatching(/^orders: 401 invalid_client: Client authentication failed\. The key has expired\./),
      expect.stringMatching(/^orders: 401 invalid_client: Client authentication failed\. The secret has expired\./),
    ])
  })
})

describe.each(['production', 'test'])('With NODE_ENV=%s', (environment) => {
  beforeEach(() => void vi.stubEnv('NODE_ENV', environment))
  afterEach(() => void vi.unstubAllEnvs())

  it('refusals are not logged, and internal errors are logged with their cause', async () => {
    const host = createApp()
    await sendRefusedRequests(host)
    await host.auth.close()
    expect(host.logger.lines).toEqual([expect.stringMatching(/^orders: 500 server_error .*Mount auth\.router before/)])
  })
})
