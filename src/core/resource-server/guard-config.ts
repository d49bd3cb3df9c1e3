import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from '../../shared/contracts/api.js'
import type { Denial } from '../../shared/contracts/denial.js'
import type { ReadClient } from '../../shared/contracts/events.js'
import type { AcceptedCredential } from '../../shared/contracts/guard-description.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import type { Next } from '../http/middleware.js'
import type { OnDenied } from '../options/options.js'
import type { AllowRequest, RequestCost } from './guard-options.js'
import type { Identity } from './identity.js'
import type { IsOfOtherIssuer, OtherIssuersGuard } from './other-issuers.js'
import type { AuthenticateRequest } from './passport-adapter.js'
import type { Refused } from './refusal.js'
import type { FindRequirement } from './requirement.js'

/** What refuses a request, or reports that it would. */
export interface DenialConfig {
  readonly api: Api
  /** The credentials with which the request would have passed. */
  readonly accepts: readonly AcceptedCredential[]
  readonly onDenied: OnDenied | undefined
  /** The end, in milliseconds since 1970 (Infinity for none), until which refusals are only reported. */
  readonly reportOnly: { readonly until: number } | undefined
  /** The host's guard, which decides if a refusal is only reported. If undefined, the request goes on. */
  readonly hostGuard: OtherIssuersGuard | undefined
  /** The client that a request presents, for events. */
  readonly readClient: ReadClient
  /** Removes the credential from a request that goes on; undefined where handlers may see it. */
  readonly hideCredential: ((req: IncomingMessage) => void) | undefined
  /** Removes every other credential of this platform from the headers that the guard reads; undefined where handlers may see them. */
  readonly hideOthers: ((req: IncomingMessage) => MaybePromise<void>) | undefined
  readonly prepareResponse: ((res: ServerResponse) => void) | undefined
}

export interface GuardConfig extends DenialConfig {
  readonly findRequirement: FindRequirement
  readonly cost: RequestCost
  readonly allow: AllowRequest | undefined
  readonly formatErrorChallenge: (error: Denial['error'], description: string, status: number) => string
  readonly optional: boolean
  readonly otherIssuers: { readonly guard: OtherIssuersGuard; readonly isOfOtherIssuer: IsOfOtherIssuer } | undefined
  /** The headers that may carry the credential, as they are written. */
  readonly headerNames: readonly string[]
  readonly form: string
  readonly header: 'authorization' | 'x-api-key'
  /** The value of that header, or the reason why there is no credential to authenticate. */
  readonly readCredential: (req: IncomingMessage) => string | MissingCredential
  /** The decision from memory alone: an identity, the reason of a refusal, or null if the credential must be verified. */
  readonly recall: (
    credential: string,
    req: IncomingMessage,
  ) => Identity | Refused | 'malformed' | Promise<Refused> | null
  readonly authenticate: AuthenticateRequest
}

export type Pass = (req: IncomingMessage, res: ServerResponse, next: Next, identity: Identity) => void

/** The reason why a request has no credential to authenticate: a key of the requirement's `errors`. */
export interface MissingCredential {
  readonly reason: string
}

export const NO_CREDENTIAL: MissingCredential = { reason: 'noCredential' }
export const DUPLICATE_CREDENTIAL: MissingCredential = { reason: 'duplicateCredential' }
export const MALFORMED_CREDENTIAL: MissingCredential = { reason: 'malformed' }
export const TOO_LONG_CREDENTIAL: MissingCredential = { reason: 'tooLong' }
