import type { Limit } from '../../shared/contracts/api.js'
import type { ApplicationStatus, GrantedApis, PublicJwk } from '../../shared/contracts/application-record.js'
import type { Language } from '../../shared/contracts/email-content.js'

/** An application: a client of the platform's APIs. `Metadata` is the type of the schema `metadata`. */
export interface Application<Metadata = Record<string, unknown>> {
  /** The public id, which never changes; `sub` and `client_id` of the application's access tokens. */
  readonly id: string
  readonly name: string
  /** The first contact: the address that e-mails go to. */
  readonly contact: string | undefined
  /** All of its contacts, at most 10: they sign in at the portal and manage the application there. */
  readonly contacts: readonly string[]
  /** Invitations whose links still work. */
  readonly invitations: readonly InvitationInfo[]
  /** The language of its e-mails; undefined: English. */
  readonly language: Language | undefined
  readonly status: ApplicationStatus
  /** The APIs that it may use, with the scopes granted there. */
  readonly apis: Readonly<Record<string, { readonly scopes: readonly string[] }>>
  /** The application's requests for APIs that wait for an operator's decision. */
  readonly accessRequests: readonly AccessRequestInfo[]
  /** Since when it waits for an operator's decision, for its registration or for access; undefined if it does not. */
  readonly waitingSince: Date | undefined
  /** The limits that it has in place of the API's, by the name of the API, and when each ends; undefined: never. */
  readonly rateLimits: Readonly<Record<string, Limit & { readonly until: Date | undefined }>>
  /** The networks (CIDR) from which it may call; undefined: any. */
  readonly networks: readonly string[] | undefined
  /** The name of its plan. */
  readonly plan: string | undefined
  /** The APIs whose resource server it is: it may check credentials that were presented to it there; undefined if it is none. */
  readonly resourceServer: readonly string[] | undefined
  /** The terms that it accepted last; undefined if it accepted none. */
  readonly acceptedTerms: { readonly url: string; readonly version: string; readonly at: Date } | undefined
  /** Your own id for the application, such as a customer number. No two applications have the same one. */
  readonly externalId: string | undefined
  /** Your own data, as it is stored: a schema that changed since has not seen it. */
  readonly metadata: Metadata | undefined
  /** Keys, newest first. */
  readonly keys: readonly CredentialInfo[]
  /** Secrets, newest first. */
  readonly secrets: readonly CredentialInfo[]
  /** When any of its credentials was last used, also one that it has no more; some minutes old. Undefined while none has been. */
  readonly lastUsedAt: Date | undefined
  readonly createdAt: Date
}

/** A live key or secret as `auth.applications` shows it. */
export interface CredentialInfo {
  /** `cred_...`: public, and stays the same when the credential is changed. */
  readonly id: string
  /** The operator's name for the credential; `default` for the first ones. In a rotation two have the same name. */
  readonly name: string
  /** The first characters, by which people tell one credential from another. */
  readonly prefix: string
  readonly createdAt: Date
  /** Undefined while it does not expire. */
  readonly expiresAt: Date | undefined
  /** Undefined while it has never been used. */
  readonly lastUsedAt: Date | undefined
  /** Restriction to some APIs and scopes, without those that the application lost; undefined if unrestricted. */
  readonly apis: GrantedApis | undefined
  /** The networks (CIDR) from which it may be used; undefined: any that the application may use. */
  readonly networks: readonly string[] | undefined
  /** The public keys, or the address that serves them, of a key set; left out for keys and secrets. */
  readonly keySet?:
    | { readonly keys: readonly PublicJwk[] }
    /** `unreadableSince`: left out while the address can be read. */
    | { readonly jwksUri: string; readonly unreadableSince?: Date }
}

/** An open invitation of a further contact. */
export interface InvitationInfo {
  readonly address: string
  readonly createdAt: Date
  readonly expiresAt: Date
  /** The actor who invited, as in the audit log; `contact:` and the address if a contact did. */
  readonly by: string | undefined
}

/** A request for an API, or for further scopes there. */
export interface AccessRequestInfo {
  readonly api: string
  readonly scopes: readonly string[]
  readonly requestedAt: Date
  readonly by: string | undefined
}
