import type { Scheme } from './api.js'

/** A guard's requirements of a request. */
export interface GuardDescription {
  /** Whether it lets a request without a credential pass. */
  readonly optional: boolean
  /** Whether it refuses requests now; false for one that only reports those that it would refuse (`reportOnly`). */
  readonly enforces: boolean
  /** The credentials that it accepts: one, or those of the guards of `requireAny()`. */
  readonly accepts: readonly AcceptedCredential[]
}

/** The credentials of one API. */
export interface AcceptedCredential {
  readonly api: string
  /** The API's resource identifier, by which it differs from an API of another platform. */
  readonly resource: string
  readonly scheme: Scheme
  /** Whether bearer tokens of other issuers go to a guard of the host. */
  readonly otherIssuers: boolean
  /** Whether `onDenied`, of the guard or the platform, writes the refusals. */
  readonly hasOwnAnswers: boolean
  /** The scopes that a request method needs; undefined if the guard allows none of its requests. */
  readonly scopesFor: (
    method: string,
  ) => { readonly scopes: readonly string[]; readonly anyScope: readonly string[] } | undefined
}
