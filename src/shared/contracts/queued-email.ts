import type { JsonObject } from './application-record.js'

/** The credentials that an e-mail delivers: the first ones of an application, or a replacement of a key or a secret. */
export type DeliveryPurpose = 'registration' | 'key' | 'secret'

/**
 * The purpose of an e-mail without credentials: it reminds of a credential that is about to expire, invites a contact, asks an
 * operator for a decision, tells the outcome for an application or for its request for an API, tells how much of a quota is used, that the address of a key set cannot be read, or tells a contact what others
 * have changed.
 */
export type NoticePurpose =
  | 'expiring'
  | 'invitation'
  | 'approvalRequest'
  | 'approved'
  | 'rejected'
  | 'suspended'
  | 'quota'
  | 'keySetOutage'
  | 'changes'

export const EMAIL_STATES = ['held', 'due', 'failed', 'claimable', 'suspended'] as const

export type EmailPurpose = DeliveryPurpose | NoticePurpose

/**
 * An e-mail to be sent. Its credentials are created when it is sent, and are never part of this record. Id, application and
 * purpose never change.
 */
export interface QueuedEmail {
  readonly id: string
  readonly applicationId: string
  readonly purpose: EmailPurpose
  /** The recipient; undefined: the application's contact at the time of sending. */
  readonly recipient: string | undefined
  /** Details for the text beyond the application, such as the reason of a rejection. */
  readonly details: JsonObject | undefined
  /** The credential that is replaced or about to expire; undefined for a registration, and for the first secret. */
  readonly credentialId: string | undefined
  /**
   * `held` until the registration is approved; `due` from `dueAt` on; `failed` after the last attempt; `claimable` while its
   * claim link is valid; `suspended` until its application is resumed.
   */
  readonly state: (typeof EMAIL_STATES)[number]
  /** Seconds for which the replaced credential stays valid. */
  readonly overlap: number
  /** Number of attempts since the e-mail was created or retried by an operator. */
  readonly attemptCount: number
  /** Hashes of the credentials that recent attempts may have delivered, one list per attempt, newest first. */
  readonly attemptedHashes: readonly (readonly string[])[]
  /** Hashes of the claim links sent, newest first. */
  readonly claimLinks: readonly { readonly hash: string; readonly expiresAt: number }[]
  /** Milliseconds since 1970. Of one that collects changes, the time from which it may be sent. */
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

/** The change to an e-mail of an application when the application is saved. */
export type EmailChange =
  /** Saved if the stored version is the previous one (none for version 1). */
  | { readonly save: QueuedEmail }
  /** Deleted if the stored version is the same. */
  | { readonly remove: QueuedEmail }
  /** Every e-mail of the application is deleted. */
  | 'removeAll'

/** A page of e-mails by `dueAt`, earliest first, and then in the order in which they were added. An index finds those of a state in this order. */
export interface EmailQuery {
  readonly applicationId: string | undefined
  readonly purpose?: EmailPurpose | undefined
  readonly state: QueuedEmail['state'] | undefined
  /** The last e-mail of the previous page. If it is gone, those that are as due as it was are listed too. */
  readonly after?: Pick<QueuedEmail, 'dueAt' | 'id'> | undefined
  readonly limit: number
}

/** The store's part `emails`: the queue of e-mails. No call adds to the audit log or the change feed. */
export interface EmailStore {
  /** Leases the e-mail that has been due longest and is not leased: sets `leasedUntil` and the next version in one step. */
  lease(now: number, until: number): Promise<QueuedEmail | undefined>
  /** Saves an e-mail without its application, if the stored version is the previous one; otherwise resolves false. */
  save(email: QueuedEmail): Promise<boolean>
  find(id: string): Promise<QueuedEmail | undefined>
  findByClaimLink(hash: string): Promise<QueuedEmail | undefined>
  list(query: EmailQuery): Promise<readonly QueuedEmail[]>
  /**
   * For each such credential of an active application with a contact, the application's id, in the order in which the
   * credentials expire. Called every second, so an index must find them.
   */
  listExpiring(query: ExpiryQuery): Promise<readonly string[]>
}

/** Credentials whose expiry an application's contact may have to be reminded of. */
export interface ExpiryQuery {
  /** Milliseconds since 1970: they expire after this ... */
  readonly after: number
  /** ... and not after this. */
  readonly until: number
  /** Only credentials whose `remindedDays` are more, or undefined. */
  readonly days: number
  readonly limit: number
}

/** Whether the change is the first of the two. Unlike `'save' in change`, it ignores a polluted `Object.prototype`. */
export function savesEmail(change: Exclude<EmailChange, 'removeAll'>): change is { readonly save: QueuedEmail } {
  return Object.hasOwn(change, 'save')
}
