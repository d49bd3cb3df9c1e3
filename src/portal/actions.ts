import type { PortalAction } from '../contracts/portal-actions.js'
import type { ApplicationRecord, ApplicationStatus } from '../contracts/application-record.js'

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
  invite: ['active'],
  removeContact: ['pending', 'active', 'suspended'],
  delete: ['pending', 'active', 'suspended'],
}

/** Whether the application's status allows the action. */
export function isPossible(action: PortalAction, { status }: Pick<ApplicationRecord, 'status'>): boolean {
  return STATUSES[action].includes(status)
}
