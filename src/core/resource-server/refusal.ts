import type { Denial, OAuthError } from '../../shared/contracts/denial.js'
import type { RefusalDetails } from '../../shared/contracts/usage.js'
import { Identity } from './identity.js'

export type TokenFailureReason =
  | 'invalidToken'
  | 'expiredToken'
  | 'tokenOfAnotherApi'
  | 'revokedToken'
  | 'unknownClient'
  | 'suspended'
  | 'notAllowed'
export type KeyFailureReason = 'invalidApiKey' | 'expiredApiKey' | 'suspended' | 'notAllowed' | 'restrictedKey'

/** The reason why a credential is refused: a `Failure` if its application is known; the refusal of a limit that its owner exceeds. */
export type Refused = TokenFailureReason | KeyFailureReason | Failure | OAuthError

/** A problem of a known caller, by a valid signature or an existing key: it counts as the application's usage. */
export class Failure<Problem = TokenFailureReason | KeyFailureReason | Error> {
  readonly problem: Problem
  readonly caller: Identity | string
  /** Details for the list of refusals, never with a part of the credential. */
  readonly details: RefusalDetails | undefined

  constructor(problem: Problem, caller: Identity | string, details?: RefusalDetails) {
    this.problem = problem
    this.caller = caller
    this.details = details
  }
}

/** The caller of a refused request: as authenticated, or the id of an application whose credential is not good. */
export type RefusedCaller = Identity | string | undefined

/** A refusal of a request: what is sent, and beside it what only operators learn. */
export interface Refusal {
  readonly denied: Denial
  /** For events, usage and the log. */
  readonly reason: string
  readonly caller: RefusedCaller
  readonly cause: unknown
  readonly details: RefusalDetails | undefined
}

export function findApplicationId(caller: RefusedCaller): string | undefined {
  return caller instanceof Identity ? caller.application.id : caller
}
