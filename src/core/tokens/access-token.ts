import { randomFillSync } from 'node:crypto'
import { CompactSign } from 'jose/jws/compact/sign'
import type { CurrentSigningKey, SigningKeys } from './signing-keys.js'

export interface AccessTokenGrant {
  /** The API's resource identifier: `iss` and `aud`. */
  readonly issuer: string
  /** `sub` and `client_id`. */
  readonly applicationId: string
  readonly scopes: readonly string[]
  /** Milliseconds since 1970. */
  readonly issuedAt: number
  /** Seconds. */
  readonly lifetime: number
  /** The application's `tokensRevokedAt` at the time of issue, in milliseconds since 1970. */
  readonly tokensRevokedAt: number
  /** `credential_id`: the secret, if it may be used from some networks only. */
  readonly credentialId?: string | undefined
  /** The JSON text of further claims, as `stringifyClaims()` returns it. */
  readonly customClaims?: string | undefined
}

/** Resolves a signed access token (RFC 9068 2). Rejects when there is no signing key. */
export type SignAccessToken = (grant: AccessTokenGrant) => Promise<string>

/** Resolves the compact JWS (RFC 7515 3.1). `caller` is the application for which it is signed. */
export type SignCompact = (payload: Uint8Array, caller: string) => Promise<string>

export function createAccessTokenSigner(
  signingKeys: Pick<SigningKeys, 'current'>,
  signElsewhere?: SignCompact,
): SignAccessToken {
  return async function signAccessToken(grant) {
    const payload = Buffer.from(stringifyPayload(createClaims(grant), grant.customClaims))
    if (signElsewhere) return signElsewhere(payload, grant.applicationId)
    const key = signingKeys.current()
    if (!key) throw new Error('There is no signing key.')
    return signWithStoredKey(key, payload)
  }
}

/** SignJWT is not used: it clones and validates claims, and these are valid as they are built. */
export function signWithStoredKey({ algorithm, kid, privateKey }: CurrentSigningKey, payload: Uint8Array) {
  return new CompactSign(payload).setProtectedHeader({ alg: algorithm, kid, typ: 'at+jwt' }).sign(privateKey)
}

function createClaims(grant: AccessTokenGrant) {
  const { issuer, applicationId, scopes, issuedAt, lifetime, tokensRevokedAt, credentialId } = grant
  const iat = Math.floor(issuedAt / 1000)
  return {
    iss: issuer,
    sub: applicationId,
    aud: issuer,
    client_id: applicationId,
    iat,
    exp: iat + lifetime,
    jti: createTokenId(tokensRevokedAt),
    scope: scopes.length > 0 ? scopes.join(' ') : undefined,
    credential_id: credentialId,
  }
}

/** Adds custom claims, whose names never equal those before them. */
function stringifyPayload(claims: object, customClaims: string | undefined): string {
  const payload = JSON.stringify(claims)
  return customClaims === undefined ? payload : `${payload.slice(0, -1)},${customClaims.slice(1)}`
}

/** A `jti` has 6 bytes for the time of the last revocation, and 18 random ones. */
const TOKEN_ID_BYTES = 24
const REVOCATION_TIME_BYTES = 6
/** Random bytes are drawn for 128 ids at a time: one large request is much cheaper than many small ones. */
const randomBuffer = Buffer.alloc(TOKEN_ID_BYTES * 128)
let randomOffset = randomBuffer.length

/** 48 bits for `tokensRevokedAt` as the issuer knew it, and 144 random ones: comparing `iat` fails, as clocks differ. */
function createTokenId(tokensRevokedAt: number): string {
  if (randomOffset === randomBuffer.length) {
    randomFillSync(randomBuffer)
    randomOffset = 0
  }
  const bytes = randomBuffer.subarray(randomOffset, (randomOffset += TOKEN_ID_BYTES))
  bytes.writeUIntBE(tokensRevokedAt, 0, REVOCATION_TIME_BYTES)
  return bytes.toString('base64url')
}

/** The `tokensRevokedAt` that a `jti` carries, in milliseconds since 1970; undefined if this package did not make the id. */
export function parseTokensRevokedAt(tokenId: string): number | undefined {
  const bytes = Buffer.from(tokenId, 'base64url')
  return bytes.length === TOKEN_ID_BYTES ? bytes.readUIntBE(0, REVOCATION_TIME_BYTES) : undefined
}
