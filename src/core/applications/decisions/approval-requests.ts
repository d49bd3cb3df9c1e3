import type { ApplicationRecord, GrantedApis } from '../../../shared/contracts/application-record.js'
import type { EmailChange, QueuedEmail } from '../../../shared/contracts/queued-email.js'
import { createQueuedEmail, readDetails } from '../queue/queued-emails.js'
import { createHmac } from 'node:crypto'
import { isSameText } from '../../../shared/lib/is-same-text.js'

export function createApprovalRequests(
  { applicationId, api, requestedAt }: ApprovalSubject,
  options: {
    /** The option `operators`: each gets an e-mail. */
    readonly operators: readonly string[]
    readonly address: string | undefined
    readonly now: number
    /** Milliseconds until they are sent; 0 if left out. */
    readonly delay?: number
  },
): readonly QueuedEmail[] {
  const { operators, address, now, delay = 0 } = options
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

export function readApprovalRequest(email: QueuedEmail): ApprovalSubject & { readonly address: string | undefined } {
  const { address } = readDetails(email)
  return { ...readSubject(email), address: typeof address === 'string' ? address : undefined }
}

export function findRequested(
  { api, requestedAt }: ApprovalSubject,
  { status, apis, accessRequests }: ApplicationRecord,
): GrantedApis | undefined {
  if (api === undefined) return status === 'pending' ? apis : undefined
  const request = accessRequests.find((each) => each.api === api && each.requestedAt === requestedAt)
  return request && { [api]: { scopes: request.scopes } }
}

function readSubject({ applicationId, details, createdAt }: QueuedEmail): ApprovalSubject {
  const { api, requestedAt } = readDetails({ details })
  return {
    applicationId,
    api: typeof api === 'string' ? api : undefined,
    requestedAt: typeof requestedAt === 'number' ? requestedAt : createdAt,
  }
}

/** The subject of an operator's decision: a registration, or an application's request for access to an API. */
export interface ApprovalSubject {
  readonly applicationId: string
  /** The API of a request for access; undefined for a registration. */
  readonly api: string | undefined
  /** Milliseconds since 1970: a later request for the same API is another one, which an older link does not decide. */
  readonly requestedAt: number
}

export interface ApprovalLink extends ApprovalSubject {
  readonly operator: string
}

/** The links in operators' e-mails: signed, and not stored. One is used up when its subject has been decided. */
export type ApprovalLinks = ReturnType<typeof createApprovalLinks>

/** At the end of a token: the link is for a rejection. It is not signed, because the page offers both decisions. */
export const REJECTION_SUFFIX = '.deny'

const LINK_LIFETIME_MS = 14 * 24 * 3600 * 1000
/** The limit exceeds what an id, an API's name and the longest address take. */
const MAX_TOKEN_LENGTH = 1024
const TOKEN = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/
/** The label never changes: links in mailboxes are signed with its key. */
const KEY_LABEL = 'express-platform-auth approval link v1'

export function createApprovalLinks(options: {
  readonly deriveKey: (label: string) => Uint8Array
  /** Whether the address is an operator's: a person who is no longer one decides nothing. */
  readonly isOperator: (address: string) => boolean
  readonly now: () => number
}) {
  const { deriveKey, isOperator, now } = options
  function computeMac(payload: string): string {
    return createHmac('sha256', deriveKey(KEY_LABEL)).update(payload).digest('base64url')
  }

  return {
    /** The token of a link; undefined for a person who is no operator any more. */
    sign({ applicationId, api, requestedAt, operator }: ApprovalLink): string | undefined {
      if (!isOperator(operator)) return undefined
      const payload = Buffer.from(JSON.stringify({ applicationId, api, requestedAt, operator })).toString('base64url')
      return `${payload}.${computeMac(payload)}`
    },
    /** The content of a token, or the reason why it is refused. Only tokens that were signed here are told apart. */
    read(token: string): ApprovalLink | 'unknown' | 'expired' | 'noOperator' {
      const [, payload, mac] = (token.length <= MAX_TOKEN_LENGTH && TOKEN.exec(token)) || []
      if (payload === undefined || mac === undefined) return 'unknown'
      if (!isSameText(mac, computeMac(payload))) return 'unknown'
      const link: ApprovalLink = { api: undefined, ...JSON.parse(Buffer.from(payload, 'base64url').toString()) }
      if (link.requestedAt + LINK_LIFETIME_MS <= now()) return 'expired'
      return isOperator(link.operator) ? link : 'noOperator'
    },
  }
}
