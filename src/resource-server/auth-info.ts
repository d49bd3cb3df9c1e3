/** What a guard has established about a request. `scheme` tells whether there is an access token. */
export type AuthInfo = AccessTokenInfo | ApiKeyInfo

/** The caller of an API with the scheme `oauth2`. */
export interface AccessTokenInfo extends CallerInfo {
  readonly scheme: 'oauth2'
  /** The access token (RFC 9068 2.2). */
  readonly token: {
    /** Its `jti`. */
    readonly id: string
    readonly issuedAt: Date
    readonly expiresAt: Date
  }
}

/** The caller of an API with the scheme `apiKey`. */
export interface ApiKeyInfo extends CallerInfo {
  readonly scheme: 'apiKey'
  readonly token?: never
}

interface CallerInfo {
  /** The API's name. */
  readonly api: string
  readonly application: {
    /** Public, and never changes. */
    readonly id: string
    readonly name: string
  }
  /** The scopes of the access token that are still granted; empty for an API with API keys. */
  readonly scopes: string[]
}
