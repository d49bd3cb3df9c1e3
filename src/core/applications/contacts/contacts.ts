import { invalidState } from '../../../shared/contracts/errors.js'
import type { ApplicationRecord, Invitation } from '../../../shared/contracts/application-record.js'
import type { Store } from '../../../shared/contracts/store.js'
import type { Edit } from '../records/application-writer.js'
import type { Applications } from '../applications-api.js'
import {
  describeContactActor,
  endInvitations,
  isSameContact,
  listContacts,
  listOpenInvitations,
  refuseContact,
  toContactMembers,
} from './contact-lists.js'
import { listQueuedEmails, redirectEmails } from '../queue/queued-emails.js'
import { refuseDeleted } from '../records/status.js'
import { readContact } from '../records/validation.js'
import { createChange, type CallParts } from '../call-parts.js'

export type Contacts = Pick<Applications, 'addContact' | 'removeContact' | 'cancelInvitation'>

export function createContacts(options: CallParts): Contacts {
  const { store, sender, now } = options
  const change = createChange(options)
  return {
    async addContact(id, address, { by } = {}) {
      const contact = readContact(address)
      return change(id, 'application.contactAdded', by, (current) => addContactTo(store, current, contact, now()))
    },
    async removeContact(id, address, { by } = {}) {
      const contact = readContact(address)
      const application = await change(id, 'application.contactRemoved', by, async (current) => {
        const remaining = removeFrom(current, contact)
        return { ...(await replaceContacts(store, current, remaining, now())), details: { contacts: remaining.length } }
      })
      sender?.wake()
      return application
    },
    async cancelInvitation(id, address, { by } = {}) {
      const invited = readContact(address)
      return change(id, 'application.updated', by, async (current) => {
        if (!listOpenInvitations(current, now()).some((each) => isSameContact(each.address, invited)))
          throw invalidState(`Application ${id} has no open invitation of ${invited}.`)
        const ended = await endInvitations(store, current, now(), (each) => isSameContact(each.address, invited))
        return { ...ended, details: { cancelledInvitations: 1 } }
      })
    },
  }
}

export async function addContactTo(
  store: Store,
  current: ApplicationRecord,
  contact: string,
  now: number,
): Promise<Edit<never>> {
  refuseDeleted(current, 'addContact')
  refuseContact(current, contact, now)
  const contacts = [...listContacts(current), contact]
  const ended = await endInvitations(store, current, now, ({ address }) => isSameContact(address, contact), contacts)
  return {
    changed: { ...toContactMembers(contacts), ...ended.changed },
    details: { contacts: contacts.length },
    emails: ended.emails,
  }
}

export async function replaceFirstContact(store: Store, current: ApplicationRecord, contact: string, now: number) {
  const others = current.otherContacts.filter((each) => !isSameContact(each, contact))
  return replaceContacts(store, current, [contact, ...others], now)
}

async function replaceContacts(
  store: Store,
  current: ApplicationRecord,
  contacts: readonly string[],
  now: number,
): Promise<Edit<never>> {
  const removed = listContacts(current).filter((each) => !contacts.some((one) => isSameContact(one, each)))
  // Also ends invitations sent by the removed contacts.
  const actors = removed.map(describeContactActor)
  const isEnded = ({ by = '', address }: Invitation): boolean =>
    actors.includes(by) || contacts.some((each) => isSameContact(each, address))
  const ended = await endInvitations(store, current, now, isEnded, contacts)
  const redirected =
    contacts[0] === current.contact
      ? { changed: {}, emails: [] }
      : redirectEmails(current, await listQueuedEmails(store, current.id), now)
  return {
    changed: { ...redirected.changed, ...ended.changed, ...toContactMembers(contacts) },
    emails: [...redirected.emails, ...ended.emails],
  }
}

function removeFrom(current: ApplicationRecord, contact: string): readonly string[] {
  refuseDeleted(current, 'removeContact')
  const contacts = listContacts(current)
  const remaining = contacts.filter((each) => !isSameContact(each, contact))
  if (remaining.length === contacts.length)
    throw invalidState(`${contact} is not a contact of application ${current.id}.`)
  if (remaining.length > 0) return remaining
  throw invalidState(`${contact} is the only contact of application ${current.id}: add another one first.`)
}
