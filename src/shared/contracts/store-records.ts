import type { EventType } from './events.js'

/** A stored key that signs access tokens. */
export interface SigningKeyRecord {
  /** The RFC 7638 thumbprint. */
  readonly kid: string
  /** The JWS algorithm (RFC 7518 3.1, RFC 8037). */
  readonly algorithm: string
  readonly publicJwk: Readonly<Record<string, unknown>>
  /** The private JWK, encrypted with `secret` if that option is set. */
  readonly sealedPrivateJwk: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Milliseconds since 1970 from which the key signs. It verifies from its creation. */
  readonly signsFrom: number
  /** Seconds for which the previous key still verifies after `signsFrom`: the longest access token lifetime plus a margin. */
  readonly formerVerifiesFor: number
}

/** An access token that was revoked before it expired (RFC 7009). */
export interface RevokedAccessToken {
  /** The `jti`. */
  readonly id: string
  /** Milliseconds since 1970 after which the record may be deleted. */
  readonly expiresAt: number
}

/** An audit record before it is stored: actor, change and time. Never contains a secret. */
export interface NewAuditRecord {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly type: EventType
  readonly by: string | undefined
  readonly applicationId: string | undefined
  readonly details: Readonly<Record<string, unknown>>
}

/** A stored audit record. Ids increase in commit order. */
export interface AuditRecord extends NewAuditRecord {
  readonly id: string
}

/** A process that runs on the store, and the settings that all processes on it must have alike, by their paths. */
export interface RunningProcess {
  readonly id: string
  readonly settings: Readonly<Record<string, string>>
}

/** A change that makes another process's cached state stale. */
export type Change =
  | { readonly kind: 'application'; readonly id: string }
  | { readonly kind: 'accessTokenRevoked'; readonly id: string; readonly expiresAt: number }
  | { readonly kind: 'signingKeys' }
  | { readonly kind: 'sessionSecret' }
  /** A process runs now, runs no more, or has other settings. */
  | { readonly kind: 'processes' }
  /** The store no longer has every change since the given cursor. */
  | { readonly kind: 'everything' }
