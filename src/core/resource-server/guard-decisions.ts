import type { Denial } from '../../shared/contracts/denial.js'
import type { AcceptedCredential } from '../../shared/contracts/guard-description.js'

/** A decision of a guard or a verifier about the request that is handled now. */
export interface GuardDecision {
  readonly kind:
    | 'refused'
    /** A guard that only reports would have refused the request. */
    | 'reported'
    /** An optional guard let it pass without a credential. */
    | 'optional'
    /** The credential went to the host's guard for other issuers. */
    | 'otherIssuers'
    /** `verifyAccessToken()` or `verifyApiKey()` rejected. */
    | 'notVerified'
    /** A router of the platform answers, with what everybody may see. */
    | 'public'
  readonly api: string
  /** What the guard demands; empty for a verifier, and for what a document does not describe. */
  readonly accepts: readonly AcceptedCredential[]
  readonly denied: Denial | undefined
  readonly hasOwnAnswer: boolean
}

type Listen = (decision: GuardDecision) => void

/** The decisions about requests, for tools that check an app. */
export interface GuardDecisions {
  /** Undefined while no check runs, so that a request costs nothing more. */
  note: Listen | undefined
  /** Calls `listen` within the call that decides. Returns what ends that. */
  listen(listen: Listen): () => void
}

export function createGuardDecisions(): GuardDecisions {
  const listeners = new Set<Listen>()
  const noteAll: Listen = (decision) => {
    for (const listen of listeners) listen(decision)
  }
  const decisions: GuardDecisions = {
    note: undefined,
    listen(listen) {
      // A function of its own: the same one may listen twice.
      const own: Listen = (decision) => listen(decision)
      listeners.add(own)
      decisions.note = noteAll
      return () => {
        listeners.delete(own)
        if (listeners.size === 0) decisions.note = undefined
      }
    },
  }
  return decisions
}
