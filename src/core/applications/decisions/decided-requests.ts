import { isContact } from '../contacts/contact-lists.js'
import type { ApplicationRecord, DecidedRequest } from '../../../shared/contracts/application-record.js'
import type { QueuedEmail } from '../../../shared/contracts/queued-email.js'
import { readDetails } from '../queue/queued-emails.js'
import type { ApprovalSubject } from './approval-requests.js'

export interface Outcome extends Pick<DecidedRequest, 'outcome' | 'at'> {
  readonly by: string | undefined
  readonly reason?: string | undefined
}

type Subject = Pick<ApprovalSubject, 'api' | 'requestedAt'>

export interface Asker {
  readonly requestedBy: string | undefined
  /** The IP address; undefined if the host made the request. */
  readonly address: string | undefined
}

/** Bounds the size of a record. More than an application has in the 14 days of a link. */
const MAX_DECIDED = 50

export function decideRegistration(current: ApplicationRecord, email: QueuedEmail | undefined, outcome: Outcome) {
  const { apis: requested, createdAt: requestedAt } = current
  const subject = { api: undefined, requestedAt }
  return [describe(subject, requested, readAsker(email), outcome), ...current.decided].slice(0, MAX_DECIDED)
}

/** Closes the requests for access to an API; to every API if `api` is undefined. */
export function decideAccess(
  { accessRequests, decided }: ApplicationRecord,
  api: string | undefined,
  outcome: Outcome,
): Pick<ApplicationRecord, 'accessRequests' | 'decided'> {
  const isDecided = (request: { readonly api: string }): boolean => api === undefined || request.api === api
  const closed = accessRequests.filter(isDecided).map(({ api: name, scopes, requestedAt, by }) => {
    const subject = { api: name, requestedAt }
    return describe(subject, { [name]: { scopes } }, { requestedBy: by, address: undefined }, outcome)
  })
  return {
    accessRequests: accessRequests.filter((request) => !isDecided(request)),
    decided: [...closed, ...decided].slice(0, MAX_DECIDED),
  }
}

/** What a deleted application keeps: how it ended, who asked if it was denied, and what became of requests. */
export function eraseDecided(
  current: ApplicationRecord,
  ended: Outcome,
  email: QueuedEmail | undefined,
): readonly DecidedRequest[] {
  const decided = current.decided.map(({ api, requestedAt, outcome, at, by }) =>
    describe({ api, requestedAt }, {}, NO_ASKER, { outcome, at, by }),
  )
  if (ended.outcome === 'rejected') return decideRegistration({ ...current, decided }, email, ended)
  const by = isContact(ended.by) ? 'a contact' : ended.by
  return decideRegistration({ ...current, apis: {}, decided }, undefined, { ...ended, by })
}

const NO_ASKER: Asker = { requestedBy: undefined, address: undefined }

/** What became of a request: of that very one, or of the application. */
export function findDecided({ status, decided }: ApplicationRecord, { api, requestedAt }: Subject) {
  const own = decided.find(
    (each) => each.outcome !== 'deleted' && each.api === api && (api === undefined || each.requestedAt === requestedAt),
  )
  return own ?? (status === 'deleted' ? decided[0] : undefined)
}

/** The details of a registration's e-mail: who has asked, for as long as it waits. */
export function describeAsker(by: string | undefined, address: string | undefined): { by?: string; address?: string } {
  return { ...(by !== undefined && { by }), ...(address !== undefined && { address }) }
}

export function readAsker(email: QueuedEmail | undefined): Asker {
  const { by, address } = readDetails(email)
  return {
    requestedBy: typeof by === 'string' ? by : undefined,
    address: typeof address === 'string' ? address : undefined,
  }
}

export function formatDecided(decided: DecidedRequest | undefined): string {
  if (!decided) return ''
  const { outcome, at, by, requestedAt, requestedBy } = decided
  const asked = `the request of ${formatTime(requestedAt)}${requestedBy === undefined ? '' : ` by ${requestedBy}`}`
  return ` The last one, ${asked}, was ${outcome} at ${formatTime(at)}${by === undefined ? '' : ` by ${by}`}.`
}

function formatTime(at: number): string {
  return new Date(at).toISOString()
}

/** Stored as JSON, which has no undefined members. */
function describe(
  { api, requestedAt }: Subject,
  requested: DecidedRequest['requested'],
  { requestedBy, address }: Asker,
  { outcome, at, by, reason }: Outcome,
): DecidedRequest {
  return {
    ...(api !== undefined && { api }),
    requested,
    requestedAt,
    ...(requestedBy !== undefined && { requestedBy }),
    ...(address !== undefined && { address }),
    outcome,
    at,
    ...(by !== undefined && { by }),
    ...(reason !== undefined && { reason }),
  }
}
