import { ApplicationError } from '../contracts/errors.js'
import type { RequestOrigin } from '../contracts/events.js'
import type { ApplicationRecord, GrantedApis } from '../contracts/application-record.js'
import type { AuditRecord } from '../contracts/store-records.js'
import type { Store } from '../contracts/store.js'
import { ownMembers } from '../lib/own-members.js'
import type { ApprovalLink, ApprovalSubject } from './approval-links.js'
import { findRequested } from './approval-requests.js'
import type { Decisions } from './decisions.js'
import { findQueuedEmail } from './queued-emails.js'

/** The subject of an operator's decision, as the pages show it. */
export type Approval = OpenApproval | ClosedApproval

export interface OpenApproval {
  readonly isOpen: true
  readonly application: ApplicationRecord
  readonly requested: GrantedApis
  readonly requestedAt: number
  /** The origin of the request; undefined if the host made it. */
  readonly address: string | undefined
  readonly by: string | undefined
}

/** Nothing is left to decide. */
export interface ClosedApproval {
  readonly isOpen: false
  /** Without a name if it was deleted. */
  readonly application: ApplicationRecord
  /** Undefined if the audit log does not tell, such as for a registration whose e-mail was cancelled. */
  readonly outcome: ApprovalOutcome | undefined
}

export interface ApprovalOutcome {
  /** The outcome; `deleted` without a decision. */
  readonly kind: 'approved' | 'denied' | 'deleted'
  readonly at: number
  readonly by: string | undefined
  readonly reason: string | undefined
}

export type Decision = { readonly approve: true } | { readonly approve: false; readonly reason: string }

/** Decisions by the links in operators' e-mails. */
export interface Approvals {
  /** Undefined for an application that does not exist. */
  find(subject: ApprovalSubject): Promise<Approval | undefined>
  /** Resolves true if this call has decided, and false if nothing was left to decide. */
  decide(link: ApprovalLink, decision: Decision, origin: RequestOrigin): Promise<boolean>
}

interface ApprovalsOptions {
  readonly store: Store
  readonly decisions: Decisions
  /** Resolves once the store is open. */
  readonly opened: () => Promise<unknown>
}

export function createApprovals({ store, decisions, opened }: ApprovalsOptions): Approvals {
  /** A registration waits as long as its e-mail does: one whose e-mail was cancelled cannot be approved. */
  async function isWaiting(subject: ApprovalSubject): Promise<boolean> {
    if (subject.api !== undefined) return true
    const email = await findQueuedEmail(store, subject.applicationId, 'registration')
    return email?.state === 'held'
  }

  return {
    async find(subject) {
      await opened()
      const application = await store.findApplication(subject.applicationId)
      if (!application) return undefined
      const requested = findRequested(subject, application)
      const { request, outcome } = await readAudit(store, subject)
      if (!requested || !(await isWaiting(subject))) {
        return { isOpen: false, application, outcome: outcome && toOutcome(outcome) }
      }
      const { requestedAt } = subject
      const address = readText(request, 'address')
      return { isOpen: true, application, requested, requestedAt, address, by: request?.by }
    },
    async decide({ operator, applicationId, ...request }, decision, origin) {
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

/** The audit records of the request and of what became of it. */
interface RequestHistory {
  readonly request: AuditRecord | undefined
  readonly outcome: AuditRecord | undefined
}

/** However often the application has changed: only records of these types are read, of which there are few. */
async function readAudit(store: Store, subject: ApprovalSubject): Promise<RequestHistory> {
  const types = [...REQUESTED, ...DECIDED, 'application.deleted']
  const query = {
    after: undefined,
    limit: MAX_DECISIONS,
    applicationId: subject.applicationId,
    types,
    newestFirst: true,
  }
  const records = (await store.listAudit(query)).toReversed()
  const request = records.find((record) => isAbout(subject, record, REQUESTED))
  const outcome = records.find((record) => record.type === 'application.deleted' || isAbout(subject, record, DECIDED))
  return { request, outcome }
}

/** The limit exceeds the requests and decisions that an application has in the 14 days of a link. */
const MAX_DECISIONS = 1000

const REQUESTED: readonly string[] = ['application.registered', 'application.accessRequested']
const DECIDED: readonly string[] = ['application.approved', 'application.accessDenied']

/** An application may have asked for the same API before. */
function isAbout({ api, requestedAt }: ApprovalSubject, record: AuditRecord, types: readonly string[]): boolean {
  if (!types.includes(record.type) || readText(record, 'api') !== api) return false
  return api === undefined || record.at >= requestedAt
}

function toOutcome(record: AuditRecord): ApprovalOutcome {
  const isDenied = record.type === 'application.accessDenied' || ownMembers(record.details)['denied'] === true
  const kind = record.type === 'application.approved' ? 'approved' : isDenied ? 'denied' : 'deleted'
  return { kind, at: record.at, by: record.by, reason: readText(record, 'reason') }
}

function readText(record: AuditRecord | undefined, name: string): string | undefined {
  const value = record && ownMembers(record.details)[name]
  return typeof value === 'string' ? value : undefined
}
