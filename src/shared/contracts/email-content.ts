import type { CallerApplication } from './api.js'
import type { Language } from './application-record.js'
import type { QuotaNotice } from './usage-entries.js'

export type { Language }

/**
 * The subject of an e-mail, without its words: `purpose` tells which kind it is. Whoever registered an application chose its
 * name, so the name never stands in a subject line.
 */
export type EmailContent =
  | CredentialsEmail
  | ExpiringEmail
  | InvitationEmail
  | SignInEmail
  | ApprovalRequestEmail
  | ApprovedEmail
  | RejectionEmail
  | SuspendedEmail
  | QuotaEmail
  | KeySetOutageEmail
  | ChangesEmail

interface CommonContent {
  /** The recipient: one bare ASCII address. */
  readonly to: string
  readonly language: Language
}

/** API -> the scopes there. */
export type EmailGrants = Readonly<Record<string, { readonly scopes: readonly string[] }>>

/** The application that an e-mail is about. */
export interface EmailApplication extends CallerApplication {
  /** The APIs and scopes that it may use. */
  readonly apis: EmailGrants
}

/** Delivers the credentials of a registration, or a new key or secret: either `credentials` or a `link` that shows them once. */
export interface CredentialsEmail extends CommonContent {
  readonly purpose: 'registration' | 'key' | 'secret'
  readonly application: EmailApplication
  readonly credentials: { readonly clientId?: string; readonly clientSecret?: string } | undefined
  /**
   * Left out where a secret is used. The application was registered with public keys, and has no secret: a line for each key, with its
   * SHA-256 thumbprint (RFC 7638), or the address that serves them.
   */
  readonly publicKeys?: readonly string[]
  /** A link that is valid for 72 hours. */
  readonly link: string | undefined
  /** The name of the key or secret; `default` for a registration. */
  readonly name: string
  /** The names of the APIs where it can be used. */
  readonly usableAt: readonly string[]
  /** The APIs and scopes that it is restricted to; undefined if it may do all that the application may. */
  readonly restriction?: EmailGrants | undefined
  /** Whether it replaces another one, which stays valid for `overlap` seconds. */
  readonly hasPrevious: boolean
  readonly overlap: number
  /** Whether an earlier e-mail with the same credential may have arrived: that of a failed attempt, or from before `recover`. */
  readonly replacesEarlier: boolean
  /** What an operator has written with the approval of a registration; left out without it. */
  readonly note?: string
  /** When each of `credentials` expires; without those that do not, and empty for a `link`, whose page tells it. */
  readonly expiresAt: { readonly clientId?: Date; readonly clientSecret?: Date }
}

/** Reminds of a key, secret or key set that is about to expire. */
export interface ExpiringEmail extends CommonContent {
  readonly purpose: 'expiring'
  readonly application: EmailApplication
  readonly credential: {
    readonly kind: 'key' | 'secret'
    /** Whether it is a key set, with which the application proves a private key, in place of a secret. */
    readonly provesKey: boolean
    readonly name: string
    /** The first characters of the credential; of no meaning for a key set. */
    readonly prefix: string
    readonly expiresAt: Date
  }
  /** Whole days from the time of sending until it expires; 0: less than a day. */
  readonly daysLeft: number
  /** The first characters of a new one that has not been used yet; undefined if there is none. */
  readonly replacementPrefix: string | undefined
}

/** Invites somebody to become a contact of an application. */
export interface InvitationEmail extends CommonContent {
  readonly purpose: 'invitation'
  readonly application: EmailApplication
  /**
   * The address of the contact who invites; undefined for the operator. A stranger has chosen it, and a mail program may take a part of
   * it for a link or a telephone number: the built-in e-mail does not show it.
   */
  readonly invitedBy: string | undefined
  /** A link that is valid for 7 days. */
  readonly link: string
}

/** Signs a contact in, by link or by code. */
export interface SignInEmail extends CommonContent {
  readonly purpose: 'signIn'
  readonly link: string
  readonly code: string
  /** The time for which link and code are valid. */
  readonly minutes: number
}

/** Asks an operator to decide about a registration, or about an application's request for another API. */
export interface ApprovalRequestEmail extends CommonContent {
  readonly purpose: 'approvalRequest'
  readonly request: 'registration' | 'access'
  readonly application: EmailApplication
  /** The e-mail address of the application's developers. */
  readonly contact: string
  readonly requested: EmailGrants
  /** The IP address that the request came from. */
  readonly address: string | undefined
  /** Links to the page that asks for a confirmation. Each is valid for 14 days and until the first decision. */
  readonly links: { readonly approve: string; readonly deny: string }
}

/** Says that an operator has granted a request. */
export interface ApprovedEmail extends CommonContent {
  readonly purpose: 'approved'
  readonly application: EmailApplication
  readonly granted: EmailGrants
  /** What the operator has written with it; left out without it. */
  readonly note?: string
}

/** Says that an operator has denied a registration, or the request for one API. */
export interface RejectionEmail extends CommonContent {
  readonly purpose: 'rejected'
  /** An e-mail about a denied registration: that is deleted, and only its id and name are left. */
  readonly application: { readonly id: string; readonly name: string }
  /** The API of a denied request; undefined for a registration. */
  readonly api: string | undefined
  readonly reason: string | undefined
}

/** Says that an operator has suspended the application. */
export interface SuspendedEmail extends CommonContent {
  readonly purpose: 'suspended'
  readonly application: EmailApplication
  readonly reason: string | undefined
}

/** Says that 80 or 100 % of a quota of the application's plan are used. */
export interface QuotaEmail extends CommonContent, Omit<QuotaNotice, 'endsAt'> {
  readonly purpose: 'quota'
  readonly application: EmailApplication
  /** When it begins anew. */
  readonly endsAt: Date
}

/** Says that the address of a key set has not been readable for an hour, or that its keys are refused now. */
export interface KeySetOutageEmail extends CommonContent {
  readonly purpose: 'keySetOutage'
  readonly application: EmailApplication
  readonly keySet: { readonly name: string; readonly jwksUri: string }
  readonly since: Date
  /** Until then the keys that were read last are accepted. */
  readonly refusedFrom: Date
  readonly isRefused: boolean
}

/** Tells a contact what the others have changed, or somebody that he or she is a contact no more: one e-mail for the changes of 10 minutes. */
export interface ChangesEmail extends CommonContent {
  readonly purpose: 'changes'
  /** As it was called when the newest change was made, if it is deleted. */
  readonly application: { readonly id: string; readonly name: string }
  /** At the time of sending: whether the recipient is a contact, is one no more, or was one until a contact deleted the application. */
  readonly recipientIs: 'contact' | 'removed' | 'deleted'
  /** Oldest first, at most 20. Removals of contacts are never left out for the sake of others. */
  readonly changes: readonly ContactChange[]
  /** Further changes, which are not listed. */
  readonly more: number
}

/** A change of an application's credentials or contacts. */
export interface ContactChange {
  readonly type: ContactChangeType
  readonly at: Date
  /** The address of the contact who made it; undefined: the operator. The built-in words do not show it. */
  readonly by: string | undefined
  /** The key, secret or key set that it is about. */
  readonly credential:
    | { readonly kind: 'key' | 'secret' | 'keySet'; readonly name: string; readonly formerName?: string }
    | undefined
  /** The contact or the invited address that it is about. The built-in words do not show it. */
  readonly address: string | undefined
  /** Whether that is the recipient. */
  readonly isRecipient: boolean
}

export type ContactChangeType =
  | 'contactRemoved'
  | 'contactAdded'
  | 'contactInvited'
  | 'credentialAdded'
  | 'credentialRotated'
  | 'credentialUpdated'
  | 'credentialEnded'
  /** The keys of a key set were replaced, or its address is read again. */
  | 'keySetChanged'
  | 'tokensRevoked'
  | 'networksChanged'
  | 'deleted'
