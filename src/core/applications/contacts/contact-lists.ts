import { ApplicationError } from '../../../shared/contracts/errors.js'
import type { ApplicationRecord, Invitation } from '../../../shared/contracts/application-record.js'
import type { EmailChange, QueuedEmail } from '../../../shared/contracts/queued-email.js'
import type { Store } from '../../../shared/contracts/store.js'
import { listQueuedEmails } from '../queue/queued-emails.js'
import { randomBytes } from 'node:crypto'
import type { Credentials } from '../credentials/credentials.js'

/** The limit for an application together with its open invitations: each of them can become a contact. */
const MAX_CONTACTS = 10

/** The first contact receives the application's e-mails. */
export function listContacts(options: Pick<ApplicationRecord, 'contact' | 'otherContacts'>): readonly string[] {
  const { contact, otherContacts } = options
  return contact === undefined ? [] : [contact, ...otherContacts]
}

export function toContactMembers([contact, ...otherContacts]: readonly string[]) {
  return { contact, otherContacts }
}

/** An address in ASCII lower case: two contacts with the same one are the same. Addresses have no other characters. */
export function normalizeContact(address: string): string {
  return address.toLowerCase()
}

/** The contact as it was entered. A deleted application has none. */
export function findContact(application: Pick<ApplicationRecord, 'contact' | 'otherContacts'>, address: string) {
  return listContacts(application).find((each) => isSameContact(each, address))
}

/** Whether an address is a contact of an application that is not deleted. */
export function hasContact(
  application: ApplicationRecord | undefined,
  address: string,
): application is ApplicationRecord {
  return application !== undefined && findContact(application, address) !== undefined
}

export function isSameContact(one: string, other: string): boolean {
  return normalizeContact(one) === normalizeContact(other)
}

export function listOpenInvitations({ invitations }: ApplicationRecord, now: number): readonly Invitation[] {
  return invitations.filter(({ expiresAt }) => expiresAt > now)
}

/** Throws with code `conflict` for an address that is a contact already, and `too_many_contacts` if there is no room for it. */
export function refuseContact(current: ApplicationRecord, address: string, now: number): void {
  const contacts = listContacts(current)
  if (contacts.some((each) => isSameContact(each, address)))
    throw new ApplicationError('conflict', `${address} is a contact of application ${current.id} already.`)
  const invited = listOpenInvitations(current, now).filter((each) => !isSameContact(each.address, address))
  if (contacts.length + invited.length < MAX_CONTACTS) return
  throw new ApplicationError(
    'too_many_contacts',
    `Application ${current.id} has ${MAX_CONTACTS} contacts and open invitations. Remove a contact, or cancel an invitation.`,
  )
}

/** The milliseconds since an address was last invited, if that is less than an hour: it gets no second e-mail in that time. */
export function findRecentInvitation({ invitations }: ApplicationRecord, address: string, now: number) {
  const newest = invitations
    .filter((each) => isSameContact(each.address, address))
    .reduce((latest, { createdAt }) => Math.max(latest, createdAt), 0)
  const waitMs = newest + REINVITATION_MS - now
  return waitMs > 0 ? { waitMs } : undefined
}

const REINVITATION_MS = 3600 * 1000
/** Ended invitations that are kept: as many as an application may send in an hour at the portal. */
const MAX_ENDED_INVITATIONS = 20

/** Ends these invitations and expired ones. Those of the last hour are kept, except of `contacts`, who are contacts now. */
export async function endInvitations(
  store: Store,
  current: ApplicationRecord,
  now: number,
  isEnded: (invitation: Invitation) => boolean,
  contacts: readonly string[] = [],
): Promise<{ readonly changed: Pick<ApplicationRecord, 'invitations'>; readonly emails: readonly EmailChange[] }> {
  const open = listOpenInvitations(current, now)
  const invitations = open.filter((each) => !isEnded(each))
  const kept = current.invitations
    .filter((each) => !invitations.includes(each) && each.createdAt + REINVITATION_MS > now)
    .filter(({ address }) => !contacts.some((each) => isSameContact(each, address)))
    .map((each) => ({ ...each, hashes: [], expiresAt: Math.min(each.expiresAt, now) }))
    .slice(-MAX_ENDED_INVITATIONS)
  const changed = { invitations: [...kept, ...invitations] }
  const hasEnded = invitations.length < open.length || changed.invitations.length < current.invitations.length
  if (!hasEnded) return { changed, emails: [] }
  const queued = await listQueuedEmails(store, current.id)
  const ended = queued.filter(
    ({ purpose, recipient = '' }) =>
      purpose === 'invitation' && !invitations.some(({ address }) => isSameContact(address, recipient)),
  )
  return { changed, emails: ended.map((email) => ({ remove: email })) }
}

export function describeContactActor(address: string): string {
  return `${CONTACT_ACTOR}${normalizeContact(address)}`
}

/** Whether a contact makes the change, at the portal or at pages of the host. */
export function isContact(by: string | undefined): boolean {
  return by?.startsWith(CONTACT_ACTOR) === true
}

const CONTACT_ACTOR = 'contact:'

/** Whether somebody wants e-mails there: credentials were used, an invitation accepted, or an operator added him. */
export function isConfirmed(record: ApplicationRecord, contact: string): boolean {
  return !record.isUnconfirmed || !isFirstContact(record, contact) || hasBeenUsed(record)
}

/** The changed record, confirmed if the change set another first contact, or if a credential of the former record was used. */
export function applyConfirmation(current: ApplicationRecord, changed: ApplicationRecord): ApplicationRecord {
  if (!changed.isUnconfirmed) return changed
  const isUnconfirmed = current.contact === changed.contact && !hasBeenUsed(current)
  return isUnconfirmed ? changed : { ...changed, isUnconfirmed }
}

export function isFirstContact({ contact }: ApplicationRecord, address: string): boolean {
  return contact !== undefined && isSameContact(contact, address)
}

function hasBeenUsed({ keys, secrets }: ApplicationRecord): boolean {
  return [...keys, ...secrets].some(({ lastUsedAt }) => lastUsedAt !== undefined)
}

/** The application's id, so that no index is needed, and 256 random bits. */
const INVITATION_TOKEN = /^(app_[0-9a-f]{32})\.[A-Za-z0-9_-]{43}$/

export function readInvitedApplication(token: string): string | undefined {
  return INVITATION_TOKEN.exec(token)?.[1]
}

/** A new token for an invitation's link, and the change; undefined if it has ended. The previous token stays valid. */
export function issueInvitationToken(
  current: ApplicationRecord,
  { recipient = '' }: QueuedEmail,
  credentials: Pick<Credentials, 'hash'>,
  now: number,
): { readonly token: string; readonly changed: Pick<ApplicationRecord, 'invitations'> } | undefined {
  const open = listOpenInvitations(current, now).find(({ address }) => isSameContact(address, recipient))
  if (!open) return undefined
  const token = `${current.id}.${randomBytes(32).toString('base64url')}`
  const issued = { ...open, hashes: [credentials.hash(token), ...open.hashes.slice(0, 1)] }
  return { token, changed: { invitations: current.invitations.map((each) => (each === open ? issued : each)) } }
}
