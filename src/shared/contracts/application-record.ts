/** `pending -> active <-> suspended`; every status can become `deleted`, which is final. */
export type ApplicationStatus = 'pending' | 'active' | 'suspended' | 'deleted'

/** The use that an application, or a credential, is allowed: name of the API -> scopes there. */
export type GrantedApis = Readonly<Record<string, { readonly scopes: readonly string[] }>>

/** A value that JSON can express (RFC 8259). */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

export interface JsonObject {
  readonly [name: string]: JsonValue
}

/** A public key (RFC 7517 4, RFC 7518 6, RFC 8037 2): the members that are kept. */
export interface PublicJwk {
  readonly kty: 'EC' | 'OKP' | 'RSA'
  readonly kid?: string
  readonly alg?: string
  readonly crv?: string
  readonly x?: string
  readonly y?: string
  readonly n?: string
  readonly e?: string
}

/** The public keys of a client (RFC 7523): the keys, or the address that serves them, and when it was last to be read again (milliseconds). */
export type KeySetRecord =
  | { readonly keys: readonly PublicJwk[] }
  | {
      readonly address: string
      readonly reloadedAt: number
      /** Given by an operator, who alone may name a host of `clientAssertions.allow`. */
      readonly byOperator?: true
      /** Left out while the address can be read. */
      readonly outage?: KeySetOutage
      /** When contacts last got an e-mail about an outage. */
      readonly notifiedAt?: number
    }

/** The address of a key set does not answer. Times are milliseconds since 1970. */
export interface KeySetOutage {
  /** When a process noticed it first. */
  readonly since: number
  /** The keys that were read last, and when, for processes that start meanwhile; left out if none were. */
  readonly keys?: readonly PublicJwk[]
  readonly readAt?: number
  /** The last e-mail to the contacts said that the keys go on, or that they are refused. */
  readonly notice?: 'goesOn' | 'refused'
}

/** A stored API key or client secret, or a key set in the place of a secret. */
export interface CredentialRecord {
  /** `cred_` and 22 random base62 characters. Public, and stays the same when the credential is changed. */
  readonly id: string
  /**
   * The operator's name for the credential; the first credentials of an application are named `default`. Two live credentials of one kind and
   * name are a rotation in progress.
   */
  readonly name: string
  /**
   * HMAC-SHA-256 under the pepper, base64url. An imported hash starts with its format and a colon, such as `sha256:`; that of a key set is
   * `key-set:` and its id.
   */
  readonly hash: string
  /** The first characters of the credential, so that people can tell two credentials apart. */
  readonly prefix: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Milliseconds since 1970; undefined while no expiry is set. */
  readonly expiresAt: number | undefined
  /** Milliseconds since 1970; undefined until the first use. */
  readonly lastUsedAt: number | undefined
  /** Restricts the credential; undefined: it may be used for everything that the application may do. Grants nothing. */
  readonly apis: GrantedApis | undefined
  /** The networks (CIDR, RFC 4632 and 4291) from which it may be used; undefined: from any that its application may use. */
  readonly networks: readonly string[] | undefined
  /** Whether another system has issued it. It stays so when the hash is replaced. */
  readonly isImported: boolean
  /** Days before `expiresAt` for which the last reminder was queued; undefined: none yet. */
  readonly remindedDays: number | undefined
  /** The keys of a key set, which is one of the secrets; undefined for every other credential. */
  readonly keySet: KeySetRecord | undefined
}

/** The languages of the built-in texts of e-mails. */
export type Language = 'en' | 'de' | 'fr' | 'es'

export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
}

/** An invitation to become a contact of an application: open, or ended and kept for an hour, so that the address is not invited again. */
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

/** What became of a registration that waited for operators, or of a request for access. */
export interface DecidedRequest {
  /** The API of a request for access; left out for a registration. */
  readonly api?: string
  /** What was asked for. Empty in what a deletion leaves. */
  readonly requested: GrantedApis
  /** Milliseconds since 1970. */
  readonly requestedAt: number
  readonly requestedBy?: string
  /** The IP address that a registration came from. */
  readonly address?: string
  /** `withdrawn` by `recover`; `deleted`: the application was, without a decision. */
  readonly outcome: 'approved' | 'rejected' | 'withdrawn' | 'deleted'
  /** Milliseconds since 1970. */
  readonly at: number
  readonly by?: string
  /** Of a rejection. */
  readonly reason?: string
}

/** Access that an operator took away: contacts get it back only by an operator's decision. */
export interface Withheld {
  /**
   * The scopes that were taken away, or were there when a whole API was. An API that is here and not granted was taken away
   * whole.
   */
  readonly apis: GrantedApis
  /** The terms that operators gave credentials; left out if there are none. */
  readonly credentials?: readonly OperatorTerms[]
  /** The networks that an operator gave the application: a contact can only give fewer. Left out if no operator gave any. */
  readonly networks?: readonly string[]
}

/** The terms that an operator gave a credential. They also bound what contacts add. */
export interface OperatorTerms {
  readonly kind: 'key' | 'secret'
  /** It may be gone. */
  readonly credentialId: string
  /** What it is restricted to; left out: not restricted. */
  readonly apis?: GrantedApis
  /** The networks from which it may be used; left out: any. */
  readonly networks?: readonly string[]
  /** Its end, milliseconds since 1970; left out: none. */
  readonly endsAt?: number
}

/** A limit of one application at one API, in place of the API's own. */
export interface ApplicationLimit {
  /** Requests; a whole number of at least 1. */
  readonly limit: number
  /** Seconds. */
  readonly window: number
  /** Milliseconds since 1970 from which the API's own limit counts again; left out: it has no end. */
  readonly until?: number
  /** Another one each time that a limit is given, by which its window is told from that of an equal one before; left out in older records. */
  readonly id?: string
}

/** The provider's terms that an application's contact has accepted last. */
export interface AcceptedTerms {
  readonly url: string
  readonly version: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** A stored application. Records are immutable: a change is a new record with the next version. */
export interface ApplicationRecord {
  readonly id: string
  readonly name: string
  /** The first contact: the address that e-mails go to. */
  readonly contact: string | undefined
  /**
   * Whether anybody may have entered the first contact: a registration that nobody has confirmed so far. An operator who approves it or
   * sets the contact, the use of a claim link or credential, and a sign-in at the portal confirm it.
   */
  readonly isUnconfirmed: boolean
  /** Whether its registration waits for an operator, as its e-mail does: so it is from the registration to the decision. */
  readonly isHeld: boolean
  /** The contacts after the first, in order; none without a first one. ASCII, like `contact`. */
  readonly otherContacts: readonly string[]
  /** Open ones, and ended ones for an hour. */
  readonly invitations: readonly Invitation[]
  /** The language of its e-mails; undefined: English. */
  readonly language: Language | undefined
  readonly status: ApplicationStatus
  /** The APIs and scopes; none for a deleted application. */
  readonly apis: GrantedApis
  /** At most one for each API; none for a deleted application. */
  readonly accessRequests: readonly AccessRequest[]
  /** The latest 50 requests that wait no more, newest first. A deleted application keeps what became of them for 90 days. */
  readonly decided: readonly DecidedRequest[]
  /** Undefined if nothing was taken away, and for a deleted application. */
  readonly withheld: Withheld | undefined
  /** The operator's own data. Undefined for a deleted application. */
  readonly metadata: JsonObject | undefined
  /** The operator's own id of the application. No two applications have the same one. Undefined for a deleted application. */
  readonly externalId: string | undefined
  /** Limits of this application, by the name of the API, or `*` for every other one; undefined if it has none of its own. */
  readonly rateLimits: Readonly<Record<string, ApplicationLimit>> | undefined
  /** The networks (CIDR) from which its credentials and access tokens may be used; undefined: from any. */
  readonly networks: readonly string[] | undefined
  /** The name of its plan, which the feature `plans()` knows. Undefined for a deleted application. */
  readonly plan: string | undefined
  /** The names of the APIs whose credentials it may check as their resource server; undefined if it is none. */
  readonly resourceServer: readonly string[] | undefined
  /** Undefined if none were accepted, and for a deleted application. */
  readonly acceptedTerms: AcceptedTerms | undefined
  /** Keys, newest first. */
  readonly keys: readonly CredentialRecord[]
  /** Secrets, newest first. */
  readonly secrets: readonly CredentialRecord[]
  /**
   * Milliseconds since 1970, for an application that `prove` created: from then on its credentials and access tokens are refused, and
   * the cleanup deletes it. Undefined for every other one, and for a deleted application.
   */
  readonly endsAt: number | undefined
  /** When any of its credentials was last used, also one that it has no more: milliseconds since 1970. Undefined until the first use, and for a deleted application. */
  readonly lastUsedAt: number | undefined
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Time of the last `revokeTokens` (milliseconds since 1970; 0: never), strictly increasing: access tokens that carry an earlier time are refused. */
  readonly tokensRevokedAt: number
  /** How many saves have changed nothing that a form shows: an e-mail was sent. They count in `version` only. */
  readonly uncounted: number
  /** 1 at creation, incremented by every save. */
  readonly version: number
}

/** By which forms and `If-Match` tell whether an application has changed: the number of its changes. */
export function countChanges({ version, uncounted }: ApplicationRecord): number {
  return version - uncounted
}
