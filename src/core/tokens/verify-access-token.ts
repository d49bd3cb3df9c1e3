import { hash, type KeyObject } from 'node:crypto'
import type { JWTHeaderParameters, JWTPayload } from 'jose'
import {
  JOSEError,
  JWSInvalid,
  JWSSignatureVerificationFailed,
  JWTClaimValidationFailed,
  JWTInvalid,
} from 'jose/errors'
import { compactVerify } from 'jose/jws/compact/verify'
import { jwtVerify } from 'jose/jwt/verify'
import { createBoundedCache, type BoundedCache } from '../../shared/lib/bounded-cache.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import { parseTokensRevokedAt } from './access-token.js'
import { selectCustomClaims } from './custom-claims.js'
import type { SigningKey } from './signing-key.js'
import type { SigningKeys } from './signing-keys.js'

/** Bounds the cache of invalid tokens, so that a client that repeats one costs no signature check. */
const MAX_INVALID_TOKENS = 5000
/** A cached invalid token that no new signing key can make valid. Others are cached by the `kid` that they name. */
const INVALID_FOR_EVERY_KEY = ''

const EXPIRED_TOKENS_SWEEP_INTERVAL_MS = 60_000

export interface AccessToken {
  /** Its `jti`. */
  readonly id: string
  /** Its `iss`, which is also its `aud`: the resource it was issued for. */
  readonly issuer: string
  /** Its `sub`, which is also its `client_id`. */
  readonly applicationId: string
  readonly scopes: readonly string[]
  /** The secret for which it was issued, if that may be used from some networks only. */
  readonly credentialId: string | undefined
  /** The claims that the option `claims` added, as JSON text, which is no longer than the token; undefined if there are none. */
  readonly customClaims: string | undefined
  // Seconds, as in the JWT: fits a V8 Smi and is stored inline. Milliseconds would be allocated separately.
  /** Seconds since 1970. */
  readonly iat: number
  /** Seconds since 1970: its `exp`, or earlier if it lasts longer than the platform issues tokens for. */
  readonly exp: number
  /** Seconds since 1970: its `exp`. Another process with a longer `accessTokenLifetime` accepts it until then. */
  readonly claimedExp: number
  /** The application's `tokensRevokedAt` as the issuer knew it: a later revocation ends this token. */
  readonly tokensRevokedAt: number
  /** The `kid` of the signing key: the token is valid only while that key verifies. */
  readonly kid: string
  /** The length of the JWT: an upper bound for the memory that its cache entry takes. */
  readonly bytes: number
}

export type Verification = AccessToken | ExpiredAccessToken | 'invalid'

/** An access token that was valid until it expired, so that its application is known. */
export class ExpiredAccessToken {
  readonly token: AccessToken

  constructor(token: AccessToken) {
    this.token = token
  }
}

/** Verifies access tokens (RFC 9068 4), and caches the results. */
export type AccessTokenVerifier = ReturnType<typeof createAccessTokenVerifier>

export function createAccessTokenVerifier(options: {
  readonly signingKeys: Pick<SigningKeys, 'find' | 'verifies' | 'isUnknown' | 'onRemoved'>
  /** Every issuer of this platform -> seconds for which it issues tokens. Tokens of other issuers are invalid. */
  readonly lifetimes: ReadonlyMap<string, number>
  /** Seconds. */
  readonly clockTolerance: number
  readonly now: () => number
  readonly entries: number
}) {
  const { signingKeys, lifetimes, clockTolerance, now, entries } = options
  // Keyed by SHA-256, so that memory holds no usable token.
  const verified = createBoundedCache<AccessToken>({ entries, bytesOf: ({ bytes }) => bytes })
  /** The reason: `INVALID_FOR_EVERY_KEY`, or a `kid` that no key had. */
  const invalid = createBoundedCache<string>({ entries: MAX_INVALID_TOKENS, bytesOf: ({ length }) => length })
  const parseClaims = createClaimsParser(entries, lifetimes)
  let pending = new Map<string, Promise<Verification>>()

  // The check of a known key starts synchronously, so that a new token waits for its signature check only.
  function findKey({ kid, alg }: JWTHeaderParameters): MaybePromise<SigningKey> {
    // jose does not check the type of kid.
    if (typeof kid !== 'string') throw new JWSInvalid('The header has no kid.')
    const key = signingKeys.find(kid)
    return key instanceof Promise ? key.then((found) => selectKey(found, kid, alg)) : selectKey(key, kid, alg)
  }

  const requirements = ownMembers({
    typ: 'at+jwt',
    issuer: [...lifetimes.keys()],
    audience: [...lifetimes.keys()],
    requiredClaims: ['iss', 'aud', 'sub', 'client_id', 'iat', 'exp', 'jti'],
    // checkTimes() checks exp, for cached tokens too.
    currentDate: new Date(0),
  })

  async function verifySignature(token: string, digest: string): Promise<Verification> {
    const generation = pending
    let signingKey: SigningKey | undefined
    const keepKey = (key: SigningKey): SigningKey['publicKey'] => (signingKey = key).publicKey
    const findPublicKey = (header: JWTHeaderParameters): MaybePromise<SigningKey['publicKey']> => {
      const key = findKey(header)
      return key instanceof Promise ? key.then(keepKey) : keepKey(key)
    }
    try {
      const { payload } = await jwtVerify(token, findPublicKey, requirements)
      const accessToken = parseClaims(ownMembers(payload), signingKey!, token.length)
      if (accessToken === undefined) return 'invalid'
      // If clearCache() was called meanwhile, the key may be the one that was removed.
      if (pending === generation) verified.set(digest, accessToken)
      return checkTimes(accessToken)
    } catch (error) {
      if (!(error instanceof JOSEError)) throw error
      if (error instanceof UnknownKeyError) invalid.set(digest, error.kid)
      // An error with a cause is a failure of the check itself, not of the token.
      if (PERMANENT_ERRORS.includes(error.code) && error.cause === undefined) invalid.set(digest, INVALID_FOR_EVERY_KEY)
      return 'invalid'
    } finally {
      generation.delete(digest)
    }
  }

  function checkTimes(token: AccessToken): Verification {
    const at = now() / 1000
    if (token.exp + clockTolerance <= at) return new ExpiredAccessToken(token)
    return token.iat > at + clockTolerance ? 'invalid' : token
  }

  function isKnownInvalid(digest: string): boolean {
    const kid = invalid.get(digest)
    return kid !== undefined && (kid === INVALID_FOR_EVERY_KEY || signingKeys.isUnknown(kid))
  }

  /** Keeps verifications that are under way out of the cache, too. */
  function clearCache(): void {
    verified.clear()
    pending = new Map()
  }

  signingKeys.onRemoved(clearCache)
  const removeExpired = (): void => verified.sweep((token) => checkTimes(token) instanceof ExpiredAccessToken)
  const sweepTimer = setInterval(removeExpired, EXPIRED_TOKENS_SWEEP_INTERVAL_MS).unref()

  function recall(digest: string): Verification | null {
    const cached = verified.get(digest)
    if (cached && signingKeys.verifies(cached.kid)) return checkTimes(cached)
    return isKnownInvalid(digest) ? 'invalid' : null
  }

  return {
    /** The cached result of `verify`; null if there is none. */
    recall: (token: string) => recall(hash('sha256', token, 'base64')),
    /** Signature, claims and times, not revocation. Synchronous for a cached token and for what cannot be one. */
    verify(token: string): MaybePromise<Verification> {
      const digest = hash('sha256', token, 'base64')
      const known = recall(digest) ?? pending.get(digest)
      if (known) return known
      if (!isCanonical(token)) return 'invalid'
      const verification = verifySignature(token, digest)
      pending.set(digest, verification)
      return verification
    },
    close: () => clearInterval(sweepTimer),
  }
}

/** The claims of this package's tokens; undefined for others. Equal texts share one copy: that saves memory. */
function createClaimsParser(entries: number, lifetimes: ReadonlyMap<string, number>) {
  const strings = createBoundedCache<string>({ entries, bytesOf: ({ length }) => length })
  const scopeLists = createBoundedCache<readonly string[]>({ entries: 1000, bytesOf: (scopes) => scopes.join().length })

  return function parseClaims(
    payload: JWTPayload,
    { kid, longestLifetime }: SigningKey,
    bytes: number,
  ): AccessToken | undefined {
    const { iss, aud, sub, client_id, iat, exp, jti, scope = '', credential_id: credentialId } = payload
    if (iss === undefined || aud !== iss || sub === undefined || sub !== client_id) return undefined
    // This package issues such times. JSON.parse() reads 1e400 as Infinity.
    if (!isWholeNumber(iat) || !isWholeNumber(exp)) return undefined
    if (typeof jti !== 'string' || typeof scope !== 'string') return undefined
    if (credentialId !== undefined && typeof credentialId !== 'string') return undefined
    const tokensRevokedAt = parseTokensRevokedAt(jti)
    if (tokensRevokedAt === undefined) return undefined
    const customClaims = selectCustomClaims(payload)
    return {
      id: jti,
      issuer: findOrAdd(strings, iss, iss),
      applicationId: findOrAdd(strings, sub, sub),
      scopes: findOrAdd(scopeLists, scope, scope === '' ? [] : scope.split(' ')),
      credentialId,
      customClaims: customClaims && findOrAdd(strings, customClaims, customClaims),
      iat,
      // The lifetime is shortened, not refused: while `accessTokenLifetime` is being raised, processes with the old value
      // accept new tokens.
      exp: Math.min(exp, iat + Math.max(lifetimes.get(iss) ?? 0, longestLifetime)),
      claimedExp: exp,
      tokensRevokedAt,
      kid: findOrAdd(strings, kid, kid),
      bytes,
    }
  }
}

function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

function findOrAdd<Value>(cache: BoundedCache<Value>, name: string, value: Value): Value {
  const cached = cache.get(name)
  if (cached === undefined) cache.set(name, value)
  return cached ?? value
}

function selectKey(key: SigningKey | undefined, kid: string, alg: string): SigningKey {
  if (!key) throw new UnknownKeyError(kid)
  // The algorithm is the key's, not the one that the token names (RFC 8725 3.1).
  if (key.algorithm !== alg) throw new JWSInvalid('The algorithm is not that of the key.')
  return key
}

class UnknownKeyError extends JOSEError {
  readonly kid: string

  constructor(kid: string) {
    super('No key has this kid.')
    this.kid = kid
  }
}

/** Failures that do not depend on time or on which keys there are (RFC 7515 5.2, RFC 7519 7.2). */
const PERMANENT_ERRORS: readonly string[] = [
  JWSSignatureVerificationFailed.code,
  JWTClaimValidationFailed.code,
  JWTInvalid.code,
  JWSInvalid.code,
]

/**
 * Whether the token has the form of a JWT and its signature the canonical encoding: the unused bits of the last character
 * are zero. base64url decoders ignore those bits, so one token would have several spellings, each with its own cache entry.
 * Header and payload need no such check, because the signature covers their exact text. The second signature (r, n - s) of
 * an ECDSA signature (r, s) is accepted: signers make either, and what ends a token is compared with its claims.
 */
export function isCanonical(token: string): boolean {
  // '{"' in base64url: the header is a JSON object without leading whitespace.
  if (!token.startsWith('eyJ')) return false
  const payload = token.indexOf('.') + 1
  const signature = token.indexOf('.', payload) + 1
  if (payload === 0 || signature === 0 || signature === token.length) return false
  // Encoding again normalizes the last character, and drops characters that are not base64url, such as another dot.
  const bytes = Buffer.from(token.slice(signature), 'base64url')
  return bytes.toString('base64url') === token.slice(signature)
}

/** Whether that key has signed the compact JWS (RFC 7515). jose refuses extensions that it does not know (`crit`). */
export async function verifyAssertion(
  assertion: string,
  { key, algorithms }: { readonly key: KeyObject; readonly algorithms: readonly string[] },
): Promise<boolean> {
  try {
    await compactVerify(assertion, key, { algorithms: [...algorithms] })
    return true
  } catch (error) {
    if (error instanceof JOSEError) return false
    throw error
  }
}
