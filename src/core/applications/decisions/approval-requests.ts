import type { ApplicationRecord, GrantedApis } from '../../../shared/contracts/application-record.js'
import type { EmailChange, QueuedEmail } from '../../../shared/contracts/queued-email.js'
import { ownMembers } from '../../../shared/lib/own-members.js'
import type { ApprovalSubject } from './approval-links.js'
import { createQueuedEmail } from '../queue/queued-emails.js'

interface ApprovalRequestOptions {
  /** The option `operators`: each gets an e-mail. */
  readonly operators: readonly string[]
  /** The IP address that the request came from. */
  readonly address: string | undefined
  readonly now: number
  /** Milliseconds until they are sent; 0 if left out. */
  readonly delay?: number
}

export function createApprovalRequests(
  { applicationId, api, requestedAt }: ApprovalSubject,
  { operators, address, now, delay = 0 }: ApprovalRequestOptions,
): readonly QueuedEmail[] {
  const details = { requestedAt, ...(api !== undefined && { api }), ...(address !== undefined && { address }) }
  return operators.map((recipient) => {
    const email = createQueuedEmail(applicationId, 'approvalRequest', now, { recipient, details })
    return { ...email, dueAt: now + delay }
  })
}

/** The removal of e-mails about a request that has been decided. `api`: undefined for a registration. */
export function withdrawApprovalRequests(emails: readonly QueuedEmail[], api: string | undefined): EmailChange[] {
  return emails
    .filter((email) => email.purpose === 'approvalRequest' && readSubject(email).api === api)
    .map((email) => ({ remove: email }))
}

/** The subject of such an e-mail, and the origin of the request. */
export function readApprovalRequest(email: QueuedEmail): ApprovalSubject & { readonly address: string | undefined } {
  const { address } = ownMembers(email.details ?? {})
  return { ...readSubject(email), address: typeof address === 'string' ? address : undefined }
}

/** The request; undefined if it does not wait for a decision any more. */
export function findRequested(
  { api, requestedAt }: ApprovalSubject,
  { status, apis, accessRequests }: ApplicationRecord,
): GrantedApis | undefined {
  if (api === undefined) return status === 'pending' ? apis : undefined
  const request = accessRequests.find((each) => each.api === api && each.requestedAt === requestedAt)
  return request && { [api]: { scopes: request.scopes } }
}

function readSubject({ applicationId, details, createdAt }: QueuedEmail): ApprovalSubject {
  const { api, requestedAt } = ownMembers(details ?? {})
  return {
    applicationId,
    api: typeof api === 'string' ? api : undefined,
    requestedAt: typeof requestedAt === 'number' ? requestedAt : createdAt,
  }
}
