import type { Core } from '../../feature.js'
import { ApplicationError } from '../../shared/contracts/errors.js'
import type { RequestOrigin } from '../../shared/contracts/events.js'
import type { ApplicationRecord, DecidedRequest, GrantedApis } from '../../shared/contracts/application-record.js'
import {
  findRequested,
  type ApprovalLink,
  type ApprovalSubject,
} from '../../core/applications/decisions/approval-requests.js'
import { createRegisteredKeySet, formatRecordedKeySet } from '../../core/applications/credentials/key-sets.js'
import { findDecided, readAsker, type Asker } from '../../core/applications/decisions/decided-requests.js'
import type { Decisions } from '../../core/applications/decisions/decisions.js'
import { findQueuedEmail } from '../../core/applications/queue/queued-emails.js'

export type Approval = OpenApproval | ClosedApproval

export interface OpenApproval extends Asker {
  readonly isOpen: true
  readonly application: ApplicationRecord
  readonly requested: GrantedApis
  readonly requestedAt: number
  readonly publicKeys: readonly string[] | undefined
}

/** A request about which nothing is left to decide. */
export interface ClosedApproval {
  readonly isOpen: false
  /** The application, without a name if it was deleted. */
  readonly application: ApplicationRecord
  /** Undefined for a request that was neither decided nor withdrawn, such as a registration whose e-mail was cancelled. */
  readonly decided: DecidedRequest | undefined
}

export type Decision = { readonly approve: true } | { readonly approve: false; readonly reason: string }

export type Approvals = ReturnType<typeof createApprovals>

export function createApprovals({ store, opened }: Core, decisions: Decisions) {
  /** Who has asked. A registration waits as long as its e-mail does: one whose e-mail was cancelled cannot be approved. */
  async function findWaiting({ api, applicationId }: ApprovalSubject) {
    if (api !== undefined) return { requestedBy: undefined, address: undefined, publicKeys: undefined }
    const email = await findQueuedEmail(store, applicationId, 'registration')
    if (email?.state !== 'held') return undefined
    return { ...readAsker(email), publicKeys: formatRecordedKeySet(createRegisteredKeySet(email, 0)) }
  }

  return {
    async find(subject: ApprovalSubject): Promise<Approval | undefined> {
      await opened()
      // Before the application, which then has the decision if there is no e-mail that waits for it any more.
      const asker = await findWaiting(subject)
      const application = await store.findApplication(subject.applicationId)
      if (!application) return undefined
      const requested = findRequested(subject, application)
      if (!requested || !asker) return { isOpen: false, application, decided: findDecided(application, subject) }
      const { api, requestedAt } = subject
      const request = application.accessRequests.find((each) => each.api === api)
      return {
        isOpen: true,
        application,
        requested,
        requestedAt,
        ...asker,
        ...(request && { requestedBy: request.by }),
      }
    },
    /** Resolves true if this call has decided, and false if nothing was left to decide. */
    async decide({ operator, applicationId, ...request }: ApprovalLink, decision: Decision, origin: RequestOrigin) {
      const actor = { by: `operator:${operator}`, origin }
      try {
        if (decision.approve) await decisions.approve(applicationId, request, actor)
        else await decisions.deny(applicationId, request, { ...actor, reason: decision.reason })
        return true
      } catch (error) {
        if (error instanceof ApplicationError && TOO_LATE.has(error.code)) return false
        throw error
      }
    },
  }
}

/** Somebody else has decided, or the application has been deleted. */
const TOO_LATE: ReadonlySet<string> = new Set(['invalid_state', 'application_not_found'])
