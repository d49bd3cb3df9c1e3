import type { Limit } from '../../shared/contracts/api.js'
import type { ApplicationStatus } from '../../shared/contracts/application-record.js'
import type { Language } from '../../shared/contracts/email-content.js'
import type { Application, CredentialInfo } from './application.js'
import type {
  ActorOptions,
  AddCredentialOptions,
  AddKeySetOptions,
  KeySetSource,
  ReplaceKeySetOptions,
  ApiGrants,
  ApprovalOptions,
  RejectionOptions,
  OperatorData,
  RevokeTokensOptions,
  RotateByEmailOptions,
  RotateOptions,
  SuspensionOptions,
} from './call-options.js'

/** An application's credentials in plain text: resolved once, and never again. */
export type IssuedCredentials = ClientCredentials | KeyOnly

/** Access that a contact has got without an operator's decision, at an API with `registration: 'automatic'`. */
export interface SelfService {
  readonly api: string
  readonly scopes: readonly string[]
  readonly at: Date
  readonly by: string | undefined
}

interface KeyOnly {
  /** The key: `client_id`, and the value of the header of key APIs (`X-Api-Key`). */
  readonly clientId: string
  /** Undefined if the application uses no oauth2 API. */
  readonly clientSecret?: never
}

interface ClientCredentials extends Omit<KeyOnly, 'clientSecret'> {
  readonly clientSecret: string
}

/**
 * `auth.applications`: the applications that may call the platform's APIs. Every change is stored with its audit record before
 * the call resolves, and holds for the next request. An unknown id rejects with code `application_not_found`, a call that the
 * application's status does not allow with `invalid_state`. If the store does not answer, calls reject with
 * `store_unavailable`.
 */
export interface Applications<ApiNames extends string = string, Input = object, Metadata = Record<string, unknown>> {
  /**
   * Approves a registration that includes an API with `registration: 'manual'`, so that its credentials are sent; with `api` the
   * application's request for access to it, of which the contact learns by e-mail. Rejects with code `invalid_state` if nothing
   * waits for a decision: exactly one counts.
   */
  approve(id: string, options?: ApprovalOptions<ApiNames>): Promise<Application<Metadata>>
  /** Deletes a pending application, as `delete` does; with `api`, denies its request for access and keeps it. */
  deny(id: string, options?: RejectionOptions<ApiNames>): Promise<Application<Metadata>>
  /** Creates an active application and resolves its credentials, this once. Sends nothing. */
  create(
    application: {
      readonly name: string
      readonly contact?: string
      /** Left out, if at all, for a resource server that calls no API itself. */
      readonly apis?: ApiGrants<ApiNames> | undefined
      readonly language?: Language | undefined
      /** Public keys, with which it authenticates in place of a secret: then it gets none. */
      readonly keySet?: KeySetSource | undefined
      /** The APIs whose resource server it is: it may check credentials that were presented to it there, and always gets a secret. */
      readonly resourceServer?: readonly ApiNames[] | undefined
    } & OperatorData<Input> &
      ActorOptions,
  ): Promise<{ application: Application<Metadata>; credentials: IssuedCredentials }>
  /** The application, also when it is deleted, or undefined. */
  get(id: string): Promise<Application<Metadata> | undefined>
  /**
   * Lists 100 at a time unless `limit` (1 to 1000) is given, by an index: the oldest first, unless a filter says otherwise. Of several
   * filters the index of one is read, which also gives the order: `externalId`, `credential`, `contact`, `expiringBefore`, `waiting`,
   * `usedSince` and `usedBefore`, `neverUsed`, `name`, `plan`, whichever comes first here. A page then reads 1,000 applications at most: if it has
   * fewer than `limit` for that reason, `searched` says how many it has looked at, and `next` goes on. `next` is the `after` of the next page of
   * the same search: after a text that is not, nothing is listed.
   */
  list(query?: {
    readonly after?: string | undefined
    readonly limit?: number | undefined
    readonly api?: ApiNames | undefined
    readonly status?: ApplicationStatus | undefined
    /** Only the application with this id; an index finds it. */
    readonly externalId?: string | undefined
    /** Only applications whose name begins with this, A to Z in either case; in the order of their names. */
    readonly name?: string | undefined
    /** Only applications of which this address is a contact, in whatever case; an index finds them. */
    readonly contact?: string | undefined
    /**
     * Only applications that have a credential with this `prefix`, such as `pk_key_Ab12Cd`; an index finds them. Rejects with code
     * `invalid_argument` for a whole key or secret, which belongs in no list, address or log.
     */
    readonly credential?: string | undefined
    /** Only applications that have this plan; an index finds them. */
    readonly plan?: string | undefined
    /**
     * Only applications with a live credential that expires before that time, what expires first at the beginning. All pages count from the time of the first one: a credential
     * may have expired since.
     */
    readonly expiringBefore?: Date | undefined
    /**
     * `true`: only applications that wait for an operator, what has waited longest first: pending ones (since `createdAt`), and those with
     * `accessRequests`; an index finds them.
     */
    readonly waiting?: boolean | undefined
    /** Only applications whose `lastUsedAt` is that time or later, longest ago first; an index finds them. */
    readonly usedSince?: Date | undefined
    /** Only applications whose `lastUsedAt` is before that time, longest ago first; an index finds them. Those without are found by `neverUsed`. */
    readonly usedBefore?: Date | undefined
    /** `true`: only applications that were never used; an index finds them. */
    readonly neverUsed?: boolean | undefined
  }): Promise<{ items: Application<Metadata>[]; next?: string; searched?: number }>
  /**
   * A new `contact` takes the place of the first one. It also gets the e-mails that were not accepted and those whose claim link was not used. What they sent to
   * the former contact ends. `metadata` is replaced as a whole. null removes `metadata`, `externalId`, `networks`, `resourceServer` or a limit. Each change
   * holds for the next request, and for every other process within a second.
   */
  update(
    id: string,
    changes: {
      readonly name?: string
      readonly contact?: string
      readonly language?: Language | undefined
      readonly externalId?: string | null | undefined
      readonly metadata?: Input | null | undefined
      /**
       * The networks (CIDR) from which its credentials and access tokens may be used, such as `203.0.113.0/24`, at most 100: guards and the
       * token endpoint answer 403 `network_not_allowed` elsewhere. They compare `req.ip`, so `trust proxy` must be right.
       */
      readonly networks?: readonly string[] | null | undefined
      /** Limits in place of those of APIs, by name; `*` for every API that is not named. Others stay. */
      readonly rateLimits?: Readonly<Record<string, (Limit & { readonly until?: Date | undefined }) | null>> | undefined
      /** The APIs whose resource server it is. Rejects with code `unknown_api`, and with `invalid_state` while it has no secret and no key set. */
      readonly resourceServer?: readonly ApiNames[] | null | undefined
    } & ActorOptions,
  ): Promise<Application<Metadata>>
  /**
   * Refuses the application's credentials and access tokens from the next request on, until `resume`; its access tokens for
   * ever with `revokeTokens: true`. Claim links end, and queued e-mails are not sent before it is resumed.
   */
  suspend(id: string, options?: SuspensionOptions): Promise<Application<Metadata>>
  /** Ends a suspension. A registration that was suspended while it was pending is pending again. */
  resume(id: string, options?: ActorOptions): Promise<Application<Metadata>>
  /** Erases name, contacts and hashes; keeps id and audit log. It cannot be undone. */
  delete(id: string, options?: ActorOptions): Promise<Application<Metadata>>
  /**
   * Replaces the application's access to an API; all scopes of the API if `scopes` is left out. With `rateLimit` it counts in place of the
   * API's limit (null: no more), and an application that may use the API already keeps its scopes if `scopes` is left out.
   */
  allow(
    id: string,
    api: ApiNames,
    options?: {
      readonly scopes?: readonly string[]
      readonly rateLimit?: (Limit & { readonly until?: Date | undefined }) | null | undefined
    } & ActorOptions,
  ): Promise<Application<Metadata>>
  disallow(id: string, api: ApiNames, options?: ActorOptions): Promise<Application<Metadata>>
  /**
   * Adds a contact after the others, without asking its owner. Rejects with code `conflict` if the address is a contact already, and
   * with `too_many_contacts` if there are 10 contacts and open invitations.
   */
  addContact(id: string, address: string, options?: ActorOptions): Promise<Application<Metadata>>
  /**
   * Removes a contact, tells it so by e-mail within 10 minutes, and ends the invitations that it has sent. If it is the first one, the next becomes the first and gets what
   * was not delivered, as after `update`. Rejects with code `invalid_state` for the only contact.
   */
  removeContact(id: string, address: string, options?: ActorOptions): Promise<Application<Metadata>>
  /** Ends an open invitation: its link no longer works. Rejects with code `invalid_state` if there is none. */
  cancelInvitation(id: string, address: string, options?: ActorOptions): Promise<Application<Metadata>>
  /**
   * Gives the application a further key, such as one for each of its services, and resolves it this once. Rejects with code
   * `conflict` for a name that is in use, `not_granted` for a restriction that names more than the application may do, and
   * `too_many_credentials` if 20 keys are live.
   */
  addKey(
    id: string,
    options: AddCredentialOptions<ApiNames>,
  ): Promise<{ application: Application<Metadata>; credential: CredentialInfo; credentials: { clientId: string } }>
  /**
   * Gives the application public keys, with which it authenticates in place of a secret where an API's `clientAuthentication` has
   * `private_key_jwt` (RFC 7523). A key set is one of its `secrets`, with the same restrictions; end it with `endCredential()`. Rejects as
   * `addSecret` does, and with code `invalid_argument` for a set that has a private key, a kind of key that is not taken, or two keys of one
   * `kid`. A `jwksUri` is read when the application authenticates, so that its keys can change without a call.
   *
   * @example
   * ```ts
   * await auth.applications.addKeySet(id, { name: 'payments', jwksUri: 'https://partner.example/jwks.json', by: 'alice' })
   * ```
   */
  addKeySet(
    id: string,
    options: AddKeySetOptions<ApiNames>,
  ): Promise<{ application: Application<Metadata>; credential: CredentialInfo }>
  /** Replaces the keys of a key set at once. Rejects with code `invalid_argument` for another credential. */
  replaceKeySet(id: string, credentialId: string, options: ReplaceKeySetOptions): Promise<Application<Metadata>>
  /**
   * Has the address of a key set read again for the next assertion, in every process, whatever its `Cache-Control` says: keys that are
   * no longer there count no more. Rejects with code `invalid_argument` for a key set without an address, and for another credential.
   */
  reloadKeySet(id: string, credentialId: string, options?: ActorOptions): Promise<Application<Metadata>>
  /** Gives the application a further secret, in the same ways. */
  addSecret(
    id: string,
    options: AddCredentialOptions<ApiNames>,
  ): Promise<{ application: Application<Metadata>; credential: CredentialInfo; credentials: { clientSecret: string } }>
  /** Renames a live credential, or changes when it expires (null: never), or its networks (null: any). Its APIs and scopes cannot be changed. */
  updateCredential(
    id: string,
    credentialId: string,
    changes: {
      readonly name?: string
      readonly expiresAt?: Date | null
      readonly networks?: readonly string[] | null | undefined
    } & ActorOptions,
  ): Promise<Application<Metadata>>
  /** Ends a credential at once, and cancels the e-mails that would replace it. */
  endCredential(id: string, credentialId: string, options?: RevokeTokensOptions): Promise<Application<Metadata>>
  /**
   * Makes a new secret, or the first one, and resolves it this once. It has the name, the restriction and the end of the one
   * that it replaces. Of each name at most two are live. E-mails with a secret that were
   * not accepted, and claim links that were not used, are cancelled. With `deliver: 'email'` it is sent by e-mail instead,
   * and the overlap starts when the mail server accepts the e-mail.
   */
  rotateSecret(id: string, options: RotateByEmailOptions): Promise<{ application: Application<Metadata> }>
  rotateSecret(
    id: string,
    options?: RotateOptions,
  ): Promise<{ application: Application<Metadata>; credentials: { clientSecret: string } }>
  /** Makes a new key, in the same ways. Each live key works with each live secret. */
  rotateKey(id: string, options: RotateByEmailOptions): Promise<{ application: Application<Metadata> }>
  rotateKey(
    id: string,
    options?: RotateOptions,
  ): Promise<{ application: Application<Metadata>; credentials: { clientId: string } }>
  /**
   * Takes an application back after somebody else has read the mailbox of one of its contacts, for `contact`, which may be a former
   * one. In one transaction, all credentials end (also those in e-mails on their way), access tokens, other contacts,
   * invitations and requests for access; sessions and links of the contacts end before it. The new contact is to get one key, and one
   * secret if the application uses an oauth2 API: resolved here this once, or sent with `deliver: 'email'`, while the former ones end
   * at once in both cases. `credentials` is undefined then, and for a registration that waits for approval, whose e-mail goes to
   * the new contact. Status, APIs and scopes stay; `selfService` lists what contacts had got for themselves. After an error, call it again.
   */
  recover(
    id: string,
    options: { readonly contact: string; readonly deliver?: 'email' | undefined } & ActorOptions,
  ): Promise<{
    application: Application<Metadata>
    credentials: IssuedCredentials | undefined
    selfService: SelfService[]
  }>
  /** Refuses every access token issued up to now. Tokens issued after it resolved are accepted. */
  revokeTokens(id: string, options?: ActorOptions): Promise<Application<Metadata>>
}
