/** How an API is protected: bearer access tokens, or the application's key in `X-Api-Key`. */
export type Scheme = 'oauth2' | 'apiKey'

/** At most `limit` requests in `window` seconds. */
export interface Limit {
  /** How many, a whole number of at least 1. */
  readonly limit: number
  /** Within how many seconds. */
  readonly window: number
}

interface CommonApiOptions {
  /** What people call it; its name if left out. */
  readonly title?: string | undefined
  /** One or two sentences for the developers who will call it. */
  readonly description?: string | undefined
  /** Requests per application to this API; overrides `rateLimits.requests`, `false` lifts it. */
  readonly rateLimit?: Limit | false | undefined
  /**
   * Whether applications may register for it themselves: at once, after `approve()`, or not at all. `manual` if left
   * out for an oauth2 API, `automatic` for a key API.
   */
  readonly registration?: Registration | undefined
}

/** How applications come to an API by themselves. */
export type Registration = 'automatic' | 'manual' | 'closed'

/** A sensitive API, called with `Authorization: Bearer <access token>` (RFC 6750). */
export interface OAuth2ApiOptions extends CommonApiOptions {
  readonly scheme: 'oauth2'
  /** Scope (RFC 6749 3.3) -> what it allows, in words. An API without any has none. */
  readonly scopes?: Readonly<Record<string, string>> | undefined
  /** Those of the scopes that a registration may grant; all if left out. */
  readonly registrationScopes?: readonly string[] | undefined
  /** Seconds that this API's access tokens last; `accessTokenLifetime` of the platform if left out. */
  readonly accessTokenLifetime?: number | undefined
}

/** Less sensitive content, called with `X-Api-Key: <key>`. */
export interface ApiKeyApiOptions extends CommonApiOptions {
  readonly scheme: 'apiKey'
  /** Keys have no scopes: what belongs to one application is for an oauth2 API. */
  readonly scopes?: never
  readonly accessTokenLifetime?: never
  readonly registrationScopes?: never
}

/** One entry of the option `apis`. */
export type ApiOptions = OAuth2ApiOptions | ApiKeyApiOptions

/** The option `apis`: name -> what it is. */
export type ApisOptions = Readonly<Record<string, ApiOptions>>

/** An API as `auth.apis` shows it. */
export interface Api {
  readonly name: string
  readonly title: string
  readonly description: string | undefined
  readonly scheme: Scheme
  /** Scope -> what it allows; empty for an API without scopes. */
  readonly scopes: Readonly<Record<string, string>>
  /** Where applications get access tokens (RFC 6749 3.2); undefined for a key API. */
  readonly tokenEndpoint: string | undefined
  /** `{baseUrl}/{name}`: the identifier of RFC 8707, and for an oauth2 API the issuer and the audience of its tokens. */
  readonly resource: string
}

/** The names of the APIs with one scheme; any string where `apis` was typed as a plain record. */
export type ApiName<Apis extends ApisOptions, S extends Scheme> = string extends keyof Apis
  ? string
  : {
      [Name in keyof Apis & string]: Apis[Name] extends { readonly scheme: S } ? Name : never
    }[keyof Apis & string]

/** The scopes of one API; any string where `apis` was typed as a plain record. */
export type ScopeOf<Apis extends ApisOptions, Name> = string extends keyof Apis
  ? string
  : Name extends keyof Apis
    ? Apis[Name] extends { readonly scopes: infer Scopes }
      ? keyof Scopes & string
      : never
    : never
