import type { ActorOptions, ApiGrants, KeySetSource, OperatorData } from '../../core/applications/call-options.js'
import type { Application } from '../../core/applications/application.js'
import type { Language } from '../../shared/contracts/email-content.js'
import type { Middleware } from '../../core/http/middleware.js'

/** `auth.registration`: how applications are registered by their developers. */
export interface Registration<ApiNames extends string = string, Input = object, Metadata = Record<string, unknown>> {
  /**
   * Resolves once the application and its queued e-mail are stored, without waiting for the mail
   * server. Credentials are made when the e-mail is sent, and are never resolved here.
   */
  register(
    application: {
      readonly name: string
      readonly contact: string
      readonly apis: ApiGrants<ApiNames>
      readonly language?: Language | undefined
      /** Public keys in place of a secret, needed where an API takes nothing else. */
      readonly keySet?: KeySetSource | undefined
      /** The version of the terms that the contact has accepted, if it has: that of the option `terms`. */
      readonly terms?: string | undefined
    } & OperatorData<Input> &
      ActorOptions,
  ): Promise<{ application: Application<Metadata> }>
  /**
   * Requests access as a contact does at the portal: adds an API with `registration: 'automatic'` at once, and stores a request for
   * one with `manual`, or for access that `disallow` or `allow` took away, until `approve` or `deny` decides it. At most
   * `registrationScopes` can be requested; all of them if `scopes` is left out. Scopes that the application has there already stay.
   * Rejects with code `api_closed` for an API that takes no registrations, and with `invalid_state` for an application that is not
   * active.
   */
  requestAccess(
    id: string,
    request: { readonly api: ApiNames; readonly scopes?: readonly string[] } & ActorOptions,
  ): Promise<Application<Metadata>>
  /**
   * The registration form and JSON at `/`, and the pages at `/decide` on which operators decide. The console serves it at
   * `/register`; without the console mount it at `{developersUrl}/register`.
   */
  readonly router: Middleware
}
