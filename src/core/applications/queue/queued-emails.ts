import { randomBytes } from 'node:crypto'
import type { ApplicationRecord, JsonObject } from '../../../shared/contracts/application-record.js'
import {
  type DeliveryPurpose,
  type EmailChange,
  type EmailPurpose,
  type QueuedEmail,
  savesEmail,
} from '../../../shared/contracts/queued-email.js'
import type { Store } from '../../../shared/contracts/store.js'
import { hasEnded, inheritTerms, removeCredentials } from '../credentials/credential-lists.js'
import { DEFAULT_NAME, type CredentialKind, type CredentialTerms } from '../credentials/credentials.js'
import { ownMembers } from '../../../shared/lib/own-members.js'

/** Details of the e-mail that delivers credentials after `recover`, as one of a registration does. */
export const RECOVERED = { recovered: true } as const

/** Whether the e-mail delivers the first credentials of an application, which is pending until they have arrived. */
export function isFirstDelivery({ purpose, details }: QueuedEmail): boolean {
  return purpose === 'registration' && readDetails({ details })['recovered'] !== true
}

export function readDetails(stored: { readonly details?: Readonly<Record<string, unknown>> | undefined } | undefined) {
  return ownMembers(stored?.details ?? {})
}

export function isDelivery(purpose: EmailPurpose): purpose is DeliveryPurpose {
  return purpose === 'registration' || purpose === 'key' || purpose === 'secret'
}

/** E-mails about decisions are sent even if the application is suspended. */
export function isHeldBySuspension(purpose: EmailPurpose): boolean {
  return isDelivery(purpose) || purpose === 'expiring' || purpose === 'invitation'
}

export function createQueuedEmail(
  applicationId: string,
  purpose: EmailPurpose,
  now: number,
  options: {
    readonly held?: boolean
    /** Seconds. */
    readonly overlap?: number
    readonly credentialId?: string | undefined
    /** The application's contact if left out. */
    readonly recipient?: string | undefined
    readonly details?: JsonObject | undefined
  } = {},
): QueuedEmail {
  const { held = false, overlap = 0, credentialId, recipient, details } = ownMembers(options)
  return {
    id: `email_${randomBytes(16).toString('hex')}`,
    applicationId,
    purpose,
    recipient,
    details,
    credentialId,
    state: held ? 'held' : 'due',
    overlap,
    attemptCount: 0,
    attemptedHashes: [],
    claimLinks: [],
    createdAt: now,
    dueAt: now,
    leasedUntil: 0,
    problem: undefined,
    version: 1,
  }
}

export function findReplacedName(
  record: Pick<ApplicationRecord, 'keys' | 'secrets'>,
  { purpose, credentialId }: QueuedEmail,
): string | undefined {
  if (credentialId === undefined) return DEFAULT_NAME
  const list = purpose === 'secret' ? record.secrets : record.keys
  return list.find(({ id }) => id === credentialId)?.name
}

/** What an e-mail delivers, of the kind that it replaces; undefined if nothing is left to replace. */
export function findDelivered(
  record: ApplicationRecord,
  email: QueuedEmail,
  options: Parameters<typeof inheritTerms>[3],
): { readonly kind: CredentialKind; readonly terms: CredentialTerms } | undefined {
  const kind = email.purpose === 'secret' ? 'secret' : 'key'
  const name = findReplacedName(record, email)
  if (name === undefined || (email.credentialId !== undefined && hasEnded(record, kind, name, options)))
    return undefined
  return { kind, terms: inheritTerms(record, kind, name, options) }
}

/** The e-mail as if it were new: due at once, back-off and its 72 hours start again. A lease stays until it ends. */
export function requeueEmail(email: QueuedEmail, now: number): QueuedEmail {
  return nextVersion(email, { state: 'due', attemptCount: 0, createdAt: now, dueAt: now })
}

export function nextVersion(email: QueuedEmail, changed: Partial<QueuedEmail> = {}): QueuedEmail {
  return { ...email, ...changed, version: email.version + 1 }
}

/** The limit for e-mails that tell of changes, each to another recipient. */
export const MAX_CHANGES_EMAILS = 100
/** More than an application can have: a registration, a replacement and a reminder per credential, and changes. */
const MAX_QUEUED_EMAILS = 100 + MAX_CHANGES_EMAILS

/** The queued e-mails. There is one delivery per purpose and name, so each knows which credentials it replaces. */
export async function listQueuedEmails(store: Store, applicationId: string): Promise<readonly QueuedEmail[]> {
  return (await store.emails?.list({ applicationId, state: undefined, limit: MAX_QUEUED_EMAILS })) ?? []
}

export async function findQueuedEmail(store: Store, applicationId: string, purpose: DeliveryPurpose) {
  const emails = await store.emails?.list({ applicationId, purpose, state: undefined, limit: 1 })
  return emails?.[0]
}

interface Withdrawal {
  readonly changed: Pick<ApplicationRecord, 'keys' | 'secrets'>
  readonly emails: readonly EmailChange[]
}

/** Ends unsent e-mails, their links, and credentials of unconfirmed attempts. Who is sending one finds it gone. */
export function cancelEmails(current: ApplicationRecord, emails: readonly QueuedEmail[]): Withdrawal {
  return { changed: endAttempts(current, emails), emails: emails.map((email) => ({ remove: email })) }
}

/** The changes saved with a record: the caller's, and the end of reminders of credentials that are gone or end anew. */
export async function withdrawReminders(
  store: Store,
  former: ApplicationRecord,
  record: ApplicationRecord,
  changes: readonly EmailChange[] = [],
): Promise<readonly EmailChange[]> {
  const current = [...record.keys, ...record.secrets]
  const changed = [...former.keys, ...former.secrets].filter(
    ({ id, expiresAt }) =>
      expiresAt !== undefined && !current.some((each) => each.id === id && each.expiresAt === expiresAt),
  )
  if (!store.emails || changed.length === 0 || changes.includes('removeAll')) return changes
  const query = { applicationId: record.id, purpose: 'expiring', state: undefined, limit: MAX_QUEUED_EMAILS } as const
  const outdated = (await store.emails.list(query)).filter(
    ({ id, credentialId }) =>
      changed.some((each) => each.id === credentialId) && !changes.some((each) => readEmailId(each) === id),
  )
  return [...changes, ...outdated.map((email) => ({ remove: email }))]
}

export function readEmailId(change: EmailChange): string | undefined {
  if (change === 'removeAll') return undefined
  return savesEmail(change) ? change.save.id : change.remove.id
}

/** Revokes credentials sent to the old contact and requeues the rest for the new one. */
export function redirectEmails(current: ApplicationRecord, emails: readonly QueuedEmail[], now: number): Withdrawal {
  const attempted = emails.filter(
    ({ recipient, attemptCount, attemptedHashes, claimLinks }) =>
      recipient === undefined && attemptCount + attemptedHashes.length + claimLinks.length > 0,
  )
  const redirect = (email: QueuedEmail): QueuedEmail => ({
    ...(isOpen(email, now) ? requeueEmail(email, now) : nextVersion(email)),
    attemptedHashes: [],
    claimLinks: [],
  })
  return {
    changed: endAttempts(current, attempted),
    emails: attempted.map((email) => ({ save: redirect(email) })),
  }
}

/** Ends links, and keeps e-mails from being sent until `resumeEmails`. Held ones wait on for approval. */
export function suspendEmails(emails: readonly QueuedEmail[], now: number): EmailChange[] {
  return emails
    .filter(({ purpose, state }) => state !== 'held' && isHeldBySuspension(purpose))
    .map((email) => {
      const state = isOpen(email, now) ? 'suspended' : email.state
      return { save: nextVersion(email, { state, claimLinks: [] }) }
    })
}

export function resumeEmails(emails: readonly QueuedEmail[], now: number): EmailChange[] {
  return emails.filter(({ state }) => state === 'suspended').map((email) => ({ save: requeueEmail(email, now) }))
}

function isOpen({ state, claimLinks }: QueuedEmail, now: number): boolean {
  return state === 'due' || (state === 'claimable' && claimLinks.some(({ expiresAt }) => expiresAt > now))
}

function endAttempts(current: ApplicationRecord, emails: readonly QueuedEmail[]): Withdrawal['changed'] {
  return removeCredentials(
    current,
    emails.flatMap(({ attemptedHashes }) => attemptedHashes.flat()),
  )
}
