import { createHmac, createPublicKey, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import express from 'express'
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, SignJWT, type JWK, type JWTPayload } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { accessToken, createApplication } from '../../support/http.js'
import { usePlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'
import { createSigner, createTokenId, encode, expectInvalid, ISSUER, type Signer } from './signer.js'

type TestClient = Awaited<ReturnType<typeof createApplication>>

describe('an access token', () => {
  const store = memoryStore()
  const { auth, clock } = usePlatform({ store, secret: undefined, tokens: { lifetime: 600 } })
  const app = express().use(auth.router)
  let shop: TestClient
  let signer: Signer

  beforeAll(async () => {
    await auth.ready()
    shop = await createApplication(auth, ['orders', 'invoices'])
    signer = await createSigner(store)
  })

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
    ['an exp with a fraction', { exp: 99_999_999_999.5 }],
    ['an iat with a fraction', { iat: 1.5 }],
    ['an exp above 2^53', { exp: 2 ** 60 }],
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

  it.each(['exp', 'iat', 'nbf'])(
    'with a number that JSON.parse() reads as Infinity as %s is invalid',
    async (claim) => {
      const payload = JSON.stringify(claims({ [claim]: 0 })).replace(`"${claim}":0`, `"${claim}":1e400`)
      await expectInvalid(auth, await signer.signText(payload))
    },
  )

  it('with a long lifetime expires after the longest one that the platform issues tokens for', async () => {
    const token = await signer.sign(claims({ exp: 99_999_999_999 }))
    await expectValid(token)
    // The lifetime of 600 s, and the margin of key-rotation.ts for clocks.
    clock.advance(600 - 6)
    await expectValid(token)
    clock.advance(2 * 65 + 12)
    await expect(auth.verifyAccessToken('orders', token)).rejects.toMatchObject({
      description: 'The access token expired',
    })
  })

  it('that knows of a later revocation than the store is refused', async () => {
    const never = await signer.sign(claims({ jti: Buffer.alloc(24, 255).toString('base64url') }))
    await expect(auth.verifyAccessToken('orders', never)).rejects.toMatchObject({ code: 'invalid_token' })
    await auth.applications.revokeTokens(shop.id)
    await expect(auth.verifyAccessToken('orders', never)).rejects.toMatchObject({ code: 'invalid_token' })
    await expectValid(await accessToken(app, 'orders', shop))
  })

  it('has a second ECDSA signature, which is accepted and revoked with it', async () => {
    const credentials = await createApplication(auth, ['orders'])
    const token = await accessToken(app, 'orders', credentials)
    const twin = createTwin(token)
    expect((await auth.verifyAccessToken('orders', twin)).token).toEqual(
      (await auth.verifyAccessToken('orders', token)).token,
    )
    const { clientId, clientSecret } = credentials
    await request(app)
      .post('/orders/revoke')
      .auth(clientId, clientSecret)
      .type('form')
      .send({ token: twin })
      .expect(200)
    for (const each of [token, twin])
      await expect(auth.verifyAccessToken('orders', each)).rejects.toMatchObject({ code: 'invalid_token' })
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

/** The order of the group of P-256 (FIPS 186-5). */
const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** The token with the signature (r, n - s) instead of (r, s). */
function createTwin(token: string): string {
  const [header, payload, signature = ''] = token.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  const s = P256_ORDER - BigInt(`0x${bytes.toString('hex', 32)}`)
  bytes.write(s.toString(16).padStart(64, '0'), 32, 'hex')
  return `${header}.${payload}.${bytes.toString('base64url')}`
}
