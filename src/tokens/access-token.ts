import { hash, randomBytes } from 'node:crypto'
import { errors, jwtVerify, SignJWT, type JWTHeaderParameters, type JWTPayload } from 'jose'
import { boundedCache } from '../bounded-cache.js'
import type { SigningKey, SigningKeys } from './signing-keys.js'

/** A verified access token (RFC 9068 2.2). */
export interface AccessToken {
  /** Its `jti`. */
  readonly id: string
  /** Its `iss`, which is its `aud` too: the resource it was issued for. */
  readonly issuer: string
  /** Its `sub`, which is its `client_id` too. */
  readonly applicationId: string
  readonly scopes: readonly string[]
  /** Milliseconds since 1970. */
  readonly issuedAt: number
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  /** The application's `tokensRevokedAt` as the issuer knew it: a later one ends this token. */
  readonly tokensRevokedAt: number
}

/** Why a text is no good access token. */
export type Flaw = 'invalid' | 'expired'

/** A verified access token, or what is wrong with it. */
export type Verification = AccessToken | Flaw

/** What a new access token is to say. */
export interface Grant {
  readonly issuer: string
  readonly applicationId: string
  readonly scopes: readonly string[]
  /** Milliseconds since 1970. */
  readonly issuedAt: number
  /** Seconds. */
  readonly lifetime: number
  /** The application's, as it is now. */
  readonly tokensRevokedAt: number
}

/** Signs access tokens, and verifies them. */
export interface AccessTokens {
  sign(grant: Grant): Promise<string>
  /** From memory where the token has been seen before; whether it is revoked is another question. */
  verify(token: string): Verification | Promise<Verification>
  /** Nothing verified so far is taken from memory any more. */
  forgetAll(): void
}

interface AccessTokensOptions {
  readonly signingKeys: SigningKeys
  /** Every issuer there is; a token of any other is not ours. */
  readonly issuers: readonly string[]
  /** Seconds. */
  readonly clockTolerance: number
  readonly now: () => number
  /** How many verified tokens stay in memory. */
  readonly limit: number
}

export function createAccessTokens({
  signingKeys,
  issuers,
  clockTolerance,
  now,
  limit,
}: AccessTokensOptions): AccessTokens {
  const verified = boundedCache<AccessToken>(limit)
  let verifying = new Map<string, Promise<Verification>>()

  async function keyOf({ kid, alg }: JWTHeaderParameters): Promise<SigningKey['publicKey']> {
    const key = kid === undefined ? undefined : await signingKeys.find(kid)
    // The key's own algorithm, not the token's word for it (RFC 8725 3.1).
    if (!key || key.algorithm !== alg) throw new errors.JOSEError('no key')
    return key.publicKey
  }

  async function verifyNew(token: string): Promise<Verification> {
    if (!isCanonical(token)) return 'invalid'
    try {
      const { payload } = await jwtVerify(token, keyOf, {
        typ: 'at+jwt',
        issuer: issuers as string[],
        audience: issuers as string[],
        requiredClaims: REQUIRED_CLAIMS,
        // Expiry is judged below, for remembered tokens too.
        currentDate: new Date(0),
      })
      return read(payload)
    } catch (error) {
      if (error instanceof errors.JOSEError) return 'invalid'
      throw error
    }
  }

  function judgeTime(token: AccessToken): Verification {
    const tolerance = clockTolerance * 1000
    if (token.expiresAt + tolerance <= now()) return 'expired'
    return token.issuedAt > now() + tolerance ? 'invalid' : token
  }

  return {
    sign({ issuer, applicationId, scopes, issuedAt, lifetime, tokensRevokedAt }) {
      const key = signingKeys.current()
      if (!key) throw new Error('There is no signing key.')
      const iat = Math.floor(issuedAt / 1000)
      return new SignJWT({
        iss: issuer,
        sub: applicationId,
        aud: issuer,
        client_id: applicationId,
        iat,
        exp: iat + lifetime,
        jti: makeId(tokensRevokedAt),
        ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      })
        .setProtectedHeader({ alg: key.algorithm, kid: key.kid, typ: 'at+jwt' })
        .sign(key.privateKey)
    },
    verify(token) {
      // Kept by digest: memory holds no token that could be used.
      const digest = hash('sha256', token, 'base64')
      const known = verified.get(digest)
      if (known) return judgeTime(known)
      const underWay = verifying.get(digest)
      if (underWay) return underWay
      const mine = verifying
      const first = verifyNew(token)
        .then((result) => {
          if (typeof result === 'string') return result
          if (verifying === mine) verified.set(digest, result)
          return judgeTime(result)
        })
        .finally(() => mine.delete(digest))
      mine.set(digest, first)
      return first
    },
    forgetAll() {
      verified.clear()
      verifying = new Map()
    },
  }
}

const REQUIRED_CLAIMS = ['iss', 'aud', 'sub', 'client_id', 'iat', 'exp', 'jti']

/**
 * A signature's last character has bits that decoders ignore, so that one token could be spelt in several ways. Ours is
 * the one with zeros there, in three segments; header and payload are covered by the signature.
 */
function isCanonical(token: string): boolean {
  const segments = token.split('.')
  const signature = segments[2]
  if (segments.length !== 3 || !signature) return false
  return Buffer.from(signature, 'base64url').toString('base64url') === signature
}

function read(payload: JWTPayload): Verification {
  const { iss, aud, sub, client_id, iat, exp, jti, scope = '' } = payload
  if (iss === undefined || aud !== iss || sub === undefined || sub !== client_id || typeof scope !== 'string')
    return 'invalid'
  if (typeof iat !== 'number' || typeof exp !== 'number' || typeof jti !== 'string') return 'invalid'
  const tokensRevokedAt = revocationInstantOf(jti)
  if (tokensRevokedAt === undefined) return 'invalid'
  const scopes = scope === '' ? [] : scope.split(' ')
  return {
    id: jti,
    issuer: iss,
    applicationId: sub,
    scopes,
    issuedAt: iat * 1000,
    expiresAt: exp * 1000,
    tokensRevokedAt,
  }
}

/**
 * 32 characters of base64url: 48 bits that say which `revokeTokens` the issuer knew of, and 144 random ones. Clocks could
 * not tell whether a token was issued before a revocation: they differ, and can be set back.
 */
function makeId(tokensRevokedAt: number): string {
  const bytes = randomBytes(24)
  bytes.writeUIntBE(tokensRevokedAt, 0, 6)
  return bytes.toString('base64url')
}

function revocationInstantOf(id: string): number | undefined {
  const bytes = Buffer.from(id, 'base64url')
  return bytes.length === 24 ? bytes.readUIntBE(0, 6) : undefined
}
