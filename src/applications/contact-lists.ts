import { ApplicationError } from '../contracts/errors.js'
import type { ApplicationRecord, Invitation } from '../contracts/application-record.js'
import type { EmailChange } from '../contracts/queued-email.js'
import type { Store } from '../contracts/store.js'
import { listQueuedEmails } from './queued-emails.js'

/** Of an application, together with its open invitations: each of them can become a contact. */
const MAX_CONTACTS = 10

/** The first contact receives the application's e-mails. */
export function listContacts({
  contact,
  otherContacts,
}: Pick<ApplicationRecord, 'contact' | 'otherContacts'>): readonly string[] {
  return contact === undefined ? [] : [contact, ...otherContacts]
}

/** The members of the record that hold these contacts. */
export function toContactMembers([contact, ...otherContacts]: readonly string[]): Pick<
  ApplicationRecord,
  'contact' | 'otherContacts'
> {
  return { contact, otherContacts }
}

/** An address in ASCII lower case: two contacts with the same one are the same. Addresses have no other characters. */
export function toMailbox(address: string): string {
  return address.toLowerCase()
}

/** The contact with that mailbox, as it was entered. A deleted application has none. */
export function findContact(
  application: Pick<ApplicationRecord, 'contact' | 'otherContacts'>,
  mailbox: string,
): string | undefined {
  return listContacts(application).find((address) => toMailbox(address) === mailbox)
}

export function isSameMailbox(one: string, other: string): boolean {
  return toMailbox(one) === toMailbox(other)
}

/** The invitations whose links work. */
export function listOpenInvitations({ invitations }: ApplicationRecord, now: number): readonly Invitation[] {
  return invitations.filter(({ expiresAt }) => expiresAt > now)
}

/** Throws with code `conflict` for an address that is a contact already, and `too_many_contacts` if there is no room for it. */
export function refuseContact(current: ApplicationRecord, address: string, now: number): void {
  const contacts = listContacts(current)
  if (contacts.some((each) => isSameMailbox(each, address))) {
    throw new ApplicationError('conflict', `${address} is a contact of application ${current.id} already.`)
  }
  const invited = listOpenInvitations(current, now).filter((each) => !isSameMailbox(each.address, address))
  if (contacts.length + invited.length < MAX_CONTACTS) return
  throw new ApplicationError(
    'too_many_contacts',
    `Application ${current.id} has ${MAX_CONTACTS} contacts and open invitations. Remove a contact, or cancel an invitation.`,
  )
}

interface InvitationsChange {
  readonly changed: Pick<ApplicationRecord, 'invitations'>
  readonly emails: readonly EmailChange[]
}

/** Ends some invitations, and those that have expired: their links no longer work, and unsent e-mails are not sent. */
export async function endInvitations(
  store: Store,
  current: ApplicationRecord,
  now: number,
  isEnded: (invitation: Invitation) => boolean,
): Promise<InvitationsChange> {
  const invitations = listOpenInvitations(current, now).filter((each) => !isEnded(each))
  if (invitations.length === current.invitations.length) return { changed: { invitations }, emails: [] }
  const queued = await listQueuedEmails(store, current.id)
  const ended = queued.filter(
    ({ purpose, recipient = '' }) =>
      purpose === 'invitation' && !invitations.some(({ address }) => isSameMailbox(address, recipient)),
  )
  return { changed: { invitations }, emails: ended.map((email) => ({ remove: email })) }
}

/** `by` of a change that a contact makes. */
export function describeContactActor(address: string): string {
  return `contact:${toMailbox(address)}`
}
