import type { PortalAction } from '../../contracts/portal-actions.js'
import type { ApplicationRecord, ApplicationStatus } from '../../contracts/application-record.js'

/**
 * The statuses in which each action is possible. New credentials need an active application: the first use of a credential
 * would activate one that still waits for approval. While an application is suspended, contacts may only take power away from it: what it
 * is stays as it was for the operator who decides about it.
 */
const STATUSES: Readonly<Record<PortalAction, readonly ApplicationStatus[]>> = {
  addKey: ['active'],
  addSecret: ['active'],
  rename: ['active'],
  rotate: ['active'],
  end: ['active', 'suspended'],
  revokeTokens: ['active', 'suspended'],
  requestAccess: ['active'],
  invite: ['active'],
  removeContact: ['pending', 'active'],
  delete: ['pending', 'active'],
}

/** Whether the application's status allows the action. */
export function isPossible(action: PortalAction, { status }: Pick<ApplicationRecord, 'status'>): boolean {
  return STATUSES[action].includes(status)
}
