/** A list of API names, each with all scopes that it has now; or name -> the scopes granted there. */
export type ApiGrants<Name extends string = string> =
  | readonly Name[]
  | { readonly [Each in Name]?: { readonly scopes?: readonly string[] } }

/** The operator's data on an application. Strangers who register with the form or JSON cannot give it. */
export interface OperatorData<Metadata = object> {
  /** Your id for this application: 1 to 255 characters, compared exactly. Rejects with `conflict` if another one has it. */
  readonly externalId?: string | undefined
  /** A JSON object of at most 4 KiB, validated by the schema `metadata`. Rejects with code `invalid_argument`. */
  readonly metadata?: Metadata | undefined
}

/** The actor of a change, for the audit log. */
export interface ActorOptions {
  /** A person, a job or a ticket. */
  readonly by?: string
}

/** The options of a call that can also end access tokens. */
export interface RevokeTokensOptions extends ActorOptions {
  /** Also refuses every access token issued up to now, in the same transaction; `false` if left out. */
  readonly revokeTokens?: boolean
}

/** The options of a decision. Without `api` it is about a registration. */
export interface DecisionOptions<ApiNames extends string = string> extends ActorOptions {
  /** The API of a request for access, which an application made that exists already. */
  readonly api?: ApiNames | undefined
}

/** The options of an approval. */
export interface ApprovalOptions<ApiNames extends string = string> extends DecisionOptions<ApiNames> {
  /** With `api`: the scopes that the application may use there from now on, of those that it has and has requested; all if left out. */
  readonly scopes?: readonly string[] | undefined
  /** 1 to 500 characters, which the contact gets in the e-mail, and the audit log keeps. */
  readonly note?: string | undefined
}

/** The options of a rejection. */
export interface RejectionOptions<ApiNames extends string = string> extends DecisionOptions<ApiNames> {
  /** 1 to 500 characters, which the contact gets by e-mail and the audit log keeps. Without it nothing is sent. */
  readonly reason?: string | undefined
}

/** The options of a suspension. */
export interface SuspensionOptions extends RevokeTokensOptions {
  /** 1 to 500 characters, which the audit log keeps; the contact gets them with `notify`. */
  readonly reason?: string | undefined
  /** Whether the contact gets an e-mail; false if left out. Without a contact it rejects with code `invalid_state`. */
  readonly notify?: boolean | undefined
}

/** The options of a further key or secret. */
export interface AddCredentialOptions<ApiNames extends string = string> extends ActorOptions {
  /** 1 to 100 characters that tell people what it is for. No other live key (or secret) of the application has it. */
  readonly name: string
  /** The time from which it is refused; never if left out, or null. */
  readonly expiresAt?: Date | null
  /**
   * Restricts it to some of the application's APIs, and to these scopes there: all that the application has now, if none are
   * named. Without it, the credential may be used for everything that the application may do, also in future.
   */
  readonly apis?: ApiGrants<ApiNames>
  /** Shorthand when `apis` has a single API. */
  readonly scopes?: readonly string[]
  /** The networks from which it may be used, such as `203.0.113.0/24`; any that its application may use, if left out. */
  readonly networks?: readonly string[] | undefined
}

/** The public keys of a client: either a JWK Set (RFC 7517 5) of 1 to 10 keys, or the https address that serves one. */
export interface KeySetSource {
  readonly jwks?: object | undefined
  readonly jwksUri?: string | undefined
}

/** The options of a further key set. */
export interface AddKeySetOptions<ApiNames extends string = string>
  extends AddCredentialOptions<ApiNames>, KeySetSource {}

/** The options of `replaceKeySet`. */
export interface ReplaceKeySetOptions extends RevokeTokensOptions, KeySetSource {}

/** The options of a rotation. */
export interface RotateOptions extends RevokeTokensOptions {
  /** The id of the credential to replace. May be left out while those of the application have one name. */
  readonly credential?: string
  /**
   * The time from which the new one is refused; null for never. If left out, the time at which the replaced one would have
   * expired.
   */
  readonly expiresAt?: Date | null
  /** Seconds for which the old value still works; 86,400 if left out, 0 to end it at once. */
  readonly overlap?: number
}

/** The options of a rotation by e-mail. */
export interface RotateByEmailOptions extends Omit<RotateOptions, 'expiresAt'> {
  readonly deliver: 'email'
}
