import { createHmac, generateKeyPairSync, createPublicKey, sign as signBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import express from 'express'
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  importJWK,
  jwtVerify,
  SignJWT,
  type JSONWebKeySet,
  type JWK,
  type JWTPayload,
} from 'jose'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPlatformAuth, memoryStore, type SigningAlgorithm, type Store } from '../../src/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { accessToken, createApplication, expectRefusal, formOf, post, SECONDS } from '../support/http.js'
import { platform, SECRET, STORES, type TestPlatform } from '../support/platform.js'

type TestClient = Awaited<ReturnType<typeof createApplication>>

const ISSUER = 'https://api.example.com/orders'

const ALGORITHMS: readonly SigningAlgorithm[] = [
  'ES256', 'ES384', 'ES512', 'EdDSA', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512',
] // prettier-ignore

describe.each(ALGORITHMS)('access tokens signed with %s', (algorithm) => {
  const { auth, clock } = platform({ signing: { algorithm } })
  const app = express().use(auth.router)
  afterAll(() => auth.close())

  it('are RFC 9068 JWTs that the published key set and the guard verify', async () => {
    const shop = await createApplication(auth, ['orders'])
    const token = await accessToken(app, 'orders', shop)
    const keySet = await fetchKeySet(app)
    const [key] = keySet.keys
    expect(decodeProtectedHeader(token)).toEqual({ alg: algorithm, kid: key?.kid, typ: 'at+jwt' })
    expect(key).toMatchObject({ alg: algorithm, use: 'sig', kid: await calculateJwkThumbprint(key!) })
    expect(
      Object.keys(key!).filter((member) => ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth'].includes(member)),
    ).toEqual([])

    const { payload } = await jwtVerify(token, createLocalJWKSet(keySet), {
      issuer: ISSUER,
      audience: ISSUER,
      typ: 'at+jwt',
      algorithms: [algorithm],
      currentDate: new Date(clock.now()),
    })
    const iat = Math.floor(clock.now() / 1000)
    expect(payload).toEqual({
      iss: ISSUER,
      aud: ISSUER,
      sub: shop.id,
      client_id: shop.id,
      iat,
      exp: iat + 3600,
      jti: expect.stringMatching(/^[\w-]{32}$/) as string,
      scope: 'orders:read orders:write',
    })
    const info = await auth.verifyAccessToken('orders', token)
    expect(info).toMatchObject({ application: { id: shop.id }, token: { id: payload.jti } })
  })

  it('are refused with a changed signature', async () => {
    const token = await accessToken(app, 'orders', await createApplication(auth, ['orders']))
    const [header, payload, signature = ''] = token.split('.')
    const bytes = Buffer.from(signature, 'base64url')
    for (const index of [0, bytes.length >> 1, bytes.length - 1]) {
      const changed = Buffer.from(bytes)
      changed[index]! ^= 1
      await expectInvalid(auth, `${header}.${payload}.${changed.toString('base64url')}`)
    }
  })
})

describe('an access token', () => {
  const store = memoryStore()
  const { auth, clock } = platform({ store, secret: undefined, accessTokenLifetime: 600 })
  const app = express().use(auth.router)
  let shop: TestClient
  let signer: Signer

  beforeAll(async () => {
    shop = await createApplication(auth, ['orders', 'invoices'])
    signer = await createSigner(store)
  })
  afterAll(() => auth.close())

  /** The claims of a valid token. */
  const claims = (more: JWTPayload = {}): JWTPayload => {
    const iat = Math.floor(clock.now() / 1000)
    const jti = createTokenId(0)
    return {
      iss: ISSUER,
      aud: ISSUER,
      sub: shop.id,
      client_id: shop.id,
      iat,
      exp: iat + 600,
      jti,
      scope: 'orders:read',
      ...more,
    }
  }
  const expectValid = async (token: string): Promise<void> => {
    await expect(auth.verifyAccessToken('orders', token)).resolves.toMatchObject({ application: { id: shop.id } })
  }

  it('identifies the application by its id only, not by API key, name or contact', async () => {
    const token = await accessToken(app, 'orders', shop)
    const text = Buffer.from(token.split('.')[1]!, 'base64url').toString()
    expect(text).not.toContain(shop.clientId)
    expect(text).not.toContain('Shop')
  })

  it('has iss and aud of its API, and no scope claim without scopes', async () => {
    const { iss, aud, ...rest } = decodeJwt(await accessToken(app, 'invoices', shop))
    expect({ iss, aud }).toEqual({ iss: 'https://api.example.com/invoices', aud: 'https://api.example.com/invoices' })
    expect(rest).not.toHaveProperty('scope')
  })

  it('has a unique jti with at least 128 random bits', async () => {
    const ids = []
    for (let i = 0; i < 50; i++) ids.push(decodeJwt(await accessToken(app, 'orders', shop)).jti!)
    const randomParts = ids.map((id) => Buffer.from(id, 'base64url').subarray(6).toString('hex'))
    expect(randomParts[0]).toHaveLength(36)
    expect(new Set(randomParts.map((each) => each.slice(0, 16))).size).toBe(50)
    expect(new Set(randomParts.map((each) => each.slice(16))).size).toBe(50)
  })

  it("signed with the platform's key by the helper of these tests is valid, so that the ones below are refused for their difference", async () => {
    await expectValid(await signer.sign(claims()))
    await expectValid(await signer.sign(claims(), { typ: 'application/at+jwt' }))
  })

  it.each(['none', 'None', 'NONE', ''])('without a signature, with alg "%s", is invalid', async (alg) => {
    const { sign: _, ...header } = { ...signer.header, alg, sign: undefined }
    for (const signature of ['', 'AA', Buffer.alloc(64).toString('base64url')]) {
      await expectInvalid(auth, `${encode(header)}.${encode(claims())}.${signature}`)
    }
  })

  it.each(['HS256', 'HS512'])('signed with %s and the public key as secret is invalid', async (alg) => {
    const { publicJwk } = signer
    const pem = createPublicKey({ key: publicJwk as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
    const raw = Buffer.from(publicJwk.x!, 'base64url')
    for (const secret of [pem, String(pem).trim(), JSON.stringify(publicJwk), raw, '']) {
      const body = `${encode({ ...signer.header, alg })}.${encode(claims())}`
      const mac = createHmac(`sha${alg.slice(2)}`, secret)
        .update(body)
        .digest('base64url')
      await expectInvalid(auth, `${body}.${mac}`)
    }
  })

  it("signed with a foreign key under the platform's kid is invalid", async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    await expectInvalid(auth, await new SignJWT(claims()).setProtectedHeader(signer.header).sign(privateKey))
  })

  it('signed with a foreign key that its header names (jwk, jku, x5u, x5c) is invalid', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const jwk = publicKey.export({ format: 'jwk' }) as JWK
    const kid = await calculateJwkThumbprint(jwk)
    const foreignKey = { jwk, jku: 'https://evil.example/jwks.json', x5u: 'https://evil.example/x.pem', x5c: ['MII='] }
    for (const header of [
      foreignKey,
      { ...foreignKey, kid: signer.header.kid },
      { jwk },
      { jku: foreignKey.jku, kid: signer.header.kid },
    ]) {
      const token = new SignJWT(claims()).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header })
      await expectInvalid(auth, await token.sign(privateKey))
    }
  })

  it.each([
    ['without kid', { kid: undefined }],
    ['with an unknown kid', { kid: 'x' }],
    ['with a kid that is not a string', { kid: 1 as unknown as string }],
    ['with a kid that is a property of every object', { kid: '__proto__' }],
    ['of typ JWT', { typ: 'JWT' }],
    ['of typ jwt', { typ: 'jwt' }],
    ['of typ at+JWT+x', { typ: 'at+jwt+x' }],
    ['without typ', { typ: undefined }],
    ['with an unknown extension in crit', { crit: ['x'], x: 1 }],
    ['with an empty crit', { crit: [] }],
    ['with b64 false', { crit: ['b64'], b64: false }],
    ['with an algorithm of another curve', { alg: 'ES256K' }],
    ["with an algorithm that is not the key's", { alg: 'ES384' }],
  ])("%s is invalid, though the platform's key signed it", async (_, header) => {
    await expectInvalid(auth, await signer.sign(claims(), header))
  })

  it.each(['iss', 'aud', 'sub', 'client_id', 'iat', 'exp', 'jti'])(
    "without %s is invalid, though the platform's key signed it",
    async (claim) => {
      await expectInvalid(auth, await signer.sign(claims({ [claim]: undefined })))
      await expectInvalid(auth, await signer.sign(claims({ [claim]: null })))
    },
  )

  it.each<[string, JWTPayload]>([
    ['aud as a list with the right API', { aud: [ISSUER] }],
    ['aud as a list of two APIs', { aud: [ISSUER, 'https://api.example.com/invoices'] }],
    ['aud of another API than iss', { aud: 'https://api.example.com/invoices' }],
    ['iss of another API than aud', { iss: 'https://api.example.com/invoices' }],
    ['iss and aud with a trailing slash', { iss: `${ISSUER}/`, aud: `${ISSUER}/` }],
    ['iss and aud of the platform', { iss: 'https://api.example.com', aud: 'https://api.example.com' }],
    [
      'iss and aud of an API that does not exist',
      { iss: 'https://api.example.com/x', aud: 'https://api.example.com/x' },
    ],
    [
      'iss and aud of an apiKey API',
      { iss: 'https://api.example.com/catalog', aud: 'https://api.example.com/catalog' },
    ],
    ['a client_id other than sub', { client_id: 'app_0' }],
    ['a sub that is not a string', { sub: 1 as unknown as string }],
    ['a scope that is a list', { scope: ['orders:read'] }],
    ['a jti that is not a string', { jti: 1 as unknown as string }],
    ['a jti of another form', { jti: 'x' }],
    ['an exp that is a string', { exp: '99999999999' as unknown as number }],
    ['an iat that is a string', { iat: '1' as unknown as number }],
  ])("with %s is invalid, though the platform's key signed it", async (_, more) => {
    await expectInvalid(auth, await signer.sign(claims(more)))
  })

  it('of an unknown application is refused', async () => {
    const token = await signer.sign(claims({ sub: 'app_x', client_id: 'app_x' }))
    await expect(auth.verifyAccessToken('orders', token)).rejects.toMatchObject({ code: 'invalid_token' })
  })

  it('with scopes that were not granted does not have them', async () => {
    const info = await auth.verifyAccessToken(
      'orders',
      await signer.sign(claims({ scope: 'orders:read orders:all x' })),
    )
    expect(info.scopes).toEqual(['orders:read'])
  })

  it('with an iat in the future is valid only within the clock tolerance', async () => {
    const ahead = (seconds: number): JWTPayload => claims({ iat: Math.floor(clock.now() / 1000) + seconds })
    await expectValid(await signer.sign(ahead(5)))
    await expectInvalid(auth, await signer.sign(ahead(6)))
    await expectInvalid(auth, await signer.sign(ahead(1e6)))
    // It becomes valid in time, so the first result must not be cached.
    const early = await signer.sign(ahead(7))
    await expectInvalid(auth, early)
    clock.advance(2)
    await expectValid(early)
  })

  it('expires at exp plus the clock tolerance of 5 seconds', async () => {
    const token = await accessToken(app, 'orders', shop)
    const end = decodeJwt(token).exp! * 1000 + 5000
    clock.advance((end - 1 - clock.now()) / 1000)
    await expectValid(token)
    clock.advance(0.001)
    for (let i = 0; i < 2; i++) {
      await expect(auth.verifyAccessToken('orders', token)).rejects.toMatchObject({
        code: 'invalid_token',
        description: 'The access token expired',
      })
    }
  })

  it('is reported as expired when it is first seen after its expiry', async () => {
    const token = await accessToken(app, 'orders', shop)
    clock.advance(606)
    await expect(auth.verifyAccessToken('orders', token)).rejects.toMatchObject({
      description: 'The access token expired',
    })
  })

  it('of another API is reported as such', async () => {
    const token = await accessToken(app, 'invoices', shop)
    await expect(auth.verifyAccessToken('orders', token)).rejects.toMatchObject({
      code: 'invalid_token',
      description: 'The access token was issued for another API',
    })
  })

  it('of another API that has expired is reported as expired', async () => {
    const token = await accessToken(app, 'invoices', shop)
    clock.advance(606)
    await expect(auth.verifyAccessToken('orders', token)).rejects.toMatchObject({
      description: 'The access token expired',
    })
  })

  it('with a changed payload or header is invalid', async () => {
    const token = await accessToken(app, 'orders', shop)
    const [header = '', payload = '', signature = ''] = token.split('.')
    const moreScopes = { ...decodeJwt(token), scope: 'orders:read orders:write orders:all' }
    await expectInvalid(auth, `${header}.${encode(moreScopes)}.${signature}`)
    await expectInvalid(auth, `${header}.${encode({ ...decodeJwt(token), exp: 99_999_999_999 })}.${signature}`)
    await expectInvalid(auth, `${encode({ ...decodeProtectedHeader(token), x: 1 })}.${payload}.${signature}`)
    await expectValid(token)
  })

  it('is valid in one spelling only', async () => {
    const token = await accessToken(app, 'orders', shop)
    await expectValid(token)
    const [header = '', payload = '', signature = ''] = token.split('.')
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    // 64 bytes are 86 characters; 4 bits of the last one are unused.
    const last = alphabet.indexOf(signature.at(-1)!)
    const trailing = Array.from({ length: 15 }, (_, bits) => signature.slice(0, -1) + alphabet[last + bits + 1]!)
    const spellings = [
      ...trailing.map((each) => `${header}.${payload}.${each}`),
      `${token}=`,
      `${token}==`,
      `${header}=.${payload}.${signature}`,
      `${header}.${payload}==.${signature}`,
      `${token}.`,
      `.${token}`,
      `${token}.${signature}`,
      `${header}..${payload}.${signature}`,
      `${header}.${payload}`,
      `${header}.${payload}.`,
      `${header}.${payload}.${signature}AA`,
      `${header}.${payload}.${signature.slice(0, -1)}`,
      `${header}.${payload}.${Buffer.from(signature, 'base64url').toString('base64').replace(/=+$/, '')}~`,
    ]
    if (/[-_]/.test(signature))
      spellings.push(`${header}.${payload}.${signature.replaceAll('-', '+').replaceAll('_', '/')}`)
    for (const spelling of spellings) {
      const code = /^[^=]+=*$/.test(spelling) ? 'invalid_token' : 'invalid_request'
      await expect(auth.verifyAccessToken('orders', spelling), spelling).rejects.toMatchObject({ code })
    }
  })

  it.each([' a', 'a ', '\ta', 'a\n', 'a\r\n', 'a b'])(
    'with whitespace in or around it (%j) is malformed',
    async (template) => {
      const token = await accessToken(app, 'orders', shop)
      const malformed = template === 'a b' ? token.replace('.', ' .') : template.replace('a', token)
      await expect(auth.verifyAccessToken('orders', malformed)).rejects.toMatchObject({ code: 'invalid_request' })
    },
  )

  it('with an ECDSA signature in DER, or of zeros, is invalid', async () => {
    const { privateJwk } = signer
    const body = `${encode(signer.header)}.${encode(claims())}`
    const der = signBytes('sha256', Buffer.from(body), { key: privateJwk as never, format: 'jwk' })
    await expectInvalid(auth, `${body}.${der.toString('base64url')}`)
    await expectInvalid(auth, `${body}.${Buffer.alloc(64).toString('base64url')}`)
  })

  it.each([
    'a.b.c',
    'e30.e30.e30',
    '..',
    `${'a'.repeat(2000)}.${'b'.repeat(2000)}.${'c'.repeat(2000)}`,
    'bnVsbA.bnVsbA.AAAA',
    'W10.W10.AAAA',
  ])('that is no JWT (%s) is invalid', async (token) => {
    await expectInvalid(auth, token)
  })

  it('gets the same result in a hundred concurrent verifications', async () => {
    const token = await accessToken(app, 'orders', shop)
    const bad = `${token.slice(0, -8)}AAAAAAAA`
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        auth.verifyAccessToken(i % 3 === 0 ? 'invoices' : 'orders', i % 2 === 0 ? token : bad).then(
          ({ application }) => application.id,
          (error: Error) => error.message,
        ),
      ),
    )
    for (const [i, outcome] of outcomes.entries()) {
      const expected =
        i % 2 !== 0
          ? 'The access token is not valid'
          : i % 3 === 0
            ? 'The access token was issued for another API'
            : shop.id
      expect(outcome).toBe(expected)
    }
  })

  it('that is cached is still refused by the guards of other APIs', async () => {
    const token = await accessToken(app, 'orders', shop)
    for (let i = 0; i < 3; i++) {
      await expectValid(token)
      await expect(auth.verifyAccessToken('invoices', token)).rejects.toMatchObject({ code: 'invalid_token' })
    }
  })
})

describe('expires_in and exp', () => {
  it('follow the options accessTokenLifetime and clockTolerance', async () => {
    const { auth, clock } = platform({ accessTokenLifetime: 60, clockTolerance: 0 })
    const app = express().use(auth.router)
    const shop = await createApplication(auth, ['orders'])
    const { body } = await post(app, '/orders/token', formOf(shop))
    const { access_token: token, expires_in } = body as { access_token: string; expires_in: number }
    const { iat, exp } = decodeJwt(token)
    expect([expires_in, exp! - iat!]).toEqual([60, 60])
    clock.advance((exp! * 1000 - 1 - clock.now()) / 1000)
    await expect(auth.verifyAccessToken('orders', token)).resolves.toBeDefined()
    clock.advance(0.001)
    await expect(auth.verifyAccessToken('orders', token)).rejects.toMatchObject({
      description: 'The access token expired',
    })
    await auth.close()
  })
})

describe('the accessTokenLifetime of an API', () => {
  it("overrides the platform's", async () => {
    const auth = createPlatformAuth({
      baseUrl: 'https://api.example.com',
      apis: { brief: { scheme: 'oauth2', accessTokenLifetime: 30 }, long: { scheme: 'oauth2' } },
      accessTokenLifetime: 7200,
      store: memoryStore(),
    })
    const app = express().use(auth.router)
    const shop = await createApplication(auth, ['brief', 'long'])
    expect((await post(app, '/brief/token', formOf(shop))).body).toMatchObject({ expires_in: 30 })
    expect((await post(app, '/long/token', formOf(shop))).body).toMatchObject({ expires_in: 7200 })
    const { iat, exp } = decodeJwt(await accessToken(app, 'brief', shop))
    expect(exp! - iat!).toBe(30)
    await auth.close()
  })
})

describe.each(Object.entries(STORES))('signing keys in the %s store', (_, openStore) => {
  let made: TestPlatform
  let app: ReturnType<typeof express>
  let shop: TestClient
  let remove: () => Promise<void>
  const kids = async (): Promise<(string | undefined)[]> => (await fetchKeySet(app)).keys.map(({ kid }) => kid)
  const states = async (): Promise<string[]> => (await made.auth.signingKeys.list()).items.map(({ state }) => state)
  const token = (): Promise<string> => accessToken(app, 'orders', shop)
  const verifies = (presented: string): Promise<boolean> =>
    made.auth.verifyAccessToken('orders', presented).then(() => true, () => false) // prettier-ignore

  beforeAll(async () => {
    const opened = await openStore()
    remove = opened.remove
    made = platform({ store: opened.store })
    app = express().use(made.auth.router)
    shop = await createApplication(made.auth, ['orders'])
  })
  afterAll(async () => {
    await made.auth.close()
    await remove()
  })

  it('start with one, and go through a rotation: published, signing, only verifying, removed', async () => {
    const { auth, clock } = made
    const [first] = await kids()
    const before = await token()
    expect(decodeProtectedHeader(before).kid).toBe(first)
    expect(await states()).toEqual(['current'])

    const next = await auth.signingKeys.rotate()
    expect(next).toMatchObject({ state: 'next', algorithm: 'ES256', signsFrom: new Date(clock.now() + 300_000) })
    expect(await kids()).toEqual([first, next.kid])
    expect(decodeProtectedHeader(await token()).kid).toBe(first)
    expect((await auth.signingKeys.rotate()).kid).toBe(next.kid)

    clock.advance(299.999)
    const last = await token()
    expect(decodeProtectedHeader(last).kid).toBe(first)
    clock.advance(0.001)
    const after = await token()
    expect(decodeProtectedHeader(after).kid).toBe(next.kid)
    expect(await states()).toEqual(['former', 'current'])
    for (const each of [before, last, after]) expect(await verifies(each)).toBe(true)

    // The former key verifies until the last token it signed has expired, clock tolerance included.
    clock.advance(3604)
    expect(await kids()).toEqual([first, next.kid])
    expect(await verifies(last)).toBe(true)
    clock.advance(61)
    expect(await kids()).toEqual([next.kid])
    expect(await states()).toEqual(['current'])
  })

  it('are replaced at once by rotate({ immediately }), and earlier tokens stay valid', async () => {
    const before = await token()
    const rotated = await made.auth.signingKeys.rotate({ immediately: true })
    expect(rotated.state).toBe('current')
    expect(decodeProtectedHeader(await token()).kid).toBe(rotated.kid)
    expect(await verifies(before)).toBe(true)
    expect(await states()).toEqual(['former', 'current'])
  })

  it('are removed by revoke(kid): tokens of that key are refused from the next request on, others are not', async () => {
    const { signingKeys } = made.auth
    const former = await token()
    const { kid: formerKid } = decodeProtectedHeader(former)
    await signingKeys.rotate({ immediately: true })
    const current = await token()
    expect([await verifies(former), await verifies(current)]).toEqual([true, true])
    await signingKeys.revoke(formerKid!)
    expect([await verifies(former), await verifies(current)]).toEqual([false, true])
    expect(await kids()).not.toContain(formerKid)
    await expect(made.auth.verifyAccessToken('orders', former)).rejects.toMatchObject({
      description: 'The access token is not valid',
    })
  })

  it('are replaced first if the current one is revoked', async () => {
    const compromised = await token()
    const { kid } = decodeProtectedHeader(compromised)
    await made.auth.signingKeys.revoke(kid!)
    const fresh = await token()
    expect(decodeProtectedHeader(fresh).kid).not.toBe(kid)
    expect([await verifies(compromised), await verifies(fresh)]).toEqual([false, true])
    await expect(made.auth.signingKeys.revoke(kid!)).rejects.toMatchObject({ code: 'signing_key_not_found' })
  })

  it("are shared by all processes: a key of another process's rotation is accepted, and its revocation is followed within a second", async () => {
    const { auth, clock } = made
    const opened = await openStore()
    const here = platform({ store: opened.store, now: clock.now })
    const there = platform({ store: opened.store, now: clock.now })
    await Promise.all([here.auth.ready(), there.auth.ready()])
    const thereApp = express().use(there.auth.router)
    const one = await createApplication(there.auth, ['orders'])
    // One of them was first, and both sign with its key.
    expect(await fetchKeySet(express().use(here.auth.router))).toEqual(await fetchKeySet(thereApp))
    await there.auth.signingKeys.rotate({ immediately: true })
    const fresh = await accessToken(thereApp, 'orders', one)
    await expect(here.auth.verifyAccessToken('orders', fresh)).resolves.toMatchObject({ application: { id: one.id } })

    const { kid } = decodeProtectedHeader(fresh)
    await here.auth.signingKeys.revoke(kid!)
    const revokedAt = performance.now()
    const accepted = (): Promise<boolean> => there.auth.verifyAccessToken('orders', fresh).then(() => true, () => false) // prettier-ignore
    while ((await accepted()) && performance.now() - revokedAt < 3000) await sleep(10)
    expect(performance.now() - revokedAt).toBeLessThan(1000)
    await Promise.all([here.auth.close(), there.auth.close(), auth.health()])
    await opened.remove()
  })
})

describe('a restart', () => {
  let folder: string
  let file: string
  const startPlatform = (secret: string | readonly string[] | undefined) => {
    const made = platform({ store: sqliteStore(file), secret, maxStaleness: 1 })
    return { ...made, app: express().use(made.auth.router) }
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'restart-'))
    file = join(folder, 'platform.sqlite')
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('keeps keys, credentials and access tokens', async () => {
    const before = startPlatform(SECRET)
    const shop = await createApplication(before.auth, ['orders'])
    const token = await accessToken(before.app, 'orders', shop)
    const keySet = await fetchKeySet(before.app)
    await before.auth.close()

    const after = startPlatform(SECRET)
    expect(await fetchKeySet(after.app)).toEqual(keySet)
    expect((await after.auth.verifyAccessToken('orders', token)).application.id).toBe(shop.id)
    await expect(accessToken(after.app, 'orders', shop)).resolves.toBeDefined()
    await after.auth.close()
  })

  it('with the new secret and the old one succeeds', async () => {
    const after = startPlatform([`new ${SECRET}`, SECRET])
    await after.auth.ready()
    await after.auth.close()
  })

  it.each([
    ['a wrong secret', 'another secret of 32 characters or more'],
    ['no secret', undefined],
  ])('with %s rejects ready() with ConfigurationError, and every request gets 503', async (_, secret) => {
    const { auth, app, logger } = startPlatform(secret)
    await expect(auth.ready()).rejects.toMatchObject({ name: 'ConfigurationError', message: /^secret is/ })
    app.get('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.end())
    app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.end())
    const answers = await Promise.all([
      post(app, '/orders/token', { grant_type: 'client_credentials', client_id: 'a', client_secret: 'b' }),
      request(app).get('/orders/items').set('Authorization', 'Bearer x'),
      request(app).get('/catalog/items').set('X-Api-Key', 'x'),
      request(app).get('/.well-known/jwks.json'),
    ])
    for (const answer of answers) expectRefusal(answer, 503, 'temporarily_unavailable', { 'retry-after': SECONDS })
    expect(logger.lines.some((line) => line.startsWith('The platform cannot start'))).toBe(true)
    await expect(auth.applications.create({ name: 'x', apis: ['orders'] })).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    await auth.close()
  })

  it('with another signing.algorithm publishes a key of it, which signs after publishAhead', async () => {
    const store = memoryStore()
    const first = platform({ store })
    await first.auth.ready()
    await first.auth.close()
    const { auth, clock } = platform({ store, signing: { algorithm: 'EdDSA' } })
    const app = express().use(auth.router)
    const shop = await createApplication(auth, ['orders'])
    const before = await accessToken(app, 'orders', shop)
    expect((await fetchKeySet(app)).keys.map(({ alg }) => alg)).toEqual(['ES256', 'EdDSA'])
    expect(decodeProtectedHeader(before).alg).toBe('ES256')
    clock.advance(301)
    const after = await accessToken(app, 'orders', shop)
    expect(decodeProtectedHeader(after).alg).toBe('EdDSA')
    for (const token of [before, after]) await expect(auth.verifyAccessToken('orders', token)).resolves.toBeDefined()
    await auth.close()
  })
})

interface Signer {
  readonly header: { alg: string; kid: string; typ: string }
  readonly publicJwk: JWK
  readonly privateJwk: JWK
  sign(claims: JWTPayload, header?: object): Promise<string>
}

/** Signs any header and claims with the platform's key, which is stored in plain text without the option `secret`. */
async function createSigner(store: Store): Promise<Signer> {
  const [record] = await store.listSigningKeys()
  const { kid, algorithm, publicJwk, sealedPrivateJwk } = record!
  expect(sealedPrivateJwk).toMatch(/^plain:/)
  const privateJwk = JSON.parse(sealedPrivateJwk.slice('plain:'.length)) as JWK
  const header = { alg: algorithm, kid, typ: 'at+jwt' }
  await importJWK(privateJwk, algorithm)
  return {
    header,
    publicJwk,
    privateJwk,
    // Not with jose, which rejects many of these headers.
    async sign(claims, more = {}) {
      const body = `${encode({ ...header, ...more })}.${encode(claims)}`
      const key = { key: privateJwk as never, format: 'jwk', dsaEncoding: 'ieee-p1363' } as const
      return `${body}.${signBytes('sha256', Buffer.from(body), key).toString('base64url')}`
    },
  }
}

/** A `jti` as the platform makes it: `tokensRevokedAt`, then random bytes. */
function createTokenId(tokensRevokedAt: number): string {
  const bytes = Buffer.alloc(24, 7)
  bytes.writeUIntBE(tokensRevokedAt, 0, 6)
  crypto.getRandomValues(bytes.subarray(6))
  return bytes.toString('base64url')
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

async function expectInvalid(auth: TestPlatform['auth'], token: string): Promise<void> {
  await expect(auth.verifyAccessToken('orders', token), token).rejects.toMatchObject({
    code: 'invalid_token',
    description: 'The access token is not valid',
  })
}

async function fetchKeySet(app: ReturnType<typeof express>): Promise<JSONWebKeySet> {
  const { status, body } = await request(app).get('/.well-known/jwks.json')
  expect(status).toBe(200)
  return body as JSONWebKeySet
}
