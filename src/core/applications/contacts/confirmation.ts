import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import { isSameContact } from './contact-lists.js'

/** Whether somebody wants e-mails there: credentials were used, an invitation accepted, or an operator added him. */
export function isConfirmed(record: ApplicationRecord, contact: string): boolean {
  return !record.isUnconfirmed || !isFirstContact(record, contact) || hasBeenUsed(record)
}

/** The changed record, confirmed if the change set another first contact, or if a credential of the former record was used. */
export function settleConfirmation(current: ApplicationRecord, changed: ApplicationRecord): ApplicationRecord {
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
