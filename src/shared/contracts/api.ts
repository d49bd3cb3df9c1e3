import type { JsonObject } from './application-record.js'

/** The protection of an API: bearer access tokens, or the application's key in a header. */
export type Scheme = 'oauth2' | 'apiKey'

/** At most `limit` requests in `window` seconds. */
export interface Limit {
  /** A whole number of at least 1. */
  readonly limit: number
  /** Seconds. */
  readonly window: number
}

/** A year of 365 days. */
export const MAX_WINDOW_SECONDS = 31_536_000

interface CommonApiOptions extends ReportOnlyOptions {
  /** Scope (RFC 6749 3.3) -> what it allows, in words. No scopes if left out. */
  readonly scopes?: Readonly<Record<string, string>> | undefined
  /** The scopes that a registration may grant; all if left out. */
  readonly registrationScopes?: readonly string[] | undefined
  /** The API's name in the console and in e-mails; its key in `apis` if left out. */
  readonly title?: string | undefined
  /** One or two sentences for developers, in the console and the registration form. */
  readonly description?: string | undefined
  /**
   * Whether guards remove the credential from the headers of requests that they let pass, so that handlers, proxies and loggers
   * behind them do not see it; false if left out.
   */
  readonly hideCredential?: boolean | undefined
  /** Limits requests per application to this API; replaces `rateLimits.requests`. `false`: no limit. */
  readonly rateLimit?: Limit | false | undefined
  /**
   * Whether applications can register for it: at once (`automatic`), after `approve()` (`manual`), or not (`closed`). If left
   * out, `manual` for an oauth2 API and `automatic` for a key API.
   */
  readonly registration?: Registration | undefined
  /**
   * Days after which credentials that can be used here end: keys at a key API, secrets at an oauth2 API. The earliest end
   * counts: of `credentials.maxAge`, and of every API where a credential can be used. None if left out.
   */
  readonly credentialMaxAge?: number | undefined
  /** The data of your own that resource servers of this API learn of a caller by introspection; none if left out. */
  readonly introspection?: readonly ('externalId' | 'metadata')[] | undefined
}

/**
 * How a client authenticates (RFC 6749 2.3, OpenID Connect Core 9): with its secret by HTTP Basic or in the form, or with an assertion that it
 * signed with its private key (RFC 7523).
 */
export type ClientAuthenticationMethod = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** The ways of registering for an API. */
export type Registration = 'automatic' | 'manual' | 'closed'

/** The application that calls an API. */
export interface CallerApplication<Metadata = Record<string, unknown>> {
  /** The public id, which never changes. */
  readonly id: string
  readonly name: string
  /** Your own id for the application, given to `create`, `register` or `update`. */
  readonly externalId: string | undefined
  /** Your own data on the application, given to `create`, `register` or `update`. */
  readonly metadata: Metadata | undefined
}

/**
 * Returns further claims of an application's access tokens, or a promise of them within 5 seconds: a JSON object of at most
 * 2 KiB. If it throws, or returns anything else or a name that RFC 7519, RFC 9068 or another specification defines, the token
 * request is answered with 500 `server_error`, and the cause is logged. A token keeps its claims until it expires.
 */
export type CreateClaims<Metadata = Record<string, unknown>> = {
  // A method, because its parameter may be narrower: with `metadata`, the schema's type.
  claims(application: CallerApplication<Metadata>): JsonObject | Promise<JsonObject>
}['claims']

/** An API that is called with `Authorization: Bearer <access token>` (RFC 6750): for data of one application. */
// oxlint-disable-next-line typescript/no-explicit-any -- options that are no part of a platform's have no schema
export interface OAuth2ApiOptions<Metadata = any> extends CommonApiOptions {
  readonly scheme: 'oauth2'
  /** Seconds until this API's access tokens expire; the platform's `tokens.lifetime` if left out. */
  readonly accessTokenLifetime?: number | undefined
  /** Adds claims to this API's access tokens; none if left out. */
  readonly claims?: CreateClaims<Metadata> | undefined
  /** How clients may authenticate; `client_secret_basic` and `client_secret_post` if left out. */
  readonly clientAuthentication?: readonly ClientAuthenticationMethod[] | undefined
  /** Access tokens are sent in `Authorization`. */
  readonly header?: never
  readonly defaultScopes?: never
}

/** An API that is called with `X-Api-Key: <key>`: for data that is the same for every application. */
export interface ApiKeyApiOptions extends CommonApiOptions {
  readonly scheme: 'apiKey'
  /**
   * The header that carries the key, for a platform whose callers know another name; `X-Api-Key` if left out. If there are two
   * names, a request has one of them; console, e-mails and challenges name the first. The second may be `Authorization`: the key
   * is then a bearer token, or the user name of HTTP Basic with an empty password.
   */
  readonly header?: string | readonly string[] | undefined
  /**
   * The scopes of applications and keys that were granted none here, such as those from before the API had scopes; none if left
   * out. So scopes can be added to an API that is in use: with the scope for reading here, nobody gets more by that.
   */
  readonly defaultScopes?: readonly string[] | undefined
  readonly accessTokenLifetime?: never
  readonly claims?: never
}

/** One entry of the option `apis`. */
// oxlint-disable-next-line typescript/no-explicit-any -- as above
export type ApiOptions<Metadata = any> = OAuth2ApiOptions<Metadata> | ApiKeyApiOptions

/** The option `apis`: name -> options of the API. */
// oxlint-disable-next-line typescript/no-explicit-any -- as above
export type ApisOptions<Metadata = any> = Readonly<Record<string, ApiOptions<Metadata>>>

/** An API as `auth.apis` shows it. */
export interface Api {
  readonly name: string
  readonly title: string
  readonly description: string | undefined
  readonly scheme: Scheme
  /** Scope -> what it allows; empty if the API has no scopes. */
  readonly scopes: Readonly<Record<string, string>>
  /** The scopes of applications and keys that were granted none; undefined if they have none. */
  readonly defaultScopes?: readonly string[] | undefined
  /** Whether guards remove the credential from requests that they let pass. */
  readonly hideCredential?: boolean | undefined
  /** How clients authenticate at its endpoints (RFC 8414 2); empty for a key API. */
  readonly clientAuthentication: readonly ClientAuthenticationMethod[]
  /** The URL of the token endpoint (RFC 6749 3.2); undefined for a key API. */
  readonly tokenEndpoint: string | undefined
  /** The headers that may carry a key, the one to use first; empty for an oauth2 API. */
  readonly keyHeaders: readonly string[]
  /** `{baseUrl}/{name}`: the resource identifier (RFC 8707). For an oauth2 API also issuer and audience of its access tokens. */
  readonly resource: string
}

/** The names of the APIs with one scheme; any string if `apis` has the type of a plain record. */
export type ApiName<Apis extends ApisOptions, S extends Scheme> = string extends keyof Apis
  ? string
  : {
      [Name in keyof Apis & string]: Apis[Name] extends { readonly scheme: S } ? Name : never
    }[keyof Apis & string]

/** The scopes of one API; any string if `apis` has the type of a plain record. */
export type ScopeOf<Apis extends ApisOptions, Name> = string extends keyof Apis
  ? string
  : Name extends keyof Apis
    ? Apis[Name] extends { readonly scopes: infer Scopes }
      ? keyof Scopes & string
      : never
    : never

/** Whether guards refuse requests: an option of a platform, of an API and of a guard. The guard's counts first, then the API's. */
export interface ReportOnlyOptions {
  /**
   * True, or an end: a guard lets the requests pass that it would refuse, and reports them (with `usage()`: `auth.usage.reportOnly()`). Unless `NODE_ENV` is
   * `development` or `test` it needs the end, the day from whose beginning in UTC guards refuse, at most 90 days ahead when the
   * process starts: `{ until: '2027-01-31' }`. True has the end of the API or of the platform. False, the default: guards refuse.
   */
  readonly reportOnly?: boolean | ReportOnlyEnd | undefined
}

export interface ReportOnlyEnd {
  /** The day as YYYY-MM-DD. */
  readonly until: string
}
