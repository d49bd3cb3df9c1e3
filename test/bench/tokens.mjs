import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** The platform that contenders implement, or whose access tokens they verify. */
export const BASE_URL = 'https://api.example.com'
export const RESOURCE = `${BASE_URL}/orders`
export const SCOPES = ['orders:read', 'orders:write']

/** Creates JWTs (ES256 or EdDSA) as fast as OpenSSL signs. */
export function signerOf(privateJwk, { kid, alg }) {
  const key = createPrivateKey({ key: privateJwk, format: 'jwk' })
  const header = segment({ alg, kid, typ: 'at+jwt' })
  return function signed(claims) {
    const input = `${header}.${segment(claims)}`
    const signature = sign(alg === 'EdDSA' ? null : 'sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' })
    return `${input}.${signature.toString('base64url')}`
  }
}

/** The claims of our access tokens (RFC 9068), as the token endpoint sets them. */
export function claimsOf(applicationId, { issuedAt = Date.now(), lifetime = 4 * 3600 } = {}) {
  const iat = Math.floor(issuedAt / 1000)
  // The first 48 bits of `jti` are the time of the last revocation known to the issuer: none.
  const jti = Buffer.concat([Buffer.alloc(6), randomBytes(18)]).toString('base64url')
  return {
    iss: RESOURCE,
    sub: applicationId,
    aud: RESOURCE,
    client_id: applicationId,
    iat,
    exp: iat + lifetime,
    jti,
    scope: SCOPES.join(' '),
  }
}

/** A new ES256 key pair as JWKs. */
export function newKeyPair(kid) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    privateJwk: privateKey.export({ format: 'jwk' }),
    publicJwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' },
  }
}

/**
 * An issuer for contenders that only verify: its public key, and tokens of 100 applications.
 */
export function issue(count) {
  const { privateJwk, publicJwk } = newKeyPair('peers')
  const sign = signerOf(privateJwk, publicJwk)
  const past = { issuedAt: Date.now() - 86_400_000, lifetime: 3600 }
  return {
    publicJwk,
    pem: createPublicKey({ key: publicJwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' }),
    lines: {
      tokens: Array.from({ length: count }, (_, i) => sign(claimsOf(`app_${i % 100}`))),
      garbage: Array.from({ length: 1000 }, garbageToken),
      expired: [sign(claimsOf('app_0', past))],
    },
  }
}

/** Random bytes in the form of a token. */
export function garbageToken() {
  return `${randomBytes(20).toString('base64url')}.${randomBytes(180).toString('base64url')}.${randomBytes(64).toString('base64url')}`
}

function segment(value) {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
