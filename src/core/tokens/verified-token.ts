import type { MaybePromise } from '../../shared/lib/maybe-promise.js'

/** A verified access token (RFC 9068 2.2). */
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

/** A verified access token, or why there is none. */
export type Verification = AccessToken | ExpiredAccessToken | 'invalid'

/** Verifies access tokens (RFC 9068 4), and caches the results. */
export interface AccessTokenVerifier {
  /**
   * Signature, claims and times; whether the token was revoked is not part of it. Synchronous for a token in the cache and
   * for a string that cannot be an access token.
   */
  verify(token: string): MaybePromise<Verification>
  /** The cached result of `verify`; null if there is none. */
  recall(token: string): Verification | null
  close(): void
}
/** An access token that was valid until it expired, so that its application is known. */
export class ExpiredAccessToken {
  readonly token: AccessToken

  constructor(token: AccessToken) {
    this.token = token
  }
}
