import express from 'express'
import { calculateJwkThumbprint, createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SigningAlgorithm } from '../../../src/index.js'
import { accessToken, createApplication, createTokenForm, post } from '../../support/http.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { openPlatform, type TestPlatform, usePlatform } from '../../support/platform.js'
import { expectInvalid, fetchKeySet, ISSUER } from './signer.js'

type TestClient = Awaited<ReturnType<typeof createApplication>>

/** RSA keys take long to make; `signer-keys.integration.test.ts` has two of the others. */
const ALGORITHMS: readonly SigningAlgorithm[] = [
  ...(['ES256', 'ES384', 'ES512', 'EdDSA', 'RS256', 'PS512'] as const),
  ...(IS_LONG_LANE ? (['RS384', 'RS512', 'PS256', 'PS384'] as const) : []),
]

describe.each(ALGORITHMS)('access tokens signed with %s', (algorithm) => {
  let auth: TestPlatform['auth']
  let clock: TestPlatform['clock']
  let app: ReturnType<typeof express>
  beforeAll(async () => {
    // Here and not while tests are collected: ten platforms that generate keys at once delay each other.
    ;({ auth, clock } = openPlatform({ tokens: { algorithm } }))
    app = express().use(auth.router)
    await auth.ready()
  })
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

describe('a new access token', () => {
  const { auth } = usePlatform()
  const app = express().use(auth.router)
  let shop: TestClient

  beforeAll(async () => {
    await auth.ready()
    shop = await createApplication(auth, ['orders', 'invoices'])
  })

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
})

describe('expires_in and exp', () => {
  it('follow the options tokens.lifetime and tokens.clockTolerance', async () => {
    const { auth, clock } = usePlatform({ tokens: { lifetime: 60, clockTolerance: 0 } })
    const app = express().use(auth.router)
    const shop = await createApplication(auth, ['orders'])
    const { body } = await post(app, '/orders/token', createTokenForm(shop))
    const { access_token: token, expires_in } = body as { access_token: string; expires_in: number }
    const { iat, exp } = decodeJwt(token)
    expect([expires_in, exp! - iat!]).toEqual([60, 60])
    clock.advance((exp! * 1000 - 1 - clock.now()) / 1000)
    await expect(auth.verifyAccessToken('orders', token)).resolves.toBeDefined()
    clock.advance(0.001)
    await expect(auth.verifyAccessToken('orders', token)).rejects.toMatchObject({
      description: 'The access token expired',
    })
  })
})

describe('the accessTokenLifetime of an API', () => {
  it("overrides the platform's", async () => {
    const { auth } = usePlatform({
      apis: { brief: { scheme: 'oauth2', accessTokenLifetime: 30 }, long: { scheme: 'oauth2' } },
      tokens: { lifetime: 7200 },
    })
    const app = express().use(auth.router)
    const shop = await createApplication(auth, ['brief', 'long'])
    expect((await post(app, '/brief/token', createTokenForm(shop))).body).toMatchObject({ expires_in: 30 })
    expect((await post(app, '/long/token', createTokenForm(shop))).body).toMatchObject({ expires_in: 7200 })
    const { iat, exp } = decodeJwt(await accessToken(app, 'brief', shop))
    expect(exp! - iat!).toBe(30)
  })
})
