import type { ApplicationStatus } from '../contracts/store.js'
import type { Application } from './application.js'
import type { ApiGrants } from './validation.js'

/** Who makes a change, for the audit. */
export interface ActorOptions {
  /** A person, a job or a ticket: whatever you will look for later. */
  readonly by?: string
}

/** An application's credentials in clear: shown once, and never again. */
export interface IssuedCredentials {
  /** The key: `client_id`, and the value of `X-Api-Key`. */
  readonly clientId: string
  /** Undefined where the application uses no oauth2 API. */
  readonly clientSecret?: string
}

/** How a rotation goes. */
export interface RotateOptions extends ActorOptions {
  /** Seconds that the old value goes on working; 86,400 if left out, 0 to end it at once. */
  readonly overlap?: number
}

/** How a rotation by email goes. */
export interface RotateByEmailOptions extends RotateOptions {
  readonly deliver: 'email'
}

/**
 * `auth.applications`: who may call the platform's APIs. Every change is stored with its audit record before the call
 * resolves, and holds for the next request. An unknown id rejects with code `application_not_found`, a call that the
 * application's state does not allow with `invalid_state`; 503 and `store_unavailable` where the store can't answer.
 */
export interface Applications<ApiNames extends string = string> {
  /**
   * The public way in: resolves once the application is stored together with the email that is to be sent, without
   * waiting for mail. Credentials are made when the email is, and are never resolved here. Throws `ConfigurationError`
   * without a `mailer`.
   */
  register(
    application: {
      readonly name: string
      readonly contact: string
      readonly apis: ApiGrants<ApiNames>
    } & ActorOptions,
  ): Promise<{ application: Application }>
  /** Lets a registration go on that touches an API with `registration: 'manual'`. */
  approve(id: string, options?: ActorOptions): Promise<Application>
  /** Makes an active application and resolves its credentials, this once. Sends nothing. */
  create(
    application: {
      readonly name: string
      readonly contact?: string
      readonly apis: ApiGrants<ApiNames>
    } & ActorOptions,
  ): Promise<{ application: Application; credentials: IssuedCredentials }>
  /** The application, a deleted one included, or undefined. */
  get(id: string): Promise<Application | undefined>
  /** Oldest first, 100 at a time unless `limit` says otherwise; `next` is the `after` of the page that follows. */
  list(query?: {
    readonly after?: string | undefined
    readonly limit?: number | undefined
    readonly api?: ApiNames | undefined
    readonly status?: ApplicationStatus | undefined
  }): Promise<{ items: Application[]; next?: string }>
  update(
    id: string,
    changes: { readonly name?: string; readonly contact?: string } & ActorOptions,
  ): Promise<Application>
  /** From the next request on its credentials and access tokens are refused, until `resume`. */
  suspend(id: string, options?: ActorOptions): Promise<Application>
  resume(id: string, options?: ActorOptions): Promise<Application>
  /** For ever: name, contact and hashes are erased, id and audit stay. */
  delete(id: string, options?: ActorOptions): Promise<Application>
  /** Replaces what the application may do at an API; all its scopes when left out. */
  allow(
    id: string,
    api: ApiNames,
    options?: { readonly scopes?: readonly string[] } & ActorOptions,
  ): Promise<Application>
  disallow(id: string, api: ApiNames, options?: ActorOptions): Promise<Application>
  /**
   * A new secret, resolved this once; the first one where there was none. At most two are live. With `deliver: 'email'` it
   * is mailed instead, and the overlap begins when the email has been accepted.
   */
  rotateSecret(id: string, options: RotateByEmailOptions): Promise<{ application: Application }>
  rotateSecret(
    id: string,
    options?: RotateOptions,
  ): Promise<{ application: Application; credentials: { clientSecret: string } }>
  /** A new key, in the same ways. At most two are live, and either goes with any live secret. */
  rotateKey(id: string, options: RotateByEmailOptions): Promise<{ application: Application }>
  rotateKey(
    id: string,
    options?: RotateOptions,
  ): Promise<{ application: Application; credentials: { clientId: string } }>
  /** Every access token issued up to now is refused; those issued after it resolved are good. */
  revokeTokens(id: string, options?: ActorOptions): Promise<Application>
}
