import type { CallerApplication } from '../../shared/contracts/api.js'

/** The facts that a guard has established about a request. `scheme` tells whether there is an access token. */
export type AuthInfo<Metadata = Record<string, unknown>> = AccessTokenInfo<Metadata> | ApiKeyInfo<Metadata>

/** The caller of an API with the scheme `oauth2`. */
export interface AccessTokenInfo<Metadata = Record<string, unknown>> extends CallerInfo<Metadata> {
  readonly scheme: 'oauth2'
  /** The access token (RFC 9068 2.2). */
  readonly token: {
    /** Its `jti`. */
    readonly id: string
    readonly issuedAt: Date
    readonly expiresAt: Date
    /** The claims that the API's option `claims` added; empty if there are none. */
    readonly claims: Record<string, unknown>
  }
}

/** The caller of an API with the scheme `apiKey`. */
export interface ApiKeyInfo<Metadata = Record<string, unknown>> extends CallerInfo<Metadata> {
  readonly scheme: 'apiKey'
  readonly token?: never
}

interface CallerInfo<Metadata> {
  /** The API's name. */
  readonly api: string
  readonly application: CallerApplication<Metadata>
  /** The scopes of the access token that are still granted, or those of the key. */
  readonly scopes: string[]
}
