import {
  REJECTION_SUFFIX,
  findRequested,
  readApprovalRequest,
  type ApprovalLinks,
} from '../../core/applications/decisions/approval-requests.js'
import type {
  ApprovalRequestEmail,
  ApprovedEmail,
  RejectionEmail,
  SuspendedEmail,
} from '../../shared/contracts/email-content.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { QueuedEmail } from '../../shared/contracts/queued-email.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { describeApplication } from './content.js'

/** An e-mail that asks an operator for a decision, or tells a contact of one. */
export type DecisionEmail = ApprovalRequestEmail | ApprovedEmail | RejectionEmail | SuspendedEmail

interface DecisionContentOptions {
  readonly approvalLinks: ApprovalLinks
  readonly developersUrl: string | undefined
}

/** The content of such an e-mail; undefined if it is to be sent no more. */
export function describeDecision(
  email: QueuedEmail & { readonly purpose: DecisionEmail['purpose'] },
  record: ApplicationRecord,
  options: DecisionContentOptions,
): DecisionEmail | undefined {
  const { purpose } = email
  if (purpose === 'approvalRequest') return describeApprovalRequest(email, record, options)
  const { name, reason, api, scopes } = ownMembers(email.details ?? {})
  const to = email.recipient ?? record.contact
  if (to === undefined) return undefined
  const common = { to, language: record.language ?? 'en' } as const
  if (purpose === 'rejected') {
    const application = { id: record.id, name: readText(name) ?? '' }
    return { ...common, purpose, application, api: readText(api), reason: readText(reason) }
  }
  const application = describeApplication(record)
  if (purpose === 'suspended') {
    return record.status === 'suspended' ? { ...common, purpose, application, reason: readText(reason) } : undefined
  }
  const approved = readText(api)
  if (record.status === 'deleted' || approved === undefined || !Array.isArray(scopes)) return undefined
  return { ...common, purpose, application, granted: { [approved]: { scopes: scopes.map(String) } } }
}

/** E-mails to operators are in English. */
function describeApprovalRequest(
  email: QueuedEmail,
  record: ApplicationRecord,
  { approvalLinks, developersUrl }: DecisionContentOptions,
): ApprovalRequestEmail | undefined {
  const { contact } = record
  const { recipient: operator } = email
  const { address, ...subject } = readApprovalRequest(email)
  const requested = findRequested(subject, record)
  const token = operator === undefined ? undefined : approvalLinks.sign({ ...subject, operator })
  if (!requested || operator === undefined || token === undefined || contact === undefined) return undefined
  const link = `${developersUrl}/register/decide#${token}`
  return {
    to: operator,
    language: 'en',
    purpose: 'approvalRequest',
    request: subject.api === undefined ? 'registration' : 'access',
    application: describeApplication(record),
    contact,
    requested: structuredClone(requested),
    address,
    links: { approve: link, deny: link + REJECTION_SUFFIX },
  }
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
