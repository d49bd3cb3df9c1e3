import express from 'express'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { PlatformAuthOptions, RateLimitsOptions } from '../../../src/index.js'
import { credentialSource } from '../../../src/tools/remote/index.js'
import { accessToken, basic, createTokenForm, GRANT, post } from '../../support/http.js'
import { listenHttps, CERTIFICATE } from '../../support/https.js'
import { openPlatform, PLATFORMS, STORES, usePlatform } from '../../support/platform.js'

const APIS = {
  payments: { scheme: 'oauth2', clientAuthentication: ['private_key_jwt'], scopes: { pay: 'Pay' } },
  orders: { scheme: 'oauth2', clientAuthentication: ['client_secret_basic', 'private_key_jwt'] },
  catalog: { scheme: 'apiKey' },
  invoices: { scheme: 'oauth2' },
} as const
const ISSUER = 'https://api.example.com/payments'
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

interface Key {
  readonly algorithm: string
  readonly privateKey: CryptoKey
  readonly jwk: object
}

async function createKey(algorithm: string, kid = algorithm): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
  return { algorithm, privateKey, jwk: { ...(await exportJWK(publicKey)), kid } }
}

let keys: Readonly<Record<'ES256' | 'ES384' | 'EdDSA' | 'RS256' | 'stranger', Key>>
beforeAll(async () => {
  const [ES256, ES384, EdDSA, RS256, stranger] = await Promise.all(
    ['ES256', 'ES384', 'EdDSA', 'RS256', 'ES256'].map((algorithm) => createKey(algorithm)),
  )
  keys = { ES256: ES256!, ES384: ES384!, EdDSA: EdDSA!, RS256: RS256!, stranger: stranger! }
})

async function open(
  openStore: (typeof STORES)[keyof typeof STORES] = STORES.memory,
  createExpress = express,
  more: {
    readonly rateLimits?: RateLimitsOptions
    readonly clientAssertions?: PlatformAuthOptions['clientAssertions']
  } = {},
) {
  const { store, remove } = await openStore()
  const rateLimits = { failedAuthentication: false } as const
  const { auth, clock } = openPlatform({ apis: APIS, store, rateLimits, ...more })
  onTestFinished(async () => {
    await auth.close()
    await remove()
  })
  await auth.ready()
  const app = createExpress().use(auth.router)
  app.get('/payments/list', auth.requireBearer('payments'), (_req, res) => void res.json([]))
  let count = 0
  /** Signs an assertion that is right but for what is given. */
  async function sign(clientId: string, key: Key, payload: object = {}, header: object = {}): Promise<string> {
    const now = Math.floor(clock.now() / 1000)
    const claims = { iss: clientId, sub: clientId, aud: ISSUER, jti: `jti-${(count += 1)}`, iat: now, exp: now + 60 }
    const { algorithm: alg } = key
    return new SignJWT({ ...claims, ...payload }).setProtectedHeader({ alg, ...header }).sign(key.privateKey)
  }
  const send = (assertion: string, form: object = {}, path = '/payments/token') => {
    const grant = path.endsWith('/token') && GRANT
    return post(app, path, { ...grant, client_assertion_type: TYPE, client_assertion: assertion, ...form })
  }
  const ask = async (...args: Parameters<typeof sign>) => (await send(await sign(...args))).status
  return { auth, app, clock, store, sign, send, ask }
}

async function openWithClient(...args: Parameters<typeof open>) {
  const opened = await open(...args)
  const jwks = { keys: [keys.ES256.jwk, keys.ES384.jwk, keys.EdDSA.jwk, keys.RS256.jwk] }
  const { application, credentials } = await opened.auth.applications.create({
    name: 'Bank',
    apis: ['payments', 'orders', 'catalog', 'invoices'],
    keySet: { jwks },
  })
  return { ...opened, id: application.id, application, credentials }
}

it('A resource server that proves a private key introspects and checks, and is no service of createRemoteAuth()', async () => {
  const { app, auth, sign, send } = await openWithClient()
  const { application, credentials } = await auth.applications.create({
    name: 'Backend',
    resourceServer: ['payments', 'orders', 'catalog'],
    keySet: { jwks: { keys: [keys.ES256.jwk] } },
  })
  const caller = await auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] })
  const { clientId, clientSecret } = caller.credentials
  const issued = await post(app, '/orders/token', GRANT, { authorization: basic(clientId, clientSecret!) })
  const { access_token: token } = issued.body as { access_token: string }
  const { id } = application
  const audiences = { '/orders/': 'https://api.example.com/orders', '/_resource-server/': 'https://api.example.com' }
  for (const [path, aud] of Object.entries(audiences)) {
    for (const client of [id, credentials.clientId]) {
      const of = path === '/orders/' ? { token } : { token: clientId, api: 'catalog' }
      const introspected = await send(await sign(client, keys.ES256, { aud }), of, `${path}introspect`)
      expect(introspected.body, path).toMatchObject({ active: true, client_id: caller.application.id })
      const assertion = await sign(client, keys.ES256, { aud })
      expect((await send(assertion, of, `${path}check`)).status, path).toBe(204)
      // An assertion is good once; whoever asks with another key is no caller's fault.
      expect((await send(assertion, of, `${path}introspect`)).status, path).toBe(401)
      expect((await send(assertion, of, `${path}check`)).status, path).toBe(503)
      const strange = await sign(client, keys.stranger, { aud })
      expect((await send(strange, of, `${path}check`)).status, path).toBe(503)
      const elsewhere = await sign(client, keys.ES256, { aud: 'https://api.example.com/invoices' })
      expect((await send(elsewhere, of, `${path}introspect`)).status, path).toBe(401)
    }
  }
  // Its APIs that take a secret, too, need one that it has not.
  app.use(credentialSource(auth))
  const assertion = await sign(id, keys.ES256, { aud: 'https://api.example.com' })
  expect((await send(assertion, {}, '/_resource-server/source/settings')).status).toBe(401)
})

describe.each(PLATFORMS)('A client that proves a private key, on %s', (_name, createExpress, openStore) => {
  it('gets an access token, with each kind of key, by its id and by its key, once for each assertion', async () => {
    const { app, auth, id, credentials, sign, send } = await openWithClient(openStore, createExpress)
    expect(credentials).toEqual({ clientId: expect.stringMatching(/^epa_key_/) as string })
    for (const key of [keys.ES256, keys.ES384, keys.EdDSA, keys.RS256]) {
      for (const clientId of [id, credentials.clientId]) {
        const answer = await send(await sign(clientId, key), { scope: 'pay' })
        expect(answer.body, key.algorithm).toMatchObject({ token_type: 'bearer', scope: 'pay' })
        const token = (answer.body as { access_token: string }).access_token
        expect((await auth.verifyAccessToken('payments', token)).application.id).toBe(id)
      }
    }
    const assertion = await sign(id, keys.ES256, {}, { kid: 'ES256', typ: 'client-authentication+jwt' })
    const token = ((await send(assertion, { client_id: id })).body as { access_token: string }).access_token
    expect((await send(assertion)).body).toMatchObject({ error: 'invalid_client' })
    // The other endpoints take assertions of the same kind, and know those that were used.
    expect((await send(assertion, { token }, '/payments/introspect')).status).toBe(401)
    const introspected = await send(await sign(id, keys.ES256), { token }, '/payments/introspect')
    expect(introspected.body).toMatchObject({ active: true, sub: id })
    expect((await send(await sign(id, keys.ES256), { token }, '/payments/revoke')).status).toBe(200)
    expect(app).toBeDefined()
    await expect(auth.verifyAccessToken('payments', token)).rejects.toMatchObject({ status: 401 })
  })
})

/** What makes an assertion wrong: its claims, its header, the parameters beside it. Each is tried alone. */
const WRONG: readonly (readonly [string, { payload?: object; header?: object; form?: object; status?: number }])[] = [
  ['another iss', { payload: { iss: 'app_other' } }],
  ['no iss', { payload: { iss: undefined } }],
  ['another sub', { payload: { sub: 'app_other' } }],
  ['no sub', { payload: { sub: undefined } }],
  ['iss and sub of nobody', { payload: { iss: 'nobody', sub: 'nobody' } }],
  ['a sub that is no text', { payload: { iss: 7, sub: 7 } }],
  ['the audience of another API', { payload: { aud: 'https://api.example.com/orders' } }],
  ['the token endpoint as audience', { payload: { aud: `${ISSUER}/token` } }],
  ['two audiences', { payload: { aud: [ISSUER, 'https://evil.example'] } }],
  ['twice the audience', { payload: { aud: [ISSUER, ISSUER] } }],
  ['no audience', { payload: { aud: undefined } }],
  ['an empty list of audiences', { payload: { aud: [] } }],
  ['an audience that is an object', { payload: { aud: { '0': ISSUER } } }],
  ['the audience with a slash behind', { payload: { aud: `${ISSUER}/` } }],
  ['an end in the past', { payload: { exp: -10 } }],
  ['an end in an hour', { payload: { exp: 3600 } }],
  ['an end in 306 seconds', { payload: { exp: 306 } }],
  ['no end', { payload: { exp: undefined } }],
  ['an end that is text', { payload: { exp: '60' } }],
  ['iat in the future', { payload: { iat: 10 } }],
  ['iat that is text', { payload: { iat: 'now' } }],
  ['nbf in the future', { payload: { nbf: 10 } }],
  ['nbf that is null', { payload: { nbf: null } }],
  ['no jti', { payload: { jti: undefined } }],
  ['an empty jti', { payload: { jti: '' } }],
  ['a long jti', { payload: { jti: 'x'.repeat(256) } }],
  ['a jti that is a number', { payload: { jti: 7 } }],
  ['the typ of an access token', { header: { typ: 'at+jwt' } }],
  ['a typ that is a number', { header: { typ: 7 } }],
  ['an unknown kid', { header: { kid: 'other' } }],
  ['the kid of another key', { header: { kid: 'ES384' } }],
  ['a kid that is a number', { header: { kid: 7 } }],
  ['the type missing', { form: { client_assertion_type: '' }, status: 400 }],
  ['the type of a SAML assertion', { form: { client_assertion_type: TYPE.replace('jwt', 'saml2') }, status: 400 }],
  ['another client_id beside it', { form: { client_id: 'app_other' }, status: 400 }],
  ['a client_id and a secret beside it', { form: { client_id: 'x', client_secret: 'y' }, status: 400 }],
  ['a secret beside it', { form: { client_secret: 'y' }, status: 400 }],
]

/** Texts in place of the assertion, made of one that is right. */
const MANGLED: Readonly<Record<string, (parts: readonly string[]) => string>> = {
  'no assertion': () => '',
  'two parts': ([header, payload]) => `${header}.${payload}`,
  'a fourth part': (parts) => `${parts.join('.')}.x`,
  'no signature': ([header, payload]) => `${header}.${payload}.`,
  'another signature': ([header, payload]) => `${header}.${payload}.${'A'.repeat(86)}`,
  'a signature in another spelling': (parts) => `${parts.join('.')}=`,
  'the algorithm none': ([, payload, signature]) => `${encode({ alg: 'none' })}.${payload}.${signature}`,
  'the algorithm HS256': ([, payload, signature]) => `${encode({ alg: 'HS256' })}.${payload}.${signature}`,
  'no algorithm': ([, payload, signature]) => `${encode({})}.${payload}.${signature}`,
  'a header that is a list': ([, payload, signature]) => `${encode([])}.${payload}.${signature}`,
  'a payload that is no JSON': ([header, , signature]) => `${header}.e30x.${signature}`,
  'a payload that is null': ([header, , signature]) => `${header}.${encode(null)}.${signature}`,
  'a payload of 100 kB': ([header, , signature]) => `${header}.${'e'.repeat(100_000)}.${signature}`,
  'a changed payload': ([header, payload, signature]) =>
    `${header}.${encode({ ...decode(payload!), exp: 2e9 })}.${signature}`,
  'an extension that must be understood': ([, payload, signature]) =>
    `${encode({ alg: 'ES256', crit: ['b64'], b64: false })}.${payload}.${signature}`,
}
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (part: string): object => JSON.parse(Buffer.from(part, 'base64url').toString()) as object

describe('an assertion', () => {
  it('that is wrong in one thing is refused, and one of a stranger', async () => {
    const { id, clock, sign, send } = await openWithClient()
    const now = Math.floor(clock.now() / 1000)
    for (const [name, { payload: given = {}, header = {}, form = {}, status = 401 }] of WRONG) {
      const payload: Readonly<Record<string, unknown>> = { ...given }
      const times = ['exp', 'iat', 'nbf'] as const
      const moved = times.flatMap((time) =>
        typeof payload[time] === 'number' ? [[time, now + payload[time]] as const] : [],
      )
      const assertion = await sign(id, keys.ES256, { ...payload, ...Object.fromEntries(moved) }, header)
      const answer = await send(assertion, form)
      const error = status === 401 ? 'invalid_client' : 'invalid_request'
      expect([name, answer.status, answer.body], name).toMatchObject([name, status, { error }])
      if (status === 401) expect(answer.headers['www-authenticate'], name).toContain('invalid_client')
    }
    const right = (await sign(id, keys.ES256)).split('.')
    for (const [name, mangle] of Object.entries(MANGLED)) {
      const answer = await send(mangle(right))
      expect([name, answer.status], name).toEqual([name, name === 'a payload of 100 kB' ? 413 : 401])
    }
    expect((await send(await sign(id, keys.stranger))).status).toBe(401)
    expect((await send(right.join('.'))).status, 'none of them has used it').toBe(200)
  })

  it('may differ by the clock tolerance', async () => {
    const { id, clock, ask } = await openWithClient()
    const now = Math.floor(clock.now() / 1000)
    for (const payload of [{ exp: now - 4 }, { exp: now + 304 }, { iat: now + 4 }, { nbf: now + 5 }])
      expect(await ask(id, keys.ES256, payload), JSON.stringify(payload)).toBe(200)
  })

  it('may have times with a fraction, which every store keeps', async () => {
    const { store } = await STORES.memory()
    const kept: number[] = []
    const add: typeof store.assertions.add = (used, bounds) => {
      kept.push(used.expiresAt)
      return store.assertions.add(used, bounds)
    }
    const given = { store: { ...store, assertions: { add } }, remove: async () => undefined }
    const { id, clock, ask } = await openWithClient(async () => given)
    expect(await ask(id, keys.ES256, { exp: clock.now() / 1000 + 60.123_456_7 })).toBe(200)
    expect(kept.every(Number.isInteger)).toBe(true)
  })

  it('has the token endpoint as its audience only where the option says so', async () => {
    const { id, ask } = await openWithClient(STORES.memory, express, {
      clientAssertions: { tokenEndpointAudience: true },
    })
    expect(await ask(id, keys.ES256, { aud: `${ISSUER}/token` })).toBe(200)
    expect(await ask(id, keys.ES256, { aud: ISSUER })).toBe(200)
  })

  it('was used for the other process too, also after a restart, until it is refused for its age', async () => {
    const { store, remove } = await STORES.SQLite()
    const openStore = async () => ({ store, remove: async () => undefined })
    const first = await openWithClient(openStore)
    const second = await open(openStore)
    onTestFinished(remove)
    const assertion = await first.sign(first.id, keys.ES256)
    expect((await first.send(assertion)).status).toBe(200)
    expect((await second.send(assertion)).status).toBe(401)
  })

  it('counts when it fails as a wrong secret does, and a right one passes all the same', async () => {
    const { id, ask } = await openWithClient(STORES.memory, express, {
      rateLimits: { failedAuthentication: { limit: 3, window: 60 } },
    })
    for (let i = 0; i < 3; i++) expect(await ask(id, keys.stranger)).toBe(401)
    expect(await ask(id, keys.stranger)).toBe(429)
    expect(await ask(id, keys.ES256)).toBe(200)
  })

  it('is 503 while the store does not answer whether it was used', async () => {
    const { store } = await STORES.memory()
    let isDown = false
    const add: typeof store.assertions.add = (...given) =>
      isDown ? Promise.reject(new Error('down')) : store.assertions.add(...given)
    const opened = await openWithClient(async () => ({
      store: { ...store, assertions: { add } },
      remove: async () => undefined,
    }))
    isDown = true
    expect(await opened.ask(opened.id, keys.ES256)).toBe(503)
  })

  it('is 429 when the application has used too many, and no older one is forgotten for it', async () => {
    const { store } = await STORES.memory()
    const full: typeof store.assertions.add = async () => 'full'
    const opened = await openWithClient(async () => ({
      store: { ...store, assertions: { add: full } },
      remove: async () => undefined,
    }))
    const answer = await opened.send(await opened.sign(opened.id, keys.ES256))
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '60'])
  })
})

describe('the method of client authentication', () => {
  it('is the one that the API names, and the metadata say so', async () => {
    const { auth, app, sign, send } = await openWithClient()
    const { application, credentials } = await auth.applications.create({ name: 'Shop', apis: ['payments', 'orders'] })
    const secret = { clientId: credentials.clientId, clientSecret: credentials.clientSecret! }
    for (const [form, headers] of [
      [createTokenForm(secret), {}],
      [GRANT, { Authorization: basic(secret.clientId, secret.clientSecret) }],
    ] as const) {
      const answer = await post(app, '/payments/token', form, headers)
      expect(answer.body).toMatchObject({ error: 'invalid_client', error_description: /private_key_jwt/ })
    }
    expect((await post(app, '/orders/token', createTokenForm(secret))).status).toBe(401)
    const byBasic = await post(app, '/orders/token', GRANT, {
      Authorization: basic(secret.clientId, secret.clientSecret),
    })
    expect(byBasic.status).toBe(200)
    // Elsewhere an assertion is no credential.
    const elsewhere = await send(await sign(application.id, keys.ES256), {}, '/invoices/token')
    expect(elsewhere.body).toMatchObject({ error: 'invalid_client', error_description: /missing/ })
    const metadata = await fetchMetadata(app, 'payments')
    expect(metadata).toMatchObject({ token_endpoint_auth_methods_supported: ['private_key_jwt'] })
    for (const endpoint of ['token', 'revocation', 'introspection'])
      expect(metadata[`${endpoint}_endpoint_auth_signing_alg_values_supported`]).toContain('ES256')
    expect(await fetchMetadata(app, 'invoices')).not.toHaveProperty('token_endpoint_auth_signing_alg_values_supported')
  })
})

async function fetchMetadata(app: express.Express, api: string): Promise<Record<string, unknown>> {
  const { default: request } = await import('supertest')
  return (await request(app).get(`/.well-known/oauth-authorization-server/${api}`)).body as Record<string, unknown>
}

describe('a key set', () => {
  it('is a credential: it has a name, an end, networks and restrictions, is replaced and ended', async () => {
    const { auth, id, clock, ask } = await openWithClient()
    const { applications } = auth
    const [first] = (await applications.get(id))!.secrets
    expect(first).toMatchObject({ name: 'default', prefix: 'private_key_jwt', keySet: { keys: { length: 4 } } })
    expect(first!.lastUsedAt).toBeUndefined()
    expect(await ask(id, keys.ES256)).toBe(200)
    expect((await applications.get(id))!.secrets[0]!.lastUsedAt).toEqual(new Date(clock.now()))

    await applications.replaceKeySet(id, first!.id, { jwks: { keys: [keys.ES384.jwk] }, by: 'ann' })
    expect(await ask(id, keys.ES256)).toBe(401)
    expect(await ask(id, keys.ES384)).toBe(200)

    const { credential } = await applications.addKeySet(id, {
      name: 'second',
      jwks: { keys: [keys.RS256.jwk] },
      expiresAt: new Date(clock.now() + 60_000),
    })
    expect(await ask(id, keys.RS256)).toBe(200)
    await applications.updateCredential(id, credential.id, { networks: ['203.0.113.0/24'] })
    expect(await ask(id, keys.RS256)).toBe(403)
    await applications.updateCredential(id, credential.id, { networks: null })
    clock.advance(60)
    expect(await ask(id, keys.RS256)).toBe(401)
    await applications.endCredential(id, first!.id)
    expect(await ask(id, keys.ES384)).toBe(401)
    const { items } = await auth.audit.list({ applicationId: id, order: 'newest' })
    expect(items.map(({ type, details }) => [type, details])).toContainEqual([
      'application.credentialUpdated',
      expect.objectContaining({ name: 'default', keySet: { keys: [{ kid: 'ES384', type: 'P-384' }] } }),
    ])
  })

  it('is no secret that can be rotated, and no rotation of a secret ends it', async () => {
    const { auth, id, ask } = await openWithClient()
    const { applications } = auth
    const [first] = (await applications.get(id))!.secrets
    for (const given of [{}, { credential: first!.id }]) {
      await expect(applications.rotateSecret(id, given)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('replaceKeySet()') as string,
      })
    }
    await applications.addSecret(id, { name: 'old server' })
    await applications.rotateSecret(id, { overlap: 0 })
    const names = (await applications.get(id))!.secrets.map(({ name, keySet }) => [name, keySet !== undefined])
    expect(names).toEqual([
      ['old server', false],
      ['default', true],
    ])
    expect(await ask(id, keys.ES256)).toBe(200)
  })

  it('may be used for some APIs only, and not while the application is suspended', async () => {
    const { auth, id, ask } = await openWithClient()
    await auth.applications.addKeySet(id, { name: 'o', jwks: { keys: [keys.stranger.jwk] }, apis: ['orders'] })
    expect(await ask(id, keys.stranger)).toBe(400)
    await auth.applications.suspend(id)
    expect(await ask(id, keys.ES256)).toBe(401)
    await auth.applications.resume(id)
    expect(await ask(id, keys.ES256)).toBe(200)
  })

  it.each([
    [{}, 'either jwks or jwksUri'],
    [{ jwks: { keys: [] }, jwksUri: 'https://a.example/' }, 'either jwks or jwksUri'],
    [{ jwks: { keys: [] } }, 'jwks has no key'],
    [{ jwks: { keys: [{ kty: 'oct', k: 'AA' }] } }, 'symmetric'],
    [{ jwksUri: 'http://a.example/' }, 'jwksUri does not begin with https'],
    [{ jwksUri: 7 }, 'jwksUri is no text'],
  ])('that is wrong is refused: %j', async (source, problem) => {
    const { auth, id } = await openWithClient()
    const given = source as { jwksUri: string }
    await expect(auth.applications.addKeySet(id, { name: 'x', ...given })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(problem) as string,
    })
  })

  it('may be at an address, whose keys change without a call', async () => {
    let served: object = { keys: [keys.ES256.jwk] }
    let requests = 0
    const server = await listenHttps((_req, res) => {
      requests += 1
      res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(served))
    })
    onTestFinished(server.close)
    const { auth, clock, ask } = await open(STORES.memory, express, {
      clientAssertions: { allow: ['127.0.0.1'], ca: CERTIFICATE },
    })
    const keySet = { jwksUri: `https://127.0.0.1:${server.port}/jwks` }
    const { application } = await auth.applications.create({ name: 'Bank', apis: ['payments'], keySet })
    expect(application.secrets[0]!.keySet).toEqual(keySet)
    expect(await ask(application.id, keys.ES256)).toBe(200)
    expect(await ask(application.id, keys.ES256)).toBe(200)
    expect(requests).toBe(1)
    served = { keys: [keys.RS256.jwk] }
    expect(await ask(application.id, keys.RS256)).toBe(401)
    clock.advance(61)
    expect(await ask(application.id, keys.RS256)).toBe(200)
    expect(await ask(application.id, keys.ES256)).toBe(401)
    served = { keys: [keys.ES384.jwk] }
    clock.advance(1)
    await auth.applications.reloadKeySet(application.id, application.secrets[0]!.id)
    expect(await ask(application.id, keys.ES384)).toBe(200)
    await server.close()
    clock.advance(3600)
    expect(await ask(application.id, keys.ES384), 'known keys go on').toBe(200)
    clock.advance(24 * 3600)
    expect(await ask(application.id, keys.ES384)).toBe(503)
  })

  it('at an address that is not public gets no request', async () => {
    const { auth, ask } = await open()
    const keySet = { jwksUri: 'https://127.0.0.1/jwks' }
    const { application } = await auth.applications.create({ name: 'Bank', apis: ['payments'], keySet })
    expect(await ask(application.id, keys.ES256)).toBe(503)
  })
})

it('a platform without private_key_jwt loads nothing of it, and takes a store without its part', async () => {
  const { store } = await STORES.memory()
  const { assertions: _assertions, ...without } = store
  expect(() => openPlatform({ apis: APIS, store: without as typeof store })).toThrow(
    'apis.payments.clientAuthentication has private_key_jwt, and the store has no part assertions',
  )
  const { auth } = usePlatform({ apis: { invoices: APIS.invoices }, store: without as typeof store })
  const app = express().use(auth.router)
  const { application, credentials } = await auth.applications.create({ name: 'Shop', apis: ['invoices'] })
  expect(application.secrets).toHaveLength(1)
  const client = { clientId: credentials.clientId, clientSecret: credentials.clientSecret! }
  expect(await accessToken(app, 'invoices', client)).toMatch(/^eyJ/)
})
