import type { Express, RequestHandler } from 'express'
import express from 'express'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { IssuedCredentials, PlatformEvent } from '../../../src/index.js'
import { createCaller, type Caller } from '../../support/caller.js'
import { EVENT_TYPES } from '../../support/event-types.js'
import { onEveryPlatform, usePlatform, type TestPlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'

/** The members that an event may have. */
const MEMBERS = ['type', 'at', 'applicationId', 'api', 'error', 'reason', 'requestId', 'address', 'client']
/** The caller of these tests, also over IPv6. */
const address = '127.0.0.1'

/** What events show of a key. */
function prefixOf({ clientId }: IssuedCredentials): string {
  return clientId.slice(0, 12)
}

/** An app whose requests have an id, as with pino-http; here the client chooses it. */
function createApp({ auth }: TestPlatform): Express {
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
    app = createApp(host)
    caller = createCaller({ app })
    for (const type of EVENT_TYPES) host.auth.events.on(type, (...args) => void seen.push(...args))
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

  /** The events since the application was created, or since the last call. */
  function takeEvents(): PlatformEvent[] {
    const events = seen.splice(0)
    for (const event of events) {
      expect(MEMBERS).toEqual(expect.arrayContaining(Object.keys(event)))
      expect(event.at).toBeInstanceOf(Date)
      expect(event.at.getTime()).toBe(host.clock.now())
    }
    // Without undefined members, and without `at`, which was checked above.
    return events.map((event) => JSON.parse(JSON.stringify({ ...event, at: undefined })) as PlatformEvent)
  }

  describe('a change of an application', () => {
    it('emits an event with its type and only the id of the application', async () => {
      const other = await host.auth.applications.create({ name: 'Other', apis: ['catalog'], by: 'ann' })
      expect(takeEvents()).toEqual([{ type: 'application.registered', applicationId: other.application.id }])
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
      expect(takeEvents()).toEqual(
        (
          'updated suspended resumed accessChanged accessChanged credentialRotated credentialRotated ' +
          'tokensRevoked deleted'
        )
          .split(' ')
          .map((what) => ({ type: `application.${what}`, applicationId: id })),
      )
    })

    it('emits no event if it is refused', async () => {
      await expect(host.auth.applications.resume(id)).rejects.toThrow()
      await expect(host.auth.applications.update(id, { name: '' })).rejects.toThrow()
      await expect(host.auth.applications.suspend('app_unknown')).rejects.toThrow()
      expect(takeEvents()).toEqual([])
    })
  })

  describe('the token endpoint', () => {
    it('emits an event for each access token, and for each refusal with its error', async () => {
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
      const refused = { type: 'token.refused', api: 'orders', address }
      const client = prefixOf(credentials)
      const known = { ...refused, applicationId: id, client }
      expect(takeEvents()).toEqual([
        { type: 'token.issued', api: 'orders', applicationId: id, requestId: 'r1', address, client },
        { ...known, error: 'invalid_client', reason: 'wrong_secret', requestId: 'r2' },
        { ...refused, error: 'invalid_client', reason: 'no_credential' },
        { ...known, error: 'unsupported_grant_type', reason: 'unsupported_grant_type', requestId: '7' },
        { ...known, error: 'invalid_scope', reason: 'invalid_scope' },
        { ...known, api: 'invoices', error: 'unauthorized_client', reason: 'not_allowed' },
        { ...refused, error: 'invalid_request', reason: 'invalid_request' },
        { ...refused, error: 'invalid_request', reason: 'invalid_request' },
      ])
    })

    it('tells operators, and not the client, why authentication failed', async () => {
      const unknown = { ...credentials, clientId: (await host.auth.applications.rotateKey(id)).credentials.clientId }
      await host.auth.applications.rotateKey(id, { overlap: 0 })
      await host.auth.applications.rotateKey(id, { overlap: 0 })
      const { clientId } = (await host.auth.applications.rotateKey(id)).credentials
      const good = { ...credentials, clientId }
      takeEvents()
      const answers: unknown[] = []
      const send = async (sent: Partial<IssuedCredentials>): Promise<void> => {
        const { status, body, headers } = await caller.token('orders', sent)
        answers.push([status, body, headers['www-authenticate']])
      }
      await send(unknown)
      await send({ ...good, clientSecret: 'wrong' })
      await send({ ...good, clientId: id, clientSecret: 'wrong' })
      await send({ ...good, clientId: 'a secret in the wrong place' })
      await host.auth.applications.suspend(id)
      await send({ ...good, clientSecret: 'wrong' })
      await send(good)
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
      const events = takeEvents().filter(({ type }) => type === 'token.refused')
      expect(events.map(({ reason, client, applicationId }) => [reason, client, applicationId])).toEqual([
        ['unknown_client', prefixOf(unknown), undefined],
        ['wrong_secret', prefixOf(good), id],
        ['wrong_secret', id, id],
        ['unknown_client', undefined, undefined],
        ['wrong_secret', prefixOf(good), id],
        ['suspended', prefixOf(good), id],
      ])
    })
  })

  describe('the revocation endpoint', () => {
    it('emits one event for a revoked token, and none for any other', async () => {
      const accessToken = await caller.accessToken('orders', credentials)
      const other = await host.auth.applications.create({ name: 'Other', apis: ['orders'] })
      takeEvents()
      await caller.revoke('orders', other.credentials, accessToken).expect(200)
      await caller.revoke('orders', credentials, 'no token').expect(200)
      await caller.revoke('orders', credentials, accessToken).set('X-Request-Id', 'r1').expect(200)
      await caller.revoke('orders', credentials, accessToken).expect(200)
      expect(takeEvents()).toEqual([
        { type: 'token.revoked', api: 'orders', applicationId: id, requestId: 'r1', address, client: id },
      ])
    })
  })

  describe('a guard', () => {
    it('emits one event for each allowed request, however many guards it passes', async () => {
      const accessToken = await caller.accessToken('orders', credentials)
      await caller.bearer('/orders/items', accessToken).set('X-Request-Id', 'r1').expect(200)
      await caller.bearer('/orders/both', accessToken).set('X-Request-Id', 'r2').expect(200)
      await caller.bearer('/orders/optional', accessToken).expect(200)
      await request(app).get('/orders/optional').expect(200)
      await caller.key('/catalog/items', credentials.clientId).set('X-Request-Id', 'r4').expect(200)
      const allowed = { type: 'request.allowed', applicationId: id, address, client: id }
      expect(takeEvents().slice(1)).toEqual([
        { ...allowed, api: 'orders', requestId: 'r1' },
        { ...allowed, api: 'orders', requestId: 'r2' },
        { ...allowed, api: 'orders' },
        { ...allowed, api: 'catalog', requestId: 'r4', client: prefixOf(credentials) },
      ])
    })

    it('emits an event for each refused request, with the error, and with the application if it is known', async () => {
      const reader = await caller.accessToken('orders', credentials, { scope: 'orders:read' })
      await request(app).get('/orders/items').set('X-Request-Id', 'r1').expect(401)
      await request(app).get('/orders/items').set('Authorization', 'Bearer a b').expect(400)
      await caller.bearer('/orders/items', 'not.our.token').expect(401)
      await caller.bearer('/orders/optional', 'not.our.token').expect(401)
      await caller.bearer('/orders/changes', reader).expect(403)
      await request(app).get('/catalog/items').expect(401)
      await caller.key('/catalog/items', 'epa_key_nobody').expect(401)
      await caller.key('/weather/now', credentials.clientId).set('X-Request-Id', 'r8').expect(403)
      const denied = { type: 'request.denied', api: 'orders', address }
      const client = prefixOf(credentials)
      expect(takeEvents().slice(1)).toEqual([
        { ...denied, error: 'unauthorized', reason: 'no_credential', requestId: 'r1' },
        { ...denied, error: 'invalid_request', reason: 'invalid_request' },
        { ...denied, error: 'invalid_token', reason: 'invalid_token' },
        { ...denied, error: 'invalid_token', reason: 'invalid_token' },
        { ...denied, error: 'insufficient_scope', reason: 'insufficient_scope', applicationId: id, client: id },
        { ...denied, api: 'catalog', error: 'unauthorized', reason: 'no_credential' },
        { ...denied, api: 'catalog', error: 'invalid_api_key', reason: 'unknown_client' },
        {
          ...denied,
          api: 'weather',
          error: 'access_denied',
          reason: 'not_allowed',
          requestId: 'r8',
          applicationId: id,
          client,
        },
      ])
    })

    it('tells operators, and not the caller, why a credential is refused', async () => {
      const accessToken = await caller.accessToken('orders', credentials)
      const revoked = await caller.accessToken('orders', credentials)
      await caller.revoke('orders', credentials, revoked).expect(200)
      const forged = `${accessToken.slice(0, -8)}${'A'.repeat(8)}`
      const answers: unknown[] = []
      const call = async (token: string): Promise<void> => {
        const { status, body, headers } = await caller.bearer('/orders/items', token)
        answers.push([status, body, headers['www-authenticate']])
      }
      takeEvents()
      await caller.bearer('/orders/items', forged).expect(401)
      await call(revoked)
      await host.auth.applications.disallow(id, 'orders')
      await call(accessToken)
      await host.auth.applications.allow(id, 'orders')
      await host.auth.applications.suspend(id)
      await call(accessToken)
      await caller.key('/catalog/items', credentials.clientId).expect(403)
      await host.auth.applications.delete(id)
      await call(accessToken)
      await caller.key('/catalog/items', credentials.clientId).expect(401)
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
      const events = takeEvents().filter(({ type }) => type === 'request.denied')
      const key = prefixOf(credentials)
      expect(events.map(({ reason, client }) => [reason, client])).toEqual([
        ['invalid_token', id],
        ['revoked_token', id],
        ['not_allowed', id],
        ['suspended', id],
        ['suspended', key],
        ['unknown_client', id],
        ['unknown_client', key],
      ])
    })

    it('shows an address only if it is one: a wrong `trust proxy` makes it any text', async () => {
      const { auth } = usePlatform()
      const trusting = express().set('trust proxy', true).use(auth.router)
      const addresses: unknown[] = []
      auth.events.on('token.refused', (event) => void addresses.push(event.address))
      for (const forwarded of [
        '203.0.113.7',
        '::ffff:203.0.113.7',
        '2001:db8::1',
        '<script>',
        'fe80::1%'.padEnd(90, 'x'),
      ]) {
        await request(trusting).post('/orders/token').set('X-Forwarded-For', forwarded).expect(400)
      }
      expect(addresses).toEqual(['203.0.113.7', '203.0.113.7', '2001:db8::1', undefined, undefined])
    })
  })

  describe('signing keys', () => {
    it('emit an event when they are rotated and when they are revoked', async () => {
      const { kid } = await host.auth.signingKeys.rotate({ immediately: true, by: 'ann' })
      expect(takeEvents()).toEqual([{ type: 'signingKey.rotated' }])
      await host.auth.signingKeys.revoke(kid)
      // The current key is replaced before it is revoked.
      expect(takeEvents()).toEqual([{ type: 'signingKey.rotated' }, { type: 'signingKey.revoked' }])
      await expect(host.auth.signingKeys.revoke(kid)).rejects.toMatchObject({ code: 'signing_key_not_found' })
      expect(takeEvents()).toEqual([])
    })

    it('emit an event when the session secret is replaced', async () => {
      await host.auth.sessionSecret.replace({ by: 'ann' })
      expect(takeEvents()).toEqual([{ type: 'sessionSecret.replaced' }])
    })
  })
})

describe('a listener', () => {
  let made: TestPlatform
  let caller: Caller
  let credentials: IssuedCredentials

  beforeEach(async () => {
    made = usePlatform()
    const app = createApp(made)
    caller = createCaller({ app })
    ;({ credentials } = await made.auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] }))
  })

  const fail = (): never => {
    throw new Error('of the listener')
  }
  it.each<[string, () => unknown]>([
    ['throws', fail],
    ['rejects', async () => fail()],
    ['rejects later', async () => sleep(5).then(fail)],
  ])('that %s affects no request, no call and no other listener, and is logged', async (_, fails) => {
    const heard: string[] = []
    for (const type of EVENT_TYPES) {
      // An unhandled rejection would end the test run.
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
    const types = (
      'token.issued request.allowed request.allowed request.denied token.refused token.revoked ' +
      'application.registered application.suspended signingKey.rotated'
    ).split(' ')
    expect(heard).toEqual(types)
    await new Promise((resolve) => setTimeout(resolve, 20))
    const logged = made.logger.lines.filter((line) => line.startsWith('A listener'))
    expect(logged).toEqual(types.map((type) => `A listener of ${type} failed. Error: of the listener`))
  })

  it('added by once() is called once, even if it throws', async () => {
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

  it('removed by off() is not called again, even if it removes itself while it is called', async () => {
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

  it('can change the event only for the listeners after it', async () => {
    made.auth.events.on('token.issued', (event) => void Object.assign(event, { applicationId: 'another' }))
    const accessToken = await caller.accessToken('orders', credentials)
    await caller.bearer('/orders/items', accessToken).expect(200)
  })
})

describe('the log', () => {
  beforeEach(() => void vi.stubEnv('NODE_ENV', 'development'))
  afterEach(() => void vi.unstubAllEnvs())

  interface Used {
    readonly app: Express
    readonly caller: Caller
    readonly credentials: IssuedCredentials
  }

  /** A refusal, and its one log line. */
  const REFUSALS: readonly (readonly [(used: Used) => PromiseLike<unknown>, RegExp])[] = [
    [({ app }) => request(app).get('/orders/items'), /^orders: 401 unauthorized: An access token is .* Send the cred/],
    [
      ({ caller }) => caller.bearer('/orders/items', 'precious'),
      /^orders: 401 invalid_token: .*\. Get a new access to/,
    ],
    [({ caller }) => caller.bearer('/orders/items', 'precious token'), /^orders: 400 invalid_request: The Authorizat/],
    [({ app }) => request(app).get('/catalog/items'), /^catalog: 401 unauthorized: An API key is needed/],
    [
      ({ caller }) => caller.key('/catalog/items', 'precious'),
      /^catalog: 401 invalid_api_key: .*\. Check that the key/,
    ],
    [
      ({ caller, credentials: { clientId } }) => caller.key('/weather/now', clientId),
      /^weather: 403 access.*\.allow\(/,
    ],
    [
      ({ caller, credentials: { clientId } }) =>
        caller.token('orders', { clientId, clientSecret: 'my-precious-secret' }),
      /^orders: 401 invalid_client: Client authentication failed\. Check the key and the secret/,
    ],
    [({ caller }) => caller.token('orders', {}), /^orders: 401 invalid_client: Client credentials are missing/],
    ...(
      [
        [
          'grant_type',
          'my-precious-grant',
          /^orders: 400 unsupported_grant_type: .* Send grant_type=client_credentials\.$/,
        ],
        ['scope', 'my-precious-scope', /^orders: 400 invalid_scope: .*\.allow\(id, api, \{ scopes \}\)/],
        ['resource', 'https://my-precious.example', /^orders: 400 invalid_target: .* Omit `resource`/],
      ] as const
    ).map(
      ([name, value, line]) =>
        [({ caller, credentials }: Used) => caller.token('orders', credentials, { [name]: value }), line] as const,
    ),
    [
      ({ caller, credentials }) => caller.token('invoices', credentials),
      /^invoices: 400 unauthorized_client: .*allow\(/,
    ],
    [
      ({ app }) => request(app).get('/orders/token'),
      /^orders: 405 invalid_request: The token endpoint takes POST only/,
    ],
    [
      ({ caller, credentials }) => caller.revoke('orders', credentials, ''),
      /^orders: 400 invalid_request: The parameter/,
    ],
  ]

  async function openUsed() {
    const made = usePlatform()
    const app = createApp(made)
    const { credentials } = await made.auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] })
    return { ...made, app, caller: createCaller({ app }), credentials }
  }

  it('has one line for each refusal, with reason, API and fix, and none for allowed requests', async () => {
    const { app, caller, credentials, logger } = await openUsed()
    await caller.bearer('/orders/items', await caller.accessToken('orders', credentials)).expect(200)
    await caller.key('/catalog/items', credentials.clientId).expect(200)
    expect(logger.lines).toEqual([])
    for (const [refused, line] of REFUSALS) {
      logger.lines.length = 0
      await refused({ app, caller, credentials })
      expect(logger.lines).toEqual([expect.stringMatching(line)])
      const [text] = logger.lines
      expect(text).not.toMatch(/precious|\n/)
      for (const credential of Object.values(credentials)) expect(text).not.toContain(credential)
    }
  })

  it('says after close() that it was called, in place of a cause to find', async () => {
    const { auth, caller, credentials, logger } = await openUsed()
    await auth.close()
    await caller.key('/catalog/items', credentials.clientId).expect(503)
    expect(logger.lines).toEqual([
      expect.stringMatching(/^catalog: 503 temporarily_unavailable: .*\. auth\.close\(\) was called\.$/),
    ])
  })

  it('has no line in production for refusals', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    const used = await openUsed()
    for (const [refused] of REFUSALS) await refused(used)
    expect(used.logger.lines).toEqual([])
  })

  it('has a line for an internal error in production too, with its cause, which the answer does not show', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    const made = usePlatform({
      onDenied: () => {
        throw new Error('of the host')
      },
    })
    const { body } = await request(createApp(made)).get('/orders/items').expect(500)
    expect(body).toEqual({ error: 'server_error', error_description: expect.not.stringContaining('host') })
    expect(made.logger.lines).toEqual(['orders: 500 server_error Error: of the host'])
  })
})
