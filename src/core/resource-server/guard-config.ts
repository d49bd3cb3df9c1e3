import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AllowConfig } from './allow.js'
import type { RequestCost } from './cost.js'
import type { Refused } from './failure.js'
import type { OtherIssuersGuard, IsOfOtherIssuer } from './other-issuers.js'
import type { Identity } from './identity.js'
import type { AuthenticateRequest } from './passport-adapter.js'
import type { FindRequirement } from './requirement.js'

/** A guard: middleware for Express 4, Express 5 and connect. It leaves the types of a route's handlers as they are. */
export type Guard = (req: IncomingMessage, res: ServerResponse, next: Next) => void

export type Next = (error?: unknown) => void

/** The parts in which guards differ. */
export interface GuardConfig extends AllowConfig {
  readonly findRequirement: FindRequirement
  readonly cost: RequestCost
  readonly optional: boolean
  /** The host's guard for the credentials of others. */
  readonly otherIssuers: { readonly guard: OtherIssuersGuard; readonly isOfOtherIssuer: IsOfOtherIssuer } | undefined
  /** The headers that may carry the credential, as they are written. */
  readonly headerNames: readonly string[]
  /** The form of such a header. */
  readonly form: string
  /** The header that Passport's strategy reads. */
  readonly header: 'authorization' | 'x-api-key'
  /** The value of that header, or the reason why there is no credential to authenticate. */
  readonly readCredential: (req: IncomingMessage) => string | MissingCredential
  /** The decision from memory alone: an identity, the reason of a refusal, or null if the credential must be verified. */
  readonly recall: (
    credential: string,
    req: IncomingMessage,
  ) => Identity | Refused | 'malformed' | Promise<Refused> | null
  /** Verifies the credential with Passport's strategy. */
  readonly authenticate: AuthenticateRequest
}

/** The reason why a request has no credential to authenticate: a key of the requirement's `errors`. */
export interface MissingCredential {
  readonly reason: string
}
