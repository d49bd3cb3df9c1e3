import type { ApplicationRecord, ApplicationStatus } from '../../shared/contracts/application-record.js'

/**
 * The statuses in which each action is possible. New credentials need an active application: the first use of a credential
 * would activate one that still waits for approval. While an application is suspended, contacts may only take power away from it: what it
 * is stays as it was for the operator who decides about it.
 */
const STATUSES = {
  addKey: ['active'],
  addSecret: ['active'],
  addKeySet: ['active'],
  replaceKeySet: ['active'],
  rename: ['active'],
  rotate: ['active'],
  end: ['active', 'suspended'],
  revokeTokens: ['active', 'suspended'],
  requestAccess: ['active'],
  networks: ['active'],
  invite: ['active'],
  removeContact: ['pending', 'active'],
  acceptTerms: ['pending', 'active', 'suspended'],
  delete: ['pending', 'active'],
} as const satisfies Readonly<Record<string, readonly ApplicationStatus[]>>

/** An action of a contact at the portal, beside looking: `portal({ actions })` can turn it off. */
export type PortalAction = keyof typeof STATUSES

export const PORTAL_ACTIONS = Object.keys(STATUSES) as readonly PortalAction[]

/** Whether the application's status allows the action. */
export function isPossible(action: PortalAction, { status }: Pick<ApplicationRecord, 'status'>): boolean {
  const statuses: readonly ApplicationStatus[] = STATUSES[action]
  return statuses.includes(status)
}
