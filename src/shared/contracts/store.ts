import type { ApplicationRecord, ApplicationStatus } from './application-record.js'
import type { ConfigurationProblem } from './errors.js'
import type { AuditRecord, NewAuditRecord } from './events.js'
import type { ImportStore } from './imports.js'
import type { EmailChange, EmailStore } from './queued-email.js'
import type { QuotaStore } from './quotas.js'
import type { SignInStore } from './sign-ins.js'
import type { UsageStore } from './usage.js'

/**
 * Persistent storage of a platform. A store makes no decisions: it saves what it is given, all or nothing, and resolves only
 * after the change would survive a power failure. When a condition fails it resolves `false`; it rejects only if it could not
 * answer. A write that rejects has changed nothing; if the store cannot know that, it rejects with a `StoreUnavailableError`
 * whose `outcome` is `unknown`. Every change to an application, a signing key or a revoked access token is added to the change
 * feed in the same transaction. E-mails, credential uses and new encryptions of the same key are not.
 */
export interface Store {
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
   * Optional: the database's time in the last answer of `changesSince()`, in milliseconds since 1970, or undefined if that had none.
   * The platform reports that its own clock differs.
   */
  readonly clock?: { readonly time: number | undefined }

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

  /** Stores the secret of that name if there is none, and resolves the stored one. */
  establishSecret(name: SecretName, sealed: string): Promise<string>
  /**
   * Replaces `former`; resolves false if `former` is not the stored one. With an audit record it is another secret, and the
   * change feed has the change `sessionSecret`; otherwise it is the same, encrypted again.
   */
  replaceSecret(name: SecretName, former: string, sealed: string, audit?: NewAuditRecord): Promise<boolean>

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
   * The application that has a key with this hash, expired or not; if there is none, the first one added that has a key with any of
   * the alternatives. An alternative does not count if `saveApplication()` has ended an imported key with one of these hashes, and
   * the application was added before that, and after the one whose key ended: the text of that key must not begin to work for it.
   */
  findApplicationByKey(hash: string, ...alternatives: readonly string[]): Promise<ApplicationRecord | undefined>
  listApplications(query: ApplicationQuery): Promise<readonly ApplicationRecord[]>
  /**
   * Saves the record, its audit record and the changes to its e-mails (one for each e-mail) in one transaction, if the
   * stored version is the record's previous one (none for version 1) and each e-mail's version is as `EmailChange` says;
   * otherwise resolves false and changes nothing. Also resolves false if another application has the record's `externalId`;
   * the caller tells the two apart by a look-up. A credential that is already stored keeps the later `lastUsedAt`, and an application its own until it is deleted. Of each key
   * with `isImported` that the record has no more, by its id, the hash is kept for `findApplicationByKey()`, with the time.
   */
  saveApplication(
    record: ApplicationRecord,
    audit: NewAuditRecord | undefined,
    ...emails: readonly EmailChange[]
  ): Promise<boolean>
  /**
   * Stores when credentials were last used, and likewise their applications, if that is later than the stored time by more than
   * `minimumAge` milliseconds (0 if left out). Other rows are neither changed nor locked. Not added to the change feed.
   */
  noteCredentialUse(uses: readonly { readonly hash: string; readonly at: number }[], minimumAge?: number): Promise<void>

  /** Stores a revoked access token, and may delete those that expired before `now` (milliseconds). */
  revokeAccessToken(token: RevokedAccessToken, now: number): Promise<void>
  /** Up to `limit` revoked access tokens that expire after `now`. */
  listRevokedAccessTokens(now: number, limit: number): Promise<readonly RevokedAccessToken[]>
  isAccessTokenRevoked(id: string): Promise<boolean>

  listAudit(query: AuditQuery): Promise<readonly AuditRecord[]>
  /** Deletes up to `limit` audit records from before that time (milliseconds since 1970); resolves how many. */
  deleteAudit(before: number, limit: number): Promise<number>

  /**
   * The parts below may be left out: a feature that needs one refuses to start without it, and says so. Without `emails`,
   * `saveApplication()` gets none.
   */
  readonly emails?: EmailStore
  readonly usage?: UsageStore
  readonly quotas?: QuotaStore
  readonly signIns?: SignInStore
  readonly imports?: ImportStore
  /** Without it, processes with other settings are not noticed. */
  readonly processes?: ProcessStore
  /** An API at which clients prove a private key needs it. */
  readonly assertions?: AssertionStore

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

/** The parts that a store may leave out. */
export type StorePart = 'emails' | 'usage' | 'quotas' | 'signIns' | 'imports' | 'processes' | 'assertions'

/** A store that has these parts; all of them if none is named. */
export type StoreWith<Part extends StorePart = StorePart> = Store & {
  readonly [Name in Part]-?: NonNullable<Store[Name]>
}

/**
 * The store's part `processes`: which processes run on it. A process runs that was announced less than `lifetime` milliseconds ago by
 * the database's clock, so that the clocks of processes do not matter.
 */
export interface ProcessStore {
  /**
   * Announces a process, or announces it again; may delete others that ran before. The change feed has the change `processes` if it
   * did not run, or has other settings than before. Need not survive a power failure.
   */
  announce(process: RunningProcess, lifetime: number): Promise<void>
  /** The processes that run, by their ids. */
  list(lifetime: number): Promise<readonly RunningProcess[]>
  /** The process ends; the change feed has the change `processes` if it ran. */
  remove(id: string): Promise<void>
}

/** An assertion that a client has used to authenticate (RFC 7523 3). */
export interface UsedAssertion {
  readonly applicationId: string
  /** SHA-256 of its `jti`, base64url. */
  readonly hash: string
  /** Milliseconds since 1970 from which it is refused for its age. */
  readonly expiresAt: number
}

/** `known`: it was used before; `full`: the application has as many as it may have. */
export type AddedAssertion = 'added' | 'known' | 'full'

/** The store's part `assertions`: what must not be used again. */
export interface AssertionStore {
  /**
   * Adds an assertion if no process has added it and the application has fewer than `most` whose `expiresAt` is not before `now`
   * (milliseconds). May delete those that have expired, and no others.
   */
  add(assertion: UsedAssertion, bounds: { readonly now: number; readonly most: number }): Promise<AddedAssertion>
}

/**
 * The secrets that a platform stores encrypted beside its signing keys: the pepper of hashes, and the secret behind sessions,
 * sign-in links and approval links.
 */
export type SecretName = 'pepper' | 'session'

/** Changes from the change feed, and the cursor to read on from. */
export interface ChangesPage {
  readonly cursor: string
  readonly changes: readonly Change[]
}

/**
 * A page of applications: those of an API, of a status, of both, or what one of the searches below finds. An index finds each of them
 * in its order, so a page is read from that index as far as it goes, however many match: no query has two searches, or a search with `api` or
 * `status`. They are in the order of the search's key, and where it has none or two are equal, in that in which they were added. Deleted
 * applications are listed only if `status` or `hasDecided` asks for them.
 */
export interface ApplicationQuery {
  /** The id of the last application of the previous page. After an id that does not exist nothing is listed. */
  readonly after: string | undefined
  /**
   * In a search with a key: that of `after`, as the previous page had it: the application may have changed since. If it is left out, or
   * is none that the search finds, nothing is listed after `after`.
   */
  readonly afterKey?: string | number | undefined
  readonly limit: number
  readonly api: string | undefined
  readonly status: ApplicationStatus | undefined
  readonly externalId?: string | undefined
  /** Applications whose name, in ASCII lower case, begins with this. The key is that name, by code point. */
  readonly name?: string | undefined
  /** Applications of which the first or another contact, in ASCII lower case, is this. */
  readonly contact?: string | undefined
  /** Applications that have a credential with this `prefix`, expired or not. */
  readonly credential?: string | undefined
  /**
   * Milliseconds since 1970: applications with a credential that expires after `expiringAfter` and before this. The key is the time at
   * which the first of these expires. `expiringAfter` is the same for all pages.
   */
  readonly expiringBefore?: number | undefined
  /** 0 if left out. No effect without `expiringBefore`. */
  readonly expiringAfter?: number | undefined
  /** Milliseconds since 1970: applications whose `lastUsedAt`, the key, is not before `usedSince` and before `usedBefore`. One of the two suffices. */
  readonly usedSince?: number | undefined
  readonly usedBefore?: number | undefined
  /** Applications without `lastUsedAt`. */
  readonly neverUsed?: true | undefined
  /** Deleted applications that have something in `decided`. */
  readonly hasDecided?: true | undefined
  /** Applications that have this plan; `true`: any plan. */
  readonly plan?: string | true | undefined
  /** Milliseconds since 1970: applications whose `endsAt` is before this. */
  readonly endingBefore?: number | undefined
  /** Applications that wait for an operator: pending ones with `isHeld` since `createdAt`, and those with `accessRequests` since the first of them: the key. */
  readonly waiting?: true | undefined
}

/**
 * A page of audit records, oldest first unless `newestFirst` is true: in the order in which they were added; with `from` or `until` in
 * that of their times, so that a page is read from one index.
 */
export interface AuditQuery {
  /** The id of the last record of the previous page. After an id that no store issues nothing is listed. */
  readonly after: string | undefined
  readonly limit: number
  readonly applicationId: string | undefined
  readonly newestFirst?: boolean | undefined
  /** Only records of these types, of this actor, and of this time: milliseconds since 1970, `until` not included. */
  readonly types?: readonly string[] | undefined
  readonly by?: string | undefined
  readonly from?: number | undefined
  readonly until?: number | undefined
}

/** The effect of `open()` on the tables of an existing database. */
export interface SchemaMigration {
  /** The schema version that was found. */
  readonly from: number
  /** The schema version of the database now. */
  readonly to: number
  /** The path of a copy of the database as it was before; undefined if the store makes none. */
  readonly copy: string | undefined
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
