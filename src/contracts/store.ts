import type { DryRunStore } from './dry-run.js'
import type { ConfigurationProblem } from './errors.js'
import type { EventType } from './events.js'
import type { UsageStore } from './usage.js'
import type { SignIn, SignOut } from './sign-ins.js'

/** `pending -> active <-> suspended`; every status can become `deleted`, which is final. */
export type ApplicationStatus = 'pending' | 'active' | 'suspended' | 'deleted'

/** What an application, or a credential, may be used for: name of the API -> scopes there. */
export type GrantedApis = Readonly<Record<string, { readonly scopes: readonly string[] }>>

/** A value that JSON can express (RFC 8259). */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

export interface JsonObject {
  readonly [name: string]: JsonValue
}

/** A stored API key or client secret. */
export interface CredentialRecord {
  /** `cred_` and 22 random base62 characters. Public, and stays the same when the credential is changed. */
  readonly id: string
  /**
   * Given by the operator; the first credentials of an application are named `default`. Two live credentials of one kind and
   * name are a rotation in progress.
   */
  readonly name: string
  /** HMAC-SHA-256 under the pepper, base64url. An imported hash starts with its format and a colon, such as `sha256:`. */
  readonly hash: string
  /** The first characters of the credential, so that people can tell two credentials apart. */
  readonly prefix: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Milliseconds since 1970; undefined while no expiry is set. */
  readonly expiresAt: number | undefined
  /** Milliseconds since 1970; undefined until the first use. */
  readonly lastUsedAt: number | undefined
  /** Restricts what the application may do with this credential; undefined: everything that the application may do. Grants nothing. */
  readonly apis: GrantedApis | undefined
  /** Days before `expiresAt` for which the last reminder was queued; undefined: none yet. */
  readonly remindedDays: number | undefined
}

/** The languages of the built-in texts of e-mails. */
export type Language = 'en' | 'de' | 'fr' | 'es'

/** An open invitation to become a contact of an application. */
export interface Invitation {
  readonly address: string
  /** HMAC-SHA-256 of the tokens of the links sent, under the pepper, newest first; none until the e-mail is sent. */
  readonly hashes: readonly string[]
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Milliseconds since 1970 from which its links are refused. */
  readonly expiresAt: number
  readonly by: string | undefined
}

/** An application's request for an API, or for further scopes there, which waits for an operator's decision. */
export interface AccessRequest {
  readonly api: string
  readonly scopes: readonly string[]
  /** Milliseconds since 1970. */
  readonly requestedAt: number
  readonly by: string | undefined
}

/** A stored application. Records are immutable: a change is a new record with the next version. */
export interface ApplicationRecord {
  readonly id: string
  readonly name: string
  /** The first contact: the address that e-mails go to. */
  readonly contact: string | undefined
  /** The contacts after the first, in order; none without a first one. ASCII, like `contact`. */
  readonly otherContacts: readonly string[]
  /** None for a deleted application. */
  readonly invitations: readonly Invitation[]
  /** The language of its e-mails; undefined: English. */
  readonly language: Language | undefined
  readonly status: ApplicationStatus
  readonly apis: GrantedApis
  /** At most one for each API; none for a deleted application. */
  readonly accessRequests: readonly AccessRequest[]
  /** The operator's own data. Undefined for a deleted application. */
  readonly metadata: JsonObject | undefined
  /** The operator's own id. No two applications have the same one. Undefined for a deleted application. */
  readonly externalId: string | undefined
  /** Newest first. */
  readonly keys: readonly CredentialRecord[]
  /** Newest first. */
  readonly secrets: readonly CredentialRecord[]
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Time of the last `revokeTokens` (milliseconds since 1970; 0: never), strictly increasing: access tokens that carry an earlier time are refused. */
  readonly tokensRevokedAt: number
  /** 1 at creation, incremented by every save. */
  readonly version: number
}

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

/** What an e-mail delivers: the first credentials of an application, or a replacement of a key or a secret. */
export type DeliveryPurpose = 'registration' | 'key' | 'secret'

/**
 * What an e-mail that delivers no credentials is for: it reminds of a credential that is about to expire, invites a contact,
 * asks an operator for a decision, or tells what became of an application or of its request for an API.
 */
export type NoticePurpose = 'expiring' | 'invitation' | 'approvalRequest' | 'approved' | 'denied' | 'suspended'

export type EmailPurpose = DeliveryPurpose | NoticePurpose

/**
 * An e-mail to be sent. Its credentials are created when it is sent, and are never part of this record. Id, application and
 * purpose never change.
 */
export interface QueuedEmail {
  readonly id: string
  readonly applicationId: string
  readonly purpose: EmailPurpose
  /** Undefined: the application's contact at the time of sending. */
  readonly recipient: string | undefined
  /** What its text needs beyond the application, such as the reason of a denial. */
  readonly details: JsonObject | undefined
  /** The credential that is replaced or about to expire; undefined for a registration, and for the first secret. */
  readonly credentialId: string | undefined
  /**
   * `held` until the registration is approved; `due` from `dueAt` on; `failed` after the last attempt; `claimable` while its
   * claim link is valid; `suspended` until its application is resumed.
   */
  readonly state: 'held' | 'due' | 'failed' | 'claimable' | 'suspended'
  /** Seconds for which the replaced credential stays valid. */
  readonly overlap: number
  /** Number of attempts since the e-mail was created or retried by an operator. */
  readonly attemptCount: number
  /** Hashes of the credentials that recent attempts may have delivered, one list per attempt, newest first. */
  readonly attemptedHashes: readonly (readonly string[])[]
  /** Hashes of the claim links sent, newest first. */
  readonly claimLinks: readonly { readonly hash: string; readonly expiresAt: number }[]
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Milliseconds since 1970 from which the next attempt may start. */
  readonly dueAt: number
  /** Milliseconds since 1970 until which one process holds the lease to send it. */
  readonly leasedUntil: number
  /** The code of the last failure. Never the mail server's text, which may quote the e-mail. */
  readonly problem: string | undefined
  /** 1 at creation, incremented by every save. */
  readonly version: number
}

/** What happens to an e-mail of an application when the application is saved. */
export type EmailChange =
  /** Saved if the stored version is the previous one (none for version 1). */
  | { readonly save: QueuedEmail }
  /** Deleted if the stored version is the same. */
  | { readonly remove: QueuedEmail }
  /** Every e-mail of the application is deleted. */
  | 'removeAll'

/** A filter for e-mails, which are listed by `dueAt`, earliest first. */
export interface EmailQuery {
  readonly applicationId: string | undefined
  readonly purpose?: EmailPurpose | undefined
  readonly state: QueuedEmail['state'] | undefined
  readonly limit: number
}

/** An audit record before it is stored: who changed what, and when. Never contains a secret. */
export interface NewAuditRecord {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly type: EventType
  readonly by: string | undefined
  readonly applicationId: string | undefined
  readonly details: Readonly<Record<string, unknown>>
}

/** An application that is added with its credentials, such as one of an import. */
export interface NewApplication {
  readonly record: ApplicationRecord
  readonly audit: NewAuditRecord
  /** Further hashes that no stored credential may have: those of other systems for the same credentials. */
  readonly otherHashes: readonly string[]
}

/**
 * What became of a new application. It was not added if its id is stored already (`exists`, also of a deleted application), or
 * another application has its `externalId` or one of its hashes.
 */
export type AddOutcome = 'added' | 'exists' | 'externalIdTaken' | 'credentialTaken'

/** The platform's own hash of a credential, in place of an imported one. */
export interface CredentialReplacement {
  readonly former: string
  readonly hash: string
  readonly prefix: string
  /** Milliseconds since 1970. */
  readonly usedAt: number
}

/** A stored audit record. Ids increase in commit order. */
export interface AuditRecord extends NewAuditRecord {
  readonly id: string
}

/** A change that makes another process's cached state stale. */
export type Change =
  | { readonly kind: 'application'; readonly id: string }
  | { readonly kind: 'accessTokenRevoked'; readonly id: string; readonly expiresAt: number }
  | { readonly kind: 'signingKeys' }
  /** The store no longer has every change since the given cursor. */
  | { readonly kind: 'everything' }

/** Changes from the change feed, and the cursor to read on from. */
export interface ChangesPage {
  readonly cursor: string
  readonly changes: readonly Change[]
}

/** A page of applications, oldest first. Deleted applications are listed only if `status` asks for them. */
export interface ApplicationQuery {
  /** The id of the last application of the previous page. After an id that does not exist nothing is listed. */
  readonly after: string | undefined
  readonly limit: number
  readonly api: string | undefined
  readonly status: ApplicationStatus | undefined
  readonly externalId?: string | undefined
  /** Only applications of which the first or another contact, in ASCII lower case, is this. An index finds them. */
  readonly contact?: string | undefined
  /** Milliseconds since 1970: only applications with a credential that expires after `expiringAfter` and before this. */
  readonly expiringBefore?: number | undefined
  /** 0 if left out. No effect without `expiringBefore`. */
  readonly expiringAfter?: number | undefined
}

/** Credentials whose expiry an application's contact may have to be reminded of. */
export interface ExpiryQuery {
  /** Milliseconds since 1970: they expire after this ... */
  readonly after: number
  /** ... and not after this. */
  readonly until: number
  /** Their `remindedDays` are more, or undefined. */
  readonly days: number
  readonly limit: number
}

/** A page of audit records, oldest first. */
export interface AuditQuery {
  /** The id of the last record of the previous page. After an id that no store issues nothing is listed. */
  readonly after: string | undefined
  readonly limit: number
  readonly applicationId: string | undefined
}

/** What `open()` did to the tables of an existing database. */
export interface SchemaMigration {
  /** The schema version that was found. */
  readonly from: number
  /** The schema version of the database now. */
  readonly to: number
  /** The path of a copy of the database as it was before; undefined if the store makes none. */
  readonly copy: string | undefined
}

/**
 * Persistent storage of a platform. A store decides no policy: it saves what it is given, all or nothing, and resolves
 * only after the change would survive a power failure. It rejects only if it cannot answer; a refusal by contract
 * resolves `false`. A write that rejects has changed nothing; if the store cannot know that, it rejects with a
 * `StoreUnavailableError` whose `outcome` is `unknown`. Every change to an application, a signing key or a revoked access token is added to the change feed
 * in the same transaction. E-mails, credential uses and new encryptions of the same key are not.
 */
export interface Store extends UsageStore, DryRunStore {
  /** The name for logs and `health()`, such as `sqlite`. Only `memory` may be used in production without the option `secret`. */
  readonly kind: string
  /** Milliseconds between two reads of the change feed. Read again before each of them. */
  readonly pollInterval: number
  /**
   * Optional: how many calls the store runs at once, such as the connections of its pool. The look-ups that clients trigger
   * use half of them at most, and their changes a quarter. 10 if left out.
   */
  readonly concurrentCalls?: number

  /**
   * Connects and migrates; may be called again after it rejected. With `migrate: false` an older schema is left unchanged
   * and rejected. Rejects with `StoreIncompatibleError` for a problem that a retry cannot solve. Resolves the migration
   * if this call made one on an existing database; a store may tell how far a long one is, in sentences for the log.
   */
  open(options?: {
    readonly migrate?: boolean
    readonly onProgress?: (progress: string) => void
  }): Promise<SchemaMigration | undefined>
  /** Releases what `open()` acquired, and nothing that was passed in. */
  close(): Promise<void>

  /** Stores the pepper if there is none, and resolves the stored one. */
  establishPepper(sealed: string): Promise<string>
  /** Replaces `former` with another encryption of the same pepper; resolves false if `former` is not the stored one. */
  resealPepper(former: string, sealed: string): Promise<boolean>

  /** All signing keys, in the order in which they were added. */
  listSigningKeys(): Promise<readonly SigningKeyRecord[]>
  /** Adds a key if `newest` is the key added last (undefined: there is none); otherwise resolves false. */
  addSigningKey(key: SigningKeyRecord, newest: string | undefined, audit: NewAuditRecord): Promise<boolean>
  /** Replaces `former` with another encryption of the same private key; resolves false if `former` is not the stored one. */
  resealSigningKey(kid: string, former: string, sealed: string): Promise<boolean>
  /** Deletes a key; resolves false if it did not exist. */
  removeSigningKey(kid: string, audit: NewAuditRecord): Promise<boolean>

  findApplication(id: string): Promise<ApplicationRecord | undefined>
  /**
   * The application that has a key with this hash, expired or not; if there is none, one that has a key with any of the
   * alternatives.
   */
  findApplicationByKey(hash: string, ...alternatives: readonly string[]): Promise<ApplicationRecord | undefined>
  listApplications(query: ApplicationQuery): Promise<readonly ApplicationRecord[]>
  /**
   * For each such credential of an active application with a contact, the application's id, in the order in which the
   * credentials expire. Called every second, so an index must find them.
   */
  listExpiring(query: ExpiryQuery): Promise<readonly string[]>
  /**
   * Saves the record, its audit record and the changes to its e-mails (one for each e-mail) in one transaction, if the
   * stored version is the record's previous one (none for version 1) and each e-mail's version is as `EmailChange` says;
   * otherwise resolves false and changes nothing. Also resolves false if another application has the record's `externalId`;
   * the caller tells the two apart by a look-up. A credential that is already stored keeps the later `lastUsedAt`.
   */
  saveApplication(
    record: ApplicationRecord,
    audit: NewAuditRecord | undefined,
    ...emails: readonly EmailChange[]
  ): Promise<boolean>
  /**
   * Adds applications, each with its audit record, in one transaction, and resolves the outcome of each. Without `write`
   * nothing is changed: the outcomes are those that each would have alone.
   */
  addApplications(
    applications: readonly NewApplication[],
    options: { readonly write: boolean },
  ): Promise<readonly AddOutcome[]>
  /** Replaces the hash `former`. Resolves false, and changes nothing, if no credential has it, or one has the new hash already. */
  replaceCredentialHash(replacement: CredentialReplacement): Promise<boolean>
  /** Optional, for the doctor: how many credentials have an imported hash, by its format; formats without any are left out. */
  countImportedHashes?(): Promise<Readonly<Record<string, number>>>
  /**
   * Stores when credentials were last used, if that is later than the stored time by more than `minimumAge` milliseconds (0 if
   * left out). Other rows are neither changed nor locked. Not added to the change feed.
   */
  noteCredentialUse(uses: readonly { readonly hash: string; readonly at: number }[], minimumAge?: number): Promise<void>

  /** Leases the e-mail that has been due longest and is not leased: sets `leasedUntil` and the next version in one step. */
  leaseEmail(now: number, until: number): Promise<QueuedEmail | undefined>
  /** Saves an e-mail without its application, if the stored version is the previous one; otherwise resolves false. */
  saveEmail(email: QueuedEmail): Promise<boolean>
  findEmail(id: string): Promise<QueuedEmail | undefined>
  findEmailByClaimLink(hash: string): Promise<QueuedEmail | undefined>
  listEmails(query: EmailQuery): Promise<readonly QueuedEmail[]>

  /** Stores a revoked access token, and may delete those that expired before `now` (milliseconds). */
  revokeAccessToken(token: RevokedAccessToken, now: number): Promise<void>
  /** Up to `limit` revoked access tokens that expire after `now`. */
  listRevokedAccessTokens(now: number, limit: number): Promise<readonly RevokedAccessToken[]>
  isAccessTokenRevoked(id: string): Promise<boolean>

  listAudit(query: AuditQuery): Promise<readonly AuditRecord[]>

  /** Adds a way to sign in, and deletes some that expired before it was created. */
  addSignIn(signIn: SignIn): Promise<void>
  findSignInByLink(linkHash: string): Promise<SignIn | undefined>
  /** Adds one to its guesses and resolves it with them; undefined if there is none with that id. */
  countSignInGuess(id: string): Promise<SignIn | undefined>
  /** Deletes a way to sign in; resolves true for one caller only. */
  removeSignIn(id: string): Promise<boolean>
  /**
   * Adds a sign-out, and deletes some that expired before `at`. One of the same subject is replaced by one whose `at` is
   * later than before, whatever the clock says. One of a mailbox also deletes its ways to sign in, in the same transaction.
   */
  addSignOut(signOut: SignOut): Promise<void>
  /** The stored sign-outs of these subjects. */
  listSignOuts(subjects: readonly string[]): Promise<readonly SignOut[]>

  /**
   * The changes that any process committed after that cursor; without one, the cursor of the feed's end. Resolves the
   * change `everything` for a cursor that the feed does not have (any more), and for one of a feed that was replaced: a
   * restored backup uses the same numbers again. Rejects if the store cannot know of every change, as on a replica.
   */
  changesSince(cursor: string | undefined): Promise<ChangesPage>
  /**
   * Optional, for the doctor: what is wrong with a database that is open and answers, such as missing rights. Rejects with
   * the driver's error if the database rejects a write. Changes nothing.
   */
  diagnose?(): Promise<readonly ConfigurationProblem[]>
  /** Optional: calls back when the change feed may have something new. Returns a function that stops it. */
  watch?(wake: () => void): () => void
}
