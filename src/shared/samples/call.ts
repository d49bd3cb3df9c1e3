/** A call of an API, as its reader typed it. Samples contain its parts unchanged. */
export interface SampleCall {
  /** The authentication of the call; `none` for an operation without security. */
  readonly scheme: 'oauth2' | 'apiKey' | 'none'
  readonly method: string
  readonly url: string
  /** The headers without the credential, and without `Content-Type` if there is a body. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: SampleBody | undefined
  readonly tokenEndpoint?: string | undefined
  /** The scope of the token request: scopes with spaces between. Without it, all that the application has. */
  readonly scope?: string | undefined
  /** The header of the key, for `apiKey`; `X-Api-Key` if left out. */
  readonly keyHeader?: string | undefined
  readonly credentials?: SampleCredentials | undefined
}

/** Fields are sent as `application/x-www-form-urlencoded` or `multipart/...`, as `mediaType` says. */
export type SampleBody =
  | { readonly mediaType: string; readonly text: string }
  | { readonly mediaType: string; readonly fields: readonly SampleField[] }
  | { readonly mediaType: string; readonly file: SampleFile }

/** A field of a form. In `multipart/...` its part has the media type and the headers, if they are given. */
export type SampleField = {
  readonly name: string
  readonly mediaType?: string | undefined
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined
} & ({ readonly value: string } | { readonly file: SampleFile })

/** A file that the sample reads from the working directory; in browsers a File. */
export interface SampleFile {
  readonly name: string
  /** Its media type, if it is known. */
  readonly type?: string
}

/** Credentials to show in samples. For each that is missing, the sample reads an environment variable. */
export interface SampleCredentials {
  /** CLIENT_ID (`oauth2`) or API_KEY (`apiKey`). */
  readonly key?: string | undefined
  /** CLIENT_SECRET. */
  readonly secret?: string | undefined
  /** Whether CLIENT_ASSERTION, which proves a private key (RFC 7523), takes the place of the secret: in curl. */
  readonly provesKey?: boolean | undefined
}

export type SampleTokenRequest = Pick<SampleCall, 'scope' | 'credentials'> & { readonly tokenEndpoint: string }

/** An access token is no longer used that many seconds before it expires. */
export const EXPIRY_MARGIN_SECONDS = 30
