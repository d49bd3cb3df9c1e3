/** The reasons of refusals, and errors that need no more detail. */
export type ExplainedReason =
  | 'expired_token'
  | 'token_of_another_api'
  | 'revoked_token'
  | 'insufficient_scope'
  | 'method_not_allowed'
  | 'insufficient_scope_of_key'
  | 'method_not_allowed_of_key'
  | 'expired_key'
  | 'restricted_key'
  | 'network_not_allowed'
  | 'suspended'
  | 'not_allowed'
  | 'refused_by_host'
  | 'wrong_secret'
  | 'expired_secret'
  | 'restricted_secret'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_request'
  | 'unsupported_grant_type'
  | 'too_many_requests'
  | 'quota_exceeded'
  | 'temporarily_unavailable'
  | 'server_error'
  /** Every other. */
  | 'unknown'

/** The members of a refusal's details, as text, each after a space; empty if that is not known. */
export interface RefusalDetailsInWords {
  /** The address of the caller in brackets. */
  readonly address: string
  /** The time since something expired, such as ` 2 hours ago`. */
  readonly ago: string
  /** The name of the API in brackets and quotes. */
  readonly api: string
  /** The name of a credential in quotes. */
  readonly credential: string
  /** Scopes in brackets. */
  readonly scopes: string
  /** Seconds in brackets. */
  readonly seconds: string
}

/** The words of refusals in one language. A problem has no full stop; fixes are full sentences. */
export interface RefusalWords {
  readonly justNow: string
  quote(text: string): string
  /** A number of seconds that is not 1. */
  seconds(count: number): string
  readonly reasons: Readonly<
    Record<ExplainedReason, readonly [problem: (details: RefusalDetailsInWords) => string, fix: string]>
  >
}
