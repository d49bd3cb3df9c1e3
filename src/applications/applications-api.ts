import type { ApplicationRecord, ApplicationStatus, CredentialRecord } from '../contracts/store.js'
import { isLive } from './credentials.js'

/** A list of API names, each with all scopes that it has now; or name -> the scopes granted there. */
export type ApiGrants<Name extends string = string> =
  | readonly Name[]
  | { readonly [Each in Name]?: { readonly scopes?: readonly string[] } }

/** A live key or secret as `auth.applications` shows it. */
export interface CredentialInfo {
  /** Its first characters, by which people tell one from another. */
  readonly prefix: string
  readonly createdAt: Date
  /** Undefined while it does not expire. */
  readonly expiresAt: Date | undefined
  /** Undefined while it has never been used. */
  readonly lastUsedAt: Date | undefined
}

/** An application: a client of the platform's APIs. */
export interface Application {
  /** Public, and never changes; `sub` and `client_id` of its access tokens. */
  readonly id: string
  readonly name: string
  /** The address that e-mails go to. */
  readonly contact: string | undefined
  readonly status: ApplicationStatus
  /** The APIs that it may use, with the scopes granted there. */
  readonly apis: Readonly<Record<string, { readonly scopes: readonly string[] }>>
  /** Newest first. */
  readonly keys: readonly CredentialInfo[]
  /** Newest first. */
  readonly secrets: readonly CredentialInfo[]
  readonly createdAt: Date
}

/** Who makes a change, for the audit log. */
export interface ActorOptions {
  /** A person, a job or a ticket. */
  readonly by?: string
}

/** An application's credentials in plain text: resolved once, and never again. */
export type IssuedCredentials = ClientCredentials | KeyOnly

interface KeyOnly {
  /** The key: `client_id`, and the value of the header of key APIs (`X-Api-Key`). */
  readonly clientId: string
  /** Undefined if the application uses no oauth2 API. */
  readonly clientSecret?: never
}

interface ClientCredentials extends Omit<KeyOnly, 'clientSecret'> {
  readonly clientSecret: string
}

/** The options of a call that can also end access tokens. */
export interface RevokeTokensOptions extends ActorOptions {
  /** Also refuses every access token issued up to now, in the same transaction; `false` if left out. */
  readonly revokeTokens?: boolean
}

/** The options of a rotation. */
export interface RotateOptions extends RevokeTokensOptions {
  /** Seconds for which the old value still works; 86,400 if left out, 0 to end it at once. */
  readonly overlap?: number
}

/** The options of a rotation by e-mail. */
export interface RotateByEmailOptions extends RotateOptions {
  readonly deliver: 'email'
}

/**
 * `auth.applications`: who may call the platform's APIs. Every change is stored with its audit record before the call
 * resolves, and holds for the next request. An unknown id rejects with code `application_not_found`, a call that the
 * application's status does not allow with `invalid_state`. If the store does not answer, calls reject with
 * `store_unavailable`.
 */
export interface Applications<ApiNames extends string = string> {
  /**
   * The public way in: resolves once the application and its queued e-mail are stored, without waiting for the mail
   * server. Credentials are made when the e-mail is sent, and are never resolved here. Throws `ConfigurationError`
   * without a `mailer`.
   */
  register(
    application: {
      readonly name: string
      readonly contact: string
      readonly apis: ApiGrants<ApiNames>
    } & ActorOptions,
  ): Promise<{ application: Application }>
  /** Approves a registration that includes an API with `registration: 'manual'`. */
  approve(id: string, options?: ActorOptions): Promise<Application>
  /** Deletes a pending application, as `delete` does. */
  deny(id: string, options?: ActorOptions): Promise<Application>
  /** Creates an active application and resolves its credentials, this once. Sends nothing. */
  create(
    application: {
      readonly name: string
      readonly contact?: string
      readonly apis: ApiGrants<ApiNames>
    } & ActorOptions,
  ): Promise<{ application: Application; credentials: IssuedCredentials }>
  /** The application, also when it is deleted, or undefined. */
  get(id: string): Promise<Application | undefined>
  /** Oldest first, 100 at a time unless `limit` (1 to 1000) is given; `next` is the `after` of the next page. */
  list(query?: {
    readonly after?: string | undefined
    readonly limit?: number | undefined
    readonly api?: ApiNames | undefined
    readonly status?: ApplicationStatus | undefined
    /** Only those with a live credential that expires before that time. */
    readonly expiringBefore?: Date | undefined
  }): Promise<{ items: Application[]; next?: string }>
  /**
   * A new contact also gets the e-mails that were not accepted and those whose claim link was not used. What they sent to
   * the former contact ends.
   */
  update(
    id: string,
    changes: { readonly name?: string; readonly contact?: string } & ActorOptions,
  ): Promise<Application>
  /**
   * From the next request on, its credentials and access tokens are refused, until `resume`; its access tokens for ever with
   * `revokeTokens: true`. Claim links end, and queued e-mails are not sent before it is resumed.
   */
  suspend(id: string, options?: RevokeTokensOptions): Promise<Application>
  /** A registration that was suspended while it was pending is pending again. */
  resume(id: string, options?: ActorOptions): Promise<Application>
  /** Cannot be undone: erases name, contact and hashes; keeps id and audit log. */
  delete(id: string, options?: ActorOptions): Promise<Application>
  /** Replaces what the application may do at an API; all scopes of the API if `scopes` is left out. */
  allow(
    id: string,
    api: ApiNames,
    options?: { readonly scopes?: readonly string[] } & ActorOptions,
  ): Promise<Application>
  disallow(id: string, api: ApiNames, options?: ActorOptions): Promise<Application>
  /**
   * Makes a new secret, or the first one, and resolves it this once. At most two are live. E-mails with a secret that were
   * not accepted, and claim links that were not used, are cancelled. With `deliver: 'email'` it is sent by e-mail instead,
   * and the overlap starts when the mail server accepts the e-mail.
   */
  rotateSecret(id: string, options: RotateByEmailOptions): Promise<{ application: Application }>
  rotateSecret(
    id: string,
    options?: RotateOptions,
  ): Promise<{ application: Application; credentials: { clientSecret: string } }>
  /** Makes a new key, in the same ways. At most two are live; each works with each live secret. */
  rotateKey(id: string, options: RotateByEmailOptions): Promise<{ application: Application }>
  rotateKey(
    id: string,
    options?: RotateOptions,
  ): Promise<{ application: Application; credentials: { clientId: string } }>
  /** Refuses every access token issued up to now. Tokens issued after it resolved are accepted. */
  revokeTokens(id: string, options?: ActorOptions): Promise<Application>
}

/** The public form of a record: live credentials only, no hashes, instants as `Date`. */
export function toApplication(record: ApplicationRecord, now: number): Application {
  const { id, name, contact, status, keys, secrets, createdAt } = record
  const showLive = (credentials: readonly CredentialRecord[]): CredentialInfo[] =>
    credentials.filter((credential) => isLive(credential, now)).map(toCredentialInfo)
  return {
    id,
    name,
    contact,
    status,
    apis: structuredClone(record.apis),
    keys: showLive(keys),
    secrets: showLive(secrets),
    createdAt: new Date(createdAt),
  }
}

function toCredentialInfo({ prefix, createdAt, expiresAt, lastUsedAt }: CredentialRecord): CredentialInfo {
  return {
    prefix,
    createdAt: new Date(createdAt),
    expiresAt: toDate(expiresAt),
    lastUsedAt: toDate(lastUsedAt),
  }
}

function toDate(milliseconds: number | undefined): Date | undefined {
  return milliseconds === undefined ? undefined : new Date(milliseconds)
}
