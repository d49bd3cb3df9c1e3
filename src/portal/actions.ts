import type { ApplicationRecord, ApplicationStatus } from '../contracts/store.js'

/** What a contact can do on the portal. The option `portal` turns each off by its name. */
export const PORTAL_ACTIONS = [
  'addKey', 'addSecret', 'rename', 'rotate', 'end', 'revokeTokens', 'requestAccess', 'invite', 'removeContact', 'delete',
] as const // prettier-ignore

export type PortalAction = (typeof PORTAL_ACTIONS)[number]

/** The actions that the platform offers. */
export type PortalActions = Readonly<Record<PortalAction, boolean>>

/**
 * The statuses in which each action is possible. New credentials need an active application: the first use of a credential
 * would activate one that still waits for approval.
 */
const STATUSES: Readonly<Record<PortalAction, readonly ApplicationStatus[]>> = {
  addKey: ['active'],
  addSecret: ['active'],
  rename: ['active', 'suspended'],
  rotate: ['active'],
  end: ['active', 'suspended'],
  revokeTokens: ['active', 'suspended'],
  requestAccess: ['active'],
  invite: ['active', 'suspended'],
  removeContact: ['pending', 'active', 'suspended'],
  delete: ['pending', 'active', 'suspended'],
}

/** Whether the application's status allows the action. */
export function isPossible(action: PortalAction, { status }: Pick<ApplicationRecord, 'status'>): boolean {
  return STATUSES[action].includes(status)
}

/** Whether a mailbox (an address in ASCII lower case) is a contact of the application. */
export function hasContact({ contact, otherContacts }: ApplicationRecord, mailbox: string): boolean {
  return [contact, ...otherContacts].some((address) => address !== undefined && toMailbox(address) === mailbox)
}

/** Contacts are ASCII, so lower case is the same in every locale. */
export function toMailbox(address: string): string {
  return address.toLowerCase()
}
