import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { Store } from '../../shared/contracts/store.js'
import type { ApplicationWriter } from '../../core/applications/records/application-writer.js'
import { isFirstContact } from '../../core/applications/contacts/confirmation.js'

/** Confirms the applications of a contact who has signed in: those that registrations made for the mailbox, the oldest 20 at most. */
export type ConfirmContact = (contact: string) => Promise<void>

const MAX_CONFIRMED = 20

export function createConfirmContact({
  store,
  writer,
}: {
  readonly store: Pick<Store, 'listApplications'>
  readonly writer: Pick<ApplicationWriter, 'change'>
}): ConfirmContact {
  return async function confirmContact(contact) {
    const query = { after: undefined, limit: MAX_CONFIRMED, api: undefined, status: undefined, contact }
    const isOpen = (record: ApplicationRecord): boolean => record.isUnconfirmed && isFirstContact(record, contact)
    for (const { id } of (await store.listApplications(query)).filter(isOpen)) {
      await writer.change(id, { type: undefined }, (current) =>
        isOpen(current) ? { changed: { isUnconfirmed: false } } : undefined,
      )
    }
  }
}
