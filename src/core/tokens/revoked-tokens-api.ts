import type { RevokedAccessToken } from '../../shared/contracts/store-records.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'

/** The single access tokens that were revoked (RFC 7009), in memory as long as there are not too many. */
export interface RevokedTokens {
  /** Reads the revoked tokens from the store: at start-up, and when the change feed reports `everything`. */
  load(): Promise<void>
  isRevoked(token: IssuedToken): MaybePromise<boolean>
  /** The answer of `isRevoked` from memory; null if the store has to be asked. */
  recall(id: string): boolean | null
  /** Resolves false if it was revoked already. */
  revoke(token: IssuedToken): Promise<boolean>
  /** Adds a token that another process revoked, as the change feed reports it. */
  add(token: RevokedAccessToken): void
}

/** The members of an access token that are needed here. */
export interface IssuedToken {
  readonly id: string
  readonly applicationId: string
  /** Seconds since 1970, as the token says. */
  readonly claimedExp: number
}
