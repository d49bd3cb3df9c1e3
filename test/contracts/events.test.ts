import type { Express, RequestHandler } from 'express'
import express from 'express'
import request from 'supertest'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { EventType, IssuedCredentials, PlatformEvent } from '../../src/index.js'
import { callerOf, type Caller } from '../support/caller.js'
import { onEveryPlatform, platform, type TestPlatform } from '../support/platform.js'

/** Every type that is emitted, but for the store's, which lifecycle.test.ts is about. */
const TYPES: readonly EventType[] = [
  'application.registered', 'application.updated', 'application.suspended', 'application.resumed', 'application.deleted',
  'application.accessChanged', 'application.credentialRotated', 'application.tokensRevoked', 'token.issued', 'token.refused', 'token.revoked',
  'request.allowed', 'request.denied', 'signingKey.rotated', 'signingKey.revoked',
] // prettier-ignore

/** What an event may tell, and nothing else. */
const MEMBERS = ['type', 'at', 'applicationId', 'api', 'reason', 'requestId']

/** An app whose every request has an id, as pino-http gives it: here the client says which. */
function appOf({ auth }: TestPlatform): Express {
  const app = express()
  const identify: RequestHandler = (req, _res, next) => {
    const id = req.headers['x-request-id']
    if (id !== undefined) Object.assign(req, { id: id === 'a number' ? 7 : id === 'an object' ? { id } : id })
    next()
  }
  app.use(identify, auth.router)
  const answer: RequestHandler = (_req, res) => void res.json([])
  app.get('/orders/items', auth.requireBearer('orders'), answer)
  app.get('/orders/changes', auth.requireBearer('orders', { scopes: ['orders:write'] }), answer)
  app.get(
    '/orders/both',
    auth.requireBearer('orders'),
    auth.requireBearer('orders', { scopes: ['orders:read'] }),
    answer,
  )
  app.get('/orders/optional', auth.requireBearer('orders', { optional: true }), answer)
  app.get('/catalog/items', auth.requireApiKey('catalog'), answer)
  app.get('/weather/now', auth.requireApiKey('weather'), answer)
  return app
}

onEveryPlatform((host) => {
  const seen: PlatformEvent[] = []
  let app: Express
  let caller: Caller
  let id: string
  let credentials: IssuedCredentials

  beforeAll(() => {
    app = appOf(host)
    caller = callerOf({ app })
    for (const type of TYPES) host.auth.events.on(type, (...args) => void seen.push(...args))
  })

  beforeEach(async () => {
    const made = await host.auth.applications.create({
      name: 'Shop',
      contact: 'dev@example.com',
      apis: ['orders', 'catalog'],
    })
    id = made.application.id
    credentials = made.credentials
    seen.length = 0
  })

  /** What has been told since the application was made, or since the last look. */
  function told(): PlatformEvent[] {
    const events = seen.splice(0)
    for (const event of events) {
      expect(MEMBERS).toEqual(expect.arrayContaining(Object.keys(event)))
      expect(event.at).toBeInstanceOf(Date)
      expect(event.at.getTime()).toBe(host.clock.now())
    }
    // Without what is undefined, and without the instant just looked at.
    return events.map((event) => JSON.parse(JSON.stringify({ ...event, at: undefined })) as PlatformEvent)
  }

  describe('a change of an application', () => {
    it('is told as what it is, with the id and nothing else', async () => {
      const other = await host.auth.applications.create({ name: 'Other', apis: ['catalog'], by: 'ann' })
      expect(told()).toEqual([{ type: 'application.registered', applicationId: other.application.id }])
      const { applications } = host.auth
      host.clock.advance(1)
      await applications.update(id, { name: 'Another', contact: 'new@example.com', by: 'ann' })
      await applications.suspend(id, { by: 'ann' })
      await applications.resume(id)
      await applications.allow(id, 'orders', { scopes: ['orders:read'] })
      await applications.disallow(id, 'catalog')
      await applications.rotateSecret(id)
      await applications.rotateKey(id)
      await applications.revokeTokens(id)
      await applications.delete(id)
      expect(told()).toEqual(
        [
          'updated',
          'suspended',
          'resumed',
          'accessChanged',
          'accessChanged',
          'credentialRotated',
          'credentialRotated',
          'tokensRevoked',
          'deleted',
        ].map((what) => ({ type: `application.${what}`, applicationId: id })),
      )
    })

    it('that is refused is not told', async () => {
      await expect(host.auth.applications.resume(id)).rejects.toThrow()
      await expect(host.auth.applications.update(id, { name: '' })).rejects.toThrow()
      await expect(host.auth.applications.suspend('nobody')).rejects.toThrow()
      expect(told()).toEqual([])
    })
  })

  describe('the token endpoint', () => {
    it('tells of every access token, and of every refusal with its error', async () => {
      await caller.token('orders', credentials).set('X-Request-Id', 'r1').expect(200)
      await caller
        .token('orders', { ...credentials, clientSecret: 'wrong' })
        .set('X-Request-Id', 'r2')
        .expect(401)
      await caller.token('orders', {}).expect(401)
      await caller.token('orders', credentials, { grant_type: 'password' }).set('X-Request-Id', 'a number').expect(400)
      await caller.token('orders', credentials, { scope: 'more' }).set('X-Request-Id', 'an object').expect(400)
      await caller.token('invoices', credentials).expect(400)
      await request(app).get('/orders/token').expect(405)
      await request(app).post('/orders/token').send({ json: true }).expect(400)
      const refused = { type: 'token.refused', api: 'orders' }
      expect(told()).toEqual([
        { type: 'token.issued', api: 'orders', applicationId: id, requestId: 'r1' },
        { ...refused, reason: 'invalid_client', requestId: 'r2' },
        { ...refused, reason: 'invalid_client' },
        { ...refused, reason: 'unsupported_grant_type', applicationId: id, requestId: '7' },
        { ...refused, reason: 'invalid_scope', applicationId: id },
        { ...refused, reason: 'unauthorized_client', api: 'invoices', applicationId: id },
        { ...refused, reason: 'invalid_request' },
        { ...refused, reason: 'invalid_request' },
      ])
    })
  })

  describe('the revocation endpoint', () => {
    it('tells of what it revoked, once, and of nothing else', async () => {
      const accessToken = await caller.accessToken('orders', credentials)
      const other = await host.auth.applications.create({ name: 'Other', apis: ['orders'] })
      told()
      await caller.revoke('orders', other.credentials, accessToken).expect(200)
      await caller.revoke('orders', credentials, 'no token').expect(200)
      await caller.revoke('orders', credentials, accessToken).set('X-Request-Id', 'r1').expect(200)
      await caller.revoke('orders', credentials, accessToken).expect(200)
      expect(told()).toEqual([{ type: 'token.revoked', api: 'orders', applicationId: id, requestId: 'r1' }])
    })
  })

  describe('a guard', () => {
    it('tells of every request that it lets pass, once however many guards there are', async () => {
      const accessToken = await caller.accessToken('orders', credentials)
      await caller.bearer('/orders/items', accessToken).set('X-Request-Id', 'r1').expect(200)
      await caller.bearer('/orders/both', accessToken).set('X-Request-Id', 'r2').expect(200)
      await caller.bearer('/orders/optional', accessToken).expect(200)
      await request(app).get('/orders/optional').expect(200)
      await caller.key('/catalog/items', credentials.clientId).set('X-Request-Id', 'r4').expect(200)
      const allowed = { type: 'request.allowed', applicationId: id }
      expect(told().slice(1)).toEqual([
        { ...allowed, api: 'orders', requestId: 'r1' },
        { ...allowed, api: 'orders', requestId: 'r2' },
        { ...allowed, api: 'orders' },
        { ...allowed, api: 'catalog', requestId: 'r4' },
      ])
    })

    it('tells of every request that it refuses, with the error, and who it was where that is known', async () => {
      const reader = await caller.accessToken('orders', credentials, { scope: 'orders:read' })
      await request(app).get('/orders/items').set('X-Request-Id', 'r1').expect(401)
      await request(app).get('/orders/items').set('Authorization', 'Bearer a b').expect(400)
      await caller.bearer('/orders/items', 'not.our.token').expect(401)
      await caller.bearer('/orders/optional', 'not.our.token').expect(401)
      await caller.bearer('/orders/changes', reader).expect(403)
      await request(app).get('/catalog/items').expect(401)
      await caller.key('/catalog/items', 'epa_key_nobody').expect(401)
      await caller.key('/weather/now', credentials.clientId).set('X-Request-Id', 'r8').expect(403)
      const denied = { type: 'request.denied', api: 'orders' }
      expect(told().slice(1)).toEqual([
        { ...denied, reason: 'unauthorized', requestId: 'r1' },
        { ...denied, reason: 'invalid_request' },
        { ...denied, reason: 'invalid_token' },
        { ...denied, reason: 'invalid_token' },
        { ...denied, reason: 'insufficient_scope', applicationId: id },
        { ...denied, api: 'catalog', reason: 'unauthorized' },
        { ...denied, api: 'catalog', reason: 'invalid_api_key' },
        { ...denied, api: 'weather', reason: 'access_denied', requestId: 'r8' },
      ])
    })
  })

  describe('signing keys', () => {
    it('are told of when they rotate and when they are revoked', async () => {
      const { kid } = await host.auth.signingKeys.rotate({ immediately: true, by: 'ann' })
      expect(told()).toEqual([{ type: 'signingKey.rotated' }])
      await host.auth.signingKeys.revoke(kid)
      // The current key is replaced before it is revoked.
      expect(told()).toEqual([{ type: 'signingKey.rotated' }, { type: 'signingKey.revoked' }])
      await expect(host.auth.signingKeys.revoke(kid)).rejects.toMatchObject({ code: 'signing_key_not_found' })
      expect(told()).toEqual([])
    })
  })

  describe('no event', () => {
    it('holds a key, a secret, an access token, a name or an address', async () => {
      const accessToken = await caller.accessToken('orders', credentials)
      await caller.bearer('/orders/items', accessToken).expect(200)
      await caller.bearer('/orders/items', `${accessToken}x`).expect(401)
      await caller.key('/catalog/items', credentials.clientId).expect(200)
      await caller.token('orders', { ...credentials, clientSecret: `${credentials.clientSecret}x` }).expect(401)
      await caller.revoke('orders', credentials, accessToken).expect(200)
      const { credentials: key } = await host.auth.applications.rotateKey(id)
      const { credentials: secret } = await host.auth.applications.rotateSecret(id)
      const all = JSON.stringify(seen)
      for (const text of [
        ...Object.values(credentials),
        key.clientId,
        secret.clientSecret,
        accessToken,
        accessToken.split('.')[2]!,
        'Shop',
        'dev@example.com',
      ]) {
        expect(all).not.toContain(text)
      }
      expect(seen.length).toBeGreaterThan(7)
    })
  })
})

describe('a listener', () => {
  let made: TestPlatform
  let app: Express
  let caller: Caller
  let credentials: IssuedCredentials

  beforeEach(async () => {
    made = platform()
    app = appOf(made)
    caller = callerOf({ app })
    ;({ credentials } = await made.auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] }))
  })
  afterEach(() => made.auth.close())

  it.each<[string, () => unknown]>([
    ['throws', () => { throw new Error('of the listener') }],
    ['rejects', async () => { throw new Error('of the listener') }],
    ['rejects later', async () => { await new Promise((resolve) => setTimeout(resolve, 5)); throw new Error('of the listener') }],
  ])('that %s harms no request, no call and no other listener, and is logged', async (_, fails) => {
    const heard: string[] = []
    for (const type of TYPES) {
      // A rejection that nobody takes would end the test run.
      made.auth.events.on(type, () => fails())
      made.auth.events.on(type, (event) => void heard.push(event.type))
    }
    const accessToken = await caller.accessToken('orders', credentials)
    await caller.bearer('/orders/items', accessToken).expect(200)
    await caller.key('/catalog/items', credentials.clientId).expect(200)
    await caller.bearer('/orders/items', 'wrong').expect(401)
    await caller.token('orders', {}).expect(401, /invalid_client/)
    await caller.revoke('orders', credentials, accessToken).expect(200)
    const { application } = await made.auth.applications.create({ name: 'Other', apis: ['catalog'] })
    await made.auth.applications.suspend(application.id)
    await made.auth.signingKeys.rotate({ immediately: true })
    const types = [
      'token.issued', 'request.allowed', 'request.allowed', 'request.denied', 'token.refused', 'token.revoked', 'application.registered',
      'application.suspended', 'signingKey.rotated',
    ] // prettier-ignore
    expect(heard).toEqual(types)
    await new Promise((resolve) => setTimeout(resolve, 20))
    const logged = made.logger.lines.filter((line) => line.startsWith('A listener'))
    expect(logged).toEqual(types.map((type) => `A listener of ${type} failed. Error: of the listener`))
  }) // prettier-ignore

  it('added by once() hears once, also where it throws', async () => {
    let calls = 0
    made.auth.events.once('request.allowed', () => {
      calls += 1
      throw new Error('of the listener')
    })
    await caller.key('/catalog/items', credentials.clientId).expect(200)
    await caller.key('/catalog/items', credentials.clientId).expect(200)
    expect(calls).toBe(1)
    expect(made.auth.events.listenerCount('request.allowed')).toBe(0)
  })

  it('taken away by off() hears no more, also while it is being told', async () => {
    const heard: string[] = []
    const first = (): void => {
      heard.push('first')
      made.auth.events.off('request.allowed', first)
    }
    made.auth.events.on('request.allowed', first)
    made.auth.events.on('request.allowed', () => void heard.push('second'))
    await caller.key('/catalog/items', credentials.clientId).expect(200)
    await caller.key('/catalog/items', credentials.clientId).expect(200)
    expect(heard).toEqual(['first', 'second', 'second'])
  })

  it('can change what it is told for nobody but the listeners behind it', async () => {
    made.auth.events.on('token.issued', (event) => void Object.assign(event, { applicationId: 'another' }))
    const accessToken = await caller.accessToken('orders', credentials)
    await caller.bearer('/orders/items', accessToken).expect(200)
  })
})

describe('the log', () => {
  afterEach(() => void vi.unstubAllEnvs())

  /** A refusal, and what its one line must say. */
  const REFUSALS: readonly (readonly [string, (caller: Caller, app: Express, credentials: IssuedCredentials) => PromiseLike<unknown>, RegExp])[] = [
    ['no access token', (_, app) => request(app).get('/orders/items'), /^orders: 401 unauthorized: An access token is needed.* Send the credential that WWW-Authenticate asks for/],
    ['a bad access token', (caller) => caller.bearer('/orders/items', 'my-precious-token'), /^orders: 401 invalid_token: The access token is not valid\. Get a new access token/],
    ['a malformed header', (_, app) => request(app).get('/orders/items').set('Authorization', 'Bearer my-precious token'), /^orders: 400 invalid_request: The Authorization header must be/],
    ['no key', (_, app) => request(app).get('/catalog/items'), /^catalog: 401 unauthorized: An API key is needed/],
    ['a bad key', (caller) => caller.key('/catalog/items', 'my-precious-key'), /^catalog: 401 invalid_api_key: The API key is not valid\. Check the key/],
    ['a key of another API', (caller, _, { clientId }) => caller.key('/weather/now', clientId), /^weather: 403 access_denied: .*\.allow\(id, api\)/],
    ['a wrong secret', (caller, _, { clientId }) => caller.token('orders', { clientId, clientSecret: 'my-precious-secret' }), /^orders: 401 invalid_client: Client authentication failed\. Check key and secret/],
    ['no credentials', (caller) => caller.token('orders', {}), /^orders: 401 invalid_client: Client credentials are missing/],
    ['another grant type', (caller, _, credentials) => caller.token('orders', credentials, { grant_type: 'my-precious-grant' }), /^orders: 400 unsupported_grant_type: .* Send grant_type=client_credentials\.$/],
    ['an unknown scope', (caller, _, credentials) => caller.token('orders', credentials, { scope: 'my-precious-scope' }), /^orders: 400 invalid_scope: .*\.allow\(id, api, \{ scopes \}\)/],
    ['an API that is not allowed', (caller, _, credentials) => caller.token('invoices', credentials), /^invoices: 400 unauthorized_client: .* Grant it with auth\.applications\.allow\(id, api\)\.$/],
    ['another resource', (caller, _, credentials) => caller.token('orders', credentials, { resource: 'https://my-precious.example' }), /^orders: 400 invalid_target: .* Leave `resource` out/],
    ['another method', (_, app) => request(app).get('/orders/token'), /^orders: 405 invalid_request: The token endpoint takes POST only/],
    ['revocation without a token', (caller, _, credentials) => caller.revoke('orders', credentials, ''), /^orders: 400 invalid_request: The parameter token is missing/],
  ] // prettier-ignore

  it.each(REFUSALS)('has one line for %s: reason, API and cure', async (_, refused, line) => {
    const made = platform()
    const app = appOf(made)
    const { credentials } = await made.auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] })
    await refused(callerOf({ app }), app, credentials)
    expect(made.logger.lines).toEqual([expect.stringMatching(line)])
    const [text] = made.logger.lines
    expect(text).not.toMatch(/precious|\n/)
    for (const credential of Object.values(credentials)) expect(text).not.toContain(credential)
    await made.auth.close()
  })

  it('has no line for what is let pass', async () => {
    const made = platform()
    const caller = callerOf({ app: appOf(made) })
    const { credentials } = await made.auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] })
    await caller.bearer('/orders/items', await caller.accessToken('orders', credentials)).expect(200)
    await caller.key('/catalog/items', credentials.clientId).expect(200)
    expect(made.logger.lines).toEqual([])
    await made.auth.close()
  })

  it.each(REFUSALS)('says nothing in production of %s', async (_, refused) => {
    vi.stubEnv('NODE_ENV', 'production')
    const made = platform()
    const app = appOf(made)
    const { credentials } = await made.auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] })
    await refused(callerOf({ app }), app, credentials)
    expect(made.logger.lines).toEqual([])
    await made.auth.close()
  })

  it('says in production too what went wrong inside, with its cause, which the answer does not', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    const made = platform({
      onDenied: () => {
        throw new Error('of the host')
      },
    })
    const { body } = await request(appOf(made)).get('/orders/items').expect(500)
    expect(body).toEqual({ error: 'server_error', error_description: expect.not.stringContaining('host') })
    expect(made.logger.lines).toEqual(['orders: 500 server_error Error: of the host'])
    await made.auth.close()
  })
})
