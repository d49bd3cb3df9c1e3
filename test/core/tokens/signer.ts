import { sign as signBytes } from 'node:crypto'
import type { Express } from 'express'
import { importJWK, type JSONWebKeySet, type JWK, type JWTPayload } from 'jose'
import { expect } from 'vitest'
import type { StoreWith } from '../../../src/store.js'
import type { TestPlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'

/** The API `orders` of the test platform. */
export const ISSUER = 'https://api.example.com/orders'

export interface Signer {
  readonly header: { alg: string; kid: string; typ: string }
  readonly publicJwk: JWK
  readonly privateJwk: JWK
  sign(claims: JWTPayload, header?: object): Promise<string>
  /** Signs a payload as it is. */
  signText(payload: string, header?: object): Promise<string>
}

/** Signs any header and claims with the platform's key, which is stored in plain text without the option `secret`. */
export async function createSigner(store: StoreWith): Promise<Signer> {
  const [record] = await store.listSigningKeys()
  const { kid, algorithm, publicJwk, sealedPrivateJwk } = record!
  expect(sealedPrivateJwk).toMatch(/^plain:/)
  const privateJwk = JSON.parse(sealedPrivateJwk.slice('plain:'.length)) as JWK
  const header = { alg: algorithm, kid, typ: 'at+jwt' }
  await importJWK(privateJwk, algorithm)
  // Not with jose, which rejects many of these headers.
  async function signText(payload: string, more = {}): Promise<string> {
    const body = `${encode({ ...header, ...more })}.${Buffer.from(payload).toString('base64url')}`
    const key = { key: privateJwk as never, format: 'jwk', dsaEncoding: 'ieee-p1363' } as const
    return `${body}.${signBytes('sha256', Buffer.from(body), key).toString('base64url')}`
  }
  return { header, publicJwk, privateJwk, sign: (claims, more) => signText(JSON.stringify(claims), more), signText }
}

/** A `jti` as the platform makes it: `tokensRevokedAt`, then random bytes. */
export function createTokenId(tokensRevokedAt: number): string {
  const bytes = Buffer.alloc(24, 7)
  bytes.writeUIntBE(tokensRevokedAt, 0, 6)
  crypto.getRandomValues(bytes.subarray(6))
  return bytes.toString('base64url')
}

export function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

export async function expectInvalid(auth: TestPlatform['auth'], token: string): Promise<void> {
  await expect(auth.verifyAccessToken('orders', token), token).rejects.toMatchObject({
    code: 'invalid_token',
    description: 'The access token is not valid',
  })
}

export async function fetchKeySet(app: Express): Promise<JSONWebKeySet> {
  const { status, body } = await request(app).get('/.well-known/jwks.json')
  expect(status).toBe(200)
  return body as JSONWebKeySet
}
