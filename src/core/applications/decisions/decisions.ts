import { ApplicationError, invalidState } from '../../../shared/contracts/errors.js'
import type { EventType, RequestOrigin } from '../../../shared/contracts/events.js'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import type { EmailChange, QueuedEmail } from '../../../shared/contracts/queued-email.js'
import { withdrawApprovalRequests } from './approval-requests.js'
import { decideAccess, decideRegistration, formatDecided } from './decided-requests.js'
import { findGrant } from '../records/grants.js'
import { createQueuedEmail, listQueuedEmails, requeueEmail } from '../queue/queued-emails.js'
import type { Edit } from '../records/application-writer.js'
import { eraseApplication, refuseDeleted } from '../records/status.js'
import { withhold } from '../records/withheld.js'
import type { CallParts } from '../call-parts.js'

/** Decides about a registration or a request for access. The first decision counts: a later one is `invalid_state`. */
export type Decisions = ReturnType<typeof createDecisions>

/** Names the request: that for access to `api`, or the registration if it is undefined. */
export interface RequestToDecide {
  readonly api: string | undefined
  /**
   * The request made at that time, while it waits for a decision. Undefined: the one that waits now; and a rejection also deletes
   * a registration that was approved, or needed no approval, and whose e-mail was not accepted yet.
   */
  readonly requestedAt?: number | undefined
}

export interface Actor {
  readonly by: string | undefined
  /** The request in which an operator decided. */
  readonly origin?: RequestOrigin | undefined
}

export function createDecisions({ store, writer, opened, sender, now }: CallParts) {
  async function decide(
    id: string,
    type: EventType,
    { by, origin }: Actor,
    edit: (current: ApplicationRecord) => Promise<Edit<never>>,
  ): Promise<ApplicationRecord> {
    await opened()
    const { record } = await writer.change(id, { type, by, origin }, edit)
    sender?.wake()
    return record
  }

  async function approveRegistration(current: ApplicationRecord, { by }: Actor, remark: Remark): Promise<Edit<never>> {
    const emails = await listQueuedEmails(store, current.id)
    const held = findHeld(current, emails)
    return {
      changed: {
        isUnconfirmed: false,
        isHeld: false,
        decided: decideRegistration(current, held, { outcome: 'approved', at: now(), by }),
      },
      details: remark,
      emails: [
        { save: { ...requeueEmail(held, now()), details: { ...held.details, ...remark } } },
        ...withdrawApprovalRequests(emails, undefined),
      ],
    }
  }

  async function denyRegistration(
    current: ApplicationRecord,
    requestedAt: number | undefined,
    { by, reason }: Rejection,
  ): Promise<Edit<never>> {
    const emails = await listQueuedEmails(store, current.id)
    if (requestedAt !== undefined) findHeld(current, emails)
    const registration = emails.find(({ purpose }) => purpose === 'registration')
    return {
      changed: eraseApplication(current, { outcome: 'rejected', at: now(), by, reason }, registration),
      details: { denied: true, ...(reason !== undefined && { reason }) },
      emails: ['removeAll', ...queueRejection(current, undefined, reason, now())],
    }
  }

  async function approveAccess(
    current: ApplicationRecord,
    request: AccessDecision,
    chosen: readonly string[] | undefined,
    { by }: Actor,
    remark: Remark,
  ): Promise<Edit<never>> {
    const { api, scopes } = findAccessRequest(current, request, 'approve')
    const former = findGrant(current, { name: api })?.scopes ?? []
    const granted = narrow([...new Set([...former, ...scopes])], chosen)
    const details = { api, scopes: scopes.filter((scope) => granted.includes(scope)), ...remark }
    return {
      changed: {
        apis: { ...current.apis, [api]: { scopes: granted } },
        withheld: withhold(current, api, granted),
        ...decideAccess(current, api, { outcome: 'approved', at: now(), by }),
      },
      details: { api, scopes: granted, ...remark },
      emails: [
        ...withdrawApprovalRequests(await listQueuedEmails(store, current.id), api),
        ...(current.contact === undefined
          ? []
          : [{ save: createQueuedEmail(current.id, 'approved', now(), { details }) }]),
      ],
    }
  }

  async function denyAccess(
    current: ApplicationRecord,
    request: AccessDecision,
    { by, reason }: Rejection,
  ): Promise<Edit<never>> {
    const { api } = findAccessRequest(current, request, 'deny')
    return {
      changed: decideAccess(current, api, { outcome: 'rejected', at: now(), by, reason }),
      details: { api, ...(reason !== undefined && { reason }) },
      emails: [
        ...withdrawApprovalRequests(await listQueuedEmails(store, current.id), api),
        ...queueRejection(current, api, reason, now()),
      ],
    }
  }

  return {
    /** The contact gets an e-mail, with the note. `scopes`: of a request, those that are granted. */
    approve(
      id: string,
      { api, requestedAt }: RequestToDecide,
      actor: Actor,
      { scopes, note }: { readonly scopes?: readonly string[] | undefined; readonly note?: string | undefined } = {},
    ): Promise<ApplicationRecord> {
      const remark = note === undefined ? {} : { note }
      return decide(id, 'application.approved', actor, (current) =>
        api === undefined
          ? approveRegistration(current, actor, remark)
          : approveAccess(current, { api, requestedAt }, scopes, actor, remark),
      )
    },
    /** With a reason, the contact gets an e-mail with it. */
    deny(id: string, { api, requestedAt }: RequestToDecide, rejection: Rejection): Promise<ApplicationRecord> {
      return api === undefined
        ? decide(id, 'application.deleted', rejection, (current) => denyRegistration(current, requestedAt, rejection))
        : decide(id, 'application.accessRejected', rejection, (current) =>
            denyAccess(current, { api, requestedAt }, rejection),
          )
    },
  }
}

/** Recipient and name are kept with the e-mail: a rejected registration is erased. */
function queueRejection(
  { id, name, contact }: ApplicationRecord,
  api: string | undefined,
  reason: string | undefined,
  now: number,
): EmailChange[] {
  if (reason === undefined || contact === undefined) return []
  const details = { name, reason, ...(api !== undefined && { api }) }
  return [{ save: createQueuedEmail(id, 'rejected', now, { recipient: contact, details }) }]
}

type Remark = { readonly note?: string }

type Rejection = Actor & { readonly reason: string | undefined }

function narrow(scopes: readonly string[], chosen: readonly string[] = scopes): readonly string[] {
  if (
    Array.isArray(chosen) &&
    chosen.every((scope) => scopes.includes(scope)) &&
    (chosen.length > 0 || scopes.length === 0)
  )
    return scopes.filter((scope) => chosen.includes(scope))
  throw new ApplicationError(
    'invalid_argument',
    `scopes must be one or more of those that the application has or has requested: ${scopes.join(', ')}.`,
  )
}

interface AccessDecision extends RequestToDecide {
  readonly api: string
}

function findAccessRequest(current: ApplicationRecord, { api, requestedAt }: AccessDecision, call: 'approve' | 'deny') {
  refuseDeleted(current, call)
  const request = current.accessRequests.find((each) => each.api === api)
  if (request && (requestedAt === undefined || request.requestedAt === requestedAt)) return request
  const last = formatDecided(current.decided.find((each) => each.api === api))
  throw invalidState(`Application ${current.id} has no request for access to "${api}".${last}`)
}

function findHeld({ id, status, decided }: ApplicationRecord, emails: readonly QueuedEmail[]): QueuedEmail {
  const held = emails.find(({ state }) => state === 'held')
  if (status === 'pending' && held) return held
  const last = formatDecided(decided.find(({ api }) => api === undefined))
  throw invalidState(`Application ${id} is ${status} and does not wait for approval.${last}`)
}
