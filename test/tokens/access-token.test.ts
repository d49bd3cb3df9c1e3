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

type Known = Awaited<ReturnType<typeof createApplication>>

const ISSUER = 'https://api.example.com/orders'

const ALGORITHMS: readonly SigningAlgorithm[] = [
  'ES256', 'ES384', 'ES512', 'EdDSA', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512',
] // prettier-ignore

describe.each(ALGORITHMS)('Access tokens signed with %s', (algorithm) => {
  const { auth, clock } = platform({ signing: { algorithm } })
  const app = express().use(auth.router)
  afterAll(() => auth.close())

  it('are RFC 9068 JWTs that the published key set verifies, and so does the guard', async () => {
    const shop = await createApplication(auth, ['orders'])
    const token = await accessToken(app, 'orders', shop)
    const keySet = await keySetOf(app)
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

  it('are refused with any other signature', async () => {
    const token = await accessToken(app, 'orders', await createApplication(auth, ['orders']))
    const [header, payload, signature = ''] = token.split('.')
    const bytes = Buffer.from(signature, 'base64url')
    for (const place of [0, bytes.length >> 1, bytes.length - 1]) {
      const changed = Buffer.from(bytes)
      changed[place]! ^= 1
      await expectInvalid(auth, `${header}.${payload}.${changed.toString('base64url')}`)
    }
  })
})

describe('An access token', () => {
  const store = memoryStore()
  const { auth, clock } = platform({ store, secret: undefined, accessTokenLifetime: 600 })
  const app = express().use(auth.router)
  let shop: Known
  let signer: Signer

  beforeAll(async () => {
    shop = await createApplication(auth, ['orders', 'invoices'])
    signer = await signerOf(store)
  })
  afterAll(() => auth.close())

  /** What the platform would sign now. */
  const claims = (more: JWTPayload = {}): JWTPayload => {
    const iat = Math.floor(clock.now() / 1000)
    const jti = idAt(0)
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
  const expectGood = async (token: string): Promise<void> => {
    await expect(auth.verifyAccessToken('orders', token)).resolves.toMatchObject({ application: { id: shop.id } })
  }

  it('has no key in it, no name, no contact: the id alone', async () => {
    const token = await accessToken(app, 'orders', shop)
    const text = Buffer.from(token.split('.')[1]!, 'base64url').toString()
    expect(text).not.toContain(shop.clientId)
    expect(text).not.toContain('Shop')
  })

  it('has iss and aud of its own API, and no scope where there is none', async () => {
    const { iss, aud, ...rest } = decodeJwt(await accessToken(app, 'invoices', shop))
    expect({ iss, aud }).toEqual({ iss: 'https://api.example.com/invoices', aud: 'https://api.example.com/invoices' })
    expect(rest).not.toHaveProperty('scope')
  })

  it('has a jti with 128 random bits and more: no two alike', async () => {
    const ids = []
    for (let i = 0; i < 50; i++) ids.push(decodeJwt(await accessToken(app, 'orders', shop)).jti!)
    const random = ids.map((id) => Buffer.from(id, 'base64url').subarray(6).toString('hex'))
    expect(random[0]).toHaveLength(36)
    expect(new Set(random.map((each) => each.slice(0, 16))).size).toBe(50)
    expect(new Set(random.map((each) => each.slice(16))).size).toBe(50)
  })

  it('is what the helper of these tests signs with the real key: all below are refused for what they say they are', async () => {
    await expectGood(await signer.sign(claims()))
    await expectGood(await signer.sign(claims(), { typ: 'application/at+jwt' }))
  })

  it.each(['none', 'None', 'NONE', ''])('unsigned, with alg "%s", is not ours', async (alg) => {
    const { sign: _, ...header } = { ...signer.header, alg, sign: undefined }
    for (const signature of ['', 'AA', Buffer.alloc(64).toString('base64url')]) {
      await expectInvalid(auth, `${encode(header)}.${encode(claims())}.${signature}`)
    }
  })

  it.each(['HS256', 'HS512'])('signed with %s and the public key as secret is not ours', async (alg) => {
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

  it('signed with a foreign key under our kid is not ours', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    await expectInvalid(auth, await new SignJWT(claims()).setProtectedHeader(signer.header).sign(privateKey))
  })

  it('signed with a foreign key that its header brings along (jwk, jku, x5u, x5c) is not ours', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const jwk = publicKey.export({ format: 'jwk' }) as JWK
    const kid = await calculateJwkThumbprint(jwk)
    const bait = { jwk, jku: 'https://evil.example/jwks.json', x5u: 'https://evil.example/x.pem', x5c: ['MII='] }
    for (const header of [
      bait,
      { ...bait, kid: signer.header.kid },
      { jwk },
      { jku: bait.jku, kid: signer.header.kid },
    ]) {
      const token = new SignJWT(claims()).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header })
      await expectInvalid(auth, await token.sign(privateKey))
    }
  })

  it.each([
    ['without kid', { kid: undefined }],
    ['with an unknown kid', { kid: 'x' }],
    ['with a kid that is no text', { kid: 1 as unknown as string }],
    ['with a kid that every object has', { kid: '__proto__' }],
    ['of typ JWT', { typ: 'JWT' }],
    ['of typ jwt', { typ: 'jwt' }],
    ['of typ at+JWT+x', { typ: 'at+jwt+x' }],
    ['without typ', { typ: undefined }],
    ['with crit that we do not know', { crit: ['x'], x: 1 }],
    ['with crit of nothing', { crit: [] }],
    ['with b64 false', { crit: ['b64'], b64: false }],
    ['of another algorithm of the same curve', { alg: 'ES256K' }],
    ["of an algorithm that is not the key's", { alg: 'ES384' }],
  ])('%s is not ours, though the real key signed it', async (_, header) => {
    await expectInvalid(auth, await signer.sign(claims(), header))
  })

  it.each(['iss', 'aud', 'sub', 'client_id', 'iat', 'exp', 'jti'])(
    'without %s is not ours, though the real key signed it',
    async (claim) => {
      await expectInvalid(auth, await signer.sign(claims({ [claim]: undefined })))
      await expectInvalid(auth, await signer.sign(claims({ [claim]: null })))
    },
  )

  it.each<[string, JWTPayload]>([
    ['aud as a list, though of this one', { aud: [ISSUER] }],
    ['aud as a list of two', { aud: [ISSUER, 'https://api.example.com/invoices'] }],
    ['aud of another API than iss', { aud: 'https://api.example.com/invoices' }],
    ['iss of another API than aud', { iss: 'https://api.example.com/invoices' }],
    ['iss and aud with a slash', { iss: `${ISSUER}/`, aud: `${ISSUER}/` }],
    ['iss and aud of the platform', { iss: 'https://api.example.com', aud: 'https://api.example.com' }],
    ['iss and aud of an API that there is not', { iss: 'https://api.example.com/x', aud: 'https://api.example.com/x' }],
    ['iss and aud of a key API', { iss: 'https://api.example.com/catalog', aud: 'https://api.example.com/catalog' }],
    ['a client_id that is not its sub', { client_id: 'app_0' }],
    ['a sub that is no text', { sub: 1 as unknown as string }],
    ['a scope that is a list', { scope: ['orders:read'] }],
    ['a jti that is no text', { jti: 1 as unknown as string }],
    ['a jti of another form', { jti: 'x' }],
    ['an exp that is text', { exp: '99999999999' as unknown as number }],
    ['an iat that is text', { iat: '1' as unknown as number }],
  ])('with %s is not ours, though the real key signed it', async (_, more) => {
    await expectInvalid(auth, await signer.sign(claims(more)))
  })

  it('of an application that there is not is refused', async () => {
    const token = await signer.sign(claims({ sub: 'app_x', client_id: 'app_x' }))
    await expect(auth.verifyAccessToken('orders', token)).rejects.toMatchObject({ code: 'invalid_token' })
  })

  it('with scopes that nobody granted has none of them', async () => {
    const info = await auth.verifyAccessToken(
      'orders',
      await signer.sign(claims({ scope: 'orders:read orders:all x' })),
    )
    expect(info.scopes).toEqual(['orders:read'])
  })

  it('with iat in the future beyond the tolerance is not ours, and within it is', async () => {
    const ahead = (seconds: number): JWTPayload => claims({ iat: Math.floor(clock.now() / 1000) + seconds })
    await expectGood(await signer.sign(ahead(5)))
    await expectInvalid(auth, await signer.sign(ahead(6)))
    await expectInvalid(auth, await signer.sign(ahead(1e6)))
    // What was too early is good once its time has come.
    const early = await signer.sign(ahead(7))
    await expectInvalid(auth, early)
    clock.advance(2)
    await expectGood(early)
  })

  it('expires to the second, and a tolerance of 5 seconds later', async () => {
    const token = await accessToken(app, 'orders', shop)
    const end = decodeJwt(token).exp! * 1000 + 5000
    clock.advance((end - 1 - clock.now()) / 1000)
    await expectGood(token)
    clock.advance(0.001)
    for (let i = 0; i < 2; i++) {
      await expect(auth.verifyAccessToken('orders', token)).rejects.toMatchObject({
        code: 'invalid_token',
        description: 'The access token expired',
      })
    }
  })

  it('seen for the first time when it has expired is told so too', async () => {
    const token = await accessToken(app, 'orders', shop)
    clock.advance(606)
    await expect(auth.verifyAccessToken('orders', token)).rejects.toMatchObject({
      description: 'The access token expired',
    })
  })

  it('of another API is told so', async () => {
    const token = await accessToken(app, 'invoices', shop)
    await expect(auth.verifyAccessToken('orders', token)).rejects.toMatchObject({
      code: 'invalid_token',
      description: 'The access token was issued for another API',
    })
  })

  it('expired and of another API has expired', async () => {
    const token = await accessToken(app, 'invoices', shop)
    clock.advance(606)
    await expect(auth.verifyAccessToken('orders', token)).rejects.toMatchObject({
      description: 'The access token expired',
    })
  })

  it('with a changed payload or header is not ours', async () => {
    const token = await accessToken(app, 'orders', shop)
    const [header = '', payload = '', signature = ''] = token.split('.')
    const richer = { ...decodeJwt(token), scope: 'orders:read orders:write orders:all' }
    await expectInvalid(auth, `${header}.${encode(richer)}.${signature}`)
    await expectInvalid(auth, `${header}.${encode({ ...decodeJwt(token), exp: 99_999_999_999 })}.${signature}`)
    await expectInvalid(auth, `${encode({ ...decodeProtectedHeader(token), x: 1 })}.${payload}.${signature}`)
    await expectGood(token)
  })

  it('spelt in any other way is not ours: one token, one spelling', async () => {
    const token = await accessToken(app, 'orders', shop)
    await expectGood(token)
    const [header = '', payload = '', signature = ''] = token.split('.')
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    // 64 bytes are 86 characters, of whose last one 4 bits mean nothing.
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
    'with whitespace in or around it (%j) is no token at all',
    async (frame) => {
      const token = await accessToken(app, 'orders', shop)
      const spelt = frame === 'a b' ? token.replace('.', ' .') : frame.replace('a', token)
      await expect(auth.verifyAccessToken('orders', spelt)).rejects.toMatchObject({ code: 'invalid_request' })
    },
  )

  it('with an ECDSA signature in DER, or of zeros, is not ours', async () => {
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
  ])('that is nonsense (%s) is not ours', async (token) => {
    await expectInvalid(auth, token)
  })

  it('seen first by many at once is good for all, and so is a bad one bad for all', async () => {
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

  it('seen before by one guard is judged anew by every other', async () => {
    const token = await accessToken(app, 'orders', shop)
    for (let i = 0; i < 3; i++) {
      await expectGood(token)
      await expect(auth.verifyAccessToken('invoices', token)).rejects.toMatchObject({ code: 'invalid_token' })
    }
  })
})

describe('expires_in and exp', () => {
  it("are the platform's accessTokenLifetime, and the tolerance its clockTolerance", async () => {
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

describe('The accessTokenLifetime of an API', () => {
  it("comes before the platform's", async () => {
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

describe.each(Object.entries(STORES))('Signing keys, in the %s store,', (_, openStore) => {
  let made: TestPlatform
  let app: ReturnType<typeof express>
  let shop: Known
  let remove: () => Promise<void>
  const kids = async (): Promise<(string | undefined)[]> => (await keySetOf(app)).keys.map(({ kid }) => kid)
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

  it('begin with one, and go through a rotation: published, signing, verifying, gone', async () => {
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

    // The former key stays until the last token it signed has expired, clock tolerance included.
    clock.advance(3604)
    expect(await kids()).toEqual([first, next.kid])
    expect(await verifies(last)).toBe(true)
    clock.advance(61)
    expect(await kids()).toEqual([next.kid])
    expect(await states()).toEqual(['current'])
  })

  it('are replaced at once by rotate({ immediately }): tokens of before go on', async () => {
    const before = await token()
    const rotated = await made.auth.signingKeys.rotate({ immediately: true })
    expect(rotated.state).toBe('current')
    expect(decodeProtectedHeader(await token()).kid).toBe(rotated.kid)
    expect(await verifies(before)).toBe(true)
    expect(await states()).toEqual(['former', 'current'])
  })

  it('are forgotten by revoke(kid): its tokens are refused from the next request on, others are not', async () => {
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

  it('are replaced first where the current one is revoked', async () => {
    const compromised = await token()
    const { kid } = decodeProtectedHeader(compromised)
    await made.auth.signingKeys.revoke(kid!)
    const fresh = await token()
    expect(decodeProtectedHeader(fresh).kid).not.toBe(kid)
    expect([await verifies(compromised), await verifies(fresh)]).toEqual([false, true])
    await expect(made.auth.signingKeys.revoke(kid!)).rejects.toMatchObject({ code: 'signing_key_not_found' })
  })

  it('are shared by every process: the key of a rotation elsewhere is met and taken', async () => {
    const { auth, clock } = made
    const opened = await openStore()
    const here = platform({ store: opened.store, now: clock.now })
    const there = platform({ store: opened.store, now: clock.now })
    await Promise.all([here.auth.ready(), there.auth.ready()])
    const thereApp = express().use(there.auth.router)
    const one = await createApplication(there.auth, ['orders'])
    // One of both was first, and both sign with its key.
    expect(await keySetOf(express().use(here.auth.router))).toEqual(await keySetOf(thereApp))
    await there.auth.signingKeys.rotate({ immediately: true })
    const fresh = await accessToken(thereApp, 'orders', one)
    await expect(here.auth.verifyAccessToken('orders', fresh)).resolves.toMatchObject({ application: { id: one.id } })

    const { kid } = decodeProtectedHeader(fresh)
    await here.auth.signingKeys.revoke(kid!)
    const since = performance.now()
    const accepted = (): Promise<boolean> => there.auth.verifyAccessToken('orders', fresh).then(() => true, () => false) // prettier-ignore
    while ((await accepted()) && performance.now() - since < 3000) await sleep(10)
    expect(performance.now() - since).toBeLessThan(1000)
    await Promise.all([here.auth.close(), there.auth.close(), auth.health()])
    await opened.remove()
  })
})

describe('A restart', () => {
  let folder: string
  let file: string
  const start = (secret: string | readonly string[] | undefined) => {
    const made = platform({ store: sqliteStore(file), secret, maxStaleness: 1 })
    return { ...made, app: express().use(made.auth.router) }
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'restart-'))
    file = join(folder, 'platform.sqlite')
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('keeps keys, credentials and access tokens', async () => {
    const before = start(SECRET)
    const shop = await createApplication(before.auth, ['orders'])
    const token = await accessToken(before.app, 'orders', shop)
    const keySet = await keySetOf(before.app)
    await before.auth.close()

    const after = start(SECRET)
    expect(await keySetOf(after.app)).toEqual(keySet)
    expect((await after.auth.verifyAccessToken('orders', token)).application.id).toBe(shop.id)
    await expect(accessToken(after.app, 'orders', shop)).resolves.toBeDefined()
    await after.auth.close()
  })

  it('with the new secret and the old one goes on as before', async () => {
    const after = start([`new ${SECRET}`, SECRET])
    await after.auth.ready()
    await after.auth.close()
  })

  it.each([
    ['a wrong secret', 'another secret of 32 characters or more'],
    ['no secret', undefined],
  ])('with %s rejects ready() with ConfigurationError, and every request gets 503', async (_, secret) => {
    const { auth, app, logger } = start(secret)
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

  it('with another signing.algorithm publishes a key of it, which signs once caches have turned over', async () => {
    const store = memoryStore()
    const first = platform({ store })
    await first.auth.ready()
    await first.auth.close()
    const { auth, clock } = platform({ store, signing: { algorithm: 'EdDSA' } })
    const app = express().use(auth.router)
    const shop = await createApplication(auth, ['orders'])
    const before = await accessToken(app, 'orders', shop)
    expect((await keySetOf(app)).keys.map(({ alg }) => alg)).toEqual(['ES256', 'EdDSA'])
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

/** Signs whatever it is given with the platform's own key, which lies in the open where there is no `secret`. */
async function signerOf(store: Store): Promise<Signer> {
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
    // Not by jose, which refuses to sign much of what is tried here.
    async sign(claims, more = {}) {
      const body = `${encode({ ...header, ...more })}.${encode(claims)}`
      const key = { key: privateJwk as never, format: 'jwk', dsaEncoding: 'ieee-p1363' } as const
      return `${body}.${signBytes('sha256', Buffer.from(body), key).toString('base64url')}`
    },
  }
}

/** A `jti` as the platform makes them: the last revocation that its issuer knew of, then random bits. */
function idAt(milliseconds: number): string {
  const bytes = Buffer.alloc(24, 7)
  bytes.writeUIntBE(milliseconds, 0, 6)
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

async function keySetOf(app: ReturnType<typeof express>): Promise<JSONWebKeySet> {
  const { status, body } = await request(app).get('/.well-known/jwks.json')
  expect(status).toBe(200)
  return body as JSONWebKeySet
}
