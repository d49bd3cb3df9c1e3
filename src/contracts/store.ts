import type { EventType } from './events.js'

/** `pending -> active <-> suspended`, and any of them `-> deleted`. */
export type ApplicationStatus = 'pending' | 'active' | 'suspended' | 'deleted'

/** A key or a secret, at rest. */
export interface CredentialRecord {
  /** HMAC-SHA-256 under the pepper, base64url. */
  readonly hash: string
  /** Its first characters, by which people tell one from another. */
  readonly prefix: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Milliseconds since 1970; undefined while it has no end. */
  readonly expiresAt: number | undefined
  /** Milliseconds since 1970; undefined while it has never been used. */
  readonly lastUsedAt: number | undefined
}

/** An application, at rest. Records are never changed in place: a change is a new record with the next version. */
export interface ApplicationRecord {
  readonly id: string
  readonly name: string
  readonly contact: string | undefined
  readonly status: ApplicationStatus
  readonly apis: Readonly<Record<string, { readonly scopes: readonly string[] }>>
  /** Newest first. */
  readonly keys: readonly CredentialRecord[]
  /** Newest first. */
  readonly secrets: readonly CredentialRecord[]
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** When `revokeTokens` was last called (milliseconds since 1970; 0: never), each time later: tokens that carry an earlier one are refused. */
  readonly tokensRevokedAt: number
  /** 1 when created, and one more with every save. */
  readonly version: number
}

/** A key that signs access tokens, at rest. */
export interface SigningKeyRecord {
  /** Its RFC 7638 thumbprint. */
  readonly kid: string
  /** The JWS algorithm (RFC 7518 3.1, RFC 8037). */
  readonly algorithm: string
  readonly publicJwk: Readonly<Record<string, unknown>>
  /** The private JWK, encrypted with `secret` where there is one. */
  readonly sealedPrivateJwk: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** From when on it signs, milliseconds since 1970; it verifies from the start. */
  readonly signsFrom: number
  /** Seconds that the key before it goes on verifying once this one signs: the longest access token's lifetime, and a little. */
  readonly formerVerifiesFor: number
}

/** An access token revoked before its time (RFC 7009). */
export interface RevokedAccessToken {
  /** Its `jti`. */
  readonly id: string
  /** Milliseconds since 1970, after which nobody need remember it. */
  readonly expiresAt: number
}

/** What a email brings its reader: everything for a start, or one credential in place of another. */
export type EmailPurpose = 'registration' | 'key' | 'secret'

/** A email that is to be sent. The credentials in it are made when it is, and are never part of this record. */
export interface QueuedEmail {
  readonly id: string
  readonly applicationId: string
  readonly purpose: EmailPurpose
  /** `held` until the registration is approved; `due` from `dueAt` on; `failed` once given up; `claimable` while its link waits. */
  readonly state: 'held' | 'due' | 'failed' | 'claimable'
  /** Seconds that the credential it replaces goes on working. */
  readonly overlap: number
  /** How often it has been tried since it was last due at once. */
  readonly attemptCount: number
  /** Hashes of what the last attempts may have brought, a set for each, newest first. */
  readonly attemptedHashes: readonly (readonly string[])[]
  /** Hashes of the claim links sent, newest first. */
  readonly claimLinks: readonly { readonly hash: string; readonly expiresAt: number }[]
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** From when on it may be tried again, milliseconds since 1970. */
  readonly dueAt: number
  /** Until when the process that tries it has it to itself, milliseconds since 1970. */
  readonly leasedUntil: number
  /** Why the last attempt failed: a code, never a text that might repeat the email. */
  readonly problem: string | undefined
  /** 1 when created, and one more with every save. */
  readonly version: number
}

/** What happens to an application's emails when it is saved. */
export type EmailChange =
  /** Saved if the stored version is the one before (none for version 1). */
  | { readonly save: QueuedEmail }
  /** Removed if the stored version is this one. */
  | { readonly remove: QueuedEmail }
  /** All of them are removed. */
  | 'removeAll'

/** Which emails, the one due longest first. */
export interface EmailQuery {
  readonly applicationId: string | undefined
  readonly state: QueuedEmail['state'] | undefined
  readonly limit: number
}

/** Who changed what, when. Never a secret. */
export interface NewAuditRecord {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly type: EventType
  readonly by: string | undefined
  readonly applicationId: string | undefined
  readonly details: Readonly<Record<string, unknown>>
}

/** An audit entry in its place. */
export interface AuditRecord extends NewAuditRecord {
  readonly id: string
}

/** What other processes must know: something they may have in memory is no longer so. */
export type Change =
  | { readonly kind: 'application'; readonly id: string }
  | { readonly kind: 'accessTokenRevoked'; readonly id: string; readonly expiresAt: number }
  | { readonly kind: 'signingKeys' }
  /** The store no longer has all changes since that cursor. */
  | { readonly kind: 'everything' }

/** A place in the feed of changes. */
export interface ChangesPage {
  readonly cursor: string
  readonly changes: readonly Change[]
}

/** Which applications; `after` is the id of the last one seen. Oldest first; deleted ones only when asked for by status. */
export interface ApplicationQuery {
  readonly after: string | undefined
  readonly limit: number
  readonly api: string | undefined
  readonly status: ApplicationStatus | undefined
}

/** Which audit records; `after` is the id of the last one seen. Oldest first. */
export interface AuditQuery {
  readonly after: string | undefined
  readonly limit: number
  readonly applicationId: string | undefined
}

/**
 * Where a platform keeps what must outlive a process. A store decides nothing: it saves what it is given, all or
 * nothing, and resolves only once that would survive a power cut. It rejects only when it can't answer; what it
 * refuses by contract it says with `false`. Every change to an
 * application, a signing key or a revoked token goes into its feed in the same transaction; emails, uses and new sealings don't.
 */
export interface Store {
  /** What logs and `health()` call it, such as `sqlite`; `memory` alone may do without the option `secret` in production. */
  readonly kind: string
  /** Milliseconds between two looks at the feed; asked for anew before each. */
  readonly pollInterval: number

  /**
   * Connects and migrates; may be called again after it rejected. With `migrate: false` an older schema is left as it is,
   * and refused. Rejects with `StoreIncompatibleError` for what waiting can't cure.
   */
  open(options?: { readonly migrate?: boolean }): Promise<void>
  /** Lets go of what `open()` took, and of nothing that was handed in. */
  close(): Promise<void>

  /** Keeps the first pepper it is ever given, and resolves the one it keeps. */
  establishPepper(sealed: string): Promise<string>
  /** Puts the same pepper, sealed anew, in the place of `former`; false if that is not the one kept. */
  resealPepper(former: string, sealed: string): Promise<boolean>

  /** Every signing key there is, in the order they were added. */
  listSigningKeys(): Promise<readonly SigningKeyRecord[]>
  /** Adds a key, if `newest` is the one added last (undefined: there is none); otherwise resolves false. */
  addSigningKey(key: SigningKeyRecord, newest: string | undefined, audit: NewAuditRecord): Promise<boolean>
  /** Puts the same private key, sealed anew, in the place of `former`; false if that is not the one kept. */
  resealSigningKey(kid: string, former: string, sealed: string): Promise<boolean>
  /** Removes a key; false if it was not there. */
  removeSigningKey(kid: string, audit: NewAuditRecord): Promise<boolean>

  findApplication(id: string): Promise<ApplicationRecord | undefined>
  /** The application that has a key with this hash, expired or not. */
  findApplicationByKey(hash: string): Promise<ApplicationRecord | undefined>
  listApplications(query: ApplicationQuery): Promise<readonly ApplicationRecord[]>
  /**
   * Saves the record, its audit entry and what happens to its emails in one step, if the stored version is the one
   * before the record's (none for version 1) and the email's is as its change says; otherwise resolves false and
   * changes nothing. A credential that is already there keeps the later `lastUsedAt`.
   */
  saveApplication(record: ApplicationRecord, audit: NewAuditRecord | undefined, email?: EmailChange): Promise<boolean>
  /** Notes when credentials were last used, where that is later than what is known. Not a change: it goes into no feed. */
  noteCredentialUse(uses: readonly { readonly hash: string; readonly at: number }[]): Promise<void>

  /** Leases the email that has been due longest and that nobody has in hand: sets `leasedUntil` and the next version in one step. */
  leaseEmail(now: number, until: number): Promise<QueuedEmail | undefined>
  /** Saves a email alone, if the stored version is the one before; otherwise resolves false. */
  saveEmail(email: QueuedEmail): Promise<boolean>
  findEmailByClaimLink(hash: string): Promise<QueuedEmail | undefined>
  listEmails(query: EmailQuery): Promise<readonly QueuedEmail[]>

  /** Remembers a revoked access token until it expires; `now` (milliseconds) tells which may be forgotten. */
  revokeAccessToken(token: RevokedAccessToken, now: number): Promise<void>
  /** Up to `limit` revoked access tokens that expire after `now`. */
  listRevokedAccessTokens(now: number, limit: number): Promise<readonly RevokedAccessToken[]>
  isAccessTokenRevoked(id: string): Promise<boolean>

  listAudit(query: AuditQuery): Promise<readonly AuditRecord[]>

  /** What any process has committed since that place in the feed; from undefined: the place where the feed now ends. */
  changesSince(cursor: string | undefined): Promise<ChangesPage>
  /** Optional: calls back when there is something new to read. Returns how to stop. */
  watch?(wake: () => void): () => void
}
