import type { RefusalDetails } from '../../shared/contracts/usage.js'

/** The reason why an access token is refused. */
export type TokenFailureReason =
  | 'invalidToken'
  | 'expiredToken'
  | 'tokenOfAnotherApi'
  | 'revokedToken'
  | 'unknownClient'
  | 'suspended'
  | 'notAllowed'
/** The reason why an API key is refused. */
export type KeyFailureReason = 'invalidApiKey' | 'expiredApiKey' | 'suspended' | 'notAllowed' | 'restrictedKey'

/** The reason why a credential is refused: a `Failure` if its application is known. */
export type Refused = TokenFailureReason | KeyFailureReason | Failure

/**
 * The reason why the credential of a known application is refused: the signature of its access token is valid, or its key
 * exists. Unlike a reason alone, it is counted as the application's usage.
 */
export class Failure {
  /** A reason, or the thrown error. */
  readonly problem: TokenFailureReason | KeyFailureReason | Error
  readonly applicationId: string
  /** Details for the list of refusals, never with a part of the credential. */
  readonly details: RefusalDetails | undefined

  constructor(problem: Failure['problem'], applicationId: string, details?: RefusalDetails) {
    this.problem = problem
    this.applicationId = applicationId
    this.details = details
  }
}
