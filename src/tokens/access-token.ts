import { hash } from 'node:crypto'
import { CompactSign, errors, jwtVerify, type JWTHeaderParameters, type JWTPayload } from 'jose'
import { boundedCache, type BoundedCache } from '../lib/bounded-cache.js'
import type { MaybePromise } from '../lib/maybe-promise.js'
import type { SigningKey, SigningKeys } from './signing-keys.js'
import { makeTokenId, revocationInstantOf } from './token-id.js'

/** A verified access token (RFC 9068 2.2). */
export interface AccessToken {
  /** Its `jti`. */
  readonly id: string
  /** Its `iss`, which is its `aud` too: the resource it was issued for. */
  readonly issuer: string
  /** Its `sub`, which is its `client_id` too. */
  readonly applicationId: string
  readonly scopes: readonly string[]
  // As the claims say them: numbers that small lie in the object itself, and milliseconds would lie elsewhere in memory.
  /** Seconds since 1970. */
  readonly iat: number
  /** Seconds since 1970. */
  readonly exp: number
  /** The application's `tokensRevokedAt` as the issuer knew it: a later one ends this token. */
  readonly tokensRevokedAt: number
  /** The signing key's: when that no longer verifies, neither does this. */
  readonly kid: string
  /** How long the text was that it was read from: what keeping it can cost. */
  readonly bytes: number
}

/** Why a text is no good access token. */
export type FailureReason = 'invalid' | 'expired'

/** A verified access token, or what is wrong with it. */
export type Verification = AccessToken | FailureReason

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
  /** At once where the token has been seen before, or can't be one; whether it is revoked is another question. */
  verify(token: string): MaybePromise<Verification>
  close(): void
}

interface AccessTokensOptions {
  readonly signingKeys: SigningKeys
  /** Every issuer there is; a token of any other is not ours. */
  readonly issuers: readonly string[]
  /** Seconds. */
  readonly clockTolerance: number
  readonly now: () => number
  /** How many verified tokens stay in memory. */
  readonly entries: number
}

const SWEEP_INTERVAL_MS = 60_000

export function createAccessTokens({
  signingKeys,
  issuers,
  clockTolerance,
  now,
  entries,
}: AccessTokensOptions): AccessTokens {
  const verified = boundedCache<AccessToken>({ entries, bytesOf: ({ bytes }) => bytes })
  const texts = boundedCache<string>({ entries, bytesOf: ({ length }) => length })
  const scopeLists = boundedCache<readonly string[]>({ entries: 1000, bytesOf: (scopes) => scopes.join().length })
  /** By digest, what is no token of ours: for good, or as long as no key has the `kid` that it names. */
  const forged = boundedCache<string>({ entries: FORGED, bytesOf: ({ length }) => length })
  let verifying = new Map<string, Promise<Verification>>()

  /** At once where the key is known: a new token waits for the check of its signature alone. */
  function keyOf({ kid, alg }: JWTHeaderParameters): MaybePromise<SigningKey['publicKey']> {
    // jose has not looked at what kid is.
    if (typeof kid !== 'string') throw new errors.JWSInvalid('There is no kid.')
    const key = signingKeys.find(kid)
    return key instanceof Promise ? key.then((found) => publicKeyOf(found, kid, alg)) : publicKeyOf(key, kid, alg)
  }

  const demands = {
    typ: 'at+jwt',
    issuer: [...issuers],
    audience: [...issuers],
    requiredClaims: ['iss', 'aud', 'sub', 'client_id', 'iat', 'exp', 'jti'],
    // Expiry is judged below, for remembered tokens too.
    currentDate: new Date(0),
  }

  async function verifyNew(token: string, digest: string): Promise<Verification> {
    const mine = verifying
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keyOf, demands)
      const result = read(payload, protectedHeader.kid!, token.length)
      if (result === undefined) return 'invalid'
      // Where a key was removed meanwhile, nothing it has signed is kept.
      if (verifying === mine) verified.set(digest, result)
      return judgeTime(result)
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error
      if (error instanceof UnknownKeyError) forged.set(digest, error.kid)
      // With a cause it was the check itself that failed.
      if (PERMANENT.includes(error.code) && error.cause === undefined) forged.set(digest, FOR_GOOD)
      return 'invalid'
    } finally {
      mine.delete(digest)
    }
  }

  /**
   * What the claims say, if they are those of our tokens. What thousands have in common, each points to one copy of. Memory
   * is saved, and time: with as many tokens, each place in memory that a request looks at is one that no cache of the
   * processor has.
   */
  function read(payload: JWTPayload, kid: string, bytes: number): AccessToken | undefined {
    const { iss, aud, sub, client_id, iat, exp, jti, scope = '' } = payload
    if (iss === undefined || aud !== iss || sub === undefined || sub !== client_id) return undefined
    if (typeof iat !== 'number' || typeof exp !== 'number') return undefined
    if (typeof jti !== 'string' || typeof scope !== 'string') return undefined
    const tokensRevokedAt = revocationInstantOf(jti)
    if (tokensRevokedAt === undefined) return undefined
    return {
      id: jti,
      issuer: shared(texts, iss, iss),
      applicationId: shared(texts, sub, sub),
      scopes: shared(scopeLists, scope, scope === '' ? [] : scope.split(' ')),
      iat,
      exp,
      tokensRevokedAt,
      kid: shared(texts, kid, kid),
      bytes,
    }
  }

  function judgeTime(token: AccessToken): Verification {
    const at = now() / 1000
    if (token.exp + clockTolerance <= at) return 'expired'
    return token.iat > at + clockTolerance ? 'invalid' : token
  }

  function forgetAll(): void {
    verified.clear()
    verifying = new Map()
  }

  function forgetExpired(): void {
    verified.sweep((token) => judgeTime(token) === 'expired')
  }

  signingKeys.onRemoved(forgetAll)
  const sweepTimer = setInterval(forgetExpired, SWEEP_INTERVAL_MS).unref()

  return {
    sign({ issuer, applicationId, scopes, issuedAt, lifetime, tokensRevokedAt }) {
      const key = signingKeys.current()
      if (!key) throw new Error('There is no signing key.')
      const iat = Math.floor(issuedAt / 1000)
      const claims = {
        iss: issuer,
        sub: applicationId,
        aud: issuer,
        client_id: applicationId,
        iat,
        exp: iat + lifetime,
        jti: makeTokenId(tokensRevokedAt),
        scope: scopes.length > 0 ? scopes.join(' ') : undefined,
      }
      // Not SignJWT: it clones and checks claims that are right as they stand here.
      return new CompactSign(Buffer.from(JSON.stringify(claims)))
        .setProtectedHeader({ alg: key.algorithm, kid: key.kid, typ: 'at+jwt' })
        .sign(key.privateKey)
    },
    verify(token) {
      // Kept by digest: memory holds no token that could be used.
      const digest = hash('sha256', token, 'base64')
      const known = verified.get(digest)
      if (known && signingKeys.verifies(known.kid)) return judgeTime(known)
      const forgery = forged.get(digest)
      if (forgery !== undefined && (forgery === FOR_GOOD || signingKeys.isNobodys(forgery))) return 'invalid'
      const underWay = verifying.get(digest)
      if (underWay) return underWay
      if (!isCanonical(token)) return 'invalid'
      const first = verifyNew(token, digest)
      verifying.set(digest, first)
      return first
    },
    close: () => clearInterval(sweepTimer),
  }
}

/** What a forgery is remembered with that nothing can make good. */
const FOR_GOOD = ''

class UnknownKeyError extends errors.JOSEError {
  readonly kid: string

  constructor(kid: string) {
    super('No key has this kid.')
    this.kid = kid
  }
}

/** How many forgeries are known again: to check them once is enough, and what is good has a memory of its own. */
const FORGED = 5000
/** RFC 7515 5.2, RFC 7519 7.2: whether a key is there, or has ended, may change; these don't. */
const PERMANENT: readonly string[] = [
  errors.JWSSignatureVerificationFailed.code,
  errors.JWTClaimValidationFailed.code,
  errors.JWTInvalid.code,
  errors.JWSInvalid.code,
]

/**
 * A signature's last character has bits that decoders ignore, so that one token could be spelt in several ways. Ours is
 * the one with zeros there, in three segments; header and payload are covered by the signature.
 */
function isCanonical(token: string): boolean {
  // A header is a JSON object, and ours begin like all that no space was put into.
  if (!token.startsWith('eyJ')) return false
  const payload = token.indexOf('.') + 1
  const signature = token.indexOf('.', payload) + 1
  if (payload === 0 || signature === 0 || signature === token.length) return false
  // The last one or two characters decide; a second dot in what follows is no base64url.
  const bytes = Buffer.from(token.slice(signature), 'base64url')
  return bytes.toString('base64url') === token.slice(signature)
}

/** The first value of that name that was seen, and is still remembered. */
function shared<Value>(seen: BoundedCache<Value>, name: string, value: Value): Value {
  const first = seen.get(name)
  if (first === undefined) seen.set(name, value)
  return first ?? value
}

function publicKeyOf(key: SigningKey | undefined, kid: string, alg: string): SigningKey['publicKey'] {
  if (!key) throw new UnknownKeyError(kid)
  // The key's own algorithm, not the token's word for it (RFC 8725 3.1).
  if (key.algorithm !== alg) throw new errors.JWSInvalid('The algorithm is not that of the key.')
  return key.publicKey
}
