import { ApplicationError } from '../../../shared/contracts/errors.js'
import type { RequestOrigin } from '../../../shared/contracts/events.js'
import type { AccessRequest, ApplicationRecord } from '../../../shared/contracts/application-record.js'
import type { EmailChange, QueuedEmail } from '../../../shared/contracts/queued-email.js'
import { withdrawApprovalRequests } from './approval-requests.js'
import { decideAccess, decideRegistration, formatDecided } from './decided-requests.js'
import { findGrant } from '../records/grants.js'
import { createQueuedEmail, listQueuedEmails, requeueEmail } from '../queue/queued-emails.js'
import { eraseApplication, refuseDeleted } from '../records/status.js'
import { withhold } from '../records/withheld.js'
import type { CallParts } from '../call-parts.js'

/** Decides about a registration or a request for access. The first decision counts: a later one is `invalid_state`. */
export type Decisions = ReturnType<typeof createDecisions>

/** The registration, if `api` is undefined. */
interface DecidedRequest {
  readonly api: string | undefined
  /**
   * The request made at that time, while it waits for a decision. Undefined: the one that waits now; and a rejection also deletes
   * a registration that was approved, or needed no approval, and whose e-mail was not accepted yet.
   */
  readonly requestedAt?: number | undefined
}

interface Actor {
  readonly by: string | undefined
  /** The request in which an operator decided. */
  readonly origin?: RequestOrigin | undefined
}

export function createDecisions(options: CallParts) {
  const { store, writer, opened, sender, now } = options

  async function approveRegistration(id: string, actor: Actor, remark: Remark): Promise<ApplicationRecord> {
    const { record } = await writer.change(id, { type: 'application.approved', ...actor }, async (current) => {
      const emails = await listQueuedEmails(store, id)
      const held = findHeld(current, emails)
      return {
        changed: {
          isUnconfirmed: false,
          decided: decideRegistration(current, held, { outcome: 'approved', at: now(), by: actor.by }),
        },
        details: remark,
        emails: [
          { save: { ...requeueEmail(held, now()), details: { ...held.details, ...remark } } },
          ...withdrawApprovalRequests(emails, undefined),
        ],
      }
    })
    return record
  }

  async function denyRegistration(
    id: string,
    { requestedAt }: DecidedRequest,
    actor: Actor,
    reason: string | undefined,
  ): Promise<ApplicationRecord> {
    const { record } = await writer.change(id, { type: 'application.deleted', ...actor }, async (current) => {
      const emails = await listQueuedEmails(store, id)
      if (requestedAt !== undefined) findHeld(current, emails)
      const registration = emails.find(({ purpose }) => purpose === 'registration')
      const ended = { outcome: 'rejected', at: now(), by: actor.by, reason } as const
      const changed = eraseApplication(current, ended, registration)
      return {
        changed,
        details: { denied: true, ...(reason !== undefined && { reason }) },
        emails: ['removeAll', ...queueRejection(current, undefined, reason, now())],
      }
    })
    return record
  }

  async function approveAccess(
    id: string,
    request: AccessDecision & { readonly scopes: readonly string[] | undefined },
    actor: Actor,
    remark: Remark,
  ): Promise<ApplicationRecord> {
    const { record } = await writer.change(id, { type: 'application.approved', ...actor }, async (current) => {
      const { api, scopes } = findAccessRequest(current, request, 'approve')
      const former = findGrant(current, { name: api })?.scopes ?? []
      const granted = narrow([...new Set([...former, ...scopes])], request.scopes)
      const details = { api, scopes: scopes.filter((scope) => granted.includes(scope)), ...remark }
      return {
        changed: {
          apis: { ...current.apis, [api]: { scopes: granted } },
          withheld: withhold(current, api, granted),
          ...decideAccess(current, api, { outcome: 'approved', at: now(), by: actor.by }),
        },
        details: { api, scopes: granted, ...remark },
        emails: [
          ...withdrawApprovalRequests(await listQueuedEmails(store, id), api),
          ...(current.contact === undefined ? [] : [{ save: createQueuedEmail(id, 'approved', now(), { details }) }]),
        ],
      }
    })
    return record
  }

  async function denyAccess(
    id: string,
    request: AccessDecision,
    actor: Actor,
    reason: string | undefined,
  ): Promise<ApplicationRecord> {
    const { record } = await writer.change(id, { type: 'application.accessRejected', ...actor }, async (current) => {
      const { api } = findAccessRequest(current, request, 'deny')
      return {
        changed: decideAccess(current, api, { outcome: 'rejected', at: now(), by: actor.by, reason }),
        details: { api, ...(reason !== undefined && { reason }) },
        emails: [
          ...withdrawApprovalRequests(await listQueuedEmails(store, id), api),
          ...queueRejection(current, api, reason, now()),
        ],
      }
    })
    return record
  }

  return {
    /** The contact gets an e-mail, with the note. `scopes`: of a request, those that are granted. */
    async approve(
      id: string,
      { api, requestedAt }: DecidedRequest,
      actor: Actor,
      { scopes, note }: { readonly scopes?: readonly string[] | undefined; readonly note?: string | undefined } = {},
    ): Promise<ApplicationRecord> {
      await opened()
      const remark = note === undefined ? {} : { note }
      const request = { api, requestedAt, scopes }
      const record = await (api === undefined
        ? approveRegistration(id, actor, remark)
        : approveAccess(id, { ...request, api }, actor, remark))
      sender?.wake()
      return record
    },
    /** With a reason, the contact gets an e-mail with it. */
    async deny(
      id: string,
      { api, requestedAt }: DecidedRequest,
      { reason, ...actor }: Actor & { readonly reason: string | undefined },
    ): Promise<ApplicationRecord> {
      await opened()
      const record = await (api === undefined
        ? denyRegistration(id, { api, requestedAt }, actor, reason)
        : denyAccess(id, { api, requestedAt }, actor, reason))
      sender?.wake()
      return record
    },
  }
}

/** Recipient and name are kept with the e-mail: a denied registration is erased. */
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

/** The scopes that were chosen of those that an application may have after an approval. */
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

interface AccessDecision extends DecidedRequest {
  readonly api: string
}

function findAccessRequest(
  current: ApplicationRecord,
  { api, requestedAt }: AccessDecision,
  call: 'approve' | 'deny',
): AccessRequest {
  refuseDeleted(current, call)
  const request = current.accessRequests.find((each) => each.api === api)
  if (request && (requestedAt === undefined || request.requestedAt === requestedAt)) return request
  const last = formatDecided(current.decided.find((each) => each.api === api))
  throw new ApplicationError('invalid_state', `Application ${current.id} has no request for access to "${api}".${last}`)
}

function findHeld({ id, status, decided }: ApplicationRecord, emails: readonly QueuedEmail[]): QueuedEmail {
  const held = emails.find(({ state }) => state === 'held')
  if (status === 'pending' && held) return held
  const last = formatDecided(decided.find(({ api }) => api === undefined))
  throw new ApplicationError('invalid_state', `Application ${id} is ${status} and does not wait for approval.${last}`)
}
